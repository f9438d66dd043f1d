/* What direct calls show of the function they call (x86_calls.h), and what code reads (x86_reads.h). */
#include "debuginfo/x86/x86_calls.h"

#include <elf.h>
#include <string.h>

#include "base/must.h"
#include "debuginfo/x86/x86_reads.h"
#include "debuginfo/x86/x86_uses.h"
#include "tests/unit/check.h"

/* The function is at 0x1000, its caller at 0x1010, what comes behind that at 0x1080. */
#define FUNCTION 0x1000u
#define CALLER 0x1010u
#define BEHIND 0x1080u
#define THERE "\xaa\xaa\xaa\xaa" /* leads to the function */
#define CALL "\xe8" THERE
#define JUMP "\xe9" THERE
#define CALL_OTHER "\xe8\0\x40\0\0"
#define RETURN "\xc3"
#define SET_RDI "\xbf\1\0\0\0"
#define SET_RSI "\xbe\2\0\0\0"
#define LOAD_RDI "\x48\x8d\x3d" THERE
#define LOAD_RBX "\x48\x8d\x1d" THERE
#define RDI (1u << 5)
#define RSI (1u << 4)
#define RDX (1u << 1)
#define XMM0 (1u << X86_USES_VECTOR)

static unsigned char code[0x90];
static struct elf_section section = {.name = ".text",
                                     .type = SHT_PROGBITS,
                                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                                     .address = FUNCTION,
                                     .size_bytes = sizeof code,
                                     .data = code};
static const Elf64_Phdr segment = {
    .p_type = PT_LOAD, .p_vaddr = FUNCTION, .p_filesz = sizeof code, .p_memsz = sizeof code};
static const struct elf_file module = {.bytes = code,
                                       .size_bytes = sizeof code,
                                       .sections = &section,
                                       .sections_count = 1,
                                       .segments = &segment,
                                       .segments_count = 1};
static struct x86_calls calls;

/* Reads the code of a function and of its caller. NULL: the caller does not have its address. */
static const struct x86_callee *look(const char *function, size_t function_bytes,
                                     const char *caller, size_t caller_bytes)
{
    static const struct named_code functions[] = {{.name = "function", .address = FUNCTION},
                                                  {.name = "caller", .address = CALLER},
                                                  {.name = "behind", .address = BEHIND}};
    struct error error;
    memset(code, 0x90, sizeof code);
    memcpy(code, function, function_bytes);
    memcpy(code + (CALLER - FUNCTION), caller, caller_bytes);
    for (unsigned i = 0; i + 4 <= sizeof code; i++) {
        int32_t distance = -(int32_t)(i + 4);
        if (memcmp(code + i, THERE, 4) == 0)
            memcpy(code + i, &distance, 4);
    }
    x86_calls_release(&calls);
    must(x86_calls_find(&calls, &module, functions, 3, &error) == 0);
    return x86_calls_of(&calls, FUNCTION);
}
#define LOOK(caller) look(RETURN, 1, caller, sizeof(caller) - 1)
#define SETS(caller) (LOOK(caller) != NULL ? LOOK(caller)->sets : UINT32_MAX)
#define TAKES(caller) (LOOK(caller) != NULL ? LOOK(caller)->takes : UINT32_MAX)

static void sets(void)
{
    check(SETS(SET_RDI CALL RETURN) == RDI, "set right before the call");
    check(SETS(SET_RDI SET_RSI CALL RETURN) == (RDI | RSI), "two");
    check(SETS(SET_RDI JUMP) == RDI, "before a jump to it");
    check(SETS(SET_RDI CALL_OTHER CALL RETURN) == 0, "for another one");
    check(SETS(SET_RDI "\x89\xfb" CALL RETURN) == 0, "read, so perhaps not for the call");
    check(SETS(SET_RDI "\x74\0" CALL RETURN) == 0, "perhaps for where a branch leads");
    check(SETS("\x5f" CALL RETURN) == 0, "a pop that clears the stack");
    check(SETS("\xf7\xf1" CALL RETURN) == 0, "rdx is what a division leaves");
    check(SETS("\x31\xff" CALL RETURN) == RDI, "cleared");
    check(SETS("\x66\x0f\x57\xc0" CALL RETURN) == XMM0, "a vector");
}

