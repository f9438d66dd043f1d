/* Attributes of DWARF entries, through libdwarf: absent and damaged are the same here. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_DIE_H
#define FISQL_DEBUGINFO_DWARF_DWARF_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debuginfo/dwarf/dwarf_file.h"

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

/* What an attribute holds that may be a place, a number or either. */
enum dwarf_value_kind {
    DWARF_VALUE_NONE,   /* there is none, or of a form that is not known here */
    DWARF_VALUE_BLOCK,  /* bytes: an expression, or a constant as it lies in memory */
    DWARF_VALUE_NUMBER, /* a constant, sign-extended where its form has a sign */
    DWARF_VALUE_OFFSET, /* into another section: a list of locations */
    DWARF_VALUE_INDEX   /* of a list of locations */
};
struct dwarf_value {
    enum dwarf_value_kind kind;
    uint64_t number;
    const unsigned char *bytes; /* borrowed from the debug sections */
    uint64_t size_bytes;
};
struct dwarf_value dwarf_die_value(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute);

/* Does the entry have the attribute, of whatever form? */
bool dwarf_die_has(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute);

/* A flag; false where there is none. */
bool dwarf_die_flag(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute);

/* The entry at an offset in .debug_info; NULL = none. To be released with dwarf_die_release(). */
Dwarf_Die dwarf_die_at(Dwarf_Debug debug, Dwarf_Off offset);
void dwarf_die_release(Dwarf_Die die); /* NULL is allowed */

/* The first entry within another, NULL = none; to be released with dwarf_die_release(). */
Dwarf_Die dwarf_die_child(Dwarf_Debug debug, Dwarf_Die die);

/* The entry after it under the same parent, NULL = none. Releases `die`. */
Dwarf_Die dwarf_die_next(Dwarf_Debug debug, Dwarf_Die die);

/* What an entry describes; 0 = not known. */
Dwarf_Half dwarf_die_tag(Dwarf_Debug debug, Dwarf_Die die);

/* Where the entry is in .debug_info; false = not known. */
bool dwarf_die_offset(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset);

/* Where the unit begins, with its header, in which the entry at an offset is; false = not known. */
bool dwarf_die_unit(Dwarf_Debug debug, Dwarf_Off offset, Dwarf_Off *header);

/* The entry that an attribute refers to, and its offset in .debug_info; NULL = none. To be released
 * with dwarf_die_release(). */
Dwarf_Die dwarf_die_referred(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute,
                             Dwarf_Off *offset);

/* The offset alone of that entry; false = none, or it is in another file. */
bool dwarf_die_refers(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute, Dwarf_Off *offset);

/* The version of DWARF that the entry's unit is in, and how long offsets are there; false = not known. */
bool dwarf_die_version(Dwarf_Die die, uint16_t *version, uint16_t *offset_bytes);

/* The code that an entry describes, its entry point's range first. `base` is the unit's low_pc.
 * Replaces what *ranges held; leaves it empty where there is none. 0, or -1 without memory. */
int dwarf_die_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t base, struct dwarf_ranges *ranges,
                     struct error *error);

/* The entry's low_pc; 0 where it has none. */
uint64_t dwarf_die_low(Dwarf_Debug debug, Dwarf_Die die);

/* Its DW_AT_entry_pc, where that is an address; else 0. */
uint64_t dwarf_die_entry(Dwarf_Debug debug, Dwarf_Die die);

#endif
