/* See patch_changes.h. */
#include "cli/record/patch_changes.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define WINDOW_BYTES ((size_t)1 << 20)
#define DISTANCE 4u
#define NO_UNIT UINT32_MAX
_Static_assert(DISTANCE <= FISQL_PATCH_JUMP, "a change has room for a reference");

/* ---- the process's memory ---- */

/* A part of it, read at once. */
struct window {
    int memory;
    uint64_t start;
    size_t bytes;
    unsigned char *data; /* WINDOW_BYTES */
};

/* NULL: it is not there. Borrowed until the next call. */
static const unsigned char *window_at(struct window *window, uint64_t address, size_t bytes)
{
    if (address < window->start || address - window->start > window->bytes ||
        window->bytes - (address - window->start) < bytes) {
        window->start = address & ~(uint64_t)(PAGE_BYTES - 1);
        ssize_t got = pread(window->memory, window->data, WINDOW_BYTES, (off_t)window->start);
        window->bytes = got > 0 ? (size_t)got : 0;
        if (window->bytes < address - window->start + bytes)
            return NULL;
    }
    return window->data + (address - window->start);
}

/* ---- entries ---- */

struct finder {
    struct patch_changes *changes;
    const struct patch_process *process;
    const struct fisql_patch_area *area;
    const struct known_plan *known;
    struct window text, stubs;
    struct error *error;
};

/* What lies at a function's start. */
enum state { STATE_OWN, STATE_HOOKED, STATE_PASSED, STATE_OTHER };

static uint64_t stub_at(const struct finder *finder, const struct fisql_patch_entry *entry)
{
    return finder->area->memory + FISQL_PATCH_HEAD + entry->stub;
}

static void jump_put(unsigned char *code, uint64_t at, uint64_t target)
{
    int32_t displacement = (int32_t)(int64_t)(target - at - FISQL_PATCH_JUMP);
    *code = 0xe9;
    memcpy(code + 1, &displacement, sizeof displacement);
}

static void state_put(const struct finder *finder, const struct fisql_patch_entry *entry,
                      enum state state, unsigned char *code)
{
    uint64_t at = entry->address + finder->area->bias, stub = stub_at(finder, entry);
    if (state == STATE_OWN)
        memcpy(code, entry->before, FISQL_PATCH_JUMP);
    else
        jump_put(code, at, state == STATE_HOOKED ? stub : stub + FISQL_PATCH_MOVED);
}

static enum state state_of(struct finder *finder, const struct fisql_patch_entry *entry)
{
    const unsigned char *there =
        window_at(&finder->text, entry->address + finder->area->bias, FISQL_PATCH_JUMP);
    unsigned char code[FISQL_PATCH_JUMP];
    for (enum state state = STATE_OWN; there != NULL && state < STATE_OTHER; state++) {
        state_put(finder, entry, state, code);
        if (memcmp(there, code, sizeof code) == 0)
            return state;
    }
    return STATE_OTHER;
}

static int change_add(struct finder *finder, const struct patch_change *change)
{
    struct patch_changes *changes = finder->changes;
    return array_add(&changes->items, &changes->count, &changes->capacity, *change, finder->error);
}

/* No thread may be behind `start` and before `end`. */
static int risk_add(struct finder *finder, uint64_t start, uint64_t end)
{
    struct patch_changes *changes = finder->changes;
    const struct stopped_range risk = {start, end};
    if (array_add(&changes->risks, &changes->risks_count, &changes->risks_capacity, risk,
                  finder->error) != 0)
        return -1;
    return array_add(&changes->risk_units, &changes->risk_units_count,
                     &changes->risk_units_capacity, changes->units, finder->error);
}

/* Each entry begins a unit of its own; a hop is of its donor's. */
static int entry_change(struct finder *finder, const struct fisql_patch_entry *entry,
                        enum state from, enum state to)
{
    uint64_t at = entry->address + finder->area->bias;
    struct patch_change change = {
        .address = at, .unit = finder->changes->units, .bytes = FISQL_PATCH_JUMP};
    if (from == to)
        return 0;
    state_put(finder, entry, from, change.before);
    state_put(finder, entry, to, change.after);
    if (change_add(finder, &change) != 0)
        return -1;
    return from == STATE_OWN ? risk_add(finder, at, at + FISQL_PATCH_JUMP) : 0;
}

