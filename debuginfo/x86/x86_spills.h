/*
 * Where parameters lie before clang stores them (x86-64). It calls the entry hook before it stores
 * them at the places in the debug information. At the hook's call they lie elsewhere in the frame,
 * and the code after the call copies them.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_SPILLS_H
#define FISQL_DEBUGINFO_X86_X86_SPILLS_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf_file.h"

#define X86_SPILLS_MAX 32

/* Copies in the frame: the first store to each place. */
struct x86_spills {
    struct x86_spill {
        uint8_t base; /* DWARF's number of the base of both places: rbp or rsp */
        uint8_t size_bytes;
        int32_t to, from; /* offsets; the source is `from` as it is at the start of the code */
    } items[X86_SPILLS_MAX];
    unsigned count;
};

/* Follows straight code from `address` on while it only copies. */
void x86_spills_read(struct x86_spills *spills, const struct elf_file *module, uint64_t address);

/* The source of the copy to a place; false if there is none. */
bool x86_spills_find(const struct x86_spills *spills, uint8_t base, int64_t to, unsigned size_bytes,
                     int64_t *from);

#endif
