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

/* ---- dwarf_places.c, for this alone ---- */

/* Does the hook still see what the general register held at its call? */
bool place_register_kept(const struct place_context *context, uint64_t number);
/* The frame base of the function, or (`cfa`) the canonical frame address: *number + *offset. */
bool place_frame(const struct place_context *context, bool cfa, uint8_t *number, int64_t *offset);

#endif
