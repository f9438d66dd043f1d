/* Coroutines that a hand-written function switches, as Boost.Context does: it returns on another stack. */
#include <stdio.h>
#include <stdlib.h>
void *sw(void **from, void *to);
__asm__(".text\n.p2align 4\n.globl sw\n.type sw,@function\nsw: .cfi_startproc\npushq %rbp\npushq "
        "%rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\nmovq %rsp,(%rdi)\nmovq "
        "%rsi,%rsp\npopq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq "
        "%rbp\nret\n.cfi_endproc\n.size sw,.-sw\n");
static void *own, *co[3];
static int cur, sum;
__attribute__((noinline)) static int leaf(int n)
{
    sum += n;
    return n;
}
__attribute__((noinline)) static void yields(int d)
{
    if (d)
        yields(d - 1);
    leaf(d);
    sw(&co[cur], own);
    leaf(1);
}
static void body(void)
{
    for (;;)
        yields(cur);
}
__attribute__((noinline)) static void resume(int i)
{
    cur = i;
    sw(&own, co[i]);
    leaf(2);
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        void **s = (void **)((char *)aligned_alloc(64, 65536) + 65536 - 64);
        *s = 0;
        *--s = body;
        for (int k = 0; k < 6; k++)
            *--s = 0;
        co[i] = s;
    }
    for (int i = 0; i < 300; i++)
        resume(i % 3);
    printf("%d\n", sum);
    return 0;
}
