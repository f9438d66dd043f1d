/*
 * `each pointer`: what a function may change behind its parameters, as expressions. See
 * expression_parts.h.
 *
 * A pointer to const promises that nothing changes. A pointer to bytes is one to a buffer, of which
 * the dump is worth more than the first byte.
 */
#include "debuginfo/expressions/expression_make_parts.h"

#include <stdio.h>

/* What the pointer or reference at this entry leads to; void if it has no type. */
static struct dwarf_type target_of(struct dwarf_types *types, Dwarf_Die pointer)
{
    Dwarf_Off entry = 0;
    if (!dwarf_die_refers(types->debug, pointer, DW_AT_type, &entry))
        return (struct dwarf_type){.kind = DWARF_TYPE_VOID};
    return dwarf_type_at(types, entry);
}

static bool is_byte(const struct dwarf_type *type)
{
    return dwarf_kind_is_integer(type->kind) && type->size_bytes == 1 &&
           type->kind != DWARF_TYPE_BOOL && type->kind != DWARF_TYPE_ENUM;
}

/* Is it recorded as a value of its type? */
static bool is_typed(struct dwarf_types *types, const struct dwarf_type *type, unsigned dump_bytes)
{
    uint64_t most = dump_bytes != 0 ? dump_bytes : FISQL_RECIPE_BYTES_MAX;
    uint64_t size = type_bytes(types, type);
    if (dwarf_kind_is_string(type->kind) || type->kind == DWARF_TYPE_TEXT)
        return true;
    return type->kind != DWARF_TYPE_VOID && type->kind != DWARF_TYPE_UNKNOWN && size != 0 &&
           size <= most && !(dump_bytes != 0 && is_byte(type));
}

bool expression_each(const struct expression_place *place, unsigned n, unsigned dump_bytes,
                     char *text, size_t text_bytes, bool *dumped)
{
    struct dwarf_types *types = place->reader->types;
    const struct dwarf_type *type = &place->prototype->parameters[n].type;
    bool reference = type->kind == DWARF_TYPE_REFERENCE;
    *dumped = false;
    if ((!reference && type->kind != DWARF_TYPE_POINTER && type->kind != DWARF_TYPE_TEXT) ||
        type->offset == 0)
        return false;
    Dwarf_Die pointer = dwarf_die_at(types->debug, type->offset);
    bool changeable = pointer != NULL && !dwarf_type_refers_to_constant(types, pointer);
    struct dwarf_type to = {.kind = DWARF_TYPE_VOID};
    if (changeable)
        to = target_of(types, pointer);
    dwarf_die_release(pointer);
    if (!changeable)
        return false;
    *dumped = type->kind != DWARF_TYPE_TEXT && !is_typed(types, &to, dump_bytes);
    Dwarf_Die die = dwarf_die_at(types->debug, place->prototype->parameters[n].offset);
    const char *name = die != NULL ? dwarf_die_string(types->debug, die, DW_AT_name) : NULL;
    bool follows = !reference && type->kind != DWARF_TYPE_TEXT && !*dumped;
    int length = snprintf(text, text_bytes, "%s%s",
                          follows                ? "*"
                          : reference && *dumped ? "&"
                                                 : "",
                          name != NULL ? name : "");
    dwarf_die_release(die);
    return name != NULL && name[0] != 0 && (size_t)length < text_bytes &&
           (!*dumped || dump_bytes != 0);
}
