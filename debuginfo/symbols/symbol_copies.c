/*
 * Inlined copies of functions: see symbol_copies.h.
 *
 * A copy names the abstract entry of its function in its own unit. The function's code may be in
 * another unit: a header's function has an abstract entry in each unit that includes it. So where no
 * code has that entry, we look for the function of its name, file and line. Units may also describe
 * the same code, which the linker kept once: of the copies in it only those of one unit count.
 */
#include "debuginfo/symbols/symbol_copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/system_path.h"

#define PLACE_LINE_BITS 17 /* user-space addresses have 47 */

struct counted {
    uint64_t outer;
    uint32_t function, unit, count;
};

bool symbol_copies_place(const struct symbol_function *function, uint64_t *a, uint64_t *b)
{
    const char *name = function->linkage_name != NULL ? function->linkage_name : function->name;
    *a = (uint64_t)(uintptr_t)name;
    *b = (uint64_t)(uintptr_t)function->file << PLACE_LINE_BITS | function->line;
    return function->file != NULL && function->line != 0 && function->line < 1u << PLACE_LINE_BITS;
}

static int by_function(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->outer != b->outer)
        return a->outer < b->outer ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

/* The functions by their places, the first where several have one: firsts[index of the place]. */
static int index_places(const struct symbols *symbols, struct intern *places, uint32_t *firsts,
                        struct error *error)
{
    for (size_t i = 0; i < symbols->functions_count; i++) {
        uint64_t a, b;
        uint32_t index, before = places->count;
        if (!symbol_copies_place(&symbols->functions[i], &a, &b))
            continue;
        if (intern_add(places, a, b, &index, error) != 0)
            return -1;
        if (index == before)
            firsts[index] = (uint32_t)i;
    }
    return 0;
}

/* Finds the function of an original: its index or SYMBOL_NONE. 0, or -1 without memory. */
static int find_function(struct symbols *symbols, const struct dwarf_piece *original,
                         const struct intern *groups, const struct intern *places,
                         const uint32_t *firsts, uint32_t *function, struct error *error)
{
    static const char variants[] = {0, '1', '2', '0'};
    const char *name = original->linkage_name != NULL ? original->linkage_name : original->name;
    struct symbol_function wanted = {.line = original->line};
    uint64_t a, b;
    *function = SYMBOL_NONE;
    for (size_t i = 0; i < sizeof variants && *function == SYMBOL_NONE; i++)
        *function = intern_find(groups, original->origin, (uint64_t)(unsigned char)variants[i]);
    if (*function != SYMBOL_NONE || name == NULL || original->path == NULL)
        return 0;
    wanted.name = text_pool_add(&symbols->texts, name, strlen(name), error);
    wanted.file = text_pool_add(&symbols->texts, original->path, strlen(original->path), error);
    if (wanted.name == NULL || wanted.file == NULL)
        return -1;
    uint32_t index = symbol_copies_place(&wanted, &a, &b) ? intern_find(places, a, b) : INTERN_NONE;
    *function = index != INTERN_NONE ? firsts[index] : SYMBOL_NONE;
    return 0;
}

/* Adds the copies up. Of each piece of code, those of the unit that has most. */
static void add_up(struct symbols *symbols, struct counted *list, size_t count)
{
    if (count > 0)
        qsort(list, count, sizeof *list, by_function);
    for (size_t start = 0, end; start < count; start = end) {
        uint32_t most = 0, of_unit = 0;
        for (end = start; end < count && list[end].function == list[start].function &&
                          list[end].outer == list[start].outer;
             end++) {
            bool same_unit = end > start && list[end].unit == list[end - 1].unit;
            of_unit = same_unit ? of_unit + list[end].count : list[end].count;
            most = of_unit > most ? of_unit : most;
        }
        symbols->functions[list[start].function].inlined_copies += most;
    }
}

int symbol_copies_count(struct symbols *symbols, const struct dwarf_functions *dwarf,
                        const struct intern *groups, struct error *error)
{
    struct intern places = {0}, origins = {0};
    uint32_t *firsts = calloc(symbols->functions_count + 1, sizeof *firsts);
    uint32_t *functions = calloc(dwarf->originals_count + 1, sizeof *functions); /* by origin */
    struct counted *list = calloc(dwarf->copies_count + 1, sizeof *list);
    size_t count = 0;
    int result = firsts != NULL && functions != NULL && list != NULL
                     ? index_places(symbols, &places, firsts, error)
                     : error_set(error, "out of memory for inlined copies");
    for (size_t i = 0; i < dwarf->originals_count; i++)
        symbols->inlines |=
            dwarf->originals[i].path != NULL && !system_path(dwarf->originals[i].path);
    for (size_t i = 0; i < dwarf->originals_count && result == 0; i++) {
        uint32_t index, before = origins.count;
        result = intern_add(&origins, dwarf->originals[i].origin, 0, &index, error);
        if (result == 0 && index == before)
            result = find_function(symbols, &dwarf->originals[i], groups, &places, firsts,
                                   &functions[index], error);
    }
    for (size_t i = 0; i < dwarf->copies_count && result == 0; i++) {
        const struct dwarf_copies *copies = &dwarf->copies[i];
        uint32_t index = intern_find(&origins, copies->origin, 0);
        if (index != INTERN_NONE && functions[index] != SYMBOL_NONE)
            list[count++] =
                (struct counted){copies->outer, functions[index], copies->unit, copies->count};
    }
    if (result == 0)
        add_up(symbols, list, count);
    intern_release(&places);
    intern_release(&origins);
    free(firsts);
    free(functions);
    free(list);
    return result;
}
