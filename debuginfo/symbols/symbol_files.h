/* Finds and opens a module and its debug information. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_FILES_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/symbols.h"

struct symbol_files {
    char path[4096];        /* of the module, as found */
    struct elf_file module; /* or its debug file, if only that exists */
    bool module_open;
    char debug_path[4096];
    struct dwarf_file *debug; /* the file with the DWARF, NULL = none; owned */
    bool code;                /* `module` has the module's code */
};

/* Finds the module and its debug information, which may stay packed with names_only. *problem:
 * NULL, or what is wrong. Returns 0, also if there is nothing; -1 without memory. */
int symbol_files_find(struct symbol_files *files, const char *path, const char *build_id,
                      const struct symbols_options *options, const char **problem,
                      struct error *error);
/* Unpacks debug information that symbol_files_find() left packed. */
int symbol_files_unpack(struct symbol_files *files, const char *path, const char *build_id,
                        const struct symbols_options *options, const char **problem,
                        struct error *error);
/* Asks debuginfod for the debug information of a module that is open without any, if the options
 * and the user's settings want that. 0, also if there is none; -1 without memory. */
int symbol_files_ask(struct symbol_files *files, const char *path,
                     const struct symbols_options *options, struct error *error);
void symbol_files_close(struct symbol_files *files);

#endif
