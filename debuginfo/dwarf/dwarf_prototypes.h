/*
 * What a function takes and gives, by its entry in DWARF. A copy (a clone, an inlined body) refers to
 * its abstract entry, which has the parameters as they were written: their order there is what positions
 * count by (parameters.h).
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_PROTOTYPES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_PROTOTYPES_H

#include "debuginfo/dwarf/dwarf_types.h"

#define PROTOTYPE_PARAMETERS_MAX 30 /* FISQL_RECIPE_VALUES_MAX */

struct prototype {
    Dwarf_Off origin; /* of the abstract entry; that of the entry itself where it refers to none */
    struct dwarf_type result;
    struct {
        Dwarf_Off offset; /* of its entry under `origin` */
        struct dwarf_type type;
        bool fixed; /* it keeps its value: `this`, a reference, const */
    } parameters[PROTOTYPE_PARAMETERS_MAX];
    unsigned count;
    bool more; /* there are more than that */
};

/* Reads the prototype of the function or inlined body whose entry lies at `offset` of types->debug. False
 * where there is none. */
bool prototype_read(struct dwarf_types *types, Dwarf_Off offset, struct prototype *prototype);

/* The abstract entry that the entry refers to; its own offset where it refers to none. */
Dwarf_Off prototype_origin(Dwarf_Debug debug, Dwarf_Off offset);

/* Visits the entries of parameters under an entry, in their order, those of packs among them. A visit
 * returns false to end the walk. */
typedef bool prototype_visit(void *context, Dwarf_Debug debug, Dwarf_Die parameter);
void prototype_each(Dwarf_Debug debug, Dwarf_Die function, prototype_visit *visit, void *context);

#endif
