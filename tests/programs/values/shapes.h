/* Functions of a header that two units share: tests/e2e/recipes.sh. */
#include <string>
struct shape {
    int sides;
    explicit shape(int n) : sides(n)
    {
    }
    virtual ~shape()
    {
        sides = 0;
    }
    virtual int area(int scale) const
    {
        return sides * scale;
    }
    int twice(int n) const
    {
        return area(n) * 2;
    }
};
struct square : shape {
    square() : shape(4)
    {
    }
};
extern volatile int sink;
inline int through(const shape &s, const int &n)
{
    sink = sink + n;
    return s.twice(n);
}
int other(const shape &s, int n);
