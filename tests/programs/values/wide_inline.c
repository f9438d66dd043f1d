/* An inlined body at a function's end, whose code the debug information lets reach beyond the function's own call of
 * the exit hook, as gcc 14 does: tests/e2e/recipes.sh moves the labels of its end. */
int sink;
static inline int store(int n)
{
    sink = n;
    return n;
}
__attribute__((noinline)) int last(int n)
{
    return store(n) * 2 + 1;
}
int main(void)
{
    return last(5) + last(7) != 26;
}
