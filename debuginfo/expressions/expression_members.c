/* Members by their names, or the nearest names: see expression_parts.h. */
#include "debuginfo/expressions/expression_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/edit_distance.h"

#define NESTING_MAX 16
#define NAMES_MAX 512
#define NAMES_SHOWN 8

/* Reads a member; false if it is not in each object. */
static bool read_entry(struct dwarf_types *types, Dwarf_Die die, struct expression_member *member)
{
    Dwarf_Half tag = dwarf_die_tag(types->debug, die);
    uint64_t bits = 0;
    *member = (struct expression_member){.entry = 0};
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
        dwarf_die_is_static(types->debug, die) ||
        !dwarf_die_offset(types->debug, die, &member->entry) ||
        !dwarf_die_member_offset(types->debug, die, &member->offset_bytes))
        return false;
    if (!dwarf_die_number(types->debug, die, DW_AT_bit_size, &bits))
        return true;
    struct dwarf_type holder = dwarf_type_of(types, die);
    return member_bits(types->debug, die, holder.size_bytes, bits, &member->offset_bytes,
                       &member->bits_from) &&
           (member->bits = (uint8_t)bits) != 0;
}

/* Do we look inside? Bases, and members without a name. */
static bool is_open(struct dwarf_types *types, Dwarf_Die die, const char *name,
                    struct dwarf_type *type)
{
    if (dwarf_die_tag(types->debug, die) != DW_TAG_inheritance && name != NULL)
        return false;
    *type = dwarf_type_of(types, die);
    return type->kind == DWARF_TYPE_STRUCT && type->offset != 0;
}

static bool find(struct dwarf_types *types, Dwarf_Off class, const char *name, size_t name_bytes,
                 unsigned nesting, struct expression_member *member)
{
    Dwarf_Die die = nesting < NESTING_MAX ? dwarf_die_at(types->debug, class) : NULL;
    Dwarf_Die child = die != NULL ? dwarf_die_child(types->debug, die) : NULL;
    bool found = false, inherited = false;
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        struct expression_member here, inner;
        struct dwarf_type type;
        const char *own = dwarf_die_string(types->debug, child, DW_AT_name);
        if ((found && !inherited) || !read_entry(types, child, &here))
            continue;
        if (dwarf_die_is_named(types->debug, child, name, name_bytes) &&
            dwarf_die_tag(types->debug, child) == DW_TAG_member) {
            *member = here;
            found = true;
            inherited = false; /* a class's own member hides those of bases */
        } else if (!found && is_open(types, child, own, &type) &&
                   find(types, type.offset, name, name_bytes, nesting + 1, &inner)) {
            *member = inner;
            member->offset_bytes += here.offset_bytes;
            found = true;
            inherited = dwarf_die_tag(types->debug, child) == DW_TAG_inheritance;
        }
    }
    dwarf_die_release(die);
    return found;
}

bool expression_member_find(struct dwarf_types *types, Dwarf_Off class, const char *name,
                            size_t name_bytes, struct expression_member *member)
{
    return find(types, class, name, name_bytes, 0, member);
}

struct near_name {
    const char *name; /* borrowed from the debug sections */
    size_t distance, place;
};

struct near_names {
    const char *to;
    size_t to_bytes;
    struct near_name items[NAMES_MAX];
    size_t count;
};

static void add_name(struct near_names *names, const char *name)
{
    if (names->count == NAMES_MAX || name == NULL || name[0] == 0)
        return;
    size_t to_bytes = names->to_bytes < EDIT_WORD_MAX ? names->to_bytes : EDIT_WORD_MAX;
    names->items[names->count] = (struct near_name){
        name, edit_distance(names->to, to_bytes, name, strnlen(name, EDIT_WORD_MAX)), names->count};
    names->count++;
}

static void add_members(struct dwarf_types *types, Dwarf_Off class, struct near_names *names,
                        unsigned nesting)
{
    Dwarf_Die die = nesting < NESTING_MAX ? dwarf_die_at(types->debug, class) : NULL;
    Dwarf_Die child = die != NULL ? dwarf_die_child(types->debug, die) : NULL;
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        struct expression_member here;
        struct dwarf_type type;
        const char *own = dwarf_die_string(types->debug, child, DW_AT_name);
        if (!read_entry(types, child, &here))
            continue;
        if (is_open(types, child, own, &type))
            add_members(types, type.offset, names, nesting + 1);
        else if (dwarf_die_tag(types->debug, child) == DW_TAG_member)
            add_name(names, own);
    }
    dwarf_die_release(die);
}

static int by_distance(const void *left, const void *right)
{
    const struct near_name *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static size_t write_names(struct near_names *names, char *text, size_t size)
{
    size_t used = 0, count = names->count;
    array_sort(names->items, count, by_distance);
    text[0] = 0;
    for (size_t i = 0; i < count && i < NAMES_SHOWN && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 names->items[i].name);
    if (count > NAMES_SHOWN && used < size)
        snprintf(text + used, size - used, ", ...");
    return count;
}

size_t expression_members_list(struct dwarf_types *types, Dwarf_Off class, const char *name,
                               size_t name_bytes, char *text, size_t size)
{
    struct near_names names = {.to = name, .to_bytes = name_bytes};
    add_members(types, class, &names, 0);
    return write_names(&names, text, size);
}

size_t expression_parameters_list(struct dwarf_types *types, const struct prototype *prototype,
                                  const char *name, size_t name_bytes, char *text, size_t size)
{
    struct near_names names = {.to = name, .to_bytes = name_bytes};
    for (unsigned i = 0; i < prototype->count; i++) {
        Dwarf_Die die = dwarf_die_at(types->debug, prototype->parameters[i].offset);
        if (die != NULL)
            add_name(&names, dwarf_die_string(types->debug, die, DW_AT_name));
        dwarf_die_release(die);
    }
    return write_names(&names, text, size);
}
