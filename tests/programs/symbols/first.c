/* Two files with functions of one name: the first. tests/e2e/symbols.sh looks for both. */
#include <stdio.h>
int other(int x);
static int same_name(int x) { return x + 1; }
static inline int inlined(int x) { return same_name(x) * 3; }
static __attribute__((noinline)) int cloned(int a, int b) {
    if (a > 100) {
        puts("big");
        return b;
    }
    return a + b;
}
__attribute__((no_instrument_function)) int bare(int x) { return inlined(x) + 1; }
int dead(int x) { return x - 1; }
__attribute__((cold)) void rare(void) { puts("rare"); }
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 5)
        rare();
    printf("%d %d %d %d\n", inlined(argc), cloned(argc, 7), bare(argc), other(argc));
    return 0;
}
