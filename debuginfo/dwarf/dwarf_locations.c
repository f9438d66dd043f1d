/* Location lists: see dwarf_locations.h. */
#include "debuginfo/dwarf/dwarf_locations.h"

#define GNU_VIEW_PAIR 9 /* gcc's -gvariable-location-views=incompat5 */

static const struct dwarf_section *either(const struct dwarf_file *file, const char *name,
                                          const char *split_name)
{
    const struct dwarf_section *section = dwarf_file_section(file, name);
    return section != NULL ? section : dwarf_file_section(file, split_name);
}

/* Where the unit's lists begin in a package (.dwp), whose sections hold those of many units. */
static uint64_t start_in_package(Dwarf_Debug debug, Dwarf_Die whole)
{
    enum { LOCATIONS = 5 }; /* DW_SECT_LOC, DW_SECT_LOCLISTS */
    struct Dwarf_Debug_Fission_Per_CU_s found;
    memset(&found, 0, sizeof found);
    return libdwarf_ok(debug, dwarf_get_debugfission_for_die(whole, &found, failure))
               ? found.pcu_offset[LOCATIONS]
               : 0;
}

void dwarf_unit_context_read(struct dwarf_unit_context *context, const struct dwarf_file *file,
                             Dwarf_Debug debug, Dwarf_Die skeleton,
                             const struct dwarf_file *split_file, Dwarf_Debug split_debug,
                             Dwarf_Die whole)
{
    *context = (struct dwarf_unit_context){.split = file != split_file};
    if (!dwarf_die_version(whole, &context->version, &context->offset_bytes))
        context->version = 0;
    context->base = dwarf_die_low(debug, skeleton);
    context->lists = context->version >= 5
                         ? either(split_file, ".debug_loclists", ".debug_loclists.dwo")
                         : either(split_file, ".debug_loc", ".debug_loc.dwo");
    context->addresses = dwarf_file_section(file, ".debug_addr");
    struct dwarf_value base = dwarf_die_value(debug, skeleton, DW_AT_addr_base);
    if (base.kind != DWARF_VALUE_OFFSET)
        base = dwarf_die_value(debug, skeleton, DW_AT_GNU_addr_base);
    if (base.kind == DWARF_VALUE_OFFSET)
        context->addresses_base = base.number;
    base = dwarf_die_value(split_debug, whole, DW_AT_loclists_base);
    if (base.kind == DWARF_VALUE_OFFSET)
        context->lists_base = base.number;
    else /* a .dwo file has one table, after its header */
        context->lists_base = context->offset_bytes == 8 ? 20 : 12;
    if (context->split) {
        context->lists_start = start_in_package(split_debug, whole);
        context->lists_base += context->lists_start;
    }
}

bool dwarf_unit_address(const struct dwarf_unit_context *context, uint64_t index, uint64_t *address)
{
    const struct dwarf_section *section = context->addresses;
    if (section == NULL || context->addresses_base > section->size_bytes ||
        index >= (section->size_bytes - context->addresses_base) / 8)
        return false;
    memcpy(address, section->data + context->addresses_base + index * 8, 8);
    return true;
}

/* The offset of list number `index`. */
static bool list_offset(const struct dwarf_unit_context *unit, uint64_t index, uint64_t *offset)
{
    const struct dwarf_section *section = unit->lists;
    if (unit->lists_base > section->size_bytes || unit->offset_bytes == 0 ||
        index >= (section->size_bytes - unit->lists_base) / unit->offset_bytes)
        return false;
    *offset = 0;
    memcpy(offset, section->data + unit->lists_base + index * unit->offset_bytes,
           unit->offset_bytes == 8 ? 8 : 4);
    *offset += unit->lists_base;
    return true;
}

bool dwarf_location_begin(struct dwarf_location *location, const struct dwarf_unit_context *unit,
                          const struct dwarf_value *value)
{
    uint64_t offset = value->number;
    *location = (struct dwarf_location){.unit = unit, .base = unit->base};
    if (value->kind == DWARF_VALUE_BLOCK) {
        location->only = (struct dwarf_expression){value->bytes, value->size_bytes};
        return true;
    }
    /* Before version 4 an offset looks like a number. */
    if (unit->lists == NULL || unit->version == 0 || value->kind == DWARF_VALUE_NONE ||
        (value->kind == DWARF_VALUE_NUMBER && unit->version >= 4) ||
        (value->kind == DWARF_VALUE_INDEX && !list_offset(unit, value->number, &offset)))
        return false;
    if (value->kind == DWARF_VALUE_OFFSET)
        offset += unit->lists_start;
    if (offset >= unit->lists->size_bytes)
        return false;
    location->is_list = true;
    location->cursor = (struct dwarf_cursor){unit->lists->data + offset,
                                             unit->lists->data + unit->lists->size_bytes, false};
    return true;
}

