/* How functions return values: see dwarf_return in dwarf_types.h. */
#include "debuginfo/dwarf/dwarf_types.h"

#define NESTING_MAX 8
#define LEAVES_MAX 256 /* of a struct of up to 64 bytes */

struct classes {
    struct dwarf_types *types;
    struct dwarf_return *way;
    unsigned leaves;
    bool floats_alone; /* so far */
};

static void merge(struct classes *classes, uint64_t offset, enum dwarf_return_class class)
{
    enum dwarf_return_class *at =
        offset / 8 < 2 ? &classes->way->eight[offset / 8] : &classes->way->eight[1];
    if (offset >= 16)
        class = DWARF_RETURN_OTHER;
    if (*at == DWARF_RETURN_NONE || class == DWARF_RETURN_OTHER)
        *at = class;
    else if (*at != DWARF_RETURN_OTHER && class == DWARF_RETURN_GENERAL)
        *at = class;
}

/* Notes that a part is unknown. */
static void give_up(struct classes *classes)
{
    classes->way->unknown = true;
    classes->floats_alone = false;
}

static void add_float(struct classes *classes, uint64_t offset, unsigned size_bytes)
{
    struct dwarf_return *way = classes->way;
    if (way->floats > 0 && way->float_bytes != size_bytes)
        classes->floats_alone = false;
    way->float_bytes = size_bytes;
    way->floats++;
    way->aligned = way->aligned || size_bytes > 8;
    /* __float128 fills a whole register alone, or comes back in memory. */
    merge(classes, offset,
          offset % size_bytes != 0 || size_bytes > 8 ? DWARF_RETURN_OTHER : DWARF_RETURN_VECTOR);
}

static void add_general(struct classes *classes, uint64_t offset, uint64_t size_bytes)
{
    classes->floats_alone = false;
    classes->way->aligned = classes->way->aligned || size_bytes > 8;
    bool odd =
        size_bytes == 0 || size_bytes > 16 || offset % (size_bytes > 8 ? 16 : size_bytes) != 0;
    merge(classes, offset, odd ? DWARF_RETURN_OTHER : DWARF_RETURN_GENERAL);
    if (size_bytes > 8)
        merge(classes, offset + 8, DWARF_RETURN_GENERAL);
}

static void classify(struct classes *classes, const struct dwarf_type *type, uint64_t offset,
                     unsigned nesting);

uint64_t dwarf_type_elements(struct dwarf_types *types, Dwarf_Die die)
{
    uint64_t product = 1, number;
    Dwarf_Die child = dwarf_die_child(types->debug, die);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        if (dwarf_die_tag(types->debug, child) != DW_TAG_subrange_type)
            continue;
        if (!dwarf_die_number(types->debug, child, DW_AT_count, &number)) {
            if (!dwarf_die_number(types->debug, child, DW_AT_upper_bound, &number) ||
                number > LEAVES_MAX)
                number = 0;
            else
                number++;
        }
        product = number <= LEAVES_MAX && product <= LEAVES_MAX ? product * number : 0;
    }
    return product <= LEAVES_MAX ? product : 0;
}

static void classify_array(struct classes *classes, const struct dwarf_type *type, uint64_t offset,
                           unsigned nesting)
{
    Dwarf_Die die = dwarf_die_at(classes->types->debug, type->offset);
    if (die == NULL) {
        give_up(classes);
        return;
    }
    struct dwarf_type element = dwarf_type_of(classes->types, die);
    uint64_t count = dwarf_type_elements(classes->types, die);
    bool vector = dwarf_die_flag(classes->types->debug, die, DW_AT_GNU_vector);
    dwarf_die_release(die);
    if (vector || count == 0 || element.size_bytes == 0) {
        give_up(classes);
        return;
    }
    for (uint64_t i = 0; i < count && classes->leaves < LEAVES_MAX; i++)
        classify(classes, &element, offset + i * element.size_bytes, nesting + 1);
}

static void see_alignment(struct classes *classes, Dwarf_Die die)
{
    uint64_t bytes = 0;
    dwarf_die_number(classes->types->debug, die, DW_AT_alignment, &bytes);
    classes->way->aligned = classes->way->aligned || bytes > 8;
}

