/* Attributes of DWARF entries, through libdwarf. Damaged ones count as absent. */
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

/* The value of an attribute that may be a place or a number. */
enum dwarf_value_kind {
    DWARF_VALUE_NONE,   /* none, or in a form that we do not know */
    DWARF_VALUE_BLOCK,  /* bytes: an expression, or a constant as it lies in memory */
    DWARF_VALUE_NUMBER, /* a constant, sign-extended if its form has a sign */
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

/* Is the entry's name these bytes? */
bool dwarf_die_is_named(Dwarf_Debug debug, Dwarf_Die die, const char *name, size_t name_bytes);

/* Is a class's member static: no part of its objects? */
bool dwarf_die_is_static(Dwarf_Debug debug, Dwarf_Die die);

/* A member's offset in its class, 0 if absent; false if it has no constant one (in a virtual
 * base). */
bool dwarf_die_member_offset(Dwarf_Debug debug, Dwarf_Die die, uint64_t *offset_bytes);

/* A flag; false if absent. */
bool dwarf_die_flag(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute);

/* The entry at an offset in .debug_info, NULL = none. Release it with dwarf_die_release(). */
Dwarf_Die dwarf_die_at(Dwarf_Debug debug, Dwarf_Off offset);
void dwarf_die_release(Dwarf_Die die); /* NULL is allowed */

/* The first entry within another, NULL = none. Release it with dwarf_die_release(). */
Dwarf_Die dwarf_die_child(Dwarf_Debug debug, Dwarf_Die die);

/* The entry after it under the same parent, NULL = none. Releases `die`. */
Dwarf_Die dwarf_die_next(Dwarf_Debug debug, Dwarf_Die die);

/* The kind of what an entry describes; 0 = unknown. */
Dwarf_Half dwarf_die_tag(Dwarf_Debug debug, Dwarf_Die die);
static inline bool dwarf_tag_is_class(Dwarf_Half tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* The entry's offset in .debug_info; false = unknown. */
bool dwarf_die_offset(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset);

/* The offset of the header of the unit that holds the entry at `offset`; false = unknown. */
bool dwarf_die_unit(Dwarf_Debug debug, Dwarf_Off offset, Dwarf_Off *header);

/* The entry that an attribute refers to, and its offset in .debug_info; NULL = none. Release it
 * with dwarf_die_release(). */
Dwarf_Die dwarf_die_referred(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute,
                             Dwarf_Off *offset);

/* The entry that a copy or a definition names as its original or its declaration; else like
 * that. */
Dwarf_Die dwarf_die_original(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset);

/* Only the offset of that entry; false = none, or in another file. */
bool dwarf_die_refers(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute, Dwarf_Off *offset);

/* The DWARF version of the entry's unit, and its size of offsets; false = unknown. */
bool dwarf_die_version(Dwarf_Die die, uint16_t *version, uint16_t *offset_bytes);

/* The code of an entry, its entry point's range first. `base` is the unit's low_pc. Replaces
 * *ranges, with nothing if the entry has none. 0, or -1 without memory. */
int dwarf_die_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t base, struct dwarf_ranges *ranges,
                     struct error *error);

/* The entry's low_pc, or 0. */
uint64_t dwarf_die_low(Dwarf_Debug debug, Dwarf_Die die);

/* Its DW_AT_entry_pc if that is an address, else 0. */
uint64_t dwarf_die_entry(Dwarf_Debug debug, Dwarf_Die die);

#endif
