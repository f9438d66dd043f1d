/* Types out of DWARF: see dwarf_types.h. */
#include "debuginfo/dwarf/dwarf_types.h"

#include <elf.h>
#include <string.h>

#include "base/array.h"
#include "base/parts.h"

#define CHAIN_MAX 32 /* typedefs and qualifiers of one type */
#define ENUMERATORS_MAX 65536

static const struct dwarf_type unknown = {.kind = DWARF_TYPE_UNKNOWN};

/* Languages without classes with copy constructors. */
static bool has_plain_structs(uint64_t language)
{
    static const uint8_t plain[] = {0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x3e, /* C */
                                    0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d, /* Fortran */
                                    0x10};                              /* Objective-C */
    return language != 0 && language < 256 && memchr(plain, (int)language, sizeof plain) != NULL;
}

static bool is_fortran(uint64_t language)
{
    static const uint8_t versions[] = {0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d};
    return language != 0 && language < 256 &&
           memchr(versions, (int)language, sizeof versions) != NULL;
}

static bool is_cxx(uint64_t language)
{
    static const uint8_t versions[] = {0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b, 0x3a, 0x11};
    return language != 0 && language < 256 &&
           memchr(versions, (int)language, sizeof versions) != NULL;
}

void dwarf_types_begin(struct dwarf_types *types, Dwarf_Debug debug, Dwarf_Off unit,
                       uint16_t machine)
{
    uint64_t language = 0;
    *types = (struct dwarf_types){.debug = debug, .unit = unit, .machine = machine};
    Dwarf_Die die = dwarf_die_at(debug, unit);
    if (die != NULL) {
        const char *producer = dwarf_die_string(debug, die, DW_AT_producer);
        const char *clang = producer != NULL ? strstr(producer, "clang version ") : NULL;
        types->is_gnu = producer != NULL && strncmp(producer, "GNU ", 4) == 0;
        types->clang =
            clang != NULL ? (unsigned)strtoul(clang + strlen("clang version "), NULL, 10) : 0;
        dwarf_die_number(debug, die, DW_AT_language, &language);
    }
    dwarf_die_release(die);
    types->cxx = !has_plain_structs(language);
    types->is_cxx = is_cxx(language);
    types->is_fortran = is_fortran(language);
}

void dwarf_types_end(struct dwarf_types *types)
{
    intern_release(&types->offsets);
    free(types->known);
    types->known = NULL;
    types->known_count = types->known_capacity = 0;
}

/* ---- classes of the standard library ---- */

/* Is a child of `parent`, within namespaces of these names up to NULL, at the offset? */
static bool holds(struct dwarf_types *types, Dwarf_Die parent, Dwarf_Off wanted,
                  const char *const *names)
{
    bool found = false;
    Dwarf_Off offset = 0;
    Dwarf_Die child = dwarf_die_child(types->debug, parent);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        if (!found && names[0] == NULL)
            found = dwarf_die_offset(types->debug, child, &offset) && offset == wanted;
        else if (!found && dwarf_die_tag(types->debug, child) == DW_TAG_namespace &&
                 dwarf_die_is_named(types->debug, child, names[0], strlen(names[0])))
            found = holds(types, child, wanted, names + 1);
    }
    return found;
}

/* Is the type at the offset declared in namespace std::`inner`? */
static bool in_std(struct dwarf_types *types, Dwarf_Off offset, const char *inner)
{
    const char *const names[] = {"std", inner, NULL};
    Dwarf_Die unit = dwarf_die_at(types->debug, types->unit);
    bool found = unit != NULL && holds(types, unit, offset, names);
    dwarf_die_release(unit);
    return found;
}

static Dwarf_Die referred_type(struct dwarf_types *types, Dwarf_Die die, Dwarf_Half *tag);

/* Has the class's first member this name? With `within` a member without a name stands for its own:
 * libc++ 20 and later have their members in a struct. */
