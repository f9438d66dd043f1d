/* Where a module and its debug information lie on this machine, and both opened. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_FILES_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/symbols.h"

/* The files of a module. */
struct symbol_files {
    char path[4096];        /* of the module, as found */
    struct elf_file module; /* the module; its debug file where only that is there */
    bool module_open;
    char debug_path[4096];
    struct dwarf_file *debug; /* the file with the DWARF, NULL = none; owned */
    bool code;                /* `module` has the module's code */
};

/* Finds the module and its debug information, which may stay packed where names_only is asked for.
 * *problem is NULL or what is not as it should be. Returns 0, also where there is nothing; -1 without
 * memory. */
int symbol_files_find(struct symbol_files *files, const char *path, const char *build_id,
                      const struct symbols_options *options, const char **problem,
                      struct error *error);
/* The debug information is to be read after all. */
int symbol_files_unpack(struct symbol_files *files, const char *path, const char *build_id,
                        const struct symbols_options *options, const char **problem,
                        struct error *error);
void symbol_files_close(struct symbol_files *files);

#endif
