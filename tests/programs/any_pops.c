/* A function that takes its argument off the stack, as those of some conventions do: ret $8. */
#include <stdio.h>
long pops(void);
long calls(void);
__asm__(".text\n.p2align 4\n.globl pops\n.type pops,@function\npops: .cfi_startproc\nmovq "
        "8(%rsp),%rax\naddq $5,%rax\nret $8\n.cfi_endproc\n.size pops,.-pops\n"
        ".p2align 4\n.globl calls\n.type calls,@function\ncalls: .cfi_startproc\npushq "
        "%rbx\n.cfi_adjust_cfa_offset 8\nmovq %rsp,%rbx\npushq $7\n.cfi_adjust_cfa_offset 8\ncall "
        "pops\n.cfi_adjust_cfa_offset -8\ncmpq %rsp,%rbx\njne 1f\npopq %rbx\nret\n1: "
        "ud2\n.cfi_endproc\n.size calls,.-calls\n");
int main(void)
{
    printf("%ld\n", calls());
    return 0;
}
