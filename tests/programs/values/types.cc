/* Calls with arguments and results of the types that C++ adds: tests/e2e/recipes.sh. */
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#define APART __attribute__((noinline))

enum class shape : unsigned char { CIRCLE = 1, SQUARE = 3 };

struct trivial {
    int a, b;
    int sum() const
    {
        return a + b;
    }
};
struct copied { /* passed by its address */
    int a;
    explicit copied(int x) : a(x)
    {
    }
    copied(const copied &other) : a(other.a + 1)
    {
    }
    ~copied()
    {
    }
};
struct defaulted { /* not so */
    int a;
    defaulted() : a(7)
    {
    }
    defaulted(const defaulted &) = default;
    ~defaulted() = default;
};
struct holder { /* so, by its member */
    std::string text;
};
struct polymorphic {
    int k;
    explicit polymorphic(int x) : k(x)
    {
    }
    polymorphic(const polymorphic &) = default;
    virtual ~polymorphic()
    {
    }
    APART virtual int method(int a)
    {
        return a + k;
    }
};
struct derived : virtual polymorphic {
    explicit derived(int x) : polymorphic(x + 1)
    {
    }
    APART int method(int a) override
    {
        return a * k;
    }
};
struct empty {
};

volatile long sink;

APART shape scoped(shape a, bool b)
{
    sink = b;
    return a;
}

APART int references(int &a, const double &b, trivial &c, const char *const &d, int &&e)
{
    sink = static_cast<long>(b) + c.a + d[0] + e;
    return a++;
}

APART int &returns_reference(int &a)
{
    return a;
}

APART std::string strings(const std::string &a, std::string b, std::string *c)
{
    sink = static_cast<long>(b.size() + c->size());
    return a;
}

APART const std::string &same_string(const std::string &a)
{
    return a;
}

APART std::string_view views(std::string_view a, const std::string_view &b)
{
    sink = static_cast<long>(b.size());
    return a;
}

APART copied by_address(copied a)
{
    return a;
}

APART defaulted in_register(defaulted a, trivial b, empty c)
{
    (void)c;
    sink = b.sum();
    return a;
}

APART holder held(int a)
{
    return holder{std::string(static_cast<size_t>(a), 'x')};
}

APART int null_pointer(std::nullptr_t a, int trivial::*b, int (trivial::*c)() const)
{
    trivial object{3, 4};
    sink = a == nullptr;
    return object.*b + (object.*c)();
}

APART std::unique_ptr<int> owner(std::unique_ptr<int> a)
{
    return a;
}

template <typename... Many> APART long pack(int first, Many... rest)
{
    return first + (static_cast<long>(rest) + ...);
}

APART int throws(int a)
{
    copied local(a);
    if (a > 1)
        throw a;
    return local.a;
}

namespace space
{
struct inner {
    short s;
};
APART inner named(inner a)
{
    return inner{static_cast<short>(a.s + 1)};
}
} // namespace space

int main()
{
    int number = 3;
    double fraction = 2.5;
    trivial pair{1, 2};
    const char *text = "c";
    std::string longer(70, 'y'), brief = "brief";
    sink = static_cast<long>(scoped(shape::SQUARE, true));
    sink += references(number, fraction, pair, text, 9);
    sink += returns_reference(number);
    sink += static_cast<long>(strings(brief, longer, &brief).size());
    sink += static_cast<long>(same_string(longer).size());
    sink += static_cast<long>(views("seen", std::string_view("partly").substr(0, 4)).size());
    sink += by_address(copied(3)).a;
    sink += in_register(defaulted(), pair, empty()).a;
    sink += static_cast<long>(held(5).text.size());
    sink += null_pointer(nullptr, &trivial::b, &trivial::sum);
    sink += *owner(std::make_unique<int>(6));
    sink += pack(1, 2L, short{3}, 'a');
    polymorphic base(4);
    derived other(5);
    sink += base.method(2) + other.method(3);
    sink += space::named(space::inner{8}).s;
    try {
        sink += throws(1);
        sink += throws(2);
    } catch (int value) {
        sink += value;
    }
    std::printf("%d\n", sink != 0);
}
