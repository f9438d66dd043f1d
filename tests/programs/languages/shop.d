module shop.main;

import core.stdc.stdio : printf;

struct Point
{
    int x;
    int sum(int y) { return x + y; }
}

class Base
{
    int kind() { return 1; }
}

class Derived : Base
{
    this() {}
    override int kind() { return 2; }
}

T twice(T)(T value) { return value * 2; }

int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

int main()
{
    Point p = Point(3);
    int s = 0;
    foreach (i; 0 .. 5)
        s += p.sum(i) + twice(i);
    Base b = new Derived;
    s += b.kind() + factorial(6) + cast(int) twice(2.5);
    int nested(int k) { return k + s; }
    s += nested(1);
    printf("%d\n", s);
    return 0;
}
