/*
 * The walk through the debug information that makes recipes: see recipe_parts.h.
 *
 * A hook's call belongs to the innermost entry with code around it: an inlined body, or a function.
 * We leave inner entries first, and each takes the calls in its code that none took before. If two
 * functions claim one call (the linker folded identical code), it gets no recipe, because nobody
 * can know which was called.
 *
 * The last call of the exit hook before the return is the function's own: gcc 14 lets an inlined
 * body's code at a function's end reach beyond that call. It lets other bodies begin before the
 * call of the entry hook of the function around: what precedes a body's DW_AT_entry_pc is not its
 * own.
 */
#include "debuginfo/recipes/recipe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/dwarf/dwarf_split.h"
#include "debuginfo/x86/x86_stores.h"

#define NESTING_MAX 256
#define CALL_INSIDE 4 /* from the return address back into the call instruction */
#define REFERENCES_MAX 8

/* The function or inlined body of the walk. */
struct host {
    Dwarf_Off function;            /* entry of the function around, 0 = none */
    struct dwarf_value frame_base; /* of that function */
    bool inlined;                  /* the current entry is an inlined body */
    uint64_t start;                /* of its code; 0 = inlined */
};

struct claim {
    uint64_t function; /* origin_high | offset of its owner, plus 1; 0 = none yet */
    uint64_t second;   /* the same of the last other function that wanted it */
    bool doubtful;     /* it matters which of the two it is */
    uint32_t hook;     /* index + 1 of its recipe, 0 = none */
    uint64_t name;     /* index of the owner's name */
};

struct walker {
    const struct recipe_walk *walk;
    struct claim *claims; /* by the site's index */
    Dwarf_Debug debug;    /* of the file with the (skeleton) units */
    struct dwarf_split split;
    /* The current unit: */
    Dwarf_Debug unit_debug; /* of the .dwo file if it is split */
    Dwarf_Debug names;      /* for its texts and references */
    struct dwarf_unit_context unit;
    struct dwarf_types types;
    uint64_t origin_high;
    bool stores_late;
    uint64_t *lost; /* names of bodies inlined in the current function at unknown places */
    size_t lost_count, lost_capacity;
    struct error *error;
};

static uint64_t inside(const struct hook_site *site)
{
    return site->after - CALL_INSIDE;
}

/* ---- parameters ---- */

/* A class without members has one byte that nobody writes. */
static bool is_empty(struct walker *walker, const struct dwarf_type *type)
{
    struct dwarf_return way;
    dwarf_type_return(&walker->types, type, &way);
    return !way.unknown && way.eight[0] == DWARF_RETURN_NONE;
}

/* Gives the place of a value that is too large to record whole: it has members. */
static void put_large(const struct place_context *context, const struct dwarf_type *type,
                      const struct dwarf_value *where, struct fisql_recipe_value *value)
{
    struct place_context of = *context;
    struct places places;
    of.size_bytes = type->size_bytes <= UINT32_MAX ? (unsigned)type->size_bytes : 0;
    if (of.size_bytes == 0 || place_find(&of, where, &places) != PLACE_FOUND ||
        (places.whole.kind != PLACE_IN_MEMORY && places.whole.kind != PLACE_BEHIND))
        return;
    value->base = places.whole.number;
    value->offset = (int32_t)places.whole.offset;
    value->anywhere = !places.whole.stack;
    value->large = places.whole.kind == PLACE_IN_MEMORY ? FISQL_WHERE_SUM : FISQL_WHERE_MEMORY;
}

/* gcc: is an object passed in registers all stored in the frame, as its place says? */
static bool is_stored(const struct walker *walker, const struct place_context *context,
                      const struct dwarf_type *type, const struct dwarf_value *where,
                      const struct place *place)
{
    const struct call_frame *frame = context->frame;
    bool object = type->kind == DWARF_TYPE_STRUCT || type->kind == DWARF_TYPE_COMPLEX ||
                  type->kind == DWARF_TYPE_VIEW || type->kind == DWARF_TYPE_VIEW_CXX1;
    if (!object || !walker->types.is_gnu || walker->types.machine != EM_X86_64 ||
        where->kind != DWARF_VALUE_BLOCK || place->kind != PLACE_IN_MEMORY || !place->stack ||
        type->size_bytes > 16)
        return true;
    bool callers =
        frame != NULL && place->number == frame->cfa_register && place->offset >= frame->cfa_offset;
    return callers || x86_stores_all(&walker->walk->files->module, context->start, context->address,
                                     place->number, place->offset, (unsigned)type->size_bytes);
}

