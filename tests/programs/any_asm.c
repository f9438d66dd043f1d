/* Hand-written functions, compiled without fisql: short ones, ones whose first instructions refer to where they lie,
 * ones that are jumped into, and which registers a call leaves alone. tests/e2e/any_counts.sh compares the counts
 * with callgrind's; the program itself says what a call has changed. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN(name) ".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", . - " name "\n"
#define FUNCTION(name, code) ".p2align 4, 0xcc\n" BEGIN(#name) code END(#name)
#define NOP_FUNCTION(name, code) ".p2align 4\n" BEGIN(#name) code END(#name)
#define TIGHT(name, code) BEGIN(#name) code END(#name)

/* clang-format off */
__asm__(".data\n"
        ".p2align 4\n"
        "a_word: .long 5\n"
        "a_byte: .byte 3\n"
        ".p2align 4\n"
        "a_vector: .long 1, 2, 3, 4\n"
        "a_pointer: .quad a_mov_imm\n"
        ".text\n"
        /* short, with padding behind */
        FUNCTION(a_ret, "ret\n")
        NOP_FUNCTION(a_ret_nops, "ret\n")
        FUNCTION(a_xor, "xorl %eax, %eax\nret\n")
        NOP_FUNCTION(a_xor_nops, "xorl %eax, %eax\nret\n")
        FUNCTION(a_mov_reg, "movl %edi, %eax\nret\n")
        FUNCTION(a_lea, "leal 1(%rdi), %eax\nret\n")
        FUNCTION(a_endbr, "endbr64\nret\n")
        FUNCTION(a_rep_ret, "rep ret\n")
        FUNCTION(a_mov_imm, "movl $77, %eax\nret\n")
        FUNCTION(a_push, "pushq $5\npopq %rax\nret\n")
        /* relative to the instruction */
        FUNCTION(a_load, "movl a_word(%rip), %eax\nret\n")
        FUNCTION(a_compare, "cmpl $5, a_word(%rip)\nsete %al\nmovzbl %al, %eax\nret\n")
        FUNCTION(a_store, "movb $9, a_byte(%rip)\nmovzbl a_byte(%rip), %eax\nret\n")
        FUNCTION(a_store_long, "movl $0x12345678, a_word(%rip)\nmovl $5, a_word(%rip)\nmovl a_word(%rip), %eax\nret\n")
        FUNCTION(a_lock, "lock incl a_word(%rip)\nlock decl a_word(%rip)\nmovl a_word(%rip), %eax\nret\n")
        FUNCTION(a_address, "leaq a_word(%rip), %rax\nmovl (%rax), %eax\nret\n")
        FUNCTION(a_own_address, "leaq a_own_address(%rip), %rax\nleaq a_own_address(%rip), %rcx\nsubq %rcx, %rax\nret\n")
        FUNCTION(a_vectors, "movdqa a_vector(%rip), %xmm0\nmovd %xmm0, %eax\nret\n")
        FUNCTION(a_short_jump, "jmp 1f\n.skip 40, 0xcc\n1: movl $8, %eax\nret\n")
        FUNCTION(a_tail, "jmp a_mov_imm\n")
        FUNCTION(a_tail_pointer, "jmp *a_pointer(%rip)\n")
        FUNCTION(a_branch, "testl %edi, %edi\njs 1f\nmovl $1, %eax\nret\n1: movl $2, %eax\nret\n")
        FUNCTION(a_far_branch, "testl %edi, %edi\njs 1f\nmovl $1, %eax\nret\n.skip 200, 0xcc\n1: movl $2, %eax\nret\n")
        FUNCTION(a_tail_branch, "testl %edi, %edi\njns a_mov_imm\nmovl $2, %eax\nret\n")
        FUNCTION(a_rcx_branch, "movl %edi, %ecx\njrcxz 1f\nmovl $1, %eax\nret\n1: movl $2, %eax\nret\n")
        FUNCTION(a_loop_branch, "leal 1(%edi), %ecx\nloop 1f\nmovl $1, %eax\nret\n1: movl $2, %eax\nret\n")
        FUNCTION(a_call, "call a_mov_imm\naddl $1, %eax\nret\n")
        FUNCTION(a_call_late, "pushq %rbx\ncall a_mov_imm\naddl $2, %eax\npopq %rbx\nret\n")
        FUNCTION(a_call_pointer, "call *a_pointer(%rip)\naddl $3, %eax\nret\n")
        FUNCTION(a_call_register, "movq a_pointer(%rip), %r11\ncall *%r11\naddl $3, %eax\nret\n")
        FUNCTION(a_where, "call 1f\n1: popq %rax\nleaq a_where(%rip), %rcx\nsubq %rcx, %rax\nret\n")
        FUNCTION(a_copy, "movq %rdx, %rcx\nrep movsb\nret\n")
        /* jumped into, or to its beginning */
        FUNCTION(a_entered, "xorl %eax, %eax\n1: addl %edi, %eax\ndecl %edi\njnz 1b\nret\n")
        FUNCTION(a_entered_late, "movl $3, %eax\n1: addl %edi, %eax\ndecl %edi\njnz 1b\nret\n")
        FUNCTION(a_again, "subl $3, %edi\ncmpl $10, %edi\njg a_again\nmovl %edi, %eax\nret\n")
        FUNCTION(a_falls, "movl $40, %eax\n")
        TIGHT(a_into, "addl $2, %eax\nret\n")
        FUNCTION(a_outer, "movl $30, %eax\naddl $1, %eax\n.globl a_inner\n.type a_inner, @function\n"
                          "a_inner: addl $2, %eax\nmovl %eax, %eax\nnop\nret\n.size a_inner, . - a_inner\n")
        /* short, with functions behind */
        FUNCTION(a_tight_ret, "ret\n")
        TIGHT(a_tight_xor, "xorl %eax, %eax\nret\n")
        TIGHT(a_tight_mov, "movl %edi, %eax\nret\n")
        TIGHT(a_tight_last, "movl $6, %eax\nret\n")
        /* no unwind information */
        ".p2align 4, 0xcc\n.globl a_bare\n.type a_bare, @function\na_bare: movl $4, %eax\nret\n.size a_bare, . - a_bare\n"
        ".p2align 4, 0xcc\n");