static bool first_member_named(struct dwarf_types *types, Dwarf_Die die, const char *wanted,
                               bool within)
{
    bool found = false, looked = false;
    Dwarf_Half tag = 0;
    Dwarf_Die child = dwarf_die_child(types->debug, die);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        if (looked || dwarf_die_tag(types->debug, child) != DW_TAG_member ||
            dwarf_die_is_static(types->debug, child))
            continue;
        looked = true;
        found = dwarf_die_is_named(types->debug, child, wanted, strlen(wanted));
        if (found || !within || dwarf_die_string(types->debug, child, DW_AT_name) != NULL)
            continue;
        Dwarf_Die inner = referred_type(types, child, &tag);
        found = inner != NULL && tag == DW_TAG_structure_type &&
                first_member_named(types, inner, wanted, false);
        dwarf_die_release(inner);
    }
    return found;
}

static bool first_member_is(struct dwarf_types *types, Dwarf_Die die, const char *wanted)
{
    return first_member_named(types, die, wanted, true);
}

/* The kind of a library class whose layout we know; DWARF_TYPE_STRUCT for others. If the class is
 * only declared, its inline namespace shows the layout. */
static enum dwarf_type_kind library_class(struct dwarf_types *types, Dwarf_Die die,
                                          struct dwarf_type *type)
{
    static const char string[] = "basic_string<char, std::char_traits<char>, std::allocator<char>";
    static const char string1[] =
        "basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>";
    static const char view[] = "basic_string_view<char, std::char_traits<char>";
    static const char view1[] = "basic_string_view<char, std::__1::char_traits<char>";
    const char *name = dwarf_die_string(types->debug, die, DW_AT_name);
    if (name == NULL || !starts_with(name, "basic_string"))
        return DWARF_TYPE_STRUCT;
    bool declared = dwarf_die_flag(types->debug, die, DW_AT_declaration);
    uint64_t size = type->size_bytes;
    if (starts_with(name, string)) {
        if (declared && in_std(types, type->offset, "__cxx11"))
            size = 32;
        if (size == 32 && (declared || first_member_is(types, die, "_M_dataplus")))
            type->size_bytes = 32;
        else if (!declared && size == 8 && first_member_is(types, die, "_M_dataplus"))
            return DWARF_TYPE_STRING_COW;
        else
            return DWARF_TYPE_STRUCT;
        return DWARF_TYPE_STRING;
    }
    if (starts_with(name, string1)) {
        bool known = declared ? in_std(types, type->offset, "__1")
                              : size == 24 && (first_member_is(types, die, "__r_") ||
                                               first_member_is(types, die, "__rep_"));
        type->size_bytes = known ? 24 : size;
        return known ? DWARF_TYPE_STRING_CXX1 : DWARF_TYPE_STRUCT;
    }
    if (starts_with(name, view) && size == 16 && first_member_is(types, die, "_M_len"))
        return DWARF_TYPE_VIEW;
    if (starts_with(name, view1) && size == 16 &&
        (first_member_is(types, die, "__data_") || first_member_is(types, die, "__data")))
        return DWARF_TYPE_VIEW_CXX1;
    return DWARF_TYPE_STRUCT;
}

/* ---- structs of a length and a pointer to so many bytes ---- */

static void read_base(struct dwarf_types *types, Dwarf_Die die, struct dwarf_type *type);
static Dwarf_Die strip(struct dwarf_types *types, Dwarf_Off *offset, Dwarf_Half *tag,
                       bool *is_void);

/* The entry of a type that an entry refers to, without typedefs and qualifiers; NULL for none. */
static Dwarf_Die referred_type(struct dwarf_types *types, Dwarf_Die die, Dwarf_Half *tag)
{
    Dwarf_Off offset = 0;
    bool is_void;
    return dwarf_die_refers(types->debug, die, DW_AT_type, &offset)
               ? strip(types, &offset, tag, &is_void)
               : NULL;
}

