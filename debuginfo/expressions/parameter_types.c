/* Enumerators and members of types: see parameter_types.h. Names: parameter_names.c. */
#include "debuginfo/expressions/parameter_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define ENUMERATORS_MAX 4096
#define MEMBERS_MAX 64
#define ELEMENTS_MAX 16 /* of an array in a struct */
#define CHARS_MAX 64
#define NESTING_MAX 6

static const struct parameter_type unknown = {.kind = PARAMETER_UNKNOWN};

struct members {
    struct type_reader *reader;
    struct parameter_member *items;
    size_t count, capacity;
    unsigned nesting;
};

const char *type_reader_keep(struct type_reader *reader, const char *text, size_t length)
{
    const char *kept = text_pool_add(&reader->all->texts, text, length, reader->error);
    reader->failed = reader->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

static const char *keep_name(struct type_reader *reader, Dwarf_Die die)
{
    const char *name = dwarf_die_string(reader->types->debug, die, DW_AT_name);
    return type_reader_keep(reader, name != NULL ? name : "",
                            name != NULL ? strnlen(name, 1024) : 0);
}

/* ---- enumerations ---- */

/* Is each value 0, a bit of its own, or made of other values' bits? One bit alone is a number as
 * well, so there must be two. */
static bool are_flags(const struct parameter_enumerator *items, size_t count)
{
    uint64_t bits = 0;
    unsigned singles = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = (uint64_t)items[i].value;
        if (value != 0 && (value & (value - 1)) == 0) {
            singles += (bits & value) == 0;
            bits |= value;
        }
    }
    bool beyond = false; /* 0, 1, 2 could be numbers */
    for (size_t i = 0; i < count; i++) {
        if (((uint64_t)items[i].value & ~bits) != 0)
            return false;
        beyond = beyond || items[i].value >= 4;
    }
    return singles >= 2 && beyond;
}

static void read_enumerators(struct type_reader *reader, Dwarf_Off offset,
                             struct parameter_type *type)
{
    Dwarf_Debug debug = reader->types->debug;
    struct parameter_enumerator *items = NULL;
    size_t count = 0, capacity = 0;
    Dwarf_Die die = dwarf_die_at(debug, offset);
    Dwarf_Die child = die != NULL ? dwarf_die_child(debug, die) : NULL;
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        if (reader->failed || count == ENUMERATORS_MAX ||
            dwarf_die_tag(debug, child) != DW_TAG_enumerator)
            continue;
        struct dwarf_value value = dwarf_die_value(debug, child, DW_AT_const_value);
        if (value.kind != DWARF_VALUE_NUMBER)
            continue;
        const uint64_t number = value.number;
        const struct parameter_enumerator item = {
            keep_name(reader, child), (int64_t)number,
            (int64_t)((number & (number - 1)) == 0 ? number : 0)};
        if (array_add(&items, &count, &capacity, item, reader->error) != 0)
            reader->failed = true;
    }
    dwarf_die_release(die);
    type->enumerators = items;
    type->enumerators_count = count;
    type->is_flags = are_flags(items, count);
}

/* ---- members ---- */

static const struct parameter_type *type_at(struct type_reader *reader,
                                            const struct dwarf_type *type, unsigned nesting);

static void read_members(struct members *members, Dwarf_Off offset, uint64_t base);

static void add_member(struct members *members, const struct parameter_member *member)
{
    if (members->count == MEMBERS_MAX)
        return;
    if (array_add(&members->items, &members->count, &members->capacity, *member,
                  members->reader->error) != 0)
        members->reader->failed = true;
}

/* An array of char is a text; its length makes the type. */
static const struct parameter_type *chars_type(struct type_reader *reader, uint64_t count)
{
    struct parameter_types *all = reader->all;
    for (size_t i = 0; i < all->chars_count; i++)
        if (all->chars[i]->size_bytes == count)
            return all->chars[i];
    struct parameter_type *made = calloc(1, sizeof *made);
    if (made == NULL ||
        array_add(&all->chars, &all->chars_count, &all->chars_capacity, made, reader->error) != 0) {
        free(made);
        reader->failed = true;
        return &unknown;
    }
    made->kind = PARAMETER_TEXT;
    made->size_bytes = (uint32_t)count;
    made->is_chars = true;
    return made;
}

