/* MiniDebugInfo: an ELF file with the symbol table of a stripped module's own functions, packed by
 * xz in the module's section .gnu_debugdata (Fedora and its relatives ship all programs so). Those
 * that the dynamic symbol table has are not in it. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_MINI_DEBUG_H
#define FISQL_DEBUGINFO_SYMBOLS_MINI_DEBUG_H

#include "debuginfo/elf/elf_file.h"

#define MINI_DEBUG_BYTES_MAX ((size_t)256 << 20) /* unpacked; what is larger counts as damage */

/* Unpacks the module's section into *mini. False if it has none, or it is damaged, or there is no
 * memory for it (which is noted: base/shortage.h). Close *mini in both cases. */
bool mini_debug_open(struct elf_file *mini, const struct elf_file *module);

#endif