/* Does the entry refer to an integer of so many bytes, not bool? */
static bool refers_integer(struct dwarf_types *types, Dwarf_Die die, uint64_t size_bytes)
{
    Dwarf_Half tag = 0;
    Dwarf_Die base = referred_type(types, die, &tag);
    struct dwarf_type type = {.size_bytes = 0};
    if (base != NULL && tag == DW_TAG_base_type &&
        dwarf_die_number(types->debug, base, DW_AT_byte_size, &type.size_bytes))
        read_base(types, base, &type);
    dwarf_die_release(base);
    return type.size_bytes == size_bytes && type.is_integer;
}

static bool refers_bytes(struct dwarf_types *types, Dwarf_Die die)
{
    Dwarf_Half tag = 0;
    Dwarf_Die pointer = referred_type(types, die, &tag);
    bool bytes = pointer != NULL && tag == DW_TAG_pointer_type && refers_integer(types, pointer, 1);
    dwarf_die_release(pointer);
    return bytes;
}

static bool names_length(const char *name)
{
    static const char *const names[] = {"size", "n", "count", "nbytes", "cb", "sz"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strstr(name, "len") != NULL;
}

/* nginx's ngx_str_t, Rust's &str and their like: VIEW or VIEW_CXX1; STRUCT for others. With `more`,
 * a third member of 8 bytes, in front or behind, may say what the text has room for: BUFFER. Looks
 * at no other class. */
static enum dwarf_type_kind counted_bytes(struct dwarf_types *types, Dwarf_Die die, bool more)
{
    uint64_t length_at = UINT64_MAX, bytes_at = UINT64_MAX, at;
    unsigned members = 0, lengths = 0, texts = 0, tag;
    Dwarf_Die child = dwarf_die_child(types->debug, die);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        tag = dwarf_die_tag(types->debug, child);
        members += tag == DW_TAG_inheritance || tag == DW_TAG_variant_part;
        if (tag != DW_TAG_member || dwarf_die_is_static(types->debug, child) || ++members > 3 ||
            !dwarf_die_number(types->debug, child, DW_AT_data_member_location, &at))
            continue;
        const char *name = dwarf_die_string(types->debug, child, DW_AT_name);
        if (name != NULL && names_length(name) && refers_integer(types, child, 8)) {
            length_at = at;
            lengths++;
        } else if (refers_bytes(types, child)) {
            bytes_at = at;
            texts++;
        }
    }
    if (lengths != 1 || texts != 1 || members > (more ? 3 : 2))
        return DWARF_TYPE_STRUCT;
    if (members == 3 && length_at == 8 && bytes_at == 16)
        return DWARF_TYPE_BUFFER;
    if (length_at + bytes_at != 8 || length_at > 8)
        return DWARF_TYPE_STRUCT;
    return length_at == 0 ? DWARF_TYPE_VIEW : DWARF_TYPE_VIEW_CXX1;
}

static void read_class(struct dwarf_types *types, Dwarf_Die die, struct dwarf_type *type)
{
    uint64_t convention = 0;
    type->kind = library_class(types, die, type);
    if (type->kind == DWARF_TYPE_STRUCT && type->size_bytes == 16)
        type->kind = counted_bytes(types, die, false);
    type->by_value_known = !types->cxx;
    if (dwarf_die_number(types->debug, die, DW_AT_calling_convention, &convention)) {
        type->by_reference = convention == DW_CC_pass_by_reference;
        type->by_value_known = type->by_reference || convention == DW_CC_pass_by_value;
    }
    if (type->kind == DWARF_TYPE_STRING || type->kind == DWARF_TYPE_STRING_COW ||
        type->kind == DWARF_TYPE_STRING_CXX1)
        type->by_reference = type->by_value_known = true;
    if (type->kind == DWARF_TYPE_STRUCT && type->size_bytes == 0)
        *type = unknown; /* only declared, or empty */
}

/* ---- base types ---- */

