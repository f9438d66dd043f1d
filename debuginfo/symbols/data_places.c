/* Places within variables: see data_places.h. A variable's entry is found by its name and size: the
 * symbol table has no more. If several of that name disagree, nothing is known. */
#include "debuginfo/symbols/data_places.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/dwarf/dwarf_split.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbol_trial.h"

#define NESTING_MAX 32
#define PATH_BYTES_MAX 256
#define DIMENSIONS_MAX 8

struct finder {
    struct data_place *places;
    size_t count;
    const struct symbol_files *files;
    const struct symbols_options *options;
    Dwarf_Debug debug, unit_debug, names;
    struct error *error;
};

/* ---- types ---- */

/* Is it a type whose members are nobody's business? */
static bool is_atom(const char *name)
{
    static const char *const words[] = {"lock", "mutex", "cond", "sem", "once", "barrier"};
    char small[64];
    size_t length = 0;
    for (; name != NULL && name[length] != 0 && length + 1 < sizeof small; length++)
        small[length] = (char)tolower((unsigned char)name[length]);
    small[length] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(small, words[i]) != NULL)
            return true;
    return false;
}

/* The type's entry, without typedefs and qualifiers. NULL: there is none, or, with *atom, it has a
 * name that ends the path. */
static Dwarf_Die plain_type(Dwarf_Debug debug, Dwarf_Die die, bool *atom)
{
    Dwarf_Off offset = 0;
    Dwarf_Die type = dwarf_die_referred(debug, die, DW_AT_type, &offset);
    *atom = false;
    for (unsigned step = 0; type != NULL && step < NESTING_MAX; step++) {
        Dwarf_Half tag = dwarf_die_tag(debug, type);
        const char *name = dwarf_die_string(debug, type, DW_AT_name);
        if (is_atom(name) && tag != DW_TAG_array_type) {
            *atom = true;
            break;
        }
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
            return type;
        Dwarf_Die next = dwarf_die_referred(debug, type, DW_AT_type, &offset);
        dwarf_die_release(type);
        type = next;
    }
    dwarf_die_release(type);
    return NULL;
}

static unsigned dimensions_of(Dwarf_Debug debug, Dwarf_Die array, uint64_t counts[DIMENSIONS_MAX])
{
    unsigned rank = 0;
    Dwarf_Die child = dwarf_die_child(debug, array);
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        uint64_t bound = 0;
        if (dwarf_die_tag(debug, child) != DW_TAG_subrange_type || rank == DIMENSIONS_MAX)
            continue;
        if (dwarf_die_number(debug, child, DW_AT_count, &bound))
            counts[rank++] = bound;
        else
            counts[rank++] =
                dwarf_die_number(debug, child, DW_AT_upper_bound, &bound) ? bound + 1 : 0;
    }
    return rank;
}

/* The size of the type that an entry has; 0 = unknown. */
static uint64_t bytes_of(Dwarf_Debug debug, Dwarf_Die die, unsigned nesting)
{
    uint64_t bytes = 0, counts[DIMENSIONS_MAX];
    Dwarf_Off offset = 0;
    Dwarf_Die type = dwarf_die_referred(debug, die, DW_AT_type, &offset);
    if (type == NULL || nesting == NESTING_MAX) {
        dwarf_die_release(type);
        return 0;
    }
    Dwarf_Half tag = dwarf_die_tag(debug, type);
    if (!dwarf_die_number(debug, type, DW_AT_byte_size, &bytes)) {
        if (tag == DW_TAG_pointer_type)
            bytes = 8;
        else if (tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
                 tag == DW_TAG_array_type)
            bytes = bytes_of(debug, type, nesting + 1);
        unsigned rank = tag == DW_TAG_array_type ? dimensions_of(debug, type, counts) : 0;
        for (unsigned i = 0; i < rank; i++)
            if (__builtin_mul_overflow(bytes, counts[i], &bytes))
                bytes = 0;
    }
    dwarf_die_release(type);
    return bytes;
}

