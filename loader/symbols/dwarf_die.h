/* Attributes of DWARF entries, through libdwarf: absent and damaged are the same here. */
#ifndef FISQL_LOADER_DWARF_DIE_H
#define FISQL_LOADER_DWARF_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/symbols/dwarf_file.h"

struct dwarf_range {
    uint64_t start, end;
};

struct dwarf_ranges {
    struct dwarf_range *items;
    size_t count, capacity;
};

/* A text attribute, borrowed from the debug sections; NULL = none. */
const char *dwarf_die_string(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute);

/* An unsigned number; false = none. */
bool dwarf_die_number(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute, uint64_t *value);

/* A flag; false where there is none. */
bool dwarf_die_flag(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute);

/* The entry at an offset in .debug_info; NULL = none. To be released with dwarf_die_release(). */
Dwarf_Die dwarf_die_at(Dwarf_Debug debug, Dwarf_Off offset);
void dwarf_die_release(Dwarf_Die die); /* NULL is allowed */

/* The first entry within another, NULL = none; to be released with dwarf_die_release(). */
Dwarf_Die dwarf_die_child(Dwarf_Debug debug, Dwarf_Die die);

/* What an entry describes; 0 = not known. */
Dwarf_Half dwarf_die_tag(Dwarf_Debug debug, Dwarf_Die die);

/* Where the entry is in .debug_info; false = not known. */
bool dwarf_die_offset(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset);

/* The entry that an attribute refers to, and its offset in .debug_info; NULL = none. To be released
 * with dwarf_die_release(). */
Dwarf_Die dwarf_die_referred(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute,
                             Dwarf_Off *offset);

/* The code that an entry describes, its entry point's range first. `base` is the unit's low_pc.
 * Replaces what *ranges held; leaves it empty where there is none. 0, or -1 without memory. */
int dwarf_die_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t base, struct dwarf_ranges *ranges,
                     struct error *error);

/* The entry's low_pc; 0 where it has none. */
uint64_t dwarf_die_low(Dwarf_Debug debug, Dwarf_Die die);

#endif
