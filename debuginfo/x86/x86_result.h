/*
 * Where a function's result lies when it calls the exit hook: the code between that call and the return is
 * a few moves, of which it can be told what rax, xmm0 or the x87 stack will hold (x86-64). Where it is
 * known, the hook can record the result, and the function's return is left alone.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_RESULT_H
#define FISQL_DEBUGINFO_X86_X86_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf_file.h"

enum x86_result_in { X86_RESULT_RAX, X86_RESULT_XMM0, X86_RESULT_X87 };

/* At the hook's call. */
struct x86_result {
    enum { X86_RESULT_SUM, X86_RESULT_MEMORY, X86_RESULT_CONSTANT } how;
    uint8_t
        base; /* DWARF's number: SUM is this register + offset, MEMORY lies there. One that calls
                     leave alone; of MEMORY rsp, or rbp where it points into the frame */
    int32_t offset;
    uint64_t constant;
    uint8_t size_bytes; /* so many of the result's bytes are those, ... */
    uint8_t
        extended_bytes; /* ... and those up to here follow from them: zeros, or copies of the sign */
    bool extends_sign;
};

/* Follows straight code from `address`, where the hook returns to. frame_pointer: rbp is one. False where
 * the result is not known. */
bool x86_result_find(const struct elf_file *module, uint64_t address, enum x86_result_in in,
                     bool frame_pointer, struct x86_result *result);

#endif
