/* Inlined calls out of DWARF: see dwarf_inlines.h. */
#include "debuginfo/dwarf/dwarf_inlines.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/dwarf_die.h"

#define NESTING_MAX 256       /* of entries */
#define PIECES_MAX (4u << 20) /* of one unit */

struct walker {
    struct dwarf_inlines *inlines;
    struct dwarf_headers *headers;
    Dwarf_Debug debug;
    Dwarf_Die unit_die;
    uint64_t base;
    struct text_pool *pool;
    struct dwarf_ranges ranges; /* of the current entry */
    struct error *error;
};

static int add(struct walker *walker, Dwarf_Die die, uint32_t depth)
{
    struct dwarf_inlines *inlines = walker->inlines;
    struct dwarf_inline piece = {.depth = depth};
    uint64_t line = 0, file = 0;
    if (dwarf_die_ranges(walker->debug, die, walker->base, &walker->ranges, walker->error) != 0)
        return -1;
    if (dwarf_die_number(walker->debug, die, DW_AT_call_line, &line) && line <= UINT32_MAX)
        piece.line = (uint32_t)line;
    if (piece.line != 0 && dwarf_die_number(walker->debug, die, DW_AT_call_file, &file) &&
        dwarf_source_path(walker->headers, walker->debug, walker->unit_die, file, walker->pool,
                          &piece.path, walker->error) != 0)
        return -1;
    for (size_t i = 0; i < walker->ranges.count && inlines->count < PIECES_MAX; i++) {
        if (array_reserve(&inlines->items, &inlines->capacity, inlines->count + 1, walker->error) !=
            0)
            return -1;
        piece.start = walker->ranges.items[i].start;
        piece.end = walker->ranges.items[i].end;
        inlines->items[inlines->count++] = piece;
    }
    return 0;
}

/* Skips types, which may hold declarations only, except within functions. */
static int walk(struct walker *walker, Dwarf_Die parent, int nesting, uint32_t depth)
{
    Dwarf_Debug debug = walker->debug;
    Dwarf_Die child = nesting <= NESTING_MAX ? dwarf_die_child(debug, parent) : NULL;
    int result = 0;
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = result == 0 ? dwarf_die_tag(debug, child) : 0;
        bool inlined = tag == DW_TAG_inlined_subroutine;
        if (inlined)
            result = add(walker, child, depth);
        if (result == 0 && (inlined || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
                            tag == DW_TAG_namespace || tag == DW_TAG_module))
            result = walk(walker, child, nesting + 1, depth + inlined);
    }
    return result;
}

static int outer_first(const void *left, const void *right)
{
    const struct dwarf_inline *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

int dwarf_inlines_read(struct dwarf_inlines *inlines, struct dwarf_headers *headers,
                       Dwarf_Debug debug, Dwarf_Off unit, struct text_pool *pool,
                       struct error *error)
{
    struct walker walker = {.inlines = inlines,
                            .headers = headers,
                            .debug = debug,
                            .unit_die = dwarf_die_at(debug, unit),
                            .pool = pool,
                            .error = error};
    if (walker.unit_die == NULL)
        return 0;
    walker.base = dwarf_die_low(debug, walker.unit_die);
    int result = walk(&walker, walker.unit_die, 0, 0);
    dwarf_die_release(walker.unit_die);
    free(walker.ranges.items);
    array_sort(inlines->items, inlines->count, outer_first);
    uint32_t open = 0; /* index + 1 of the innermost open piece */
    for (uint32_t i = 0; i < inlines->count; i++) {
        while (open != 0 && inlines->items[open - 1].end <= inlines->items[i].start)
            open = inlines->items[open - 1].around;
        inlines->items[i].around = open;
        open = i + 1;
    }
    return result;
}

void dwarf_inlines_release(struct dwarf_inlines *inlines)
{
    free(inlines->items);
    *inlines = (struct dwarf_inlines){0};
}

/* The innermost piece, from `at` outwards, that holds the address. */
static const struct dwarf_inline *holding(const struct dwarf_inlines *inlines, uint32_t at,
                                          uint64_t address)
{
    while (at != 0 && inlines->items[at - 1].end <= address)
        at = inlines->items[at - 1].around;
    return at != 0 ? &inlines->items[at - 1] : NULL;
}

const struct dwarf_inline *dwarf_inlines_find(const struct dwarf_inlines *inlines, uint64_t address)
{
    size_t next = sorted_after(inlines->items, inlines->count, start, address);
    return holding(inlines, (uint32_t)next, address);
}

const struct dwarf_inline *dwarf_inlines_around(const struct dwarf_inlines *inlines,
                                                const struct dwarf_inline *piece)
{
    return piece->around != 0 ? &inlines->items[piece->around - 1] : NULL;
}
