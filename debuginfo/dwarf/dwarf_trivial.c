/*
 * Are values of a C++ class passed in registers, as a C struct's are, or by address? If the
 * compiler does not say (gcc), the C++ ABI does (Itanium C++ ABI, "non-trivial for the purposes of
 * calls"): by address if the user wrote its destructor, or a copying or moving constructor; if that
 * holds for a member or base; if it has virtual functions or bases. We do not guess what the debug
 * information may lack.
 */
#include "debuginfo/dwarf/dwarf_types.h"

#include <string.h>

#define NESTING_MAX 8
#define CHILDREN_MAX 4096

enum trivial { TRIVIAL, NOT_TRIVIAL, UNSURE };

static enum trivial is_trivial(struct dwarf_types *types, Dwarf_Off offset, unsigned nesting);

/* Is the first parameter after `this` a reference to the class? *rvalue: one that may be moved
 * from. */
static bool takes_own(struct dwarf_types *types, Dwarf_Die function, Dwarf_Off class, bool *rvalue)
{
    bool found = false, seen = false;
    Dwarf_Die child = dwarf_die_child(types->debug, function);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        Dwarf_Off offset = 0;
        if (seen || dwarf_die_tag(types->debug, child) != DW_TAG_formal_parameter ||
            dwarf_die_flag(types->debug, child, DW_AT_artificial))
            continue;
        seen = true;
        Dwarf_Die type = dwarf_die_referred(types->debug, child, DW_AT_type, &offset);
        Dwarf_Half tag = type != NULL ? dwarf_die_tag(types->debug, type) : 0;
        *rvalue = tag == DW_TAG_rvalue_reference_type;
        if ((*rvalue || tag == DW_TAG_reference_type) &&
            dwarf_die_refers(types->debug, type, DW_AT_type, &offset))
            found = dwarf_type_at(types, offset).offset == class;
        dwarf_die_release(type);
    }
    return found;
}

/* What a member function makes of the class. */
static enum trivial see_function(struct dwarf_types *types, Dwarf_Die die, Dwarf_Off class,
                                 const char *class_name)
{
    uint64_t number = 0;
    bool rvalue = false;
    const char *name = dwarf_die_string(types->debug, die, DW_AT_name);
    if (dwarf_die_number(types->debug, die, DW_AT_virtuality, &number) && number != 0)
        return NOT_TRIVIAL;
    if (name == NULL)
        return UNSURE;
    if (dwarf_die_flag(types->debug, die, DW_AT_artificial))
        return TRIVIAL; /* the compiler's own: depends on the members */
    size_t length = strcspn(class_name, "<");
    bool constructor = strlen(name) >= length && strncmp(name, class_name, length) == 0 &&
                       (name[length] == 0 || name[length] == '<');
    bool assigns = strcmp(name, "operator=") == 0;
    if (name[0] != '~' && (!(constructor || assigns) || !takes_own(types, die, class, &rvalue)))
        return TRIVIAL;
    if (assigns) /* a moving one deletes the copying constructor */
        return rvalue ? UNSURE : TRIVIAL;
    if (dwarf_die_flag(types->debug, die, DW_AT_deleted))
        return UNSURE;
    return dwarf_die_number(types->debug, die, DW_AT_defaulted, &number) &&
                   number == DW_DEFAULTED_in_class
               ? TRIVIAL
               : NOT_TRIVIAL;
}

/* What a member or base makes of the class. */
static enum trivial see_member(struct dwarf_types *types, Dwarf_Die die, Dwarf_Half tag,
                               unsigned nesting)
{
    uint64_t number = 0;
    if (dwarf_die_is_static(types->debug, die))
        return TRIVIAL;
    if (tag == DW_TAG_inheritance &&
        dwarf_die_number(types->debug, die, DW_AT_virtuality, &number) && number != 0)
        return NOT_TRIVIAL;
    const char *name = dwarf_die_string(types->debug, die, DW_AT_name);
    if (name != NULL && strncmp(name, "_vptr", 5) == 0)
        return NOT_TRIVIAL;
    struct dwarf_type type = dwarf_type_of(types, die);
    for (unsigned step = 0; type.kind == DWARF_TYPE_ARRAY && step < NESTING_MAX; step++) {
        Dwarf_Die array = dwarf_die_at(types->debug, type.offset);
        type.kind = DWARF_TYPE_UNKNOWN;
        if (array != NULL)
            type = dwarf_type_of(types, array);
        dwarf_die_release(array);
    }
    switch (type.kind) {
    case DWARF_TYPE_UNKNOWN:
    case DWARF_TYPE_VOID:
    case DWARF_TYPE_ARRAY:
        return UNSURE;
    case DWARF_TYPE_STRING:
    case DWARF_TYPE_STRING_COW:
    case DWARF_TYPE_STRING_CXX1:
        return NOT_TRIVIAL;
    case DWARF_TYPE_STRUCT:
        return type.by_value_known ? (type.by_reference ? NOT_TRIVIAL : TRIVIAL)
                                   : is_trivial(types, type.offset, nesting + 1);
    default:
        return TRIVIAL;
    }
}

static enum trivial is_trivial(struct dwarf_types *types, Dwarf_Off offset, unsigned nesting)
{
    enum trivial result = TRIVIAL;
    unsigned seen = 0;
    Dwarf_Die class = nesting <= NESTING_MAX ? dwarf_die_at(types->debug, offset) : NULL;
    if (class == NULL)
        return UNSURE;
    const char *name = dwarf_die_string(types->debug, class, DW_AT_name);
    if (dwarf_die_flag(types->debug, class, DW_AT_declaration))
        result = UNSURE;
    Dwarf_Die child = dwarf_die_child(types->debug, class);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        enum trivial here = TRIVIAL;
        Dwarf_Half tag = dwarf_die_tag(types->debug, child);
        if (seen++ > CHILDREN_MAX)
            here = UNSURE;
        else if (tag == DW_TAG_subprogram)
            here = see_function(types, child, offset, name != NULL ? name : "");
        else if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
            here = see_member(types, child, tag, nesting);
        if (here == NOT_TRIVIAL || (here == UNSURE && result == TRIVIAL))
            result = here;
    }
    dwarf_die_release(class);
    return result;
}

void dwarf_type_passing(struct dwarf_types *types, struct dwarf_type *type)
{
    if (type->by_value_known || type->kind == DWARF_TYPE_UNKNOWN || type->offset == 0)
        return;
    enum trivial trivial = is_trivial(types, type->offset, 0);
    type->by_value_known = trivial != UNSURE;
    type->by_reference = trivial == NOT_TRIVIAL;
}
