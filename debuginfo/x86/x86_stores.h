/*
 * Which bytes of the frame a function stores between its start and the call of its entry hook
 * (x86-64). gcc omits stores of members of a struct by value that the body does not read, although
 * the debug information places the whole struct in the frame.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_STORES_H
#define FISQL_DEBUGINFO_X86_X86_STORES_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf_file.h"

/* Does straight code from `start` to `end` store all bytes from `offset` of a register (DWARF's
 * number: rbp or rsp)? At most 64 bytes; false if it is not certain. */
bool x86_stores_all(const struct elf_file *module, uint64_t start, uint64_t end, uint8_t base,
                    int64_t offset, unsigned size_bytes);

#endif
