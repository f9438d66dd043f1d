/* Reads debug information in another process first, because it may make libdwarf crash or hang. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_TRIAL_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_TRIAL_H

#include <stdbool.h>

#include "debuginfo/dwarf/dwarf_file.h"

/* Does `read` end in a process of its own? True, untried, for much debug information. */
bool symbol_trial(const struct dwarf_file *debug, void (*read)(void *context), void *context);

#endif