/* Puts one parameter at an entry hook's call, at `index` of the recipes' values, which exists. */
static int put_parameter(struct walker *walker, const struct recipe_locations *locations,
                         unsigned at, const struct place_context *context, size_t index,
                         enum recipe_tally tally)
{
    const struct dwarf_type *type = &locations->prototype->parameters[at].type;
    struct recipes *recipes = walker->walk->recipes;
    struct place_context of = *context;
    of.fixed = locations->prototype->parameters[at].fixed;
    struct dwarf_type target = {.kind = DWARF_TYPE_UNKNOWN};
    struct places places;
    enum place_reason reason;
    int result;
    of.size_bytes = recipe_bytes(type, &reason);
    if (of.size_bytes != 0 && type->kind == DWARF_TYPE_REFERENCE)
        target = dwarf_type_at(&walker->types, type->target);
    if (of.size_bytes == 1 && type->kind == DWARF_TYPE_STRUCT && is_empty(walker, type))
        of.size_bytes = 0;
    if (reason == PLACE_TOO_LARGE)
        put_large(&of, type, &locations->where[at], &recipes->values[index]);
    if (of.size_bytes == 0)
        result = (int)reason;
    else if (locations->constant[at].kind != DWARF_VALUE_NONE || locations->other_constant[at])
        result = (int)recipe_constant_place(&locations->constant[at], of.size_bytes, &places);
    else
        result = (int)place_find(&of, &locations->where[at], &places);
    if (of.size_bytes != 0 && result == PLACE_FOUND &&
        !is_stored(walker, &of, type, &locations->where[at], &places.whole))
        result = PLACE_NOT_STORED;
    if (result == PLACE_FOUND)
        result = recipe_value_put(recipes, index, type, &target, &places, walker->error);
    of.computed = true; /* if the form does not fit the type, steps may */
    if (result == PLACE_COMPLEX && locations->where[at].kind != DWARF_VALUE_NONE &&
        place_find(&of, &locations->where[at], &places) == PLACE_FOUND)
        result = recipe_value_put(recipes, index, type, &target, &places, walker->error);
    if (result >= 0)
        recipes->tallies[tally][result]++;
    return result < 0 ? -1 : 0;
}

