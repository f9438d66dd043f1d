/*
 * Values that a DWARF expression computes of several registers, or of memory, as the steps of a recipe
 * (formats/recipe.h, FISQL_WHERE_EXPRESSION). dwarf_places.c asks here for what has none of its simple
 * forms.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_STEPS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_STEPS_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_places.h"

/* Computes from the cursor up to its end or to an operation that ends a piece, which is left there. The steps
 * go behind those that `places` has; *place names them. */
enum place_reason steps_find(const struct place_context *context, struct dwarf_cursor *cursor,
                             bool is_list, struct places *places, struct place *place);

#endif