static bool is_x87(const struct dwarf_types *types, const char *name)
{
    static const char *const names[] = {
        "long double",      "real(kind=10)",       "real", "long_long_float", "complex long double",
        "complex(kind=10)", "_Complex long double"};
    for (size_t i = 0; types->machine == EM_X86_64 && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void read_base(struct dwarf_types *types, Dwarf_Die die, struct dwarf_type *type)
{
    uint64_t encoding = 0, size = type->size_bytes;
    const char *name = dwarf_die_string(types->debug, die, DW_AT_name);
    bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    name = name != NULL ? name : "";
    dwarf_die_number(types->debug, die, DW_AT_encoding, &encoding);
    switch (encoding) {
    case DW_ATE_boolean:
        type->kind = whole ? DWARF_TYPE_BOOL : DWARF_TYPE_UNKNOWN;
        break;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_address:
    case DW_ATE_UTF:
        type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
        type->kind = type->is_signed ? DWARF_TYPE_SIGNED : DWARF_TYPE_UNSIGNED;
        type->is_integer = true;
        if (!whole)
            type->kind = size == 16 ? DWARF_TYPE_WIDE : DWARF_TYPE_UNKNOWN;
        else if (strcmp(name, "char") == 0)
            type->kind = DWARF_TYPE_CHAR;
        break;
    case DW_ATE_float:
        type->kind = DWARF_TYPE_FLOAT;
        if (size == 2)
            type->kind = DWARF_TYPE_WIDE;
        else if (size == 16 && is_x87(types, name))
            type->size_bytes = 10;
        else if (size != 4 && size != 8 && size != 16)
            type->kind = DWARF_TYPE_UNKNOWN;
        break;
    case DW_ATE_complex_float:
        type->kind = (size == 8 || size == 16) && !is_x87(types, name) ? DWARF_TYPE_COMPLEX
                                                                       : DWARF_TYPE_UNKNOWN;
        break;
    default:
        type->kind = DWARF_TYPE_UNKNOWN; /* decimal floats, fixed-point numbers, ... */
    }
}

static bool any_negative(struct dwarf_types *types, Dwarf_Die die)
{
    bool found = false;
    unsigned seen = 0;
    Dwarf_Die child = dwarf_die_child(types->debug, die);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        if (found || seen++ > ENUMERATORS_MAX ||
            dwarf_die_tag(types->debug, child) != DW_TAG_enumerator)
            continue;
        struct dwarf_value value = dwarf_die_value(types->debug, child, DW_AT_const_value);
        found = value.kind == DWARF_VALUE_NUMBER && (int64_t)value.number < 0;
    }
    return found;
}

static void read_enum(struct dwarf_types *types, Dwarf_Die die, struct dwarf_type *type)
{
    uint64_t encoding = 0;
    type->kind = DWARF_TYPE_ENUM;
    if (dwarf_die_has(types->debug, die, DW_AT_type)) {
        struct dwarf_type underlying = dwarf_type_of(types, die);
        type->is_signed = underlying.is_signed;
        if (type->size_bytes == 0)
            type->size_bytes = underlying.size_bytes;
    } else if (dwarf_die_number(types->debug, die, DW_AT_encoding, &encoding)) {
        type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    } else {
        type->is_signed = any_negative(types, die);
    }
    if (type->size_bytes != 1 && type->size_bytes != 2 && type->size_bytes != 4 &&
        type->size_bytes != 8)
        *type = unknown;
}

static bool is_qualifier(Dwarf_Half tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_packed_type ||
           tag == DW_TAG_shared_type || tag == DW_TAG_immutable_type;
}

/* Removes typedefs and qualifiers; NULL for void (*is_void) or no entry. */
static Dwarf_Die strip(struct dwarf_types *types, Dwarf_Off *offset, Dwarf_Half *tag, bool *is_void)
{
    Dwarf_Die die = dwarf_die_at(types->debug, *offset);
    *is_void = false;
    for (unsigned step = 0; die != NULL; step++) {
        *tag = dwarf_die_tag(types->debug, die);
        if (!is_qualifier(*tag))
            return die;
        *is_void = !dwarf_die_has(types->debug, die, DW_AT_type);
        Dwarf_Die next =
            step < CHAIN_MAX ? dwarf_die_referred(types->debug, die, DW_AT_type, offset) : NULL;
        dwarf_die_release(die);
        die = next;
    }
    return NULL;
}

/* Does an entry refer to a type of which `is` holds, or to one by typedefs and qualifiers? */
static bool refers_to(struct dwarf_types *types, Dwarf_Die die,
                      bool (*is)(struct dwarf_types *types, Dwarf_Die at, Dwarf_Half tag))
{
    Dwarf_Off offset = 0;
    Dwarf_Die at = dwarf_die_referred(types->debug, die, DW_AT_type, &offset);
    bool found = false;
    for (unsigned step = 0; at != NULL && !found; step++) {
        Dwarf_Half tag = dwarf_die_tag(types->debug, at);
        found = is(types, at, tag);
        Dwarf_Die next = is_qualifier(tag) && step < CHAIN_MAX
                             ? dwarf_die_referred(types->debug, at, DW_AT_type, &offset)
                             : NULL;
        dwarf_die_release(at);
        at = next;
    }
    dwarf_die_release(at);
    return found;
}

static bool is_constant(struct dwarf_types *types, Dwarf_Die at, Dwarf_Half tag)
{
    (void)types, (void)at;
    return tag == DW_TAG_const_type;
}

bool dwarf_type_refers_to_constant(struct dwarf_types *types, Dwarf_Die die)
{
    return refers_to(types, die, is_constant);
}

/* In C wide characters are typedefs of integers. */
static bool is_wide_character(struct dwarf_types *types, Dwarf_Die at, Dwarf_Half tag)
{
    static const char *const names[] = {"wchar_t", "char16_t", "char32_t"};
    bool wide = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        wide |= (tag == DW_TAG_typedef || tag == DW_TAG_base_type) &&
                dwarf_die_is_named(types->debug, at, names[i], strlen(names[i]));
    return wide;
}

/* The kind of a pointer, by its target; text and unit_bytes as in struct dwarf_type. */
static enum dwarf_type_kind pointer_kind(struct dwarf_types *types, Dwarf_Die die,
                                         struct dwarf_type *pointer)
{
    Dwarf_Off offset = 0;
    Dwarf_Half tag = 0;
    bool is_void;
    enum dwarf_type_kind kind = DWARF_TYPE_POINTER;
    if (!dwarf_die_refers(types->debug, die, DW_AT_type, &offset))
        return kind;
    Dwarf_Die target = strip(types, &offset, &tag, &is_void);
    if (target == NULL)
        return kind;
    if (tag == DW_TAG_subroutine_type) {
        kind = DWARF_TYPE_FUNCTION;
    } else if (tag == DW_TAG_base_type) {
        struct dwarf_type type = {.size_bytes = 1};
        read_base(types, target, &type);
        pointer->unit_bytes = type.kind == DWARF_TYPE_CHAR ? 1 : 0;
        if (refers_to(types, die, is_wide_character) &&
            dwarf_die_number(types->debug, target, DW_AT_byte_size, &type.size_bytes) &&
            (type.size_bytes == 2 || type.size_bytes == 4))
            pointer->unit_bytes = (unsigned)type.size_bytes;
        kind = pointer->unit_bytes != 0 ? DWARF_TYPE_TEXT : DWARF_TYPE_POINTER;
    } else if (tag == DW_TAG_structure_type && dwarf_type_refers_to_constant(types, die)) {
        enum dwarf_type_kind shape = counted_bytes(types, target, true);
        pointer->text = shape == DWARF_TYPE_STRUCT ? DWARF_TYPE_UNKNOWN : shape;
    }
    dwarf_die_release(target);
    return kind;
}

static void read_member_pointer(struct dwarf_types *types, Dwarf_Die die, struct dwarf_type *type)
{
    Dwarf_Off offset = 0;
    Dwarf_Half tag = 0;
    bool is_void;
    Dwarf_Die target = dwarf_die_refers(types->debug, die, DW_AT_type, &offset)
                           ? strip(types, &offset, &tag, &is_void)
                           : NULL;
    if (target == NULL)
        return;
    dwarf_die_release(target);
    type->kind = DWARF_TYPE_MEMBER;
    type->size_bytes = tag == DW_TAG_subroutine_type ? 16 : 8;
    type->is_signed = true;
}

static void read_subrange(struct dwarf_types *types, Dwarf_Die die, struct dwarf_type *type)
{
    uint64_t size = type->size_bytes;
    Dwarf_Off offset = type->offset;
    *type = unknown;
    if (!dwarf_die_has(types->debug, die, DW_AT_type))
        return;
    struct dwarf_type base = dwarf_type_of(types, die);
    if (base.kind != DWARF_TYPE_SIGNED && base.kind != DWARF_TYPE_UNSIGNED &&
        base.kind != DWARF_TYPE_ENUM)
        return;
    *type = base;
    type->offset = base.kind == DWARF_TYPE_ENUM ? base.offset : offset;
    if (size == 1 || size == 2 || size == 4 || size == 8)
        type->size_bytes = size;
}

static void read_entry(struct dwarf_types *types, Dwarf_Die die, Dwarf_Half tag,
                       struct dwarf_type *type)
{
    switch (tag) {
    case DW_TAG_base_type:
        read_base(types, die, type);
        break;
    case DW_TAG_enumeration_type:
        read_enum(types, die, type);
        break;
    case DW_TAG_subrange_type:
        read_subrange(types, die, type);
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_unspecified_type: /* std::nullptr_t */
        type->kind =
            tag == DW_TAG_pointer_type ? pointer_kind(types, die, type) : DWARF_TYPE_POINTER;
        if (type->size_bytes != 0 && type->size_bytes != 8)
            *type = unknown; /* a fat one */
        else
            type->size_bytes = 8;
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = DWARF_TYPE_REFERENCE;
        type->size_bytes = 8;
        if (!dwarf_die_refers(types->debug, die, DW_AT_type, &type->target))
            *type = unknown;
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        read_class(types, die, type);
        break;
    case DW_TAG_ptr_to_member_type:
        read_member_pointer(types, die, type);
        break;
    case DW_TAG_array_type:
    case DW_TAG_string_type:
        type->kind = DWARF_TYPE_ARRAY;
        if (dwarf_die_flag(types->debug, die, DW_AT_GNU_vector))
            *type = unknown; /* lies in a vector register */
        break;
    default:
        *type = unknown;
    }
}

static struct dwarf_type read_type(struct dwarf_types *types, Dwarf_Off offset)
{
    struct dwarf_type type = unknown;
    Dwarf_Half tag = 0;
    bool is_void = false;
    Dwarf_Die die = strip(types, &offset, &tag, &is_void);
    if (die == NULL) {
        type.kind = is_void ? DWARF_TYPE_VOID : DWARF_TYPE_UNKNOWN;
        return type;
    }
    type.offset = offset;
    dwarf_die_number(types->debug, die, DW_AT_byte_size, &type.size_bytes);
    if (type.size_bytes > (uint64_t)1 << 32)
        type.size_bytes = 0;
    read_entry(types, die, tag, &type);
    dwarf_die_release(die);
    return type;
}

struct dwarf_type dwarf_type_at(struct dwarf_types *types, Dwarf_Off offset)
{
    uint32_t index;
    if (types->nested >= CHAIN_MAX || intern_add(&types->offsets, offset, 0, &index, NULL) != 0)
        return unknown;
    if (index < types->known_count)
        return types->known[index];
    if (array_reach(&types->known, &types->known_capacity, index, NULL) != 0)
        return unknown;
    types->known[index] = unknown; /* in case it refers to itself */
    types->known_count = (size_t)index + 1;
    types->nested++;
    struct dwarf_type type = read_type(types, offset);
    types->nested--;
    types->known[index] = type;
    return type;
}

struct dwarf_type dwarf_type_of(struct dwarf_types *types, Dwarf_Die die)
{
    struct dwarf_type type = unknown;
    Dwarf_Off offset = 0;
    if (dwarf_die_refers(types->debug, die, DW_AT_type, &offset))
        return dwarf_type_at(types, offset);
    if (!dwarf_die_has(types->debug, die, DW_AT_type))
        type.kind = DWARF_TYPE_VOID;
    return type;
}
