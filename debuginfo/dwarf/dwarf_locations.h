/* Location lists: the expressions for a variable's place at an address (.debug_loc of DWARF 2 to 4,
 * .debug_loclists of DWARF 5, and both in .dwo files). We read them byte by byte, without libdwarf;
 * damage ends a list. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_LOCATIONS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_LOCATIONS_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_die.h"
#include "debuginfo/dwarf/dwarf_file.h"

/* The bases of a unit's lists. */
struct dwarf_unit_context {
    uint16_t version, offset_bytes;        /* of its header */
    bool split;                            /* in a .dwo file */
    uint64_t base;                         /* its low_pc */
    const struct dwarf_section *lists;     /* NULL = none */
    uint64_t lists_start;                  /* of its lists in a package; else 0 */
    uint64_t lists_base;                   /* DW_AT_loclists_base; index n counts from there */
    const struct dwarf_section *addresses; /* .debug_addr, NULL = none */
    uint64_t addresses_base;
};

/* Fills it for a unit. `skeleton` is its entry in the module's debug file `file`, `whole` the one
 * with the functions in `split_file`. Both are the same if it is not split. */
void dwarf_unit_context_read(struct dwarf_unit_context *context, const struct dwarf_file *file,
                             Dwarf_Debug debug, Dwarf_Die skeleton,
                             const struct dwarf_file *split_file, Dwarf_Debug split_debug,
                             Dwarf_Die whole);

/* Address number `index` in .debug_addr; false = none. */
bool dwarf_unit_address(const struct dwarf_unit_context *context, uint64_t index,
                        uint64_t *address);

struct dwarf_expression {
    const unsigned char *bytes;
    uint64_t size_bytes;
};

/* A walk over the expressions for an address. */
struct dwarf_location {
    const struct dwarf_unit_context *unit;
    struct dwarf_cursor cursor;
    uint64_t base;
    struct dwarf_expression only; /* of a location that is no list; NULL once given */
    bool is_list;
};

/* Begins with the value of DW_AT_location or DW_AT_frame_base; false if there is none. */
bool dwarf_location_begin(struct dwarf_location *location, const struct dwarf_unit_context *unit,
                          const struct dwarf_value *value);

/* The next expression for the address; false after the last. */
bool dwarf_location_next(struct dwarf_location *location, uint64_t address,
                         struct dwarf_expression *expression);

/* Does a list begin at the address `start` of its function, before the first statement? A variable has no
 * other value yet than it was given. gcc counts the statements in `views` (DW_AT_GNU_locviews): at a
 * function's start, view 0 is its opening line, view 1 the first statement's. */
bool dwarf_location_begins(const struct dwarf_unit_context *unit, const struct dwarf_value *list,
                           const struct dwarf_value *views, uint64_t start);

#endif
