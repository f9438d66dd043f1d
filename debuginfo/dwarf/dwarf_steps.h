/* Makes a recipe's steps (formats/recipe.h, FISQL_WHERE_EXPRESSION) of DWARF expressions that
 * compute a value from several registers, or from memory. For dwarf_places.c, if no simple form
 * fits. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_STEPS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_STEPS_H

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_places.h"

/* Computes from the cursor up to its end, or to an operation that ends a piece and stays untaken.
 * Adds steps to those of `places`; *place names them. */
enum place_reason steps_find(const struct place_context *context, struct dwarf_cursor *cursor,
                             bool is_list, struct places *places, struct place *place);

#endif
