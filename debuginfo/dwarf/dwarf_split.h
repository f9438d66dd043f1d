/* Split DWARF (-gsplit-dwarf): the program's file has a skeleton unit that names a .dwo file (or a
 * .dwp package beside the program holds it), which describes the functions. For one thread, that of
 * its Dwarf_Debug. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_SPLIT_H
#define FISQL_DEBUGINFO_DWARF_DWARF_SPLIT_H

#include "debuginfo/dwarf/dwarf_file.h"

struct dwarf_split_file {
    struct dwarf_file file;
    Dwarf_Debug debug, names; /* see dwarf_split_find(); NULL = not open */
};

struct dwarf_split {
    struct dwarf_split_file package;
    bool package_tried;
    struct dwarf_split_file last; /* the .dwo file opened last */
};

struct dwarf_split_places {
    const char *path;        /* of the file with the skeletons */
    const char *symbols_dir; /* NULL = none */
};

/* The unit that a skeleton names, or `unit_die` itself if it is none. *split_debug: its
 * Dwarf_Debug. *names: another for texts and references: one tied to the skeleton, which addresses
 * need, makes libdwarf 20210528 look texts up by the skeleton's base. Both are borrowed until the
 * next call. dwo_id: from the skeleton's header, 0 = look into the entry. NULL if not found.
 * Release another entry than unit_die with dwarf_die_release(). */
Dwarf_Die dwarf_split_find(struct dwarf_split *split, const struct dwarf_split_places *places,
                           Dwarf_Debug debug, Dwarf_Die unit_die, uint64_t dwo_id,
                           Dwarf_Debug *split_debug, Dwarf_Debug *names);
void dwarf_split_release(struct dwarf_split *split);

/* The next unit of a Dwarf_Debug: its entry and its header's id (0 = none). NULL after the last. */
Dwarf_Die dwarf_next_unit(Dwarf_Debug debug, uint64_t *dwo_id);

#endif
