/*
 * Location lists: which expressions say where a variable lies at an address (.debug_loc of DWARF 2 to
 * 4, .debug_loclists of DWARF 5, and both as .dwo files have them). Read byte by byte, without
 * libdwarf: what does not hold together ends the list.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_LOCATIONS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_LOCATIONS_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_die.h"
#include "debuginfo/dwarf/dwarf_file.h"

/* What the lists of a unit count from. */
struct dwarf_unit_context {
    uint16_t version, offset_bytes;        /* of its header */
    bool split;                            /* it is in a .dwo file */
    uint64_t base;                         /* its low_pc */
    const struct dwarf_section *lists;     /* NULL = none */
    uint64_t lists_start;                  /* of its own among those of a package; else 0 */
    uint64_t lists_base;                   /* DW_AT_loclists_base; index n counts from there */
    const struct dwarf_section *addresses; /* .debug_addr, NULL = none */
    uint64_t addresses_base;
};

/* Fills it for a unit. `skeleton` is the unit's entry in the module's debug file `file`, `whole` the one
 * with the functions in `split_file`: the same two where it is not split. */
void dwarf_unit_context_read(struct dwarf_unit_context *context, const struct dwarf_file *file,
                             Dwarf_Debug debug, Dwarf_Die skeleton,
                             const struct dwarf_file *split_file, Dwarf_Debug split_debug,
                             Dwarf_Die whole);

/* The address of this index in .debug_addr; false = none. */
bool dwarf_unit_address(const struct dwarf_unit_context *context, uint64_t index,
                        uint64_t *address);

struct dwarf_expression {
    const unsigned char *bytes;
    uint64_t size_bytes;
};

/* A walk over the expressions that hold at an address. */
struct dwarf_location {
    const struct dwarf_unit_context *unit;
    struct dwarf_cursor cursor;
    uint64_t base;
    struct dwarf_expression only; /* the location is no list; NULL after it was given */
    bool is_list;
};

/* Begins with the value of DW_AT_location or DW_AT_frame_base; false where there is none. */
bool dwarf_location_begin(struct dwarf_location *location, const struct dwarf_unit_context *unit,
                          const struct dwarf_value *value);

/* The next expression that holds at the address; false after the last one. */
bool dwarf_location_next(struct dwarf_location *location, uint64_t address,
                         struct dwarf_expression *expression);

#endif
