/*
 * The walk through the debug information that makes recipes: see recipe_parts.h.
 *
 * A call of a hook belongs to the innermost entry with code around it: an inlined body, or a function.
 * Entries are left inner ones first, and each takes the calls in its code that none took before. Where
 * two functions claim one call (identical code folded into one by the linker), it has no recipe, for
 * which of the two was called cannot be told.
 */
#include "loader/symbols/recipe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/symbols/dwarf_split.h"

#define NESTING_MAX 256
#define CALL_INSIDE 4 /* this many bytes before where a call returns to lies its instruction */
#define REFERENCES_MAX 8

/* A function or inlined body that is being walked through. */
struct host {
    Dwarf_Off function;            /* the entry of the function around, 0 = none */
    struct dwarf_value frame_base; /* its */
    bool inlined;                  /* the entry at hand is an inlined body */
};

struct claim {
    uint64_t
        function;  /* origin_high | offset of the function that took it, plus 1; 0 = nobody yet */
    bool doubtful; /* another one wanted it, too */
    uint32_t hook; /* index + 1 of its recipe, 0 = none */
};

struct walker {
    const struct recipe_walk *walk;
    struct claim *claims; /* by the site's index */
    Dwarf_Debug debug;    /* of the file with the (skeleton) units */
    struct dwarf_split split;
    /* The unit at hand: */
    Dwarf_Debug unit_debug; /* that of the .dwo file where it is split */
    Dwarf_Debug names;      /* for its texts and references */
    struct dwarf_unit_context unit;
    struct dwarf_types types;
    uint64_t origin_high;
    bool stores_late;
    Dwarf_Off unsure; /* the function in which an inlined body lies somewhere, 0 = none */
    struct error *error;
};

/* What an entry says of the places of its parameters. */
struct locations {
    const struct prototype *prototype;
    struct dwarf_value where[PROTOTYPE_PARAMETERS_MAX];
    struct dwarf_value constant[PROTOTYPE_PARAMETERS_MAX];
    bool other_constant[PROTOTYPE_PARAMETERS_MAX]; /* of a form that is not read */
    Dwarf_Off entry;                               /* whose they are */
    unsigned next;                                 /* where the search for the next one begins */
};

static uint64_t inside(const struct hook_site *site)
{
    return site->after - CALL_INSIDE;
}

/* ---- parameters ---- */

static bool take_location(void *context, Dwarf_Debug debug, Dwarf_Die die)
{
    struct locations *locations = context;
    const struct prototype *prototype = locations->prototype;
    Dwarf_Off origin = 0, offset = 0;
    if (!dwarf_die_offset(debug, die, &offset))
        return true;
    if (!dwarf_die_refers(debug, die, DW_AT_abstract_origin, &origin))
        origin = offset;
    for (unsigned i = 0; i < prototype->count; i++) {
        unsigned at = (locations->next + i) % prototype->count;
        if (prototype->parameters[at].offset != origin)
            continue;
        locations->where[at] = dwarf_die_value(debug, die, DW_AT_location);
        if (locations->where[at].kind == DWARF_VALUE_NONE) {
            locations->constant[at] = dwarf_die_value(debug, die, DW_AT_const_value);
            locations->other_constant[at] = locations->constant[at].kind == DWARF_VALUE_NONE &&
                                            dwarf_die_has(debug, die, DW_AT_const_value);
        }
        locations->next = at + 1;
        break;
    }
    return true;
}

/* DW_AT_const_value. */
static enum place_reason constant_place(const struct dwarf_value *value, unsigned size_bytes,
                                        struct places *places)
{
    *places = (struct places){.whole = {.kind = PLACE_CONSTANT, .constant = value->number}};
    if (value->kind == DWARF_VALUE_NUMBER)
        return size_bytes <= 8 ? PLACE_FOUND : PLACE_COMPLEX;
    if (value->kind != DWARF_VALUE_BLOCK || value->size_bytes > 8 || value->size_bytes < size_bytes)
        return PLACE_COMPLEX;
    places->whole.constant = 0;
    memcpy(&places->whole.constant, value->bytes, (size_t)value->size_bytes);
    return PLACE_FOUND;
}

/* A class without members takes a byte that nobody writes. */
static bool is_empty(struct walker *walker, const struct dwarf_type *type)
{
    struct dwarf_return way;
    dwarf_type_return(&walker->types, type, &way);
    return !way.unknown && way.eight[0] == DWARF_RETURN_NONE;
}

