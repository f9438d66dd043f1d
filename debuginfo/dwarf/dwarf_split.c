/* Finds the units of split DWARF: see dwarf_split.h. */
#include "debuginfo/dwarf/dwarf_split.h"

#include "base/parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf_die.h"

Dwarf_Die dwarf_next_unit(Dwarf_Debug debug, uint64_t *dwo_id)
{
    Dwarf_Half kind = 0;
    Dwarf_Sig8 signature = {{0}};
    Dwarf_Die die = NULL;
    if (!libdwarf_ok(debug, dwarf_api_next_unit(debug, &die, &kind, &signature, failure)))
        return NULL;
    *dwo_id = 0;
    if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
        memcpy(dwo_id, signature.signature, sizeof *dwo_id);
    return die;
}

static uint64_t id_of(Dwarf_Debug debug, Dwarf_Die die, uint64_t header_id)
{
    uint64_t id = header_id;
    if (id == 0 && !dwarf_die_number(debug, die, DW_AT_GNU_dwo_id, &id))
        dwarf_die_number(debug, die, DW_AT_dwo_id, &id);
    return id;
}

static const char *dwo_name(Dwarf_Debug debug, Dwarf_Die die)
{
    const char *name = dwarf_die_string(debug, die, DW_AT_dwo_name);
    return name != NULL ? name : dwarf_die_string(debug, die, DW_AT_GNU_dwo_name);
}

static void close_one(struct dwarf_split_file *one)
{
    if (one->debug != NULL)
        dwarf_api_close(one->debug);
    if (one->names != NULL)
        dwarf_api_close(one->names);
    one->debug = one->names = NULL;
    dwarf_file_close(&one->file);
}

static bool open_one(struct dwarf_split_file *one, const char *path, Dwarf_Debug skeleton)
{
    const char *problem;
    if (dwarf_file_open(&one->file, path, true, &problem, NULL) == 0) {
        one->debug = dwarf_file_debug(&one->file);
        one->names = dwarf_file_debug(&one->file);
    }
    if (one->debug != NULL && one->names != NULL &&
        libdwarf_ok(one->debug, dwarf_set_tied_dbg(one->debug, skeleton, failure))) {
        /* If libdwarf prints a line about a package's units, it does so here. */
        uint64_t header_id;
        for (Dwarf_Die die; (die = dwarf_next_unit(one->names, &header_id)) != NULL;)
            dwarf_die_release(die);
        return true;
    }
    close_one(one);
    return false;
}

/* The unit with this id. We walk to the end, because libdwarf cannot start again before it. */
static Dwarf_Die find_unit(Dwarf_Debug debug, uint64_t wanted)
{
    Dwarf_Die found = NULL;
    uint64_t header_id;
    for (Dwarf_Die die; (die = dwarf_next_unit(debug, &header_id)) != NULL;) {
        if (found == NULL && id_of(debug, die, header_id) == wanted)
            found = die;
        else
            dwarf_die_release(die);
    }
    return found;
}

/* Writes the possible places of a .dwo file, one a step; false after the last. */
static bool place(char *out, unsigned step, const struct dwarf_split_places *places,
                  const char *folder, const char *name)
{
    const char *slash = strrchr(places->path, '/'), *last = last_part(name);
    int beside = slash != NULL ? (int)(slash - places->path) : 1;
    const char *parent = slash != NULL ? places->path : ".";
    switch (step) {
    case 0:
        if (name[0] == '/' || folder == NULL)
            snprintf(out, PATH_MAX, "%s", name);
        else
            snprintf(out, PATH_MAX, "%s/%s", folder, name);
        return true;
    case 1:
    case 2:
        snprintf(out, PATH_MAX, "%.*s/%s", beside, parent, step == 1 ? name : last);
        return true;
    case 3:
        snprintf(out, PATH_MAX, "%s/%s", places->symbols_dir != NULL ? places->symbols_dir : "",
                 last);
        return places->symbols_dir != NULL;
    default:
        return false;
    }
}

Dwarf_Die dwarf_split_find(struct dwarf_split *split, const struct dwarf_split_places *places,
                           Dwarf_Debug debug, Dwarf_Die unit_die, uint64_t dwo_id,
                           Dwarf_Debug *split_debug, Dwarf_Debug *names)
{
    char path[PATH_MAX];
    const char *name = dwo_name(debug, unit_die);
    *split_debug = *names = debug;
    if (name == NULL)
        return unit_die;
    uint64_t id = id_of(debug, unit_die, dwo_id);
    const char *folder = dwarf_die_string(debug, unit_die, DW_AT_comp_dir);
    Dwarf_Die found = NULL;
    if (!split->package_tried) {
        split->package_tried = true;
        snprintf(path, sizeof path, "%s.dwp", places->path);
        open_one(&split->package, path, debug);
    }
    struct dwarf_split_file *one = &split->package;
    if (one->debug != NULL)
        found = find_unit(one->debug, id);
    for (unsigned step = 0; found == NULL; step++) {
        one = &split->last;
        close_one(one);
        if (!place(path, step, places, folder, name))
            break;
        if (open_one(one, path, debug))
            found = find_unit(one->debug, id);
    }
    *split_debug = one->debug;
    *names = one->names;
    return found;
}

void dwarf_split_release(struct dwarf_split *split)
{
    close_one(&split->last);
    close_one(&split->package);
}
