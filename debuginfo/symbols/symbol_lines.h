/* The lines of a module, read a unit at a time, when one is first asked for. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_LINES_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/symbols/symbols.h"

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
