/* A function's parameters and result, from its entry in DWARF. A copy (a clone, an inlined body)
 * refers to its abstract entry, which has the parameters as written. Positions (parameters.h) count
 * in their order there. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_PROTOTYPES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_PROTOTYPES_H

#include "debuginfo/dwarf/dwarf_types.h"

#define PROTOTYPE_PARAMETERS_MAX 30 /* FISQL_RECIPE_VALUES_MAX */

struct prototype {
    Dwarf_Off origin; /* the abstract entry; the entry itself if it refers to none */
    struct dwarf_type result;
    struct {
        Dwarf_Off offset; /* of its entry under `origin` */
        struct dwarf_type type;
        bool fixed; /* keeps its value: `this`, a reference, const */
    } parameters[PROTOTYPE_PARAMETERS_MAX];
    unsigned count;
    bool more; /* more than PROTOTYPE_PARAMETERS_MAX */
};

/* Reads the prototype of the function or inlined body whose entry is at `offset` of types->debug;
 * false if there is none. */
bool prototype_read(struct dwarf_types *types, Dwarf_Off offset, struct prototype *prototype);

/* The abstract entry of an entry; the entry itself if it refers to none. */
Dwarf_Off prototype_origin(Dwarf_Debug debug, Dwarf_Off offset);

/* The entry with the type of a parameter or function: itself, or one that it refers to; NULL =
 * none. Release it with dwarf_die_release(). */
Dwarf_Die prototype_typed_entry(Dwarf_Debug debug, Dwarf_Off offset);

/* Visits the entries of parameters under an entry in their order, also those in packs. A visit
 * returns false to end the walk. */
typedef bool prototype_visit(void *context, Dwarf_Debug debug, Dwarf_Die parameter);
void prototype_each(Dwarf_Debug debug, Dwarf_Die function, prototype_visit *visit, void *context);

#endif