/* clang-format on */

int a_ret(int), a_ret_nops(int), a_xor(int), a_xor_nops(int), a_mov_reg(int), a_lea(int),
    a_endbr(int), a_rep_ret(int), a_mov_imm(int), a_push(int), a_load(int), a_compare(int),
    a_store(int), a_store_long(int), a_lock(int), a_address(int), a_own_address(int),
    a_vectors(int), a_short_jump(int), a_tail(int), a_tail_pointer(int), a_branch(int),
    a_far_branch(int), a_tail_branch(int), a_rcx_branch(int), a_loop_branch(int), a_call(int),
    a_call_late(int), a_call_pointer(int), a_call_register(int), a_where(int), a_entered(int),
    a_entered_late(int), a_again(int), a_falls(int), a_into(int), a_outer(int), a_inner(int),
    a_tight_ret(int), a_tight_xor(int), a_tight_mov(int), a_tight_last(int), a_bare(int);
void a_copy(void *to, const void *from, size_t bytes);

__attribute__((naked, noinline)) int naked_add(int a, int b)
{
    __asm__("leal (%rdi,%rsi), %eax\nret");
}

/* ---- what a call leaves alone ---- */
struct state {
    uint64_t general[16]; /* rax rbx rcx rdx rsi rdi rbp r8..r15, and the flags */
    unsigned char area[8192] __attribute__((aligned(64)));
};
/* Loads the general registers from *in and the others from its area, calls the function at r11's place on the
 * stack, and stores them to *out. r11 is loaded, too: the call is through memory. */