/* The bounds of an entry. Returns 0 at the list's end, 1 for an entry, 2 for a view or a new base.
 * DWARF 2 to 4: start 8, end 8, from the base; 0, 0 ends; -1, n sets the base. */
static int take_old(struct dwarf_location *location, uint64_t *start, uint64_t *end)
{
    *start = dwarf_take(&location->cursor, 8);
    *end = dwarf_take(&location->cursor, 8);
    if (*start == 0 && *end == 0)
        return 0;
    if (*start == UINT64_MAX) {
        location->base = *end;
        return 2;
    }
    *start += location->base;
    *end += location->base;
    return 1;
}

/* DWARF 4 in .dwo files (GNU): kind 1; 1: base address, 2: start and end, 3: start and length. */
static int take_old_split(struct dwarf_location *location, uint64_t *start, uint64_t *end)
{
    struct dwarf_cursor *cursor = &location->cursor;
    uint64_t kind = dwarf_take(cursor, 1);
    if (cursor->failed || kind == 0 || kind > 3 ||
        !dwarf_unit_address(location->unit, dwarf_take_unsigned(cursor), start))
        return 0;
    if (kind == 3)
        *end = *start + dwarf_take(cursor, 4);
    else if (kind == 2 && !dwarf_unit_address(location->unit, dwarf_take_unsigned(cursor), end))
        return 0;
    return kind == 1 ? 2 : 1;
}

/* DWARF 5. A default location holds if no other entry does. gcc and clang write none; it ends the
 * list here. */
static int take_new(struct dwarf_location *location, uint64_t *start, uint64_t *end)
{
    struct dwarf_cursor *cursor = &location->cursor;
    const struct dwarf_unit_context *unit = location->unit;
    switch (dwarf_take(cursor, 1)) {
    case DW_LLE_base_addressx:
        return dwarf_unit_address(unit, dwarf_take_unsigned(cursor), &location->base) ? 2 : 0;
    case DW_LLE_base_address:
        location->base = dwarf_take(cursor, 8);
        return 2;
    case DW_LLE_startx_endx:
        return dwarf_unit_address(unit, dwarf_take_unsigned(cursor), start) &&
               dwarf_unit_address(unit, dwarf_take_unsigned(cursor), end);
    case DW_LLE_startx_length:
        if (!dwarf_unit_address(unit, dwarf_take_unsigned(cursor), start))
            return 0;
        *end = *start + dwarf_take_unsigned(cursor);
        return 1;
    case DW_LLE_offset_pair:
        *start = location->base + dwarf_take_unsigned(cursor);
        *end = location->base + dwarf_take_unsigned(cursor);
        return 1;
    case DW_LLE_start_end:
        *start = dwarf_take(cursor, 8);
        *end = dwarf_take(cursor, 8);
        return 1;
    case DW_LLE_start_length:
        *start = dwarf_take(cursor, 8);
        *end = *start + dwarf_take_unsigned(cursor);
        return 1;
    case GNU_VIEW_PAIR:
        dwarf_take_unsigned(cursor);
        dwarf_take_unsigned(cursor);
        return 2;
    default:
        return 0;
    }
}

/* The next entry's bounds. Returns as take_new(). */
static int take_entry(struct dwarf_location *location, uint64_t *start, uint64_t *end)
{
    return location->unit->version >= 5 ? take_new(location, start, end)
           : location->unit->split      ? take_old_split(location, start, end)
                                        : take_old(location, start, end);
}

bool dwarf_location_begins(const struct dwarf_unit_context *unit, const struct dwarf_value *list,
                           const struct dwarf_value *views, uint64_t start)
{
    struct dwarf_location location, pairs;
    uint64_t from = 0, to = 0;
    int what = 2;
    if (!dwarf_location_begin(&location, unit, list) || !location.is_list ||
        !dwarf_location_begin(&pairs, unit, views) || !pairs.is_list)
        return false;
    while (what == 2)
        what = take_entry(&location, &from, &to);
    return what == 1 && from == start && to > from && dwarf_take_unsigned(&pairs.cursor) <= 1 &&
           !location.cursor.failed && !pairs.cursor.failed;
}

bool dwarf_location_next(struct dwarf_location *location, uint64_t address,
                         struct dwarf_expression *expression)
{
    struct dwarf_cursor *cursor = &location->cursor;
    if (!location->is_list) {
        *expression = location->only;
        location->only.bytes = NULL;
        return expression->bytes != NULL && expression->size_bytes > 0;
    }
    bool is_new = location->unit->version >= 5;
    for (;;) {
        uint64_t start = 0, end = 0;
        int what = take_entry(location, &start, &end);
        if (what == 0 || cursor->failed)
            return false;
        if (what == 2)
            continue;
        expression->size_bytes = is_new ? dwarf_take_unsigned(cursor) : dwarf_take(cursor, 2);
        expression->bytes = dwarf_take_bytes(cursor, expression->size_bytes);
        if (expression->bytes == NULL || (address >= start && address < end))
            return expression->bytes != NULL;
    }
}
