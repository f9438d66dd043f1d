/* The same as expressions.c, of what C++ adds. */
#include <cstdio>
#include <string>
#include <string_view>

#define APART __attribute__((noinline))
#define SHOW(format, expression) std::printf("%s: %s: " format "\n", name, #expression, expression)
#define SHOW_TEXT(expression)                                                                      \
    std::printf("%s: %s: \"%.*s\"\n", name, #expression, static_cast<int>((expression).size()),    \
                (expression).data())

struct base {
    int id = 3;
    virtual ~base() = default;
};
struct middle : base {
    int depth = 4;
};
struct first {
    long before = 11;
};
struct named {
    std::string text;
    std::string_view part;
    int &number;
    named *self;
};
namespace space
{
struct thing {
    int a = 5;
    static int shared;
};
int thing::shared = 6;
struct parser : first, middle {
    std::string name_of = "parser";
    std::string *other = &name_of;
    thing *things[2];
    char buffer[8] = "buf";
    APART int next(int i)
    {
        static const char name[] = "space::parser::next";
        SHOW("%d", this->depth);
        SHOW("%d", this->id + i);
        SHOW("%ld", this->before);
        SHOW_TEXT(this->name_of);
        SHOW_TEXT(*this->other);
        SHOW("%d", this->things[i]->a);
        SHOW("\"%s\"", this->buffer);
        return i;
    }
};
} // namespace space

APART int references(const named &n, std::string s, int &i, const char *const &p, space::thing &&t)
{
    static const char name[] = "references";
    SHOW_TEXT(n.text);
    SHOW_TEXT(n.part);
    SHOW("%d", n.number);
    SHOW("%d", n.self->number + i);
    SHOW("%d", i * 2);
    std::printf("%s: p[1]: %d '%c'\n", name, p[1], p[1]);
    SHOW("%d", t.a);
    SHOW_TEXT(s);
    return 0;
}

template <class T> APART T generic(T *values, int i)
{
    static const char name[] = "generic<long>";
    SHOW("%ld", values[i] * 2);
    return values[0];
}

int main()
{
    int number = 8;
    named n{"a longer text than fits in itself", "view", number, nullptr};
    n.self = &n;
    space::thing thing;
    space::parser parser;
    parser.things[0] = parser.things[1] = &thing;
    const char *text = "pointed";
    long values[] = {1, 2, 3};
    parser.next(1);
    references(n, "given", number, text, space::thing());
    generic(values, 2);
}
