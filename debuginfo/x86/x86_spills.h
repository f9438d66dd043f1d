/*
 * Where parameters are kept until they are stored: clang calls the entry hook before it stores them where
 * the debug information says that they lie, so at the hook's call they are in other places of the frame,
 * from which the code after the call copies them (x86-64).
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
        uint8_t base; /* DWARF's number of the register that both places count from: rbp or rsp */
        uint8_t size_bytes;
        int32_t to, from; /* offsets; what lies at `from` at the start of the code is copied */
    } items[X86_SPILLS_MAX];
    unsigned count;
};

/* Follows straight code from `address` on, as long as it only copies. */
void x86_spills_read(struct x86_spills *spills, const struct elf_file *module, uint64_t address);

/* From where a place is stored; false where that is not known. */
bool x86_spills_find(const struct x86_spills *spills, uint8_t base, int64_t to, unsigned size_bytes,
                     int64_t *from);

#endif