void probe(const struct state *in, struct state *out, void (*function)(void), uint64_t mask);
__asm__(FUNCTION(
    probe,
    "pushq %rbx\npushq %rbp\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rdx, probe_function(%rip)\nmovq %rsi, probe_out(%rip)\nmovq %rcx, probe_mask(%rip)\n"
    "fnstcw probe_fcw(%rip)\nstmxcsr probe_mxcsr(%rip)\n"
    "movl %ecx, %eax\nmovq %rcx, %rdx\nshrq $32, %rdx\nxrstor64 128(%rdi)\n"
    "movq (%rdi), %rax\nmovq 8(%rdi), %rbx\nmovq 16(%rdi), %rcx\nmovq 24(%rdi), %rdx\n"
    "movq 32(%rdi), %rsi\nmovq 48(%rdi), %rbp\nmovq 56(%rdi), %r8\nmovq 64(%rdi), %r9\n"
    "movq 72(%rdi), %r10\nmovq 80(%rdi), %r11\nmovq 88(%rdi), %r12\nmovq 96(%rdi), %r13\n"
    "movq 104(%rdi), %r14\nmovq 112(%rdi), %r15\nmovq 40(%rdi), %rdi\n"
    "call *probe_function(%rip)\n"
    "pushq %rdi\nmovq probe_out(%rip), %rdi\n"
    "movq %rax, (%rdi)\nmovq %rbx, 8(%rdi)\nmovq %rcx, 16(%rdi)\nmovq %rdx, 24(%rdi)\n"
    "movq %rsi, 32(%rdi)\nmovq %rbp, 48(%rdi)\nmovq %r8, 56(%rdi)\nmovq %r9, 64(%rdi)\n"
    "movq %r10, 72(%rdi)\nmovq %r11, 80(%rdi)\nmovq %r12, 88(%rdi)\nmovq %r13, 96(%rdi)\n"
    "movq %r14, 104(%rdi)\nmovq %r15, 112(%rdi)\npopq 40(%rdi)\n"
    "pushfq\npopq %rax\nandl $0x400, %eax\nmovq %rax, 120(%rdi)\n" /* the direction */
    "movl probe_mask(%rip), %eax\nmovl 4+probe_mask(%rip), %edx\nxsave64 128(%rdi)\n"
    "fninit\nfldcw probe_fcw(%rip)\nldmxcsr probe_mxcsr(%rip)\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\nret\n") ".data\n.p2align "
                                                                               "3\nprobe_function: "
                                                                               ".quad "
                                                                               "0\nprobe_out: "
                                                                               ".quad "
                                                                               "0\nprobe_mask: "
                                                                               ".quad "
                                                                               "0\nprobe_fcw: "
                                                                               ".long "
                                                                               "0\nprobe_mxcsr: "
                                                                               ".long 0\n"
                                                                               ".text\n");

static uint64_t features(void)
{
    unsigned a, d;
    if (getenv("ANY_NO_PROBE") != NULL)
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    /* x87, sse, avx, opmask, zmm high, zmm16..31 */
    return (((uint64_t)d << 32) | a) & 0xe7;
}

/* A state in which every register has a value of its own. */
static void fill(struct state *it, uint64_t mask)
{
    memset(it, 0, sizeof *it);
    for (int i = 0; i < 15; i++)
        it->general[i] = 0x1111111111111111u * (uint64_t)(i + 1) + 0xabc;
    memset(it->area, 0, sizeof it->area);
    it->area[0] = 0x7f,
    it->area[1] = 0x07;               /* control word: round down, 53 bits -> 0x77f less one */
    it->area[4] = 0xff;               /* tags: all eight are in use */
    uint32_t mxcsr = 0x1f80 | 0x6000; /* round towards zero */
    memcpy(it->area + 24, &mxcsr, 4);
    for (int i = 0; i < 8; i++) { /* st(i), normal numbers */
        unsigned char number[10] = {(unsigned char)(i + 1), 2,   3, 4, 5, 6, 7, 0x80,
                                    (unsigned char)i,       0x40};
        memcpy(it->area + 32 + 16 * i, number, sizeof number);
    }
    for (size_t i = 160; i < 160 + 256; i++) /* xmm */
        it->area[i] = (unsigned char)(i * 37 + 11);
    static const int parts[] = {2, 5, 6, 7};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (mask >> parts[k] & 1) {
            unsigned size, offset, c, d;
            __asm__ volatile("cpuid"
                             : "=a"(size), "=b"(offset), "=c"(c), "=d"(d)
                             : "a"(13), "c"(parts[k]));
            for (unsigned i = offset; i < offset + size; i++)
                it->area[i] = (unsigned char)(i * 41 + 7);
        }
    memcpy(it->area + 512, &mask, 8);
}