/* Puts one parameter at the call of an entry hook; its place in the recipes' values is there. */
static int put_parameter(struct walker *walker, const struct locations *locations, unsigned at,
                         const struct place_context *context, size_t index, enum recipe_tally tally)
{
    const struct dwarf_type *type = &locations->prototype->parameters[at].type;
    struct recipes *recipes = walker->walk->recipes;
    struct place_context of = *context;
    struct dwarf_type target = {.kind = DWARF_TYPE_UNKNOWN};
    struct places places;
    enum place_reason reason;
    int result;
    of.size_bytes = recipe_bytes(type, &reason);
    if (of.size_bytes != 0 && type->kind == DWARF_TYPE_REFERENCE)
        target = dwarf_type_at(&walker->types, type->target);
    if (of.size_bytes == 1 && type->kind == DWARF_TYPE_STRUCT && is_empty(walker, type))
        of.size_bytes = 0;
    if (of.size_bytes == 0)
        result = (int)reason;
    else if (locations->constant[at].kind != DWARF_VALUE_NONE || locations->other_constant[at])
        result = (int)constant_place(&locations->constant[at], of.size_bytes, &places);
    else
        result = (int)place_find(&of, &locations->where[at], &places);
    if (result == PLACE_FOUND)
        result = recipe_value_put(recipes, index, type, &target, &places, walker->error);
    if (result >= 0)
        recipes->tallies[tally][result]++;
    return result < 0 ? -1 : 0;
}

/* Room for `count` values, absent for now; the index of the first one, or SIZE_MAX. */
static size_t add_values(struct walker *walker, unsigned count)
{
    struct recipes *recipes = walker->walk->recipes;
    size_t first = recipes->values_count;
    if (array_reserve(&recipes->values, &recipes->values_capacity, first + count + 1,
                      walker->error) != 0)
        return SIZE_MAX;
    memset(recipes->values + first, 0, count * sizeof *recipes->values);
    recipes->values_count += count;
    return first;
}

static int put_entry(struct walker *walker, const struct host *host,
                     const struct locations *locations, const struct hook_site *site,
                     struct fisql_recipe_hook *hook)
{
    struct call_frame frame;
    struct x86_spills spills;
    bool known = call_frames_at(walker->walk->frames, inside(site), &frame);
    bool late = walker->stores_late && walker->types.machine == EM_X86_64;
    if (late)
        x86_spills_read(&spills, &walker->walk->files->module, site->after);
    struct place_context context = {.unit = &walker->unit,
                                    .machine = walker->types.machine,
                                    .address = inside(site),
                                    .frame = known ? &frame : NULL,
                                    .frame_base = host->frame_base,
                                    .stores_late = walker->stores_late,
                                    .spills = late ? &spills : NULL};
    unsigned count = locations->prototype->count;
    size_t first = add_values(walker, count);
    if (first == SIZE_MAX)
        return -1;
    hook->first = (uint32_t)first;
    hook->count = (uint16_t)count;
    for (unsigned i = 0; i < count; i++)
        if (put_parameter(walker, locations, i, &context, first + i,
                          host->inlined ? RECIPE_INLINED : RECIPE_FUNCTIONS) != 0)
            return -1;
    return 0;
}

/* ---- results ---- */

