/* What the files of symbols.c share; not for others. */
#ifndef FISQL_LOADER_SYMBOLS_SYMBOL_PARTS_H
#define FISQL_LOADER_SYMBOLS_SYMBOL_PARTS_H

#include "loader/symbols/dwarf_functions.h"
#include "loader/symbols/elf_file.h"
#include "loader/symbols/hook_calls.h"
#include "loader/symbols/symbols.h"

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

/* Does `read` come to an end in a process of its own? Of much debug information that is not tried. */
bool symbol_trial(const struct dwarf_file *debug, void (*read)(void *context), void *context);

/* Makes the inventory out of the pieces of code that DWARF describes (NULL = none) and of the
 * symbol tables of `files`. */
int symbol_inventory_make(struct symbols *symbols, const struct symbol_files *files,
                          const struct hook_calls *hooks, struct dwarf_functions *dwarf,
                          const struct dwarf_search *search, const char *module_path,
                          struct error *error);

/* Line tables. Takes `debug` over (also when it fails); units and ranges are copied. module_path:
 * the file with the code. */
int symbol_lines_open(struct symbol_lines **out, struct dwarf_file *debug, const char *module_path,
                      const struct dwarf_unit *units, size_t units_count,
                      const struct dwarf_unit_range *ranges, size_t ranges_count,
                      struct error *error);
void symbol_lines_close(struct symbol_lines *lines); /* NULL is allowed */

/* What it was opened with, for the cache. */
const struct dwarf_unit_range *symbol_lines_ranges(const struct symbol_lines *lines, size_t *count);
uint64_t symbol_lines_unit_offset(const struct symbol_lines *lines, size_t unit);
size_t symbol_lines_units_count(const struct symbol_lines *lines);

/* The unit whose code holds an address, SYMBOL_NONE = none. */
uint32_t symbol_lines_unit(const struct symbol_lines *lines, uint64_t address);

void symbol_lines_find(struct symbol_lines *lines, uint32_t unit, uint64_t address,
                       const char **file, uint32_t *line);

/* Of the lines that inlined calls around an address were made from, the innermost that is no system
 * header's. *file and *line stay where there is none. */
void symbol_lines_find_own(struct symbol_lines *lines, uint32_t unit, uint64_t address,
                           const char **file, uint32_t *line);

#endif
