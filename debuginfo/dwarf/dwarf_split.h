/*
 * Split DWARF (-gsplit-dwarf): the unit in the program's file is a skeleton that names a .dwo file
 * (or a .dwp package beside the program holds it); the functions are described there. For one
 * thread, as the Dwarf_Debug that it belongs to.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_SPLIT_H
#define FISQL_DEBUGINFO_DWARF_DWARF_SPLIT_H

#include "debuginfo/dwarf/dwarf_file.h"

struct dwarf_split {
    struct dwarf_file package;
    Dwarf_Debug package_debug, package_names;
    bool package_tried;
    struct dwarf_file file; /* the .dwo file opened last */
    Dwarf_Debug file_debug, file_names;
};

struct dwarf_split_places {
    const char *path;        /* of the file with the skeletons */
    const char *symbols_dir; /* NULL = none */
};

/* Does a unit's entry only stand for one in another file? */
bool dwarf_split_is_skeleton(Dwarf_Debug debug, Dwarf_Die unit_die);

/* The unit that a skeleton stands for, its Dwarf_Debug in *split_debug, and in *names one for texts
 * and references: one that knows the skeleton, as addresses need it, makes libdwarf 20210528 look
 * texts up by the skeleton's base, which is wrong. Both are borrowed until the next call. NULL
 * where it is not found. dwo_id: that of the skeleton's header, 0 = look into the
 * entry. Release the entry with dwarf_die_release(). */
Dwarf_Die dwarf_split_find(struct dwarf_split *split, const struct dwarf_split_places *places,
                           Dwarf_Debug debug, Dwarf_Die unit_die, uint64_t dwo_id,
                           Dwarf_Debug *split_debug, Dwarf_Debug *names);
void dwarf_split_release(struct dwarf_split *split);

/* The next unit of a Dwarf_Debug: its entry and the id of its header (0 = none). NULL after the
 * last one. */
Dwarf_Die dwarf_next_unit(Dwarf_Debug debug, uint64_t *dwo_id);

#endif
