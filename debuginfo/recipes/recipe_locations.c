/* Reads the places of a function's parameters from the entry of a copy: see recipe_parts.h. */
#include "debuginfo/recipes/recipe_parts.h"

#include <string.h>

static bool take_location(void *context, Dwarf_Debug debug, Dwarf_Die die)
{
    struct recipe_locations *locations = context;
    const struct prototype *prototype = locations->prototype;
    Dwarf_Off origin = 0, offset = 0;
    if (!dwarf_die_offset(debug, die, &offset))
        return true;
    if (!dwarf_die_refers(debug, die, DW_AT_abstract_origin, &origin))
        origin = offset;
    for (unsigned i = 0; i < prototype->count; i++) {
        unsigned at = (locations->next + i) % prototype->count;
        if (prototype->parameters[at].offset != origin)
            continue;
        locations->where[at] = dwarf_die_value(debug, die, DW_AT_location);
        locations->views[at] = dwarf_die_value(debug, die, DW_AT_GNU_locviews);
        if (locations->where[at].kind == DWARF_VALUE_NONE) {
            locations->constant[at] = dwarf_die_value(debug, die, DW_AT_const_value);
            locations->other_constant[at] = locations->constant[at].kind == DWARF_VALUE_NONE &&
                                            dwarf_die_has(debug, die, DW_AT_const_value);
        }
        locations->next = at + 1;
        break;
    }
    return true;
}

void recipe_locations_read(Dwarf_Debug debug, Dwarf_Die die, struct recipe_locations *locations)
{
    if (locations->prototype->count > 0)
        prototype_each(debug, die, take_location, locations);
}

enum place_reason recipe_constant_place(const struct dwarf_value *value, unsigned size_bytes,
                                        struct places *places)
{
    *places = (struct places){.whole = {.kind = PLACE_CONSTANT, .constant = value->number}};
    if (value->kind == DWARF_VALUE_NUMBER)
        return size_bytes <= 8 ? PLACE_FOUND : PLACE_COMPLEX;
    if (value->kind != DWARF_VALUE_BLOCK || value->size_bytes > 8 || value->size_bytes < size_bytes)
        return PLACE_COMPLEX;
    places->whole.constant = 0;
    memcpy(&places->whole.constant, value->bytes, (size_t)value->size_bytes);
    return PLACE_FOUND;
}
