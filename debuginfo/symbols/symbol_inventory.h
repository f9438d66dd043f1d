/* The functions of a module, from its symbol tables and the pieces of code that DWARF describes. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_INVENTORY_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_INVENTORY_H

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbol_frames.h"

/* Makes the inventory of the pieces of code that DWARF describes (NULL = none), the symbol tables of
 * `files`, and the functions of unwind information that neither names (NULL = none). */
int symbol_inventory_make(struct symbols *symbols, const struct symbol_files *files,
                          const struct hook_calls *hooks, struct dwarf_functions *dwarf,
                          const struct dwarf_search *search, const struct symbol_frames *frames,
                          const char *module_path, struct error *error);

#endif