static int differences(const char *what, struct state *in, const struct state *out, int own)
{
    int found = 0;
    for (int i = 0; i < 15; i++)
        if (in->general[i] != out->general[i] && !(own & 1 << i)) {
            printf("%s: general register %d is %llx, was %llx\n", what, i,
                   (unsigned long long)out->general[i], (unsigned long long)in->general[i]);
            found++;
        }
    if (out->general[15] != 0)
        printf("%s: the direction flag is set\n", what), found++;
    memcpy(in->area + 512, out->area + 512, 8); /* which parts are not in their first state */
    for (size_t i = 0; i < sizeof in->area; i++)
        if (in->area[i] != out->area[i] && !(i >= 5 && i < 24) && !(i >= 28 && i < 32) &&
            !(i >= 464 && i < 512)) {
            printf("%s: byte %zu of the extended state is %02x, was %02x\n", what, i, out->area[i],
                   in->area[i]);
            if (++found > 10)
                break;
        }
    return found;
}

static void *probes(void *name)
{
    struct state *in = aligned_alloc(64, sizeof *in), *out = aligned_alloc(64, sizeof *out);
    uint64_t mask = features();
    int found = 0;
    for (int i = 0; mask != 0 && i < 40; i++) {
        fill(in, mask);
        memset(out, 0, sizeof *out);
        probe(in, out, (void (*)(void))a_ret, mask);
        found += differences(name, in, out, 0);
        fill(in, mask);
        memset(out, 0, sizeof *out);
        probe(in, out, (void (*)(void))a_xor, mask);
        found += differences(name, in, out, 1);
    }
    printf("%s: %d registers changed\n", (const char *)name, found);
    free(in), free(out);
    return NULL;
}

int main(void)
{
    static int (*const functions[])(int) = {
        a_mov_reg,    a_lea,         a_mov_imm,      a_push,      a_load,         a_compare,
        a_store,      a_store_long,  a_lock,         a_address,   a_own_address,  a_vectors,
        a_short_jump, a_tail,        a_tail_pointer, a_branch,    a_far_branch,   a_tail_branch,
        a_rcx_branch, a_loop_branch, a_call,         a_call_late, a_call_pointer, a_call_register,
        a_where,      a_entered,     a_entered_late, a_again,     a_falls,        a_outer,
        a_tight_mov,  a_tight_last,  a_bare,         a_xor,       a_xor_nops,     a_tight_xor};
    static int (*const without[])(int) = {a_ret, a_ret_nops, a_endbr, a_rep_ret, a_tight_ret};
    static const int numbers[] = {0x7fffff, 12, 25, 1, 300};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        for (size_t k = 1; k < sizeof numbers / sizeof numbers[0]; k++)
            printf("%d%c", functions[i](numbers[k]), k == 4 ? '\n' : ' ');
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        for (int k = 0; k < 7; k++)
            without[i](k);
    for (int k = 0; k < 6; k++)
        a_into(k), a_inner(k), printf("%d ", naked_add(k, 3));
    printf("%d %d %d\n", a_branch(-1), a_far_branch(-1), a_tail_branch(-1));
    printf("%d %d\n", a_rcx_branch(0), a_loop_branch(0));
    char to[32] = "", from[32] = "copied by a rep movsb";
    a_copy(to, from, sizeof to);
    puts(to);
    probes("main");
    pthread_t thread;
    pthread_create(&thread, NULL, probes, "thread");
    pthread_join(thread, NULL);
    return 9;
}
