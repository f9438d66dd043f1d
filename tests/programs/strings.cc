// Templates, lambdas and the standard library's inlined members, with counts that are known:
// `each` is called once for each of two element types, with two and three elements.
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

template <class T, int N> struct Ring {
    T items[N];
    template <class Visitor> void each(Visitor visit)
    {
        for (auto &item : items)
            visit(item);
    }
    Ring &operator<<(const T &item)
    {
        items[0] = item;
        return *this;
    }
};

namespace
{
struct Base {
    virtual ~Base() = default;
    virtual int run(int x)
    {
        return x;
    }
};
struct Derived : Base {
    int run(int x) override
    {
        auto outer = [x](int y) {
            auto inner = [&](int z) { return z * x; };
            return inner(y) + inner(y + 1);
        };
        return outer(x) + outer(x + 1);
    }
};
} // namespace

template <class... Parts> int count(Parts &&...)
{
    return sizeof...(Parts);
}

int main()
{
    Ring<std::string, 2> texts;
    Ring<std::wstring, 3> wide;
    std::string all;
    texts << std::string("a string that is too long for the buffer in itself");
    texts.each([&](std::string &text) { all += text + ";"; });
    wide.each([](std::wstring &text) { text += L"wide"; });
    std::map<std::string, std::vector<int>> map;
    map[all].push_back(count(1, "two", 3.0));
    std::function<int(int)> add = [&](int x) { return x + static_cast<int>(map.size()); };
    std::unique_ptr<Base> base(new Derived);
    std::cout << all.substr(0, 8) << ' ' << add(1) + base->run(2) << std::endl;
    return 0;
}
