/* Its copies are of one unit or the other: see shapes.h. */
#include "shapes.h"
volatile int sink;
int main()
{
    shape *made = new square;
    sink = sink + through(*made, 3) + other(*made, 5);
    delete made;
    shape local(7);
    return other(local, 2) == 42 ? 0 : 1;
}