/* Each element of an array is a member. */
static void add_array(struct members *members, const char *name, Dwarf_Off offset, uint64_t base)
{
    struct type_reader *reader = members->reader;
    char text[256];
    Dwarf_Die die = dwarf_die_at(reader->types->debug, offset);
    if (die == NULL)
        return;
    struct dwarf_type element = dwarf_type_of(reader->types, die);
    uint64_t count = dwarf_type_elements(reader->types, die);
    dwarf_die_release(die);
    if (element.kind == DWARF_TYPE_CHAR && count > 0 && count <= CHARS_MAX) {
        const struct parameter_member member = {
            .name = name, .type = chars_type(reader, count), .offset = (uint32_t)base};
        add_member(members, &member);
        return;
    }
    for (uint64_t i = 0; i < count && i < ELEMENTS_MAX && element.size_bytes > 0; i++) {
        snprintf(text, sizeof text, "%s[%llu]", name, (unsigned long long)i);
        const struct parameter_member member = {
            .name = type_reader_keep(reader, text, strlen(text)),
            .type = type_at(reader, &element, members->nesting + 1),
            .offset = (uint32_t)(base + i * element.size_bytes)};
        add_member(members, &member);
    }
}

bool member_bits(Dwarf_Debug debug, Dwarf_Die die, uint64_t holder_bytes, uint64_t bits,
                 uint64_t *offset_bytes, uint8_t *bits_from)
{
    uint64_t from = 0;
    if (bits == 0 || bits > 64)
        return false;
    if (dwarf_die_number(debug, die, DW_AT_data_bit_offset, &from)) {
        if (from > 8 * (uint64_t)UINT16_MAX)
            return false;
        *offset_bytes += from / 8;
        from %= 8;
    } else if (dwarf_die_number(debug, die, DW_AT_bit_offset, &from)) {
        /* It counts from the holder's most significant bit. */
        uint64_t holder = 8 * holder_bytes;
        if (holder == 0 || from + bits > holder)
            return false;
        from = holder - from - bits;
    }
    *bits_from = (uint8_t)from;
    return from < 64;
}

static void read_member(struct members *members, Dwarf_Die die, Dwarf_Half tag, uint64_t base)
{
    struct type_reader *reader = members->reader;
    Dwarf_Debug debug = reader->types->debug;
    uint64_t at = 0, bits = 0;
    if (dwarf_die_is_static(debug, die) || !dwarf_die_member_offset(debug, die, &at) || at > 4096 ||
        base > 4096)
        return;
    struct dwarf_type type = dwarf_type_of(reader->types, die);
    const char *name = keep_name(reader, die);
    bool plain = type.kind == DWARF_TYPE_STRUCT;
    /* We look inside bases and unnamed members. */
    if (plain && (tag == DW_TAG_inheritance || name[0] == 0)) {
        if (++members->nesting <= NESTING_MAX)
            read_members(members, type.offset, base + at);
        members->nesting--;
        return;
    }
    if (type.kind == DWARF_TYPE_ARRAY) {
        add_array(members, name, type.offset, base + at);
        return;
    }
    struct parameter_member member = {.name = name,
                                      .type = type_at(reader, &type, members->nesting + 1),
                                      .offset = (uint32_t)(base + at)};
    if (plain && type.size_bytes == 1 && member.type->members_count == 0)
        return; /* an empty class */
    uint64_t from = member.offset;
    if (dwarf_die_number(debug, die, DW_AT_bit_size, &bits)) {
        if (!member_bits(debug, die, type.size_bytes, bits, &from, &member.bits_from))
            return;
        member.offset = (uint32_t)from;
        member.bits = (uint8_t)bits;
    }
    add_member(members, &member);
}

static void read_members(struct members *members, Dwarf_Off offset, uint64_t base)
{
    Dwarf_Debug debug = members->reader->types->debug;
    Dwarf_Die die = dwarf_die_at(debug, offset);
    Dwarf_Die child = die != NULL ? dwarf_die_child(debug, die) : NULL;
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = dwarf_die_tag(debug, child);
        if (!members->reader->failed && members->count < MEMBERS_MAX &&
            (tag == DW_TAG_member || tag == DW_TAG_inheritance))
            read_member(members, child, tag, base);
    }
    dwarf_die_release(die);
}

static int by_offset(const void *left, const void *right)
{
    const struct parameter_member *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->bits_from > b->bits_from) - (a->bits_from < b->bits_from);
}

