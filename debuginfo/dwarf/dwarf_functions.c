/*
 * Functions out of DWARF: see dwarf_functions.h.
 *
 * We read a unit's entries DW_TAG_subprogram with code at its top level and in namespaces, where
 * compilers put nearly all, and skip types and what lies within functions. If the symbol table
 * shows that we missed functions of a unit (nested ones in C), we read it again, from inside
 * (`nested`).
 *
 * Name, file and line are in the entry, or in those that it refers to. A copy (a clone, or an
 * inlined function's out-of-line body) names its abstract entry with DW_AT_abstract_origin; a
 * definition names a separate declaration with DW_AT_specification. All copies of a function lead
 * to one abstract entry, whose offset is the piece's `origin`. With link-time optimisation it is in
 * another unit.
 *
 * An inlined copy is an entry DW_TAG_inlined_subroutine within a function with code. We count them
 * by that function and the abstract entry that they name, which we read once.
 */
#include "debuginfo/dwarf/dwarf_functions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/intern.h"
#include "debuginfo/names/demangle.h"
#include "debuginfo/dwarf/dwarf_lines.h"
#include "debuginfo/dwarf/dwarf_split.h"

#define REFERENCES_MAX 8                 /* of a chain */
#define NESTING_MAX 64                   /* of entries */
#define COPIES_NESTING_MAX 256           /* of inlined copies within one another */
#define UNITS_MAX (1u << 24)             /* more is damage */
#define REST_BYTES (16u * 1024u * 1024u) /* of .debug_info, after which its pages may go */
#define LANG_ADA_2005 0x2e               /* of DWARF 6: libdwarf may be older */
#define LANG_ADA_2012 0x2f
#define THREAD_BYTES_MIN (1024u * 1024u) /* of debug information for which a thread pays */

struct walker {
    const struct dwarf_search *search;
    struct dwarf_functions *all;
    uint32_t *next_unit; /* shared by the threads, atomic */
    bool nested;
    unsigned within;   /* functions and types around the current entry */
    Dwarf_Debug debug; /* of the file with the (skeleton) units */
    struct dwarf_headers headers;
    struct dwarf_split split;
    struct text_pool *pool;
    struct dwarf_ranges ranges; /* of the current entry */
    struct dwarf_functions found;
    struct intern originals; /* offset of an entry -> index in found.originals */
    /* The current unit: */
    uint32_t unit;
    Dwarf_Debug unit_debug; /* of the .dwo file if it is split */
    Dwarf_Debug names;      /* for its texts and references */
    Dwarf_Die unit_die;     /* in the file with the line tables */
    uint64_t base;
    uint64_t origin_high; /* distinguishes the offsets of .dwo files */
    bool ada;
    struct error error;
    int result;
};

static bool is_ada(Dwarf_Debug debug, Dwarf_Die unit_die)
{
    uint64_t language = 0;
    return dwarf_die_number(debug, unit_die, DW_AT_language, &language) &&
           (language == DW_LANG_Ada83 || language == DW_LANG_Ada95 || language == LANG_ADA_2005 ||
            language == LANG_ADA_2012);
}

static const char *keep(struct walker *walker, const char *text)
{
    return text_pool_add(walker->pool, text, strnlen(text, 65536), &walker->error);
}