/* ---- paths ---- */

static bool go_into(Dwarf_Debug debug, Dwarf_Die die, uint64_t offset, char *path,
                    unsigned nesting);

static void append_index(char *path, uint64_t index)
{
    size_t used = strlen(path);
    snprintf(path + used, PATH_BYTES_MAX - used, "[%" PRIu64 "]", index);
}

static void append_member(char *path, const char *name)
{
    size_t used = strlen(path);
    snprintf(path + used, PATH_BYTES_MAX - used, ".%.100s", name);
}

static bool into_array(Dwarf_Debug debug, Dwarf_Die array, uint64_t offset, char *path,
                       unsigned nesting)
{
    uint64_t counts[DIMENSIONS_MAX], stride = bytes_of(debug, array, 0);
    unsigned rank = dimensions_of(debug, array, counts);
    if (stride == 0 || rank == 0)
        return false;
    uint64_t index = offset / stride, below = 1;
    for (unsigned i = 1; i < rank; i++)
        if (counts[i] == 0 || __builtin_mul_overflow(below, counts[i], &below))
            return false;
    for (unsigned i = 0; i < rank; i++) {
        append_index(path, index / below);
        index %= below;
        if (i + 1 < rank)
            below /= counts[i + 1];
    }
    return go_into(debug, array, offset % stride, path, nesting + 1);
}

static bool into_struct(Dwarf_Debug debug, Dwarf_Die structure, uint64_t offset, char *path,
                        unsigned nesting)
{
    bool found = false;
    Dwarf_Die child = dwarf_die_child(debug, structure);
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = dwarf_die_tag(debug, child);
        uint64_t at = 0, bytes;
        if (found || (tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
            dwarf_die_is_static(debug, child))
            continue;
        if (!dwarf_die_member_offset(debug, child, &at) && tag == DW_TAG_inheritance)
            continue;
        bytes = bytes_of(debug, child, 0);
        if (offset < at || offset - at >= bytes)
            continue;
        const char *name = tag == DW_TAG_member ? dwarf_die_string(debug, child, DW_AT_name) : NULL;
        if (name != NULL)
            append_member(path, name);
        found = go_into(debug, child, offset - at, path, nesting + 1);
    }
    return found;
}

/* Appends what lies at an offset in the object that an entry stands for. */
static bool go_into(Dwarf_Debug debug, Dwarf_Die die, uint64_t offset, char *path, unsigned nesting)
{
    bool atom, found;
    if (nesting == NESTING_MAX)
        return false;
    Dwarf_Die type = plain_type(debug, die, &atom);
    if (type == NULL)
        return atom && offset == 0;
    switch (dwarf_die_tag(debug, type)) {
    case DW_TAG_array_type:
        found = into_array(debug, type, offset, path, nesting);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        found = into_struct(debug, type, offset, path, nesting);
        break;
    default:
        found = offset == 0;
    }
    dwarf_die_release(type);
    return found;
}

/* ---- variables ---- */

static int take_variable(struct finder *finder, Dwarf_Die die, const char *name)
{
    for (size_t i = 0; i < finder->count; i++) {
        struct data_place *place = &finder->places[i];
        char path[PATH_BYTES_MAX] = "";
        if (place->differs || strcmp(place->variable->linkage_name, name) != 0 ||
            bytes_of(finder->names, die, 0) != place->variable->size_bytes ||
            !go_into(finder->names, die, place->offset, path, 0))
            continue;
        if (place->path != NULL) {
            place->differs = strcmp(place->path, path) != 0;
            continue;
        }
        place->path = strdup(path);
        if (place->path == NULL)
            return error_set(finder->error, "out of memory");
    }
    return 0;
}