/* The exit hook of a function that is not inlined there. *wanted: there is something to record. */
static int put_exit(struct walker *walker, const struct prototype *prototype,
                    const struct hook_site *site, struct fisql_recipe_hook *hook, bool *wanted)
{
    struct recipes *recipes = walker->walk->recipes;
    struct fisql_recipe_value value;
    struct call_frame frame;
    uint16_t machine = walker->types.machine;
    hook->exit = 1;
    *wanted = prototype->result.kind == DWARF_TYPE_VOID;
    if (*wanted)
        return 0;
    enum place_reason reason = recipe_result(&walker->types, &prototype->result, &value);
    if (reason == PLACE_FOUND && !site->returns)
        reason = PLACE_WAY_BACK;
    if (reason == PLACE_FOUND && !call_frames_at(walker->walk->frames, inside(site), &frame))
        reason = PLACE_FRAME;
    if (reason == PLACE_FOUND) {
        bool base = machine == EM_AARCH64 ? frame.cfa_register == 29 || frame.cfa_register == 31
                                          : frame.cfa_register == 6 || frame.cfa_register == 7;
        int64_t slot = frame.saved[frame.return_register].offset;
        if (!base || frame.saved[frame.return_register].how != CALL_FRAME_AT ||
            frame.cfa_offset != (int32_t)frame.cfa_offset || slot != (int32_t)slot)
            reason = PLACE_FRAME;
    }
    if (reason == PLACE_FOUND)
        recipe_result_at_hook(&walker->walk->files->module, site->after, frame.cfa_register == 6,
                              &value);
    recipes->tallies[RECIPE_RESULTS][reason]++;
    if (reason != PLACE_FOUND)
        return 0;
    size_t first = add_values(walker, 1);
    if (first == SIZE_MAX)
        return -1;
    recipes->values[first] = value;
    hook->first = (uint32_t)first;
    hook->count = 1;
    hook->cfa_register = (uint8_t)frame.cfa_register;
    hook->cfa_offset = (int32_t)frame.cfa_offset;
    hook->return_offset = (int32_t)frame.saved[frame.return_register].offset;
    *wanted = true;
    return 0;
}

/* ---- claims ---- */

/* The index of the function's name. */
static int name_function(struct walker *walker, Dwarf_Off origin, uint64_t own, uint64_t *index)
{
    struct recipe_names *names = walker->walk->names;
    struct recipe_name name = {walker->origin_high | origin, own, NULL};
    Dwarf_Off offset = origin;
    Dwarf_Die die = dwarf_die_at(walker->names, origin);
    for (unsigned step = 0; die != NULL && step < REFERENCES_MAX; step++) {
        const char *text = dwarf_die_string(walker->names, die, DW_AT_linkage_name);
        if (text == NULL && !walker->types.cxx &&
            dwarf_die_flag(walker->names, die, DW_AT_external))
            text = dwarf_die_string(walker->names, die, DW_AT_name);
        if (text != NULL) {
            name.linkage_name =
                text_pool_add(&names->texts, text, strnlen(text, 65536), walker->error);
            break;
        }
        Dwarf_Die next = dwarf_die_referred(walker->names, die, DW_AT_abstract_origin, &offset);
        if (next == NULL)
            next = dwarf_die_referred(walker->names, die, DW_AT_specification, &offset);
        dwarf_die_release(die);
        die = next;
    }
    dwarf_die_release(die);
    if (array_reserve(&names->items, &names->capacity, names->count + 1, walker->error) != 0)
        return -1;
    *index = names->count;
    names->items[names->count++] = name;
    return 0;
}

/* One call that no inner entry took. */
static int take_site(struct walker *walker, const struct host *host,
                     const struct locations *locations, size_t index, uint64_t name)
{
    const struct hook_site *site = &walker->walk->sites->items[index];
    struct recipes *recipes = walker->walk->recipes;
    struct fisql_recipe_hook hook = {.address = site->after, .function = name};
    bool wanted = true;
    if (site->exit && host->inlined)
        return 0;
    if (site->exit ? put_exit(walker, locations->prototype, site, &hook, &wanted) != 0
                   : put_entry(walker, host, locations, site, &hook) != 0)
        return -1;
    if (!wanted)
        return 0;
    if (array_reserve(&recipes->hooks, &recipes->hooks_capacity, recipes->hooks_count + 1,
                      walker->error) != 0)
        return -1;
    recipes->hooks[recipes->hooks_count++] = hook;
    walker->claims[index].hook = (uint32_t)recipes->hooks_count;
    return 0;
}

