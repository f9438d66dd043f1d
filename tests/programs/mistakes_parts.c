/* A function of another file, which the compiler cannot inline into mistakes.c. */
int is_digit(int c);

int is_digit(int c)
{
    return c >= '0' && c <= '9';
}
