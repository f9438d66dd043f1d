/* The other unit: see shapes.h. */
#include "shapes.h"
int other(const shape &s, int n)
{
    square own;
    return through(s, n) + own.sides - 4 + s.twice(n) / 2;
}
