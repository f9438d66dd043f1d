/* A library that is loaded and unloaded; NAME differs so that two of them take each other's place.
 */
#include <stdlib.h>
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
int NAMED(inner_, NAME)(int n)
{
    free(malloc(8));
    return n + 1;
}
int plugin(int n)
{
    return NAMED(inner_, NAME)(n) + NAMED(inner_, NAME)(n + 1);
}
