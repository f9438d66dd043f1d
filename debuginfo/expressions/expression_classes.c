/* Sizes of arrays, and classes defined in another unit: see expression_make_parts.h. */
#include "debuginfo/expressions/expression_make_parts.h"

#include <string.h>

#include "base/text_pool.h"
#include "debuginfo/dwarf/dwarf_split.h"

#define NESTING_MAX 16

uint64_t array_dimension(struct dwarf_types *types, Dwarf_Off array, unsigned dimension,
                         unsigned *rank)
{
    uint64_t count = 0, number;
    Dwarf_Die die = dwarf_die_at(types->debug, array);
    Dwarf_Die child = die != NULL ? dwarf_die_child(types->debug, die) : NULL;
    *rank = 0;
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        if (dwarf_die_tag(types->debug, child) != DW_TAG_subrange_type || (*rank)++ != dimension)
            continue;
        if (dwarf_die_number(types->debug, child, DW_AT_count, &number))
            count = number;
        else if (dwarf_die_number(types->debug, child, DW_AT_upper_bound, &number))
            count = number + 1; /* -1 for [0] */
        if (count > UINT32_MAX)
            count = 0;
    }
    dwarf_die_release(die);
    return count;
}

static uint64_t bytes_of(struct dwarf_types *types, const struct dwarf_type *type, unsigned nesting)
{
    unsigned rank;
    switch (type->kind) {
    case DWARF_TYPE_VOID:
        return 1; /* as in gcc */
    case DWARF_TYPE_FLOAT:
        return type->size_bytes == 10 ? 16 : type->size_bytes;
    case DWARF_TYPE_ARRAY:
        break;
    default:
        return type->size_bytes;
    }
    Dwarf_Die die = nesting < NESTING_MAX ? dwarf_die_at(types->debug, type->offset) : NULL;
    if (die == NULL)
        return 0;
    struct dwarf_type element = dwarf_type_of(types, die);
    uint64_t bytes = bytes_of(types, &element, nesting + 1);
    dwarf_die_release(die);
    array_dimension(types, type->offset, 0, &rank);
    for (unsigned i = 0; i < rank && bytes != 0; i++)
        bytes = bytes <= UINT32_MAX ? bytes * array_dimension(types, type->offset, i, &rank) : 0;
    return rank > 0 ? bytes : 0;
}

uint64_t type_bytes(struct dwarf_types *types, const struct dwarf_type *type)
{
    return bytes_of(types, type, 0);
}

struct search {
    Dwarf_Debug debug;
    const char *name;
    Dwarf_Off declared; /* sought for its ... */
    uint64_t path;      /* ... namespaces, hashed; 0 = not yet found */
    Dwarf_Off found;
    uint64_t size_bytes;
    bool several; /* of one name, with different sizes */
};

static void look(struct search *search, Dwarf_Die die, uint64_t path)
{
    uint64_t size = 0;
    Dwarf_Off offset = 0;
    if (!dwarf_die_offset(search->debug, die, &offset))
        return;
    if (search->path == 0) {
        search->path = offset == search->declared ? path : 0;
        return;
    }
    const char *name =
        path == search->path ? dwarf_die_string(search->debug, die, DW_AT_name) : NULL;
    if (name == NULL || strcmp(name, search->name) != 0 ||
        dwarf_die_flag(search->debug, die, DW_AT_declaration) ||
        !dwarf_die_number(search->debug, die, DW_AT_byte_size, &size) || size == 0)
        return;
    search->several = search->several || (search->found != 0 && search->size_bytes != size);
    if (search->found == 0) {
        search->found = offset;
        search->size_bytes = size;
    }
}

static void search_within(struct search *search, Dwarf_Die parent, uint64_t path, unsigned nesting)
{
    Dwarf_Die child = dwarf_die_child(search->debug, parent);
    for (; child != NULL; child = dwarf_die_next(search->debug, child)) {
        Dwarf_Half tag = dwarf_die_tag(search->debug, child);
        if (dwarf_tag_is_class(tag)) {
            look(search, child, path);
        } else if (tag == DW_TAG_namespace && nesting < NESTING_MAX) {
            const char *name = dwarf_die_string(search->debug, child, DW_AT_name);
            uint64_t inner = text_hash(path, "::", 2);
            inner = text_hash(inner, name != NULL ? name : "", name != NULL ? strlen(name) : 0);
            search_within(search, child, inner, nesting + 1);
        }
    }
}

/* Removes typedefs and qualifiers. */
static Dwarf_Die declared_class(struct dwarf_types *types, Dwarf_Off *offset)
{
    Dwarf_Die die = dwarf_die_at(types->debug, *offset);
    for (unsigned step = 0; die != NULL && step < NESTING_MAX; step++) {
        if (dwarf_tag_is_class(dwarf_die_tag(types->debug, die)))
            return die;
        Dwarf_Die next = dwarf_die_referred(types->debug, die, DW_AT_type, offset);
        dwarf_die_release(die);
        die = next;
    }
    dwarf_die_release(die);
    return NULL;
}

Dwarf_Off class_definition(struct dwarf_types *types, Dwarf_Off declared)
{
    uint64_t dwo_id;
    Dwarf_Die die = declared_class(types, &declared);
    struct search search = {.debug = types->debug, .declared = declared};
    if (die != NULL && dwarf_die_flag(types->debug, die, DW_AT_declaration))
        search.name = dwarf_die_string(types->debug, die, DW_AT_name);
    Dwarf_Die unit = search.name != NULL ? dwarf_die_at(types->debug, types->unit) : NULL;
    if (unit != NULL)
        search_within(&search, unit, TEXT_HASH_START, 0);
    dwarf_die_release(unit);
    while (search.path != 0 && (unit = dwarf_next_unit(types->debug, &dwo_id)) != NULL) {
        search_within(&search, unit, TEXT_HASH_START, 0);
        dwarf_die_release(unit);
    }
    dwarf_die_release(die);
    return search.several ? 0 : search.found;
}
