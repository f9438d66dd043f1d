/* Debug information may make libdwarf crash or hang: a process of its own reads it first. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_TRIAL_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_TRIAL_H

#include <stdbool.h>

#include "debuginfo/dwarf/dwarf_file.h"

/* Does `read` come to an end in a process of its own? Of much debug information that is not tried. */
bool symbol_trial(const struct dwarf_file *debug, void (*read)(void *context), void *context);

#endif
