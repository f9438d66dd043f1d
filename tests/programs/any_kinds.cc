// C++ of every kind, compiled without fisql: virtual functions and thunks, constructors, templates, lambdas,
// exceptions, local statics, thread_local, static objects, algorithms that call back. tests/e2e/any_counts.sh
// compares the counts of its functions with callgrind's.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define APART __attribute__((noinline))

static uint64_t sum = 77;
APART static void mix(uint64_t value)
{
    sum = sum * 6364136223846793005u + value;
}

struct Shape {
    int side;
    explicit APART Shape(int s) : side(s)
    {
        mix(1);
    }
    APART Shape(const Shape &other) : side(other.side)
    {
        mix(2);
    }
    virtual APART ~Shape()
    {
        mix(3);
    }
    virtual int area() const = 0;
    virtual Shape *clone() const = 0;
};
struct Named {
    std::string name;
    explicit APART Named(const char *n) : name(n)
    {
    }
    virtual APART ~Named()
    {
        mix(4);
    }
    virtual size_t length() const
    {
        return name.size();
    }
};
struct Square : Shape, Named {
    explicit Square(int s) : Shape(s), Named("square")
    {
    }
    int area() const override
    {
        return side * side;
    }
    Square *clone() const override
    {
        return new Square(*this);
    } // a covariant result
    size_t length() const override
    {
        return name.size() + 100;
    } // called through a thunk
};
struct Virtual : virtual Named {
    int n;
    explicit Virtual(int k) : Named("virtual"), n(k)
    {
    }
    size_t length() const override
    {
        return name.size() + static_cast<size_t>(n);
    }
};
struct Both : Virtual, Square {
    Both() : Named("both"), Virtual(3), Square(4)
    {
    }
    size_t length() const override
    {
        return Virtual::length() + 1;
    }
};

template <typename T, int N> struct Array {
    T items[N];
    APART T total() const
    {
        T all{};
        for (const T &item : items)
            all += item;
        return all;
    }
    APART T &operator[](int i)
    {
        return items[i];
    }
};

struct Member {
    int base;
    APART int plus(int n)
    {
        return base + n;
    }
    APART int times(int n)
    {
        return base * n;
    }
    APART static int fixed(int n)
    {
        return n - 1;
    }
};

APART static int by_member(Member &m, int (Member::*which)(int), int n)
{
    return (m.*which)(n);
}

struct Guard {
    int n;
    explicit APART Guard(int k) : n(k)
    {
        mix(5);
    }
    APART ~Guard()
    {
        mix(static_cast<uint64_t>(n));
    }
};

APART static int thrower(int n)
{
    Guard guard(n);
    if (n == 0)
        throw std::runtime_error("zero");
    if (n == 1)
        throw 42;
    return n;
}
APART static int passes(int n)
{
    Guard guard(n + 100);
    return thrower(n) + 1;
}
APART static int catcher(int n)
{
    try {
        return passes(n);
    } catch (const std::exception &e) {
        return static_cast<int>(e.what()[0]);
    } catch (...) {
        try {
            throw;
        } catch (int k) {
            return k;
        }
    }
}

struct Once {
    APART Once()
    {
        mix(6);
    }
    APART int next()
    {
        return ++count;
    }
    APART ~Once()
    {
        mix(7);
    }
    int count = 0;
};
APART static int once()
{
    static Once it;
    return it.next();
}
static thread_local Once per_thread;
APART static int in_thread()
{
    return per_thread.next();
}

static Once global_object;
struct Last {
    APART ~Last()
    {
        std::printf("last %016llx %d\n", static_cast<unsigned long long>(sum),
                    global_object.next());
    }
};
static Last last;

APART static std::string text_of(int n)
{
    return std::to_string(n) + "!";
}
APART static std::unique_ptr<Shape> make(int n)
{
    return std::make_unique<Square>(n);
}
APART static std::complex<double> turn(std::complex<double> z)
{
    return z * std::complex<double>(0, 1);
}

int main()
{
    for (int i = 0; i < 10; i++) {
        Square square(i);
        Shape *shape = square.clone();
        Named *named = &square;
        mix(static_cast<uint64_t>(shape->area()));
        mix(named->length());
        Shape *again = shape->clone();
        delete shape;
        delete again;
        Both both;
        Named *first = static_cast<Virtual *>(&both);
        mix(first->length());
        mix(static_cast<Square &>(both).length());
        Virtual plain(i);
        Named *base = &plain;
        mix(base->length());
    }
    Array<int, 5> numbers{{1, 2, 3, 4, 5}};
    Array<std::string, 3> texts{{"a", "b", "c"}};
    for (int i = 0; i < 5; i++) {
        numbers[i] += i;
        mix(static_cast<uint64_t>(numbers.total()));
        texts[i % 3] += text_of(i);
        mix(texts.total().size());
    }
    Member member{12};
    for (int i = 0; i < 6; i++)
        mix(static_cast<uint64_t>(by_member(member, i % 2 ? &Member::plus : &Member::times, i) +
                                  Member::fixed(i)));
    std::vector<int> values;
    for (int i = 0; i < 100; i++)
        values.push_back(i * 37 % 101);
    int compared = 0;
    std::sort(values.begin(), values.end(), [&compared](int a, int b) {
        compared++;
        return a > b;
    });
    std::map<std::string, int> map;
    for (int value : values)
        map[text_of(value % 13)] += value;
    for (const auto &item : map)
        mix(static_cast<uint64_t>(item.second));
    std::function<int(int)> function = [&](int n) {
        return n < 2 ? n : function(n - 1) + function(n - 2);
    };
    mix(static_cast<uint64_t>(function(10)));
    for (int i = 0; i < 12; i++)
        mix(static_cast<uint64_t>(catcher(i % 4)));
    for (int i = 0; i < 3; i++)
        mix(static_cast<uint64_t>(once()));
    for (int i = 0; i < 4; i++)
        std::thread([i] { mix(static_cast<uint64_t>(in_thread() + in_thread() + i)); }).join();
    mix(static_cast<uint64_t>(in_thread()));
    for (int i = 0; i < 5; i++) {
        mix(static_cast<uint64_t>(make(i)->area()));
        mix(static_cast<uint64_t>(turn({i * 1.0, 2}).real()));
    }
    std::printf("sum %016llx compared %d\n", static_cast<unsigned long long>(sum), compared);
    return 5;
}