/* Takes from one entry of a chain what the earlier ones lack. */
static int take_facts(struct walker *walker, Dwarf_Die die, struct dwarf_piece *piece)
{
    Dwarf_Debug debug = walker->names;
    const char *text;
    uint64_t number;
    if (piece->name == NULL && (text = dwarf_die_string(debug, die, DW_AT_name)) != NULL &&
        (piece->name = keep(walker, text)) == NULL)
        return -1;
    if (piece->linkage_name == NULL) {
        text = dwarf_die_string(debug, die, DW_AT_linkage_name);
        if (text == NULL)
            text = dwarf_die_string(debug, die, DW_AT_MIPS_linkage_name);
        if (text != NULL && (piece->linkage_name = keep(walker, text)) == NULL)
            return -1;
    }
    if (piece->line == 0 && dwarf_die_number(debug, die, DW_AT_decl_line, &number) &&
        number <= UINT32_MAX)
        piece->line = (uint32_t)number;
    piece->external = piece->external || dwarf_die_flag(debug, die, DW_AT_external);
    if (dwarf_die_number(debug, die, DW_AT_inline, &number) &&
        (number == DW_INL_inlined || number == DW_INL_declared_inlined))
        piece->inlined = true;
    if (piece->path != NULL || !dwarf_die_number(debug, die, DW_AT_decl_file, &number))
        return 0;
    if (debug != walker->debug) /* split: the skeleton has the line table */
        return dwarf_source_path(&walker->headers, walker->debug, walker->unit_die, number,
                                 walker->pool, &piece->path, &walker->error);
    Dwarf_Off offset = 0;
    if (!libdwarf_ok(debug, dwarf_CU_dieoffset_given_die(die, &offset, failure)))
        return 0;
    Dwarf_Die unit_die = dwarf_die_at(debug, offset);
    if (unit_die == NULL)
        return 0;
    int result = dwarf_source_path(&walker->headers, debug, unit_die, number, walker->pool,
                                   &piece->path, &walker->error);
    dwarf_die_release(unit_die);
    return result;
}

/* GNAT's DW_AT_name is nearly the linker's name: shop__buy. */
static int name_ada(struct walker *walker, struct dwarf_piece *piece)
{
    char *name = piece->name != NULL ? demangle_ada(piece->name) : NULL;
    if (name == NULL)
        return 0;
    if (piece->linkage_name == NULL)
        piece->linkage_name = piece->name;
    piece->name = keep(walker, name);
    free(name);
    return piece->name != NULL ? 0 : -1;
}

/* Follows the chain of references from the function's entry at an offset. */
static int resolve(struct walker *walker, Dwarf_Off offset, struct dwarf_piece *piece)
{
    int result = 0;
    Dwarf_Die at = dwarf_die_at(walker->names, offset);
    if (at == NULL)
        return 0;
    piece->origin = walker->origin_high | offset;
    for (int step = 0; at != NULL && result == 0; step++) {
        Dwarf_Die next = NULL;
        result = take_facts(walker, at, piece);
        if (step < REFERENCES_MAX)
            next = dwarf_die_referred(walker->names, at, DW_AT_abstract_origin, &offset);
        if (next != NULL)
            piece->origin = walker->origin_high | offset;
        else if (step < REFERENCES_MAX)
            next = dwarf_die_referred(walker->names, at, DW_AT_specification, &offset);
        dwarf_die_release(at);
        at = next;
    }
    dwarf_die_release(at);
    return result;
}

/* Counts one copy, in the code that starts at `outer`. */
static int add_copy(struct walker *walker, Dwarf_Die die, uint64_t outer)
{
    struct dwarf_functions *found = &walker->found;
    uint32_t index, before = walker->originals.count;
    Dwarf_Off offset = 0;
    if (!dwarf_die_refers(walker->unit_debug, die, DW_AT_abstract_origin, &offset))
        return 0;
    if (intern_add(&walker->originals, walker->origin_high | offset, 0, &index, &walker->error) !=
        0)
        return -1;
    if (index == before) {
        struct dwarf_piece original = {.origin = walker->origin_high | offset};
        if (resolve(walker, offset, &original) != 0 ||
            array_add(&found->originals, &found->originals_count, &found->originals_capacity,
                      original, &walker->error) != 0)
            return -1;
    }
    return array_add(
        &found->copies, &found->copies_count, &found->copies_capacity,
        ((struct dwarf_copies){outer, found->originals[index].origin, walker->unit, 1}),
        &walker->error);
}