/* Classifies a member or base of a class; false if its place is unknown. */
static bool classify_member(struct classes *classes, Dwarf_Die die, uint64_t offset,
                            unsigned nesting)
{
    struct dwarf_types *types = classes->types;
    uint64_t at = 0, bits = 0, bit_at = 0;
    if (dwarf_die_is_static(types->debug, die))
        return true;
    see_alignment(classes, die);
    if (!dwarf_die_member_offset(types->debug, die, &at))
        return false;
    if (dwarf_die_number(types->debug, die, DW_AT_bit_size, &bits)) {
        if (!dwarf_die_number(types->debug, die, DW_AT_data_bit_offset, &bit_at)) {
            struct dwarf_type holder = dwarf_type_of(types, die);
            if (holder.size_bytes == 0 || holder.size_bytes > 8)
                return false;
            add_general(classes, (offset + at) / holder.size_bytes * holder.size_bytes,
                        holder.size_bytes);
            return true;
        }
        add_general(classes, offset + at + bit_at / 8, 1);
        if (bits > 0)
            add_general(classes, offset + at + (bit_at + bits - 1) / 8, 1);
        return bits <= 64;
    }
    struct dwarf_type type = dwarf_type_of(types, die);
    if (at > 64)
        return false;
    classify(classes, &type, offset + at, nesting + 1);
    return true;
}

static void classify_struct(struct classes *classes, const struct dwarf_type *type, uint64_t offset,
                            unsigned nesting)
{
    struct dwarf_types *types = classes->types;
    Dwarf_Die die = dwarf_die_at(types->debug, type->offset);
    bool known = die != NULL;
    if (known)
        see_alignment(classes, die);
    if (known && dwarf_die_tag(types->debug, die) == DW_TAG_union_type)
        classes->floats_alone = false;
    Dwarf_Die child = known ? dwarf_die_child(types->debug, die) : NULL;
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        Dwarf_Half tag = dwarf_die_tag(types->debug, child);
        if (known && (tag == DW_TAG_member || tag == DW_TAG_inheritance))
            known = classify_member(classes, child, offset, nesting);
        else if (tag == DW_TAG_variant_part)
            known = false;
    }
    dwarf_die_release(die);
    if (!known)
        give_up(classes);
}

static void classify(struct classes *classes, const struct dwarf_type *type, uint64_t offset,
                     unsigned nesting)
{
    if (nesting > NESTING_MAX || ++classes->leaves > LEAVES_MAX) {
        give_up(classes);
        return;
    }
    switch (type->kind) {
    case DWARF_TYPE_FLOAT:
        add_float(classes, offset, type->size_bytes == 10 ? 16 : (unsigned)type->size_bytes);
        break;
    case DWARF_TYPE_COMPLEX:
        add_float(classes, offset, (unsigned)type->size_bytes / 2);
        add_float(classes, offset + type->size_bytes / 2, (unsigned)type->size_bytes / 2);
        break;
    case DWARF_TYPE_ARRAY:
        classify_array(classes, type, offset, nesting);
        break;
    case DWARF_TYPE_STRUCT:
        classify_struct(classes, type, offset, nesting);
        break;
    case DWARF_TYPE_UNKNOWN:
    case DWARF_TYPE_VOID:
        give_up(classes);
        break;
    case DWARF_TYPE_WIDE:
    case DWARF_TYPE_MEMBER:
        if (type->size_bytes == 2) { /* _Float16 */
            add_float(classes, offset, 2);
            break;
        }
        if (type->kind == DWARF_TYPE_MEMBER && type->size_bytes == 16) {
            add_general(classes, offset, 8);
            add_general(classes, offset + 8, 8);
            break;
        }
        add_general(classes, offset, type->size_bytes);
        break;
    default:
        if (dwarf_kind_is_string(type->kind))
            classify_struct(classes, type, offset, nesting);
        else
            add_general(classes, offset, type->size_bytes);
    }
}

void dwarf_type_return(struct dwarf_types *types, const struct dwarf_type *type,
                       struct dwarf_return *way)
{
    struct classes classes = {.types = types, .way = way, .floats_alone = true};
    *way = (struct dwarf_return){.floats = 0};
    classify(&classes, type, 0, 0);
    if (!classes.floats_alone || way->floats > 4)
        way->floats = 0;
}
