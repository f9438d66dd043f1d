/* Which functions are short leaves: x86_leaf.h. */
#include "debuginfo/x86/x86_leaf.h"
#include "tests/unit/check.h"

#include <string.h>

#define CODE(...) (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

static const struct sample {
    const char *what;
    const unsigned char *code;
    size_t bytes;
    bool leaf;
} samples[] = {
    {"mov (%rdi), %eax; ret", CODE(0x8b, 0x07, 0xc3), true},
    {"endbr64; ret", CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xc3), true},
    {"a branch on", CODE(0x85, 0xff, 0x74, 0x03, 0x31, 0xc0, 0xc3, 0x89, 0xf8, 0xc3), true},
    /* test; jne 8; 4: mov; ret; 7: nop; 8: xor; jmp 4 */
    {"a jump back to an end that two ways share",
     CODE(0x85, 0xff, 0x75, 0x04, 0x89, 0xf8, 0xc3, 0x90, 0x31, 0xc0, 0xeb, 0xf8), true},
    {"two ways that meet", CODE(0x85, 0xff, 0x74, 0x02, 0x31, 0xc0, 0x90, 0xc3), true},
    {"ud2 on one way", CODE(0x85, 0xff, 0x74, 0x01, 0xc3, 0x0f, 0x0b), true},
    {"a loop", CODE(0xff, 0xcf, 0x75, 0xfc, 0xc3), false},
    {"a jump to itself", CODE(0xeb, 0xfe), false},
    {"a loop by way of a jump on", CODE(0xeb, 0x01, 0xc3, 0xff, 0xcf, 0x75, 0xfc, 0xeb, 0xf7),
     false},
    {"a jump to its start", CODE(0x85, 0xff, 0x75, 0xfc, 0xc3), false},
    {"a call", CODE(0xe8, 0, 0, 0, 0, 0xc3), false},
    {"a call through a register", CODE(0xff, 0xd0, 0xc3), false},
    {"a call that is jumped over", CODE(0x85, 0xff, 0x74, 0x02, 0xff, 0xd0, 0xc3), false},
    {"a jump out of it", CODE(0x31, 0xc0, 0xeb, 0x40), false},
    {"a branch out of it", CODE(0x85, 0xff, 0x74, 0x40, 0xc3), false},
    {"a jump before it", CODE(0x31, 0xc0, 0xeb, 0xf0), false},
    {"a jump through a register", CODE(0xff, 0xe0), false},
    {"a system call", CODE(0x0f, 0x05, 0xc3), false},
    {"int3", CODE(0xcc, 0xc3), false},
    {"a string of any length", CODE(0xf3, 0xa4, 0xc3), false},
    {"an end without a return", CODE(0x31, 0xc0), false},
    {"half an instruction", CODE(0x8b), false},
};

int main(void)
{
    static unsigned char nops[X86_LEAF_BYTES_MAX + 1];
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        check(x86_is_leaf(samples[i].code, samples[i].bytes) == samples[i].leaf, "%s: %s",
              samples[i].what, samples[i].leaf ? "a leaf" : "none");
    check(!x86_is_leaf(nops, 0), "nothing: none");
    memset(nops, 0x90, sizeof nops);
    nops[X86_LEAF_BYTES_MAX - 1] = nops[X86_LEAF_BYTES_MAX] = 0xc3;
    check(x86_is_leaf(nops, X86_LEAF_BYTES_MAX), "the longest: a leaf");
    check(!x86_is_leaf(nops, X86_LEAF_BYTES_MAX + 1), "a longer one: none");
    return check_status();
}