static enum parameter_kind kind_of(const struct dwarf_type *type)
{
    static const uint8_t kinds[] = {
        [DWARF_TYPE_SIGNED] = PARAMETER_SIGNED,   [DWARF_TYPE_UNSIGNED] = PARAMETER_UNSIGNED,
        [DWARF_TYPE_BOOL] = PARAMETER_BOOL,       [DWARF_TYPE_CHAR] = PARAMETER_CHAR,
        [DWARF_TYPE_ENUM] = PARAMETER_ENUM,       [DWARF_TYPE_FLOAT] = PARAMETER_FLOAT,
        [DWARF_TYPE_POINTER] = PARAMETER_POINTER, [DWARF_TYPE_REFERENCE] = PARAMETER_POINTER,
        [DWARF_TYPE_ARRAY] = PARAMETER_POINTER,   [DWARF_TYPE_FUNCTION] = PARAMETER_FUNCTION,
        [DWARF_TYPE_TEXT] = PARAMETER_TEXT,       [DWARF_TYPE_STRUCT] = PARAMETER_STRUCT,
        [DWARF_TYPE_COMPLEX] = PARAMETER_STRUCT,  [DWARF_TYPE_MEMBER] = PARAMETER_UNKNOWN};
    enum parameter_kind integer = type->is_signed ? PARAMETER_SIGNED : PARAMETER_UNSIGNED;
    if (dwarf_kind_is_string(type->kind))
        return PARAMETER_TEXT;
    if (type->kind == DWARF_TYPE_MEMBER && type->size_bytes == 8)
        return PARAMETER_SIGNED;
    if (type->kind == DWARF_TYPE_WIDE && type->size_bytes == 16) /* not _Float16 */
        return integer;
    return (enum parameter_kind)kinds[type->kind];
}

static struct parameter_type *make_type(struct type_reader *reader, const struct dwarf_type *type,
                                        unsigned nesting)
{
    struct parameter_type *made = calloc(1, sizeof *made);
    if (made == NULL) {
        reader->failed = true;
        error_set(reader->error, "out of memory");
        return NULL;
    }
    made->kind = kind_of(type);
    made->size_bytes = type->size_bytes <= UINT32_MAX ? (uint32_t)type->size_bytes : 0;
    made->is_signed = type->is_signed;
    if (type->kind == DWARF_TYPE_ENUM)
        read_enumerators(reader, type->offset, made);
    if (type->kind == DWARF_TYPE_STRUCT && nesting <= NESTING_MAX) {
        struct members members = {.reader = reader, .nesting = nesting};
        read_members(&members, type->offset, 0);
        array_sort(members.items, members.count, by_offset);
        made->members = members.items;
        made->members_count = members.count;
    }
    return made;
}

static const struct parameter_type *type_at(struct type_reader *reader,
                                            const struct dwarf_type *type, unsigned nesting)
{
    struct parameter_types *all = reader->all;
    uint32_t index;
    if (type->offset == 0 || type->kind == DWARF_TYPE_UNKNOWN || reader->failed)
        return &unknown;
    if (intern_add(&all->offsets, reader->origin_high | type->offset, 0, &index, reader->error) !=
            0 ||
        array_reach(&all->items, &all->capacity, index, reader->error) != 0) {
        reader->failed = true;
        return &unknown;
    }
    if (index >= all->count) {
        all->count = (size_t)index + 1;
        struct parameter_type *made = make_type(reader, type, nesting);
        all->items[index] = made;
    }
    return all->items[index] != NULL ? all->items[index] : &unknown;
}

const struct parameter_type *parameter_type_of(struct type_reader *reader,
                                               const struct dwarf_type *type)
{
    return type_at(reader, type, 0);
}

void parameter_types_release(struct parameter_types *types)
{
    for (size_t i = 0; i < types->count; i++) {
        if (types->items[i] == NULL)
            continue;
        free((void *)(uintptr_t)types->items[i]->enumerators);
        free((void *)(uintptr_t)types->items[i]->members);
        free(types->items[i]);
    }
    free(types->items);
    for (size_t i = 0; i < types->chars_count; i++)
        free(types->chars[i]);
    free(types->chars);
    intern_release(&types->offsets);
    text_pool_release(&types->texts);
    *types = (struct parameter_types){.count = 0};
}