/* The function's two bytes and its hop: are they there? STATE_OTHER if they are something else. */
static enum state hop_state(struct finder *finder, const struct fisql_patch_entry *entry)
{
    uint64_t at = entry->address + finder->area->bias;
    uint64_t hop = fisql_patch_jump(entry) + finder->area->bias;
    const unsigned char leap[FISQL_PATCH_SHORT_JUMP] = {0xeb, (unsigned char)entry->hop};
    unsigned char jump[FISQL_PATCH_JUMP];
    jump_put(jump, hop, stub_at(finder, entry));
    const unsigned char *there = window_at(&finder->text, at, sizeof leap);
    if (there == NULL)
        return STATE_OTHER;
    bool own = memcmp(there, entry->before, sizeof leap) == 0;
    bool leaps = memcmp(there, leap, sizeof leap) == 0;
    there = window_at(&finder->text, hop, sizeof jump);
    if (there != NULL && own && memcmp(there, entry->under, sizeof jump) == 0)
        return STATE_OWN;
    return there != NULL && leaps && memcmp(there, jump, sizeof jump) == 0 ? STATE_HOOKED
                                                                           : STATE_OTHER;
}

static int hop_change(struct finder *finder, const struct fisql_patch_entry *entry, bool on)
{
    uint64_t at = entry->address + finder->area->bias;
    uint64_t hop = fisql_patch_jump(entry) + finder->area->bias;
    uint32_t unit = finder->changes->units;
    const unsigned char leap[FISQL_PATCH_SHORT_JUMP] = {0xeb, (unsigned char)entry->hop};
    struct patch_change start = {.address = at, .unit = unit, .bytes = sizeof leap};
    struct patch_change jump = {.address = hop, .unit = unit, .bytes = FISQL_PATCH_JUMP};
    memcpy(on ? start.before : start.after, entry->before, sizeof leap);
    memcpy(on ? start.after : start.before, leap, sizeof leap);
    memcpy(on ? jump.before : jump.after, entry->under, FISQL_PATCH_JUMP);
    jump_put(on ? jump.after : jump.before, hop, stub_at(finder, entry));
    if (change_add(finder, &start) != 0 || change_add(finder, &jump) != 0 ||
        (on && risk_add(finder, at, at + sizeof leap) != 0))
        return -1;
    /* A thread may be at the hop itself. */
    return risk_add(finder, hop - 1, hop + FISQL_PATCH_JUMP);
}

static bool can_move(const struct finder *finder, const struct fisql_patch_entry *entry)
{
    return (entry->flags & FISQL_PATCH_CALLS) == 0 || !finder->process->returns_kept;
}

static bool is_left_out(const struct patch_attached *attached, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < attached->count; i++)
        if (attached->left_out[i] > start && attached->left_out[i] < end)
            return true;
    return false;
}

/* May it be patched in a process that was attached to? What attaching does not list is not put back
 * when the process is left (attach_text.h). */
static bool is_free(const struct finder *finder, uint32_t index)
{
    const struct patch_attached *attached = finder->process->attached;
    const struct fisql_patch *plan = finder->known->plan;
    const struct fisql_patch_entry *entries = fisql_patch_entries(plan), *entry = &entries[index];
    if (attached == NULL)
        return true;
    uint64_t at = entry->address + finder->area->bias;
    uint64_t jump = fisql_patch_jump(entry) + finder->area->bias;
    return fisql_patch_fits_running(entries, plan->entries_count, index) &&
           !is_left_out(attached, at, at + fisql_patch_taken(entry)) &&
           (entry->hop == 0 || !is_left_out(attached, jump - 1, jump + FISQL_PATCH_JUMP));
}

/* The unit of an entry that has no hop itself, and of the one whose hop it donates. */
static int unit_find(struct finder *finder, uint32_t index)
{
    const struct known_plan *known = finder->known;
    const struct fisql_patch_entry *entries = fisql_patch_entries(known->plan);
    const struct fisql_patch_entry *entry = &entries[index], *other = NULL;
    if (known->hop_of[index] != 0)
        other = &entries[known->hop_of[index] - 1];
    enum state from = state_of(finder, entry);
    enum state other_from = other != NULL ? hop_state(finder, other) : STATE_OWN;
    bool can = can_move(finder, entry) && is_free(finder, index);
    bool hops = other != NULL && can && can_move(finder, other) && known->wanted[other - entries];
    if (hops && finder->process->attached != NULL)
        hops = known->wanted[index] && is_free(finder, (uint32_t)(other - entries));
    enum state to = known->wanted[index] && can ? STATE_HOOKED : hops ? STATE_PASSED : STATE_OWN;
    if (from == STATE_OTHER || other_from == STATE_OTHER)
        return 0;
    if (from == to && (other_from == STATE_HOOKED) == hops)
        return 0;
    if (entry_change(finder, entry, from, to) != 0 ||
        ((other_from == STATE_HOOKED) != hops && hop_change(finder, other, hops) != 0))
        return -1;
    finder->changes->units++;
    return 0;
}