/* Appends `count` absent values; the index of the first, or SIZE_MAX. */
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
                     const struct recipe_locations *locations, const struct hook_site *site,
                     struct fisql_recipe_hook *hook)
{
    struct call_frame frame;
    struct x86_spills spills;
    bool known = call_frames_at(walker->walk->frames, inside(site), &frame);
    bool late = walker->stores_late && walker->types.machine == EM_X86_64;
    if (late)
        x86_spills_read(&spills, &walker->walk->files->module, site->after);
    struct place_context context = {.types = &walker->types,
                                    .unit = &walker->unit,
                                    .machine = walker->types.machine,
                                    .address = inside(site),
                                    .start = host->start,
                                    .after = site->after,
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
    hook->cfa_register = host->inlined;
    for (unsigned i = 0; i < count; i++)
        if (put_parameter(walker, locations, i, &context, first + i,
                          host->inlined ? RECIPE_INLINED : RECIPE_FUNCTIONS) != 0)
            return -1;
    return 0;
}

/* ---- results ---- */

/* The exit hook of a function that is not inlined there. *wanted: it gets a recipe. */
static int put_exit(struct walker *walker, const struct prototype *prototype,
                    const struct hook_site *site, struct fisql_recipe_hook *hook, bool *wanted)
{
    struct recipes *recipes = walker->walk->recipes;
    struct fisql_recipe_value value;
    struct call_frame frame;
    hook->exit = 1;
    if (prototype->result.kind == DWARF_TYPE_VOID) {
        *wanted = site->returns; /* not that of a cleanup, through which an exception passes */
        return 0;
    }
    *wanted = false;
    enum place_reason reason = recipe_result(&walker->types, &prototype->result, &value);
    if (reason == PLACE_FOUND && !site->returns)
        reason = PLACE_WAY_BACK;
    if (reason == PLACE_FOUND && !call_frames_at(walker->walk->frames, inside(site), &frame))
        reason = PLACE_FRAME;
    if (reason == PLACE_FOUND) {
        int64_t slot = frame.saved[frame.return_register].offset;
        if (!call_frame_is_base(walker->types.machine, frame.cfa_register) ||
            frame.saved[frame.return_register].how != CALL_FRAME_AT ||
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
        Dwarf_Die next = dwarf_die_original(walker->names, die, &offset);
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

/* Takes one call that no inner entry took. */
static int take_site(struct walker *walker, const struct host *host,
                     const struct recipe_locations *locations, size_t index, uint64_t name)
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
    if (array_add(&recipes->hooks, &recipes->hooks_count, &recipes->hooks_capacity, hook,
                  walker->error) != 0)
        return -1;
    walker->claims[index].hook = (uint32_t)recipes->hooks_count;
    return 0;
}

/* What we read of an entry at the first call in its code. */
struct entry {
    Dwarf_Die die;
    const struct host *host;
    uint64_t start; /* of its code */
    struct prototype *prototype;
    struct recipe_locations *locations; /* NULL = unread */
    uint64_t name;
    bool failed; /* its prototype is unknown */
};

static int read_entry(struct walker *walker, struct entry *entry)
{
    Dwarf_Off offset = 0;
    if (entry->locations != NULL || entry->failed)
        return 0;
    entry->prototype = malloc(sizeof *entry->prototype);
    entry->locations = calloc(1, sizeof *entry->locations);
    if (entry->prototype == NULL || entry->locations == NULL)
        return error_set(walker->error, "out of memory");
    entry->locations->prototype = entry->prototype;
    entry->failed = !dwarf_die_offset(walker->unit_debug, entry->die, &offset) ||
                    !prototype_read(&walker->types, offset, entry->prototype);
    if (entry->failed)
        return 0;
    recipe_locations_read(walker->unit_debug, entry->die, entry->locations);
    return name_function(walker, entry->prototype->origin, entry->host->inlined ? 0 : entry->start,
                         &entry->name);
}

static bool same_name(const struct recipe_name *one, const struct recipe_name *other)
{
    return one->origin == other->origin ||
           (one->linkage_name != NULL && other->linkage_name != NULL &&
            strcmp(one->linkage_name, other->linkage_name) == 0);
}

/* Compares claims to a call that another function took. If the linker keeps one of several copies
 * of a function, the others' debug information may name its code: if both say the same of the call,
 * its owner does not matter. */
static int compare_claims(struct walker *walker, struct entry *entry, size_t index)
{
    struct recipes *recipes = walker->walk->recipes;
    struct claim *claim = &walker->claims[index];
    struct recipe_name *names;
    size_t hooks = recipes->hooks_count, values = recipes->values_count;
    uint32_t first = claim->hook;
    uint64_t tallies[RECIPE_TALLIES][RECIPE_REASONS_MAX];
    if (claim->doubtful)
        return 0;
    memcpy(tallies, recipes->tallies, sizeof tallies);
    if (read_entry(walker, entry) != 0)
        return -1;
    names = walker->walk->names->items;
    claim->doubtful = entry->failed || !same_name(&names[claim->name], &names[entry->name]);
    if (claim->doubtful)
        return 0;
    claim->hook = 0;
    if (take_site(walker, entry->host, entry->locations, index, entry->name) != 0)
        return -1;
    claim->doubtful = (first == 0) != (claim->hook == 0) ||
                      (first != 0 && !recipes_are_same(recipes, &recipes->hooks[first - 1],
                                                       &recipes->hooks[claim->hook - 1]));
    claim->hook = first;
    recipes->hooks_count = hooks;
    recipes->values_count = values;
    memcpy(recipes->tallies, tallies, sizeof tallies);
    return 0;
}

/* Takes an entry's calls in its code. */
static int take_sites(struct walker *walker, const struct host *host, Dwarf_Die die,
                      const struct dwarf_ranges *ranges)
{
    const struct hook_sites *sites = walker->walk->sites;
    struct entry entry = {.die = die, .host = host, .start = ranges->items[0].start};
    uint64_t owner = (walker->origin_high | host->function) + 1;
    uint64_t entry_pc = host->inlined ? dwarf_die_entry(walker->unit_debug, die) : 0;
    int result = 0;
    for (size_t i = 0; i < ranges->count && result == 0; i++) {
        uint64_t start = ranges->items[i].start, end = ranges->items[i].end;
        if (start < entry_pc && entry_pc < end)
            start = entry_pc;
        size_t at = hook_sites_from(sites, start + CALL_INSIDE);
        for (; at < sites->count && inside(&sites->items[at]) < end && result == 0; at++) {
            struct claim *claim = &walker->claims[at];
            if (claim->function == owner || claim->second == owner ||
                (host->inlined && sites->items[at].returns))
                continue;
            if (claim->function != 0) {
                claim->second = owner;
                result = compare_claims(walker, &entry, at);
                continue;
            }
            claim->function = owner;
            result = read_entry(walker, &entry);
            claim->name = entry.name;
            if (result == 0 && !entry.failed)
                result = take_site(walker, host, entry.locations, at, entry.name);
        }
    }
    free(entry.locations);
    free(entry.prototype);
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

/* Drops what the linker dropped, whose entries are at or near address 0. */
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

/* Notes an inlined body without code. Its calls of hooks may exist and seem to belong to the code
 * around them. */
static int lose(struct walker *walker, Dwarf_Die die)
{
    Dwarf_Off offset = 0;
    if (!dwarf_die_offset(walker->unit_debug, die, &offset))
        return 0;
    if (array_reserve(&walker->lost, &walker->lost_capacity, walker->lost_count + 1,
                      walker->error) != 0)
        return -1;
    return name_function(walker, prototype_origin(walker->names, offset), 0,
                         &walker->lost[walker->lost_count++]);
}

/* The collector finds a call's owner by the function that the hook names, so only calls of one
 * function can be confused. */
static void doubt_lost(struct walker *walker, const struct dwarf_ranges *ranges, size_t first)
{
    const struct hook_sites *sites = walker->walk->sites;
    const struct recipe_name *names = walker->walk->names->items;
    for (size_t i = 0; i < ranges->count && walker->lost_count > first; i++) {
        size_t at = hook_sites_from(sites, ranges->items[i].start + CALL_INSIDE);
        for (; at < sites->count && inside(&sites->items[at]) < ranges->items[i].end; at++)
            for (size_t k = first; k < walker->lost_count && walker->claims[at].hook != 0; k++)
                if (same_name(&names[walker->claims[at].name], &names[walker->lost[k]]))
                    walker->claims[at].doubtful = true;
    }
    walker->lost_count = first;
}

static int walk_children(struct walker *walker, Dwarf_Die parent, const struct host *host,
                         unsigned nesting);

static int add_entry(struct walker *walker, const struct host *host, Dwarf_Die die,
                     const struct dwarf_range *code)
{
    const struct recipe_function function = {.walk = walker->walk,
                                             .types = &walker->types,
                                             .unit = &walker->unit,
                                             .debug = walker->unit_debug,
                                             .die = die,
                                             .frame_base = host->frame_base,
                                             .start = code->start,
                                             .end = code->end};
    return recipe_entry_add(&function);
}

static int visit_code(struct walker *walker, Dwarf_Die die, bool inlined, const struct host *around,
                      unsigned nesting)
{
    struct dwarf_ranges ranges = {0};
    struct host host = *around;
    Dwarf_Off offset = 0;
    size_t lost = walker->lost_count;
    int result =
        dwarf_die_ranges(walker->unit_debug, die, walker->unit.base, &ranges, walker->error);
    drop_no_code(walker, &ranges);
    host.inlined = inlined;
    host.start = !inlined && ranges.count > 0 ? ranges.items[0].start : 0;
    if (!inlined && dwarf_die_offset(walker->unit_debug, die, &offset)) {
        host.function = offset;
        host.frame_base = dwarf_die_value(walker->unit_debug, die, DW_AT_frame_base);
        if (result == 0 && ranges.count > 0)
            result = function_copies_add(
                walker->walk->copies, walker->origin_high | prototype_origin(walker->names, offset),
                ranges.items[0].start, walker->error);
    }
    if (result == 0 && inlined && ranges.count == 0 &&
        dwarf_die_has(walker->unit_debug, die, DW_AT_ranges))
        result = lose(walker, die);
    if (result == 0 && walker->walk->entries && !inlined && ranges.count > 0)
        result = add_entry(walker, &host, die, &ranges.items[0]);
    bool any = any_site(walker, &ranges);
    if (result == 0 && (any || !inlined))
        result = walk_children(walker, die, &host, nesting + 1);
    if (result == 0 && any && host.function != 0)
        result = take_sites(walker, &host, die, &ranges);
    if (!inlined)
        doubt_lost(walker, &ranges, lost);
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
    Dwarf_Half version = 5, offset_bytes;
    Dwarf_Off offset = 0;
    walker->lost_count = 0;
    if (dwarf_die_ranges(walker->debug, unit_die, dwarf_die_low(walker->debug, unit_die), &ranges,
                         walker->error) != 0)
        return -1;
    /* Even a unit without ranges may have code, from assembler or the linker. */
    bool wanted = walk->entries || ranges.count == 0 || any_site(walker, &ranges);
    free(ranges.items);
    if (!wanted)
        return 0;
    Dwarf_Die whole = dwarf_split_find(&walker->split, &places, walker->debug, unit_die,
                                       unit->dwo_id, &walker->unit_debug, &walker->names);
    bool packed = whole != NULL && walker->unit_debug == walker->split.package.debug;
    if (packed && (!dwarf_die_version(whole, &version, &offset_bytes) || version > 4)) {
        dwarf_die_release(whole); /* libdwarf 20210528 gives them other units' ranges */
        whole = NULL;
    }
    if (whole == NULL) {
        walk->recipes->incomplete = true;
        return 0;
    }
    if (whole != unit_die)
        whole_file = packed ? &walker->split.package.file : &walker->split.last.file;
    walker->origin_high = whole == unit_die ? 0 : ((uint64_t)number + 1) << 40;
    dwarf_unit_context_read(&walker->unit, file, walker->debug, unit_die, whole_file,
                            walker->unit_debug, whole);
    if (!dwarf_die_offset(walker->unit_debug, whole, &offset))
        offset = 0;
    dwarf_types_begin(&walker->types, walker->names, offset, walk->files->module.machine);
    /* gcc stores parameters in memory before the function's body, so before the hook's call; clang
     * calls the hook first. */
    walker->stores_late = !walker->types.is_gnu;
    int result = walk_children(walker, whole, &nobody, 0);
    dwarf_types_end(&walker->types);
    if (whole != unit_die)
        dwarf_die_release(whole);
    return result;
}

/* Removes the recipes of doubtful calls. */
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

int recipe_walk(const struct recipe_walk *walk)
{
    struct walker walker = {.walk = walk,
                            .claims = calloc(walk->sites->count + 1, sizeof *walker.claims),
                            .debug = dwarf_file_debug(walk->files->debug),
                            .error = walk->error};
    struct dwarf_search search = {.file = walk->files->debug, .module = &walk->files->module};
    struct dwarf_functions units;
    int result = dwarf_functions_open(&units, &search, walk->error);
    if (walker.claims == NULL)
        result = error_set(walk->error, "out of memory for %zu calls of hooks", walk->sites->count);
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
    free(walker.lost);
    free(walker.claims);
    return result;
}