static int add_copies(struct walker *walker, Dwarf_Die parent, uint64_t outer, int depth)
{
    Dwarf_Debug debug = walker->unit_debug;
    Dwarf_Die child = depth <= COPIES_NESTING_MAX ? dwarf_die_child(debug, parent) : NULL;
    int result = 0;
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = result == 0 ? dwarf_die_tag(debug, child) : 0;
        if (tag == DW_TAG_inlined_subroutine)
            result = add_copy(walker, child, outer);
        if (result == 0 && (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                            tag == DW_TAG_try_block || tag == DW_TAG_catch_block))
            result = add_copies(walker, child, outer, depth + 1);
    }
    return result;
}

static int by_origin(const void *left, const void *right)
{
    const struct dwarf_copies *a = left, *b = right;
    return (a->origin > b->origin) - (a->origin < b->origin);
}

/* Counts the copies in a function's code. One entry is left for each function inlined into it. */
static int count_copies(struct walker *walker, Dwarf_Die die, uint64_t outer)
{
    struct dwarf_functions *found = &walker->found;
    size_t first = found->copies_count, kept = first;
    if (add_copies(walker, die, outer, 0) != 0)
        return -1;
    if (found->copies_count > first)
        qsort(found->copies + first, found->copies_count - first, sizeof *found->copies, by_origin);
    for (size_t i = first; i < found->copies_count; i++) {
        if (kept > first && found->copies[kept - 1].origin == found->copies[i].origin)
            found->copies[kept - 1].count++;
        else
            found->copies[kept++] = found->copies[i];
    }
    found->copies_count = kept;
    return 0;
}

static int visit_function(struct walker *walker, Dwarf_Die die)
{
    struct dwarf_functions *found = &walker->found;
    struct dwarf_piece piece = {.unit = walker->unit};
    Dwarf_Off offset = 0;
    bool resolved = false;
    if (dwarf_die_ranges(walker->unit_debug, die, walker->base, &walker->ranges, &walker->error) !=
        0)
        return -1;
    for (size_t i = 0; i < walker->ranges.count; i++) {
        piece.start = walker->ranges.items[i].start;
        piece.end = walker->ranges.items[i].end;
        piece.entry = i == 0;
        /* The linker leaves entries of code that it dropped, at or near address 0. */
        if (!elf_file_is_code(walker->search->module, piece.start) ||
            !elf_file_is_code(walker->search->module, piece.end - 1))
            continue;
        if (!resolved && ((dwarf_die_offset(walker->unit_debug, die, &offset) &&
                           resolve(walker, offset, &piece) != 0) ||
                          (walker->ada && name_ada(walker, &piece) != 0)))
            return -1;
        /* The second reading counts what the first one skipped. */
        if (!resolved && walker->search->copies && (walker->within > 0) == walker->nested &&
            count_copies(walker, die, piece.start) != 0)
            return -1;
        resolved = true;
        if ((piece.name != NULL || piece.linkage_name != NULL) &&
            array_add(&found->pieces, &found->pieces_count, &found->pieces_capacity, piece,
                      &walker->error) != 0)
            return -1;
    }
    return 0;
}

static int walk_children(struct walker *walker, Dwarf_Die parent, int depth);

static int visit(struct walker *walker, Dwarf_Die die, int depth)
{
    switch (dwarf_die_tag(walker->unit_debug, die)) {
    case DW_TAG_subprogram:
        if (visit_function(walker, die) != 0)
            return -1;
        break;
    case DW_TAG_namespace:
    case DW_TAG_module:
        return walk_children(walker, die, depth + 1);
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        break;
    default:
        return 0;
    }
    if (!walker->nested)
        return 0;
    walker->within++;
    int result = walk_children(walker, die, depth + 1);
    walker->within--;
    return result;
}

static int walk_children(struct walker *walker, Dwarf_Die parent, int depth)
{
    Dwarf_Die child = depth <= NESTING_MAX ? dwarf_die_child(walker->unit_debug, parent) : NULL;
    int result = 0;
    for (; child != NULL; child = dwarf_die_next(walker->unit_debug, child))
        if (result == 0)
            result = visit(walker, child, depth);
    return result;
}

