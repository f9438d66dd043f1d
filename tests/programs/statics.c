/* For static programs: allocates in every way that every libc has, jumps, and counts its calls. */
#include "count.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
COUNTED_NAMES;

static void *volatile kept[4000];
static jmp_buf back;
static sigjmp_buf signal_back;
static int missing;

static void take(int i)
{
    COUNT();
    char *block = malloc(16 + (size_t)i);
    kept[i] = block;
    if (block == NULL)
        missing++;
    else
        memset(block, i, 16 + (size_t)i);
}
static void give(int i)
{
    COUNT();
    free(kept[i]);
}
static void others(void)
{
    COUNT();
    void *volatile block = calloc(10, 10);
    block = realloc(block, 5000);
    missing += block == NULL;
    free(block);
    void *aligned = NULL;
    missing += posix_memalign(&aligned, 64, 100) != 0;
    free(aligned);
    block = aligned_alloc(64, 128);
    missing += block == NULL;
    free(block);
    block = strdup("twelve chars");
    missing += block == NULL;
    free(block);
}
static void jump(int how)
{
    COUNT();
    if (how == 0)
        longjmp(back, 1);
    siglongjmp(signal_back, 1);
}
int main(void)
{
    COUNT();
    for (int i = 0; i < 4000; i++)
        take(i);
    for (int i = 0; i < 4000; i++)
        give(i);
    others();
    if (setjmp(back) == 0)
        jump(0);
    if (sigsetjmp(signal_back, 1) == 0)
        jump(1);
    report();
    return missing == 0 ? 0 : 1;
}
