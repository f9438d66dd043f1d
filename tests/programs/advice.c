/* Calls that advice is given on, and calls that a build without hooks does not have: see
 * tests/queries/planted_advice.sh. The other half is advice_parts.c, a translation unit of its own. */
#include <stdlib.h>

int far_add(int n);
int far_proxy(int n);
int far_checked(int n);
int far_worker(int n);
int far_item(int n);
void far_outer(int n);
void *far_block(int n);
extern int (*const far_table[2])(int);

volatile int sink;

/* Small and in sight of the compiler, which inlines them at -O2. */
static int near_static(int n)
{
    return n * 3 + sink;
}
static inline int near_inline(int n)
{
    return n * 5 + sink;
}
int near_global(int n)
{
    return n * 7 + sink;
}
/* far_proxy passes on to this one, far_checked, too, but that has another way. */
int proxied(int n)
{
    return sink += n;
}
int refused(int n)
{
    return sink -= n;
}
/* the only caller of far_add, near_static, near_inline, near_global */
void sum_up(int n)
{
    for (int i = 0; i < n; i++)
        sink += far_add(i) + near_static(i) + near_inline(i) + near_global(i);
}
/* calls far_item in a row */
void over_items(int n)
{
    for (int i = 0; i < n; i++)
        sink += far_item(i);
}
/* the program's main loop: no array of items */
void serve(int n)
{
    for (int i = 0; i < n; i++)
        far_worker(i);
}
/* keeps one of three blocks */
void keep(int n)
{
    void *block = far_block(n);
    if (n % 3 != 0)
        free(block);
}
/* owns what far_block gives it, and frees it later */
void own(int n)
{
    void *blocks[4];
    for (int i = 0; i < 4; i++)
        blocks[i] = far_block(i);
    for (int i = 0; i < 4; i++)
        free(blocks[i]);
    sink += n;
}

int main(void)
{
    sum_up(2000);
    for (int i = 0; i < 200; i++) {
        over_items(100);
        sink += far_table[i % 2](i);
        far_proxy(i);
        far_checked(i);
        far_outer(3);
    }
    for (int i = 0; i < 9; i++) {
        keep(i);
        own(i);
    }
    serve(400);
    return 0;
}