static int visit(struct finder *finder, Dwarf_Die die)
{
    Dwarf_Off offset = 0;
    const char *name = dwarf_die_string(finder->unit_debug, die, DW_AT_linkage_name);
    if (name == NULL)
        name = dwarf_die_string(finder->unit_debug, die, DW_AT_name);
    if (name == NULL) { /* a definition that refers to its declaration */
        Dwarf_Die declared =
            dwarf_die_referred(finder->unit_debug, die, DW_AT_specification, &offset);
        int result =
            declared != NULL && dwarf_die_tag(finder->unit_debug, declared) != DW_TAG_subprogram
                ? visit(finder, declared)
                : 0;
        dwarf_die_release(declared);
        return result;
    }
    return take_variable(finder, die, name);
}

static int walk(struct finder *finder, Dwarf_Die parent, unsigned nesting)
{
    int result = 0;
    Dwarf_Die child = nesting < NESTING_MAX ? dwarf_die_child(finder->unit_debug, parent) : NULL;
    for (; child != NULL; child = dwarf_die_next(finder->unit_debug, child)) {
        Dwarf_Half tag = result == 0 ? dwarf_die_tag(finder->unit_debug, child) : 0;
        if (tag == DW_TAG_variable)
            result = visit(finder, child);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
                 tag == DW_TAG_lexical_block || tag == DW_TAG_module)
            result = walk(finder, child, nesting + 1);
    }
    return result;
}

static int find(struct finder *finder)
{
    struct dwarf_search search = {.file = finder->files->debug, .module = &finder->files->module};
    const struct dwarf_split_places places = {finder->files->debug_path,
                                              finder->options->symbols_dir};
    struct dwarf_split split = {0};
    struct dwarf_functions units;
    int result = dwarf_functions_open(&units, &search, finder->error);
    finder->debug = dwarf_file_debug(finder->files->debug);
    for (size_t i = 0; i < units.units_count && result == 0 && finder->debug != NULL; i++) {
        Dwarf_Die die = dwarf_die_at(finder->debug, units.units[i].die);
        if (die == NULL)
            continue;
        Dwarf_Die whole =
            dwarf_split_find(&split, &places, finder->debug, die, units.units[i].dwo_id,
                             &finder->unit_debug, &finder->names);
        if (whole != NULL)
            result = walk(finder, whole, 0);
        if (whole != die)
            dwarf_die_release(whole);
        dwarf_die_release(die);
    }
    dwarf_functions_release(&units);
    dwarf_split_release(&split);
    if (finder->debug != NULL)
        dwarf_api_close(finder->debug);
    return result;
}

static void try_find(void *context)
{
    find(context);
}

int data_places_find(struct data_place *places, size_t count, const char *path,
                     const char *build_id, const struct symbols_options *options,
                     struct error *error)
{
    const char *problem;
    struct symbol_files *files = calloc(1, sizeof *files);
    if (files == NULL)
        return error_set(error, "out of memory");
    int result =
        symbol_files_find(files, path, build_id != NULL ? build_id : "", options, &problem, error);
    struct finder finder = {
        .places = places, .count = count, .files = files, .options = options, .error = error};
    if (result == 0 && files->module_open && files->debug != NULL && count > 0 &&
        symbol_trial(files->debug, try_find, &finder))
        result = find(&finder);
    for (size_t i = 0; i < count; i++)
        if (places[i].differs) {
            free(places[i].path);
            places[i].path = NULL;
        }
    symbol_files_close(files);
    free(files);
    return result;
}

char *data_place_name(const struct data_place *place)
{
    char *variable = data_symbol_name(place->variable), *name = NULL;
    int length = -1;
    if (variable != NULL && place->path != NULL)
        length = asprintf(&name, "%s%s", variable, place->path);
    else if (variable != NULL && place->offset != 0)
        length = asprintf(&name, "%s+%" PRIu64, variable, place->offset);
    else if (variable != NULL)
        return variable;
    free(variable);
    return length >= 0 ? name : NULL;
}
