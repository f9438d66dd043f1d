/* How many copies of each function the compiler inlined, and when two copies are of one function. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_COPIES_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_COPIES_H

#include "base/intern.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/symbols/symbols.h"

/* The key of a function's place in the source; false if that is unknown. The pool keeps a text
 * once, so equal texts have one address. */
bool symbol_copies_place(const struct symbol_function *function, uint64_t *a, uint64_t *b);

/* Sets inlined_copies of each function, and `inlines`. `groups` has its index by its origin in `dwarf` and its
 * variant. 0, or -1 without memory. */
int symbol_copies_count(struct symbols *symbols, const struct dwarf_functions *dwarf,
                        const struct intern *groups, struct error *error);

#endif