static void takes(void)
{
    check(TAKES(CALL "\x89\xc3" RETURN) == X86_USES_RAX, "rax is read");
    check(TAKES(CALL "\x90\x90\x85\xc0" RETURN) == X86_USES_RAX, "after a while");
    check(TAKES(CALL "\x31\xc0\x89\xc3" RETURN) == 0, "overwritten before");
    check(TAKES(CALL "\x74\0\x89\xc3" RETURN) == 0, "behind a branch");
    check(TAKES(CALL CALL_OTHER "\x89\xc3" RETURN) == 0, "of another one");
    check(TAKES(CALL "\x50" RETURN) == 0, "a push makes room");
    check(TAKES(CALL "\x0f\x1f\0" RETURN) == 0, "a no-op with a register");
    check(TAKES(CALL "\xf2\x0f\x58\xc8" RETURN) == XMM0, "a double");
    check(TAKES(CALL "\x0f\x1f\x84\0\0\0\0\0\x66\x90" RETURN) == 0, "padding");
}

/* The caller's own result is taken by what comes behind it. */
static void hands_on(void)
{
    char caller[BEHIND - CALLER + 8];
    memset(caller, 0x90, sizeof caller);
    memcpy(caller, CALL RETURN, 6);
    memcpy(caller + (BEHIND - CALLER), "\xe8\x8b\xff\xff\xff\x89\xc3\xc3",
           8); /* calls the caller */
    const struct x86_callee *callee = look(RETURN, 1, caller, sizeof caller);
    check(callee != NULL && callee->takes == X86_USES_RAX, "returned, and taken there");
    caller[BEHIND - CALLER + 5] = '\x90';
    caller[BEHIND - CALLER + 6] = '\x90';
    callee = look(RETURN, 1, caller, sizeof caller);
    check(callee != NULL && callee->takes == 0, "returned to one that ignores it");
}

static void addresses(void)
{
    check(LOOK("\x90" RETURN) == NULL, "not mentioned");
    check(LOOK(CALL RETURN)->called && !LOOK(CALL RETURN)->handed_on, "called");
    check(LOOK(LOAD_RDI CALL_OTHER RETURN)->handed_on && !LOOK(LOAD_RDI CALL_OTHER RETURN)->called,
          "an argument");
    check(LOOK(LOAD_RBX "\x48\x89\x1e" RETURN)->handed_on, "stored");
    check(LOOK(LOAD_RBX "\xff\xd3" RETURN)->called && !LOOK(LOAD_RBX "\xff\xd3" RETURN)->handed_on,
          "called through a register");
    check(LOOK(LOAD_RBX CALL_OTHER "\xff\xd3" RETURN)->called, "later");
    check(LOOK(LOAD_RBX "\x48\x89\x5c\x24\x08\xff\x54\x24\x08" RETURN)->called,
          "through the frame");
    check(LOOK(LOAD_RBX "\x48\x89\x5c\x24\x08" RETURN)->handed_on, "in the frame, for others");
}

/* What the caller reads on its ways, if the function reads rdi. */
#define READS(caller)                                                                              \
    (look("\x89\xf8" RETURN, 3, caller, sizeof(caller) - 1),                                       \
     x86_reads_on_ways(&module, &calls, CALLER, BEHIND) & (RDI | RSI))

static void reads(void)
{
    check(READS("\x89\xf0" RETURN) == RSI, "read at once");
    check(READS(SET_RSI "\x89\xf0" RETURN) == 0, "written before");
    check(READS(CALL RETURN) == RDI, "passed on to one that reads rdi");
    check(READS(JUMP) == RDI, "by a jump");
    check(READS(SET_RDI CALL RETURN) == 0, "another value");
    check(READS(CALL_OTHER CALL RETURN) == 0, "a call overwrites it");
    check(READS("\x74\x06" SET_RDI RETURN CALL RETURN) == RDI, "on the way of a branch");
    check(READS("\xeb\x06" SET_RDI RETURN CALL RETURN) == RDI, "of a jump");
    check(READS("\xeb\x05" SET_RDI CALL RETURN) == RDI, "that leaves out what sets it");
    check(READS("\xeb\xfe") == 0, "for ever");
    check(x86_writes(&module, CALLER, BEHIND, X86_USES_RAX) == false, "nothing is written");
    look(RETURN, 1, "\x89\xf0" RETURN, 3);
    check(x86_writes(&module, CALLER, BEHIND, X86_USES_RAX), "rax is written");
    look(RETURN, 1, CALL RETURN, 6);
    check(x86_writes(&module, CALLER, BEHIND, X86_USES_RAX), "perhaps by another one");
}

int main(void)
{
    sets();
    takes();
    hands_on();
    addresses();
    reads();
    x86_calls_release(&calls);
    return check_status();
}