static int add_unit_ranges(struct walker *walker)
{
    struct dwarf_functions *found = &walker->found;
    if (dwarf_die_ranges(walker->debug, walker->unit_die, walker->base, &walker->ranges,
                         &walker->error) != 0 ||
        array_reserve(&found->ranges, &found->ranges_capacity,
                      found->ranges_count + walker->ranges.count + 1, &walker->error) != 0)
        return -1;
    for (size_t i = 0; i < walker->ranges.count; i++)
        found->ranges[found->ranges_count++] = (struct dwarf_unit_range){
            walker->ranges.items[i].start, walker->ranges.items[i].end, walker->unit};
    return 0;
}

static int read_unit(struct walker *walker, Dwarf_Die unit_die)
{
    const struct dwarf_unit *unit = &walker->all->units[walker->unit];
    const struct dwarf_split_places places = {walker->search->path, walker->search->symbols_dir};
    walker->unit_die = unit_die;
    walker->base = dwarf_die_low(walker->debug, unit_die);
    if (!walker->nested && add_unit_ranges(walker) != 0)
        return -1;
    Dwarf_Die whole = dwarf_split_find(&walker->split, &places, walker->debug, unit_die,
                                       unit->dwo_id, &walker->unit_debug, &walker->names);
    walker->found.missing_dwo += whole == NULL;
    if (whole == NULL)
        return 0;
    walker->origin_high = whole == unit_die ? 0 : ((uint64_t)walker->unit + 1) << 40;
    walker->ada = is_ada(walker->unit_debug, whole);
    int result = walk_children(walker, whole, 0);
    if (whole != unit_die)
        dwarf_die_release(whole);
    return result;
}

/* The approximate size of a unit in .debug_info: up to the next one. */
static uint64_t unit_bytes(const struct dwarf_functions *all, uint32_t unit)
{
    return unit + 1 < all->units_count && all->units[unit + 1].die > all->units[unit].die
               ? all->units[unit + 1].die - all->units[unit].die
               : 0;
}

static void *walk_units(void *argument)
{
    struct walker *walker = argument;
    uint64_t walked_bytes = 0;
    walker->debug = dwarf_file_debug(walker->search->file);
    while (walker->debug != NULL && walker->result == 0) {
        walker->unit = __atomic_fetch_add(walker->next_unit, 1, __ATOMIC_RELAXED);
        if (walker->unit >= walker->all->units_count)
            break;
        const struct dwarf_unit *unit = &walker->all->units[walker->unit];
        if (walker->nested && !unit->nested)
            continue;
        Dwarf_Die die = dwarf_die_at(walker->debug, unit->die);
        if (die == NULL)
            continue;
        walker->result = read_unit(walker, die);
        dwarf_die_release(die);
        walked_bytes += unit_bytes(walker->all, walker->unit);
        if (walked_bytes > REST_BYTES) {
            elf_file_rest(&walker->search->file->elf);
            walked_bytes = 0;
        }
    }
    dwarf_headers_release(&walker->headers);
    dwarf_split_release(&walker->split);
    if (walker->debug != NULL)
        dwarf_api_close(walker->debug);
    free(walker->ranges.items);
    intern_release(&walker->originals);
    return NULL;
}

/* Adds one thread's findings to `all`. */
static int gather(struct dwarf_functions *all, struct dwarf_functions *found, struct error *error)
{
    if (array_reserve(&all->pieces, &all->pieces_capacity,
                      all->pieces_count + found->pieces_count + 1, error) != 0 ||
        array_reserve(&all->ranges, &all->ranges_capacity,
                      all->ranges_count + found->ranges_count + 1, error) != 0 ||
        array_reserve(&all->copies, &all->copies_capacity,
                      all->copies_count + found->copies_count + 1, error) != 0 ||
        array_reserve(&all->originals, &all->originals_capacity,
                      all->originals_count + found->originals_count + 1, error) != 0)
        return -1;
    for (size_t i = 0; i < found->copies_count; i++)
        all->copies[all->copies_count++] = found->copies[i];
    for (size_t i = 0; i < found->originals_count; i++)
        all->originals[all->originals_count++] = found->originals[i];
    for (size_t i = 0; i < found->pieces_count; i++)
        all->pieces[all->pieces_count++] = found->pieces[i];
    for (size_t i = 0; i < found->ranges_count; i++)
        all->ranges[all->ranges_count++] = found->ranges[i];
    all->missing_dwo += found->missing_dwo;
    return 0;
}