/* ---- links ---- */

/* Is the function that a link leads to wished? 0 = no, 1 = yes, -1 = it leads to none, or to the
 * collector itself. */
static int link_wished(struct finder *finder, const struct fisql_patch_link *link)
{
    uint64_t function;
    const unsigned char *there = window_at(
        &finder->stubs, finder->area->memory + FISQL_PATCH_HEAD + link->stub - 16, sizeof function);
    if (there == NULL)
        return -1;
    memcpy(&function, there, sizeof function);
    if (function == 0 || function == FISQL_PATCH_FINDS)
        return -1;
    const struct process_maps *maps = finder->process->maps;
    const struct process_mapping *mapping = process_maps_at(maps, function);
    if (mapping == NULL)
        return -1;
    return patch_wish_has(finder->process->wish, mapping->path,
                          function - process_maps_bias(maps, mapping));
}

static int reference_find(struct finder *finder, const struct fisql_patch_reference *reference)
{
    const struct fisql_patch_link *link = &fisql_patch_links(finder->known->plan)[reference->link];
    uint64_t code = finder->area->memory + FISQL_PATCH_HEAD;
    bool in_stub = (reference->flags & FISQL_PATCH_IN_STUB) != 0;
    uint64_t at = reference->place + (in_stub ? code : finder->area->bias);
    int32_t own = (int32_t)(int64_t)(link->slot + finder->area->bias - at - DISTANCE);
    int32_t led = (int32_t)(int64_t)(code + link->stub - FISQL_PATCH_LINK_HEAD - at - DISTANCE);
    struct patch_change change = {.address = at, .unit = finder->changes->units, .bytes = DISTANCE};
    int wished = link_wished(finder, link);
    const unsigned char *there = window_at(in_stub ? &finder->stubs : &finder->text, at, DISTANCE);
    const int32_t *from = wished > 0 ? &own : &led, *to = wished > 0 ? &led : &own;
    if (wished < 0 || there == NULL || memcmp(there, from, DISTANCE) != 0)
        return 0;
    memcpy(change.before, from, DISTANCE);
    memcpy(change.after, to, DISTANCE);
    finder->changes->units++;
    return change_add(finder, &change);
}

int patch_changes_find(struct patch_changes *changes, const struct patch_process *process,
                       const struct fisql_patch_area *area, uint32_t index,
                       const struct known_plan *known, struct error *error)
{
    struct patch_changes_area found = {.area = *area, .index = index, .first_unit = changes->units};
    const struct fisql_patch *plan = known->plan;
    const struct fisql_patch_entry *entries = fisql_patch_entries(plan);
    unsigned char *data = malloc(2 * WINDOW_BYTES);
    if (data == NULL)
        return error_set(error, "out of memory for the code of a process");
    struct finder finder = {.changes = changes,
                            .process = process,
                            .area = area,
                            .known = known,
                            .text = {.memory = process->memory, .data = data},
                            .stubs = {.memory = process->memory, .data = data + WINDOW_BYTES},
                            .error = error};
    int result = 0;
    for (uint32_t i = 0; i < plan->entries_count && result == 0; i++)
        if (entries[i].hop == 0)
            result = unit_find(&finder, i);
    for (uint32_t i = 0; i < plan->references_count && result == 0; i++)
        result = reference_find(&finder, &fisql_patch_references(plan)[i]);
    free(data);
    found.next = changes->units;
    if (result == 0 && found.next > found.first_unit)
        result = array_add(&changes->areas, &changes->areas_count, &changes->areas_capacity, found,
                           error);
    return result;
}

/* ---- making them ---- */

static int by_address(const void *left, const void *right)
{
    const struct patch_change *one = left, *other = right;
    return (one->address > other->address) - (one->address < other->address);
}

struct placed_risk {
    struct stopped_range range;
    uint32_t unit;
};

static int by_end(const void *left, const void *right)
{
    const struct placed_risk *one = left, *other = right;
    return (one->range.end > other->range.end) - (one->range.end < other->range.end);
}

