/* A block that is freed twice: the C library aborts, and the log keeps what came before. */
#include <stdlib.h>

static char *volatile first;
static char *volatile second;
volatile int sink;

void free_it(char *block)
{
    free(block);
}
void allocate_them(void)
{
    first = malloc(100);
    second = malloc(200);
}
int main(void)
{
    allocate_them();
    free_it(first);
    if (sink == 0)
        free_it(first);
    return 0;
}
