/*
 * Which bytes of the frame the code between a function's start and the call of its entry hook stores
 * (x86-64). gcc leaves out stores of those members of a struct by value that the body does not read, though
 * the debug information says that all of it lies in the frame.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_STORES_H
#define FISQL_DEBUGINFO_X86_X86_STORES_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf_file.h"

/* Are all bytes from `offset` of a register (DWARF's number: rbp or rsp) stored by straight code from `start`
 * to `end`? At most 64 bytes; false where that is not certain. */
bool x86_stores_all(const struct elf_file *module, uint64_t start, uint64_t end, uint8_t base,
                    int64_t offset, unsigned size_bytes);

#endif