int patch_changes_ready(struct patch_changes *changes, struct error *error)
{
    size_t count = changes->risks_count;
    struct placed_risk *risks = malloc((count + 1) * sizeof *risks);
    changes->given_up = calloc((size_t)changes->units + 1, sizeof *changes->given_up);
    if (risks == NULL || changes->given_up == NULL) {
        free(risks);
        return error_set(error, "out of memory for the code of a process");
    }
    for (size_t i = 0; i < count; i++)
        risks[i] = (struct placed_risk){changes->risks[i], changes->risk_units[i]};
    array_sort(risks, count, by_end);
    for (size_t i = 0; i < count; i++) {
        changes->risks[i] = risks[i].range;
        changes->risk_units[i] = risks[i].unit;
    }
    free(risks);
    array_sort(changes->items, changes->count, by_address);
    return 0;
}

void patch_changes_avoid(struct patch_changes *changes, uint64_t position)
{
    size_t low = 0, high = changes->risks_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (changes->risks[middle].end <= position)
            low = middle + 1;
        else
            high = middle;
    }
    /* A hop's begins within its donor's, and no more than two overlap. */
    for (size_t i = low; i < low + 2 && i < changes->risks_count; i++)
        if (position > changes->risks[i].start)
            changes->given_up[changes->risk_units[i]] = true;
}

void patch_changes_check(struct patch_changes *changes, const struct fisql_patch_areas *areas)
{
    for (size_t i = 0; i < changes->areas_count; i++) {
        const struct patch_changes_area *found = &changes->areas[i];
        const struct fisql_patch_area *now = &areas->areas[found->index];
        bool same = now->start == found->area.start && now->end == found->area.end &&
                    now->bias == found->area.bias && now->memory == found->area.memory &&
                    now->plan.offset == found->area.plan.offset;
        for (uint32_t unit = found->first_unit; unit < found->next && !same; unit++)
            changes->given_up[unit] = true;
    }
}

/* A page of the process that is being changed, and a piece of the next one. */
struct page {
    uint64_t start;
    size_t from, to; /* what has changed */
    unsigned char bytes[PAGE_BYTES + 16];
};

static bool page_put(const struct stopped *stopped, struct page *page)
{
    return page->to <= page->from || stopped_write(stopped, page->start + page->from,
                                                   page->bytes + page->from, page->to - page->from);
}

/* Reads the page of an address, and as much of the next one as the change needs. */
static bool page_get(const struct stopped *stopped, struct page *page, uint64_t address,
                     size_t bytes)
{
    uint64_t start = address & ~(uint64_t)(PAGE_BYTES - 1);
    size_t more = address + bytes > start + PAGE_BYTES ? 16 : 0;
    page->start = start;
    page->from = PAGE_BYTES + 16;
    page->to = 0;
    return stopped_read(stopped, start, page->bytes, PAGE_BYTES + more);
}

/* Gives up units of which bytes are no longer what they were: a debugger has been there. */
static void check_bytes(struct patch_changes *changes, const struct stopped *stopped)
{
    struct page page = {.start = UINT64_MAX};
    for (size_t i = 0; i < changes->count; i++) {
        const struct patch_change *change = &changes->items[i];
        size_t at = change->address & (PAGE_BYTES - 1);
        bool there = (change->address - at == page.start && at + change->bytes <= PAGE_BYTES) ||
                     page_get(stopped, &page, change->address, change->bytes);
        if (!there)
            page.start = UINT64_MAX;
        if (!there || memcmp(page.bytes + at, change->before, change->bytes) != 0)
            changes->given_up[change->unit] = true;
    }
}

static bool write_bytes(const struct patch_changes *changes, const struct stopped *stopped)
{
    struct page page = {.start = UINT64_MAX};
    bool all = true;
    for (size_t i = 0; i < changes->count; i++) {
        const struct patch_change *change = &changes->items[i];
        size_t at = change->address & (PAGE_BYTES - 1);
        if (changes->given_up[change->unit]) {
            all = false;
            continue;
        }
        if (change->address - at != page.start || at + change->bytes > PAGE_BYTES) {
            all &= page_put(stopped, &page);
            if (!page_get(stopped, &page, change->address, change->bytes)) {
                page = (struct page){.start = UINT64_MAX};
                all = false;
                continue;
            }
        }
        memcpy(page.bytes + at, change->after, change->bytes);
        page.from = at < page.from ? at : page.from;
        page.to = at + change->bytes > page.to ? at + change->bytes : page.to;
    }
    return page_put(stopped, &page) && all;
}

bool patch_changes_write(struct patch_changes *changes, const struct stopped *stopped)
{
    check_bytes(changes, stopped);
    return write_bytes(changes, stopped);
}

void patch_changes_release(struct patch_changes *changes)
{
    free(changes->items);
    free(changes->risks);
    free(changes->risk_units);
    free(changes->given_up);
    free(changes->areas);
    *changes = (struct patch_changes){.count = 0};
}
