// Throws classes of its own, and says which it catches. step() returns, unless a rule makes it throw.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace store
{
struct Code {
    int code;
    explicit Code(int c);
    virtual ~Code();
};
Code::Code(int c) : code(c)
{
}
Code::~Code()
{
    std::printf("~Code %d\n", code);
}
struct Text : std::runtime_error {
    Text(const std::string &t);
};
Text::Text(const std::string &t) : std::runtime_error("Text: " + t)
{
}
struct Inlined : std::runtime_error {
    Inlined(const std::string &t) : std::runtime_error(t)
    {
    }
};
struct Plain {
    int number;
};
struct View {
    char t[20];
    View(std::string_view v);
};
View::View(std::string_view v)
{
    std::snprintf(t, sizeof t, "%.*s", (int)v.size(), v.data());
}
struct Nothing {
    int n;
    Nothing();
};
Nothing::Nothing() : n(77)
{
}
struct Real {
    double d;
    Real(double x);
};
Real::Real(double x) : d(x)
{
}
struct ByValue {
    std::string s;
    ByValue(std::string v);
};
ByValue::ByValue(std::string v) : s(std::move(v))
{
}
struct Twin {
    int n;
};
} // namespace store
namespace other
{
struct Twin {
    int n;
};
} // namespace other
// Of the unit alone: clang gives it no constructor but that of a part.
namespace
{
struct Hidden {
    const char *t;
    Hidden(const char *x);
};
__attribute__((noinline)) Hidden::Hidden(const char *x) : t(x)
{
}
} // namespace
__attribute__((noinline)) int step(int n)
{
    switch (n) {
    case 100:
        throw store::Code(1);
    case 101:
        throw store::Text("x");
    case 102:
        throw store::Inlined("y");
    case 103:
        throw store::Plain{4};
    case 104:
        throw store::View("v");
    case 105:
        throw store::Nothing();
    case 106:
        throw store::Real(1);
    case 107:
        throw Hidden("h");
    case 108:
        throw store::ByValue("b");
    case 109:
        throw store::Twin{1};
    case 110:
        throw other::Twin{2};
    }
    return n + 1;
}
__attribute__((noinline)) void allocate()
{
    try {
        int *volatile block = new int(5);
        delete block;
    } catch (const store::Code &c) {
        std::printf("Code %d\n", c.code);
    }
}
int main()
{
    allocate();
    for (int i = 0; i < 10; i++) {
        try {
            std::printf("%d\n", step(i));
        } catch (const store::Code &c) {
            std::printf("Code %d\n", c.code);
        } catch (const store::Inlined &c) {
            std::printf("Inlined %s\n", c.what());
        } catch (const std::runtime_error &c) {
            std::printf("runtime %s\n", c.what());
        } catch (const store::Plain &c) {
            std::printf("Plain %d\n", c.number);
        } catch (const store::View &c) {
            std::printf("View %s\n", c.t);
        } catch (const store::Nothing &c) {
            std::printf("Nothing %d\n", c.n);
        } catch (const store::Real &c) {
            std::printf("Real %g\n", c.d);
        } catch (const Hidden &c) {
            std::printf("Hidden %s\n", c.t);
        } catch (const store::ByValue &c) {
            std::printf("ByValue %s\n", c.s.c_str());
        }
    }
}