/* What an entry takes of the calls in its code. */
static int take_sites(struct walker *walker, const struct host *host, Dwarf_Die die,
                      const struct dwarf_ranges *ranges)
{
    const struct hook_sites *sites = walker->walk->sites;
    struct prototype *prototype = NULL;
    struct locations *locations = NULL;
    Dwarf_Off offset = 0;
    uint64_t owner = (walker->origin_high | host->function) + 1, name = 0;
    int result = 0;
    for (size_t i = 0; i < ranges->count && result == 0; i++) {
        uint64_t start = ranges->items[i].start, end = ranges->items[i].end;
        size_t at = hook_sites_from(sites, start + CALL_INSIDE);
        for (; at < sites->count && inside(&sites->items[at]) < end && result == 0; at++) {
            struct claim *claim = &walker->claims[at];
            if (claim->function != 0) {
                claim->doubtful = claim->doubtful || claim->function != owner;
                continue;
            }
            claim->function = owner;
            claim->doubtful = walker->unsure != 0 && walker->unsure == host->function;
            if (locations == NULL) {
                prototype = malloc(sizeof *prototype);
                locations = calloc(1, sizeof *locations);
                if (prototype == NULL || locations == NULL) {
                    result = error_set(walker->error, "out of memory");
                    break;
                }
                locations->prototype = prototype;
                if (!dwarf_die_offset(walker->unit_debug, die, &offset) ||
                    !prototype_read(&walker->types, offset, prototype))
                    break;
                if (prototype->count > 0)
                    prototype_each(walker->unit_debug, die, take_location, locations);
                result = name_function(walker, prototype->origin,
                                       host->inlined ? 0 : ranges->items[0].start, &name);
            }
            if (result == 0)
                result = take_site(walker, host, locations, at, name);
        }
    }
    free(locations);
    free(prototype);
    return result;
}

/* ---- the walk ---- */

static bool any_site(const struct walker *walker, const struct dwarf_ranges *ranges)
{
    const struct hook_sites *sites = walker->walk->sites;
    for (size_t i = 0; i < ranges->count; i++) {
        size_t at = hook_sites_from(sites, ranges->items[i].start + CALL_INSIDE);
        if (at < sites->count && inside(&sites->items[at]) < ranges->items[i].end)
            return true;
    }
    return false;
}

/* Leaves out what the linker dropped: entries of it are at address 0 or thereabouts. */
static void drop_no_code(const struct walker *walker, struct dwarf_ranges *ranges)
{
    const struct elf_file *module = &walker->walk->files->module;
    size_t kept = 0;
    for (size_t i = 0; i < ranges->count; i++)
        if (elf_file_is_code(module, ranges->items[i].start) &&
            elf_file_is_code(module, ranges->items[i].end - 1))
            ranges->items[kept++] = ranges->items[i];
    ranges->count = kept;
}

static int walk_children(struct walker *walker, Dwarf_Die parent, const struct host *host,
                         unsigned nesting);

static int visit_code(struct walker *walker, Dwarf_Die die, bool inlined, const struct host *around,
                      unsigned nesting)
{
    struct dwarf_ranges ranges = {0};
    struct host host = *around;
    Dwarf_Off offset = 0;
    int result =
        dwarf_die_ranges(walker->unit_debug, die, walker->unit.base, &ranges, walker->error);
    drop_no_code(walker, &ranges);
    host.inlined = inlined;
    if (!inlined && dwarf_die_offset(walker->unit_debug, die, &offset)) {
        host.function = offset;
        host.frame_base = dwarf_die_value(walker->unit_debug, die, DW_AT_frame_base);
        if (result == 0 && ranges.count > 0)
            result = function_copies_add(
                walker->walk->copies, walker->origin_high | prototype_origin(walker->names, offset),
                ranges.items[0].start, walker->error);
    }
    /* Its calls of hooks would be taken for those of what is around it. */
    if (inlined && ranges.count == 0 && dwarf_die_has(walker->unit_debug, die, DW_AT_ranges))
        walker->unsure = host.function;
    bool any = any_site(walker, &ranges);
    if (result == 0 && (any || !inlined))
        result = walk_children(walker, die, &host, nesting + 1);
    if (result == 0 && any && host.function != 0)
        result = take_sites(walker, &host, die, &ranges);
    free(ranges.items);
    return result;
}

static int visit(struct walker *walker, Dwarf_Die die, const struct host *host, unsigned nesting)
{
    switch (dwarf_die_tag(walker->unit_debug, die)) {
    case DW_TAG_subprogram:
        return visit_code(walker, die, false, host, nesting);
    case DW_TAG_inlined_subroutine:
        return visit_code(walker, die, true, host, nesting);
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
        return walk_children(walker, die, host, nesting + 1);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return host->function != 0 ? walk_children(walker, die, host, nesting + 1) : 0;
    default:
        return 0;
    }
}

static int walk_children(struct walker *walker, Dwarf_Die parent, const struct host *host,
                         unsigned nesting)
{
    int result = 0;
    if (nesting > NESTING_MAX)
        return 0;
    Dwarf_Die child = dwarf_die_child(walker->unit_debug, parent);
    for (; child != NULL; child = dwarf_die_next(walker->unit_debug, child))
        if (result == 0)
            result = visit(walker, child, host, nesting);
    return result;
}

