/* Prototypes of functions: see dwarf_prototypes.h. */
#include "debuginfo/dwarf/dwarf_prototypes.h"

#define REFERENCES_MAX 8

static bool each(Dwarf_Debug debug, Dwarf_Die parent, unsigned nesting, prototype_visit *visit,
                 void *context)
{
    bool go_on = true;
    Dwarf_Die child = dwarf_die_child(debug, parent);
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = go_on ? dwarf_die_tag(debug, child) : 0;
        if (tag == DW_TAG_formal_parameter)
            go_on = visit(context, debug, child);
        else if (tag == DW_TAG_GNU_formal_parameter_pack && nesting == 0)
            go_on = each(debug, child, 1, visit, context);
    }
    return go_on;
}

void prototype_each(Dwarf_Debug debug, Dwarf_Die function, prototype_visit *visit, void *context)
{
    each(debug, function, 0, visit, context);
}

Dwarf_Off prototype_origin(Dwarf_Debug debug, Dwarf_Off offset)
{
    Dwarf_Off origin = offset;
    Dwarf_Die die = dwarf_die_at(debug, offset);
    if (die != NULL && !dwarf_die_refers(debug, die, DW_AT_abstract_origin, &origin))
        origin = offset;
    dwarf_die_release(die);
    return origin;
}

/* Is an entry's type const, or a reference? */
static bool keeps_value(Dwarf_Debug debug, Dwarf_Die die)
{
    Dwarf_Off offset = 0;
    Dwarf_Die type = dwarf_die_referred(debug, die, DW_AT_type, &offset);
    for (unsigned step = 0; type != NULL && step < REFERENCES_MAX; step++) {
        Dwarf_Half tag = dwarf_die_tag(debug, type);
        if (tag != DW_TAG_typedef && tag != DW_TAG_volatile_type) {
            dwarf_die_release(type);
            return tag == DW_TAG_const_type || tag == DW_TAG_reference_type ||
                   tag == DW_TAG_rvalue_reference_type;
        }
        Dwarf_Die next = dwarf_die_referred(debug, type, DW_AT_type, &offset);
        dwarf_die_release(type);
        type = next;
    }
    dwarf_die_release(type);
    return false;
}

Dwarf_Die prototype_typed_entry(Dwarf_Debug debug, Dwarf_Off offset)
{
    Dwarf_Die die = dwarf_die_at(debug, offset);
    for (unsigned step = 0;
         die != NULL && step < REFERENCES_MAX && !dwarf_die_has(debug, die, DW_AT_type); step++) {
        Dwarf_Die next = dwarf_die_original(debug, die, &offset);
        if (next == NULL)
            break;
        dwarf_die_release(die);
        die = next;
    }
    return die;
}

static struct dwarf_type type_along(struct dwarf_types *types, Dwarf_Off offset, bool *fixed)
{
    struct dwarf_type type = {.kind = DWARF_TYPE_UNKNOWN};
    Dwarf_Die die = prototype_typed_entry(types->debug, offset);
    if (die != NULL)
        type = dwarf_type_of(types, die);
    *fixed = die != NULL && keeps_value(types->debug, die);
    dwarf_die_release(die);
    return type;
}

struct taking {
    struct dwarf_types *types;
    struct prototype *prototype;
};

static bool take_parameter(void *context, Dwarf_Debug debug, Dwarf_Die die)
{
    struct taking *taking = context;
    struct prototype *prototype = taking->prototype;
    bool artificial = dwarf_die_flag(debug, die, DW_AT_artificial), fixed = false;
    Dwarf_Off offset = 0;
    if (artificial && !dwarf_die_is_named(debug, die, "this", 4))
        return true;
    if (prototype->count == PROTOTYPE_PARAMETERS_MAX) {
        prototype->more = true;
        return false;
    }
    unsigned at = prototype->count++;
    prototype->parameters[at].offset = dwarf_die_offset(debug, die, &offset) ? offset : 0;
    prototype->parameters[at].type = type_along(taking->types, offset, &fixed);
    prototype->parameters[at].fixed = fixed || artificial;
    return true;
}

bool prototype_read(struct dwarf_types *types, Dwarf_Off offset, struct prototype *prototype)
{
    struct taking taking = {types, prototype};
    bool fixed;
    *prototype = (struct prototype){.origin = prototype_origin(types->debug, offset)};
    Dwarf_Die die = dwarf_die_at(types->debug, prototype->origin);
    if (die == NULL)
        return false;
    prototype->result = type_along(types, prototype->origin, &fixed);
    prototype_each(types->debug, die, take_parameter, &taking);
    dwarf_die_release(die);
    return true;
}
