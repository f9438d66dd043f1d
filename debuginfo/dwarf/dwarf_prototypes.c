/* Prototypes of functions: see dwarf_prototypes.h. */
#include "debuginfo/dwarf/dwarf_prototypes.h"

#include <string.h>

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

/* The type of an entry, or of one that it refers to. */
static struct dwarf_type type_along(struct dwarf_types *types, Dwarf_Die die, bool *fixed)
{
    Dwarf_Off offset = 0;
    Dwarf_Die at = NULL;
    for (unsigned step = 0; step < REFERENCES_MAX; step++) {
        Dwarf_Die now = at != NULL ? at : die;
        if (dwarf_die_has(types->debug, now, DW_AT_type))
            break;
        Dwarf_Die next = dwarf_die_referred(types->debug, now, DW_AT_abstract_origin, &offset);
        if (next == NULL)
            next = dwarf_die_referred(types->debug, now, DW_AT_specification, &offset);
        if (next == NULL)
            break;
        dwarf_die_release(at);
        at = next;
    }
    struct dwarf_type type = dwarf_type_of(types, at != NULL ? at : die);
    *fixed = keeps_value(types->debug, at != NULL ? at : die);
    dwarf_die_release(at);
    return type;
}

struct taking {
    struct dwarf_types *types;
    struct prototype *prototype;
};

static bool is_this(Dwarf_Debug debug, Dwarf_Die die)
{
    const char *name = dwarf_die_string(debug, die, DW_AT_name);
    return name != NULL && strcmp(name, "this") == 0;
}

static bool take_parameter(void *context, Dwarf_Debug debug, Dwarf_Die die)
{
    struct taking *taking = context;
    struct prototype *prototype = taking->prototype;
    Dwarf_Off offset = 0;
    if (dwarf_die_flag(debug, die, DW_AT_artificial) && !is_this(debug, die))
        return true;
    if (prototype->count == PROTOTYPE_PARAMETERS_MAX) {
        prototype->more = true;
        return false;
    }
    bool fixed = false, own = is_this(debug, die);
    unsigned at = prototype->count++;
    prototype->parameters[at].offset = dwarf_die_offset(debug, die, &offset) ? offset : 0;
    prototype->parameters[at].type = type_along(taking->types, die, &fixed);
    prototype->parameters[at].fixed =
        fixed || (own && dwarf_die_flag(debug, die, DW_AT_artificial));
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
    prototype->result = type_along(types, die, &fixed);
    prototype_each(types->debug, die, take_parameter, &taking);
    dwarf_die_release(die);
    return true;
}
