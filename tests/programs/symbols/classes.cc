#include <cstdio>
#include <vector>
#include <string>
namespace shop {
template <class T, int N> struct Stack {
    T items[N];
    int used = 0;
    void push(T item) { items[used++] = item; }
    T top() const { return items[used - 1]; }
};
static int hidden(int x) { return x + 2; }
namespace {
int nameless(int x) { return hidden(x) * 2; }
}
struct Base {
    Base();
    virtual ~Base();
    virtual int price() const { return 1; }
};
Base::Base() { puts("base"); }
Base::~Base() { puts("gone"); }
struct Item : virtual Base {
    Item(int p);
    ~Item() override;
    int price() const override { return cost; }
    int cost;
};
Item::Item(int p) : cost(p) { puts("item"); }
Item::~Item() { puts("item gone"); }
int run(int x) {
    auto twice = [](int y) { return nameless(y) * 2; };
    struct Local { int go(int z) { return z - 1; } } local;
    return twice(x) + local.go(x);
}
} // namespace shop
int operator+(const shop::Item &a, int b) { return a.price() + b; }
int main(int argc, char **) {
    shop::Stack<int, 4> s;
    s.push(argc);
    shop::Item item(3);
    shop::Base *heap = new shop::Item(4);
    int r = shop::run(s.top()) + (item + 1) + heap->price();
    delete heap;
    printf("%d\n", r);
    return 0;
}
