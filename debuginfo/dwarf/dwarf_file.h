/* The debug sections of an ELF file, ready for libdwarf. We decompress them once and read the
 * others in place. So each thread can have a Dwarf_Debug (libdwarf is not safe for threads) without
 * a copy of the file. If only the symbol table's names are wanted, sections stay packed: unpacking
 * the C library's takes longer than all else of a small load. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_FILE_H
#define FISQL_DEBUGINFO_DWARF_DWARF_FILE_H

#include "debuginfo/dwarf/dwarf_api.h"
#include "debuginfo/elf/elf_file.h"
#include "base/error.h"

struct dwarf_file {
    struct elf_file elf;
    struct dwarf_object object; /* owns its sections; do not move it */
    bool packed;                /* some sections are still packed, and missing here */
};

/* Opens the file at `path` and finds its debug sections; unpack: decompresses them. Returns 0; 1 if
 * it has no debug information or is unreadable (*problem: a static text with the reason); -1
 * without memory. Close it in every case. */
int dwarf_file_open(struct dwarf_file *file, const char *path, bool unpack, const char **problem,
                    struct error *error);
void dwarf_file_close(struct dwarf_file *file);

/* The debug section of this name (with its dot), or NULL. */
const struct dwarf_section *dwarf_file_section(const struct dwarf_file *file, const char *name);

/* A Dwarf_Debug over the file for one thread, or NULL. Close it with dwarf_api_close() before the
 * file. */
Dwarf_Debug dwarf_file_debug(struct dwarf_file *file);

#endif
