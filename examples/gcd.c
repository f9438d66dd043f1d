// The program of README's section on arguments and results: reduces fractions by their gcd.
#include <stdio.h>

static int gcd(int x, int y)
{
    return y == 0 ? x : gcd(y, x % y);
}

static void reduce(int *numerator, int *denominator)
{
    int common = gcd(*numerator, *denominator);
    *numerator /= common;
    *denominator /= common;
}

int main(void)
{
    int numerator = 12, denominator = 18;
    reduce(&numerator, &denominator);
    printf("%d/%d\n", numerator, denominator);
    return 0;
}
