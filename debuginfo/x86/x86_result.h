/*
 * Where a function's result lies when it calls the exit hook (x86-64). The code between that call
 * and the return is a few moves, which we follow to see what rax, xmm0 or the x87 stack will hold.
 * With a known place the hook can record the result and leave the function's return alone.
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
    /* DWARF's number of a register that calls preserve. SUM: the result is the register +
     * offset. MEMORY: it lies there; the register is rsp, or rbp if that points into the
     * frame. */
    uint8_t base;
    int32_t offset;
    uint64_t constant;
    uint8_t size_bytes; /* the result's bytes that this describes, ... */
    /* ... and the end of those that follow from them: zeros or copies of the sign */
    uint8_t extended_bytes;
    bool extends_sign;
};

/* Follows straight code from `address`, the return address of the hook. frame_pointer: rbp points
 * into the frame. False if the result is not known. */
bool x86_result_find(const struct elf_file *module, uint64_t address, enum x86_result_in in,
                     bool frame_pointer, struct x86_result *result);

#endif