static unsigned threads_for(const struct dwarf_functions *functions,
                            const struct dwarf_search *search)
{
    const struct dwarf_section *section = dwarf_file_section(search->file, ".debug_info");
    uint64_t bytes = section != NULL ? section->size_bytes : 0;
    long cores = search->threads > 0 ? (long)search->threads : sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = bytes / THREAD_BYTES_MIN + 1;
    if (cores < 1)
        cores = 1;
    if (cores > 64)
        cores = 64;
    if (threads > (uint64_t)cores)
        threads = (uint64_t)cores;
    return threads > functions->units_count ? (unsigned)functions->units_count : (unsigned)threads;
}

int dwarf_functions_read(struct dwarf_functions *functions, const struct dwarf_search *search,
                         bool nested, struct error *error)
{
    unsigned count = threads_for(functions, search);
    uint32_t next_unit = 0;
    struct walker *walkers = calloc((size_t)count + 1, sizeof *walkers);
    pthread_t *threads = calloc((size_t)count + 1, sizeof *threads);
    int result = array_reserve(&functions->pools, &functions->pools_capacity,
                               functions->pools_count + count + 1, error);
    if (walkers == NULL || threads == NULL || result != 0) {
        free(walkers);
        free(threads);
        return error_set(error, "out of memory for %u threads", count);
    }
    unsigned started = 0;
    for (unsigned i = 0; i < count; i++) {
        struct text_pool *pool = &functions->pools[functions->pools_count++];
        *pool = (struct text_pool){0};
        walkers[i] = (struct walker){.search = search,
                                     .all = functions,
                                     .next_unit = &next_unit,
                                     .nested = nested,
                                     .pool = pool};
        /* The last one works in this thread, as does one that gets none. */
        if (i + 1 == count || pthread_create(&threads[i], NULL, walk_units, &walkers[i]) != 0) {
            walk_units(&walkers[i]);
            break;
        }
        started++;
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < count; i++) {
        if (result == 0 && walkers[i].result != 0) {
            if (error != NULL)
                *error = walkers[i].error;
            result = -1;
        }
        if (result == 0)
            result = gather(functions, &walkers[i].found, error);
        free(walkers[i].found.pieces);
        free(walkers[i].found.ranges);
        free(walkers[i].found.copies);
        free(walkers[i].found.originals);
    }
    free(walkers);
    free(threads);
    return result;
}

int dwarf_functions_open(struct dwarf_functions *functions, const struct dwarf_search *search,
                         struct error *error)
{
    *functions = (struct dwarf_functions){0};
    Dwarf_Debug debug = dwarf_file_debug(search->file);
    uint64_t dwo_id = 0;
    int result = 0;
    for (Dwarf_Die die; debug != NULL && result == 0 && functions->units_count < UNITS_MAX &&
                        (die = dwarf_next_unit(debug, &dwo_id)) != NULL;) {
        Dwarf_Off offset = 0;
        bool known = dwarf_die_offset(debug, die, &offset);
        dwarf_die_release(die);
        if (!known)
            continue;
        result = array_add(&functions->units, &functions->units_count, &functions->units_capacity,
                           ((struct dwarf_unit){offset, dwo_id, false}), error);
    }
    if (debug != NULL)
        dwarf_api_close(debug);
    return result;
}

int dwarf_unit_range_order(const void *left, const void *right)
{
    const struct dwarf_unit_range *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

void dwarf_functions_release(struct dwarf_functions *functions)
{
    for (size_t i = 0; i < functions->pools_count; i++)
        text_pool_release(&functions->pools[i]);
    free(functions->pools);
    free(functions->units);
    free(functions->pieces);
    free(functions->ranges);
    free(functions->copies);
    free(functions->originals);
    *functions = (struct dwarf_functions){0};
}
