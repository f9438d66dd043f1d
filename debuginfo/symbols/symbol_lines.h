/* The lines of a module. A unit is read when the first of its addresses is asked for. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_LINES_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/symbols/symbols.h"

/* Opens line tables. Takes `debug` over, even on failure; copies units and ranges. module_path: the
 * file with the code. */
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

/* Among the lines of the inlined calls around an address, finds the innermost outside system
 * headers. Leaves *file and *line if there is none. */
void symbol_lines_find_own(struct symbol_lines *lines, uint32_t unit, uint64_t address,
                           const char **file, uint32_t *line);

#endif