static int walk_unit(struct walker *walker, const struct dwarf_unit *unit, uint32_t number,
                     Dwarf_Die unit_die)
{
    const struct recipe_walk *walk = walker->walk;
    const struct dwarf_split_places places = {walk->files->debug_path, walk->options->symbols_dir};
    struct dwarf_file *file = walk->files->debug, *whole_file = file;
    struct dwarf_ranges ranges = {0};
    const struct host nobody = {.function = 0};
    Dwarf_Die whole = unit_die;
    Dwarf_Off offset = 0;
    walker->unit_debug = walker->names = walker->debug;
    walker->unsure = 0;
    walker->origin_high = 0;
    if (dwarf_die_ranges(walker->debug, unit_die, dwarf_die_low(walker->debug, unit_die), &ranges,
                         walker->error) != 0)
        return -1;
    /* A unit without ranges may have code all the same: assembler's, or the linker's doing. */
    bool wanted = ranges.count == 0 || any_site(walker, &ranges);
    free(ranges.items);
    if (!wanted)
        return 0;
    if (dwarf_split_is_skeleton(walker->debug, unit_die)) {
        whole = dwarf_split_find(&walker->split, &places, walker->debug, unit_die, unit->dwo_id,
                                 &walker->unit_debug, &walker->names);
        if (whole == NULL || walker->unit_debug == walker->split.package_debug) {
            walk->recipes->incomplete = true;
            if (whole != NULL)
                dwarf_die_release(whole);
            return 0; /* packages have their lists and texts in one section, by an index */
        }
        whole_file = &walker->split.file;
        walker->origin_high = ((uint64_t)number + 1) << 40;
    }
    dwarf_unit_context_read(&walker->unit, file, walker->debug, unit_die, whole_file,
                            walker->unit_debug, whole);
    if (!dwarf_die_offset(walker->unit_debug, whole, &offset))
        offset = 0;
    dwarf_types_begin(&walker->types, walker->names, offset, walk->files->module.machine);
    /* gcc stores parameters that live in memory before the function's body begins, so before the call of
     * the hook. clang has the hook called first. */
    walker->stores_late = !walker->types.is_gnu;
    int result = walk_children(walker, whole, &nobody, 0);
    dwarf_types_end(&walker->types);
    if (whole != unit_die)
        dwarf_die_release(whole);
    return result;
}

/* Takes the recipes of doubtful calls out. */
static void drop_doubtful(struct walker *walker)
{
    struct recipes *recipes = walker->walk->recipes;
    size_t kept = 0;
    for (size_t i = 0; i < walker->walk->sites->count; i++)
        if (walker->claims[i].doubtful && walker->claims[i].hook != 0)
            recipes->hooks[walker->claims[i].hook - 1].address = 0;
    for (size_t i = 0; i < recipes->hooks_count; i++)
        if (recipes->hooks[i].address != 0)
            recipes->hooks[kept++] = recipes->hooks[i];
    recipes->nameless += recipes->hooks_count - kept;
    recipes->hooks_count = kept;
}

int recipe_walk(const struct recipe_walk *walk, struct error *error)
{
    struct walker walker = {.walk = walk,
                            .claims = calloc(walk->sites->count + 1, sizeof *walker.claims),
                            .debug = dwarf_file_debug(walk->files->debug),
                            .error = error};
    struct dwarf_search search = {.file = walk->files->debug, .module = &walk->files->module};
    struct dwarf_functions units;
    int result = dwarf_functions_open(&units, &search, error);
    if (walker.claims == NULL)
        result = error_set(error, "out of memory for %zu calls of hooks", walk->sites->count);
    for (size_t i = 0; i < units.units_count && result == 0 && walker.debug != NULL; i++) {
        Dwarf_Die die = dwarf_die_at(walker.debug, units.units[i].die);
        if (die != NULL)
            result = walk_unit(&walker, &units.units[i], (uint32_t)i, die);
        dwarf_die_release(die);
    }
    if (result == 0)
        drop_doubtful(&walker);
    dwarf_functions_release(&units);
    dwarf_split_release(&walker.split);
    if (walker.debug != NULL)
        dwarf_api_close(walker.debug);
    free(walker.claims);
    return result;
}
