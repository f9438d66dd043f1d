/* See patch_wish.h. collector/core/filter.c describes the filter's text. */
#include "cli/record/patch_wish.h"

#include "base/array.h"
#include "base/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct function_set *function_sets_of(const struct function_sets *sets, const char *path)
{
    for (size_t i = 0; i < sets->count; i++)
        if (strcmp(sets->items[i].path, path) == 0 || strcmp(sets->items[i].real, path) == 0)
            return &sets->items[i];
    return NULL;
}

/* Where the address is, or belongs. */
static size_t place_of(const struct function_set *set, uint64_t address)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->addresses[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool function_set_has(const struct function_set *set, uint64_t address)
{
    size_t place = place_of(set, address);
    return place < set->count && set->addresses[place] == address;
}

/* The set of the module, made if there is none; NULL without memory. */
static struct function_set *set_make(struct function_sets *sets, const char *path,
                                     struct error *error)
{
    const struct function_set *known = function_sets_of(sets, path);
    if (known != NULL)
        return &sets->items[known - sets->items];
    if (array_reserve(&sets->items, &sets->capacity, sets->count + 1, error) != 0)
        return NULL;
    struct function_set set = {.path = strdup(path), .real = realpath(path, NULL)};
    if (set.real == NULL)
        set.real = strdup(path);
    if (set.path == NULL || set.real == NULL) {
        free(set.path);
        free(set.real);
        error_set(error, "out of memory for a path");
        return NULL;
    }
    sets->items[sets->count] = set;
    return &sets->items[sets->count++];
}

static int set_add(struct function_set *set, uint64_t address, struct error *error)
{
    size_t place = place_of(set, address);
    if (place < set->count && set->addresses[place] == address)
        return 0;
    if (array_reserve(&set->addresses, &set->capacity, set->count + 1, error) != 0)
        return -1;
    memmove(set->addresses + place + 1, set->addresses + place,
            (set->count - place) * sizeof *set->addresses);
    set->addresses[place] = address;
    set->count++;
    return 0;
}

int function_sets_add(struct function_sets *sets, const char *path, uint64_t address,
                      struct error *error)
{
    struct function_set *set = set_make(sets, path, error);
    return set != NULL ? set_add(set, address, error) : -1;
}

void function_sets_release(struct function_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        free(sets->items[i].path);
        free(sets->items[i].real);
        free(sets->items[i].addresses);
    }
    free(sets->items);
    *sets = (struct function_sets){.count = 0};
}

/* ---- the filter ---- */

static int line_take(struct function_sets *sets, struct function_set **set, const char *line,
                     struct error *error)
{
    if (starts_with(line, "module ")) {
        *set = set_make(sets, line + 7, error);
        return *set != NULL ? 0 : -1;
    }
    return *set != NULL ? set_add(*set, strtoull(line, NULL, 16), error) : 0;
}

/* `text` ends with NUL. */
static int filter_take(struct patch_wish *wish, char *text, struct error *error)
{
    struct function_set *set = NULL;
    char *rest = text, *line = strsep(&rest, "\n");
    int result = 0;
    wish->filtered = true;
    wish->only = strcmp(line, "only") == 0;
    while (result == 0 && (line = strsep(&rest, "\n")) != NULL)
        if (line[0] != 0)
            result = line_take(&wish->matches, &set, line, error);
    return result;
}

/* The part of the file that holds the filter now; 0 bytes = there is none. */
static struct fisql_live_part filter_part(const struct fisql_live_area *area)
{
    const struct fisql_live_part *room = &area->parts.control;
    uint32_t number = __atomic_load_n(&area->control.only, __ATOMIC_ACQUIRE);
    uint64_t half = room->bytes / 2, bytes = area->control.only_bytes;
    if (number == 0)
        return area->parts.filter;
    return bytes <= half
               ? (struct fisql_live_part){room->offset + (number % 2 != 0 ? half : 0), bytes}
               : (struct fisql_live_part){0, 0};
}

int patch_wish_read(struct patch_wish *wish, const struct live *live, struct error *error)
{
    const struct fisql_live_area *area = live->area;
    const struct fisql_live_part part = filter_part(area);
    *wish = (struct patch_wish){.off = __atomic_load_n(&area->control.switches, __ATOMIC_ACQUIRE) !=
                                           0 &&
                                       __atomic_load_n(&area->recording, __ATOMIC_ACQUIRE) == 0};
    if (part.bytes == 0)
        return 0;
    if (part.bytes > FISQL_CONTROL_ONLY_MAX)
        return error_set(error, "the filter is too long");
    char *text = malloc(part.bytes + 1);
    if (text == NULL)
        return error_set(error, "out of memory for a filter");
    ssize_t got = pread(live->memory, text, part.bytes, (off_t)part.offset);
    text[got > 0 ? got : 0] = 0;
    int result = got == (ssize_t)part.bytes ? filter_take(wish, text, error)
                                            : error_set(error, "the filter cannot be read");
    free(text);
    return result;
}

void patch_wish_release(struct patch_wish *wish)
{
    function_sets_release(&wish->matches);
}

bool patch_wish_has(const struct patch_wish *wish, const char *path, uint64_t address)
{
    const struct function_set *left =
        wish->left != NULL ? function_sets_of(wish->left, path) : NULL;
    if (wish->off || (left != NULL && function_set_has(left, address)))
        return false;
    if (!wish->filtered)
        return true;
    const struct function_set *set = function_sets_of(&wish->matches, path);
    return (set != NULL && function_set_has(set, address)) == wish->only;
}
