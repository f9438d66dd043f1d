/*
 * Which argument registers a function's code reads (x86-64). clang does not pass what a function whose
 * code it knows never uses: such a register holds anything at the entry, and no debug information
 * says so.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_READS_H
#define FISQL_DEBUGINFO_X86_X86_READS_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf_file.h"
#include "debuginfo/x86/x86_calls.h"

#define X86_READS_WORDS 64u

/* What a function's code reads. */
struct x86_reads {
    uint32_t registers; /* a bit each, as in x86_uses.h */
    uint64_t words;     /* of the caller's stack, a bit for each 8 bytes above the return address */
};

/* Finds the frame address of an instruction: it is register `number` (DWARF's) + *offset. */
typedef bool x86_frame_find(const void *context, uint64_t address, uint16_t *number,
                            int64_t *offset);

/* The registers that the code at [start, end) reads before it writes them, in the order of addresses, and
 * the words that it reads. What is only passed on as it is does not count. */
struct x86_reads x86_reads(const struct elf_file *module, uint64_t start, uint64_t end,
                           x86_frame_find *find, const void *context);

/* The registers that the code at [start, end) reads as the function got them, on some way from its start
 * without jumps through tables. So it does if it calls a function of the module, or goes on with one,
 * that reads them. */
uint32_t x86_reads_on_ways(const struct elf_file *module, const struct x86_calls *calls,
                           uint64_t start, uint64_t end);

/* Does the code at [start, end) write one of the registers, or call others, that may? */
bool x86_writes(const struct elf_file *module, uint64_t start, uint64_t end, uint32_t registers);

#endif
