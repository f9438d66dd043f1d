/* See attach_text.h. */
#include "cli/record/attach_text.h"

#include "base/array.h"
#include "cli/record/attach_stay.h"
#include "formats/patch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PLAN_BYTES_MAX ((uint64_t)1 << 30)
#define STEPS_MAX 64u
#define BLOCK_BYTES_MAX (16u << 20)
#define BLOCKS_MAX (1u << 20)
#define PAGE 4096u

/* ---- what will be replaced ---- */

static int range_add(struct attach_text *text, uint64_t start, uint64_t end, struct error *error)
{
    return array_add(&text->ranges, &text->ranges_count, &text->ranges_capacity,
                     ((struct stopped_range){start, end}), error);
}

static int change_add(struct attach_text *text, const struct stopped *stopped, uint64_t address,
                      uint32_t bytes, struct error *error)
{
    struct attach_change change = {.address = address, .bytes = (unsigned char)bytes};
    if (!stopped_read(stopped, address, change.before, bytes))
        return 0; /* the module is gone: it will not be patched */
    return array_add(&text->changes, &text->changes_count, &text->changes_capacity, change, error);
}

static int entry_read(struct attach_text *text, const struct stopped *stopped,
                      const struct fisql_patch *plan, uint32_t index, uint64_t bias,
                      struct error *error)
{
    const struct fisql_patch_entry *entry = &fisql_patch_entries(plan)[index];
    uint64_t address = entry->address + bias, jump = fisql_patch_jump(entry) + bias;
    uint32_t taken = fisql_patch_taken(entry);
    if (!fisql_patch_fits_running(fisql_patch_entries(plan), plan->entries_count, index))
        return 0; /* never replaced in a process that runs */
    if (range_add(text, address, address + taken, error) != 0 ||
        change_add(text, stopped, address, taken, error) != 0)
        return -1;
    if (entry->hop == 0)
        return 0;
    /* what begins where the hop will lie belongs to another function */
    return range_add(text, jump - 1, jump + FISQL_PATCH_JUMP, error) == 0
               ? change_add(text, stopped, jump, FISQL_PATCH_JUMP, error)
               : -1;
}

static int area_read(struct attach_text *text, const struct stopped *stopped,
                     const struct fisql_attach_area *area, struct error *error)
{
    int status = 0;
    if (area->plan_bytes < sizeof(struct fisql_patch) || area->plan_bytes > PLAN_BYTES_MAX)
        return error_set(error, "process %d: a plan in it is damaged", (int)stopped->pid);
    struct fisql_patch *plan = malloc(area->plan_bytes);
    if (plan == NULL)
        return error_set(error, "out of memory for %llu bytes",
                         (unsigned long long)area->plan_bytes);
    if (!stopped_read(stopped, area->plan, plan, area->plan_bytes) ||
        !fisql_patch_is_sound(plan, area->plan_bytes, area->start - area->bias,
                              area->end - area->bias))
        status = error_set(error, "process %d: a plan in it is damaged", (int)stopped->pid);
    for (uint32_t i = 0; status == 0 && i < plan->entries_count; i++)
        status = entry_read(text, stopped, plan, i, area->bias, error);
    free(plan);
    return status;
}

static int range_order(const void *left, const void *right)
{
    const struct stopped_range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Sorts them, and makes one of those that overlap. */
static void ranges_join(struct attach_text *text)
{
    size_t count = 0;
    array_sort(text->ranges, text->ranges_count, range_order);
    for (size_t i = 0; i < text->ranges_count; i++) {
        const struct stopped_range range = text->ranges[i];
        if (count > 0 && range.start < text->ranges[count - 1].end) {
            if (range.end > text->ranges[count - 1].end)
                text->ranges[count - 1].end = range.end;
        } else {
            text->ranges[count++] = range;
        }
    }
    text->ranges_count = count;
}

int attach_text_read(struct attach_text *text, const struct stopped *stopped, uint64_t attached,
                     struct error *error)
{
    const struct fisql_attached *said = &text->attached;
    if (!stopped_read(stopped, attached, &text->attached, sizeof text->attached) ||
        said->version != FISQL_ATTACH_VERSION || said->areas_count > FISQL_ATTACH_AREAS_MAX ||
        said->site_bytes == 0 || said->block_bytes % PAGE != 0 ||
        said->block_bytes > BLOCK_BYTES_MAX || said->blocks_count > BLOCKS_MAX ||
        said->block_slot % sizeof(uint64_t) != 0)
        return error_set(error, "process %d: its collector does not answer", (int)stopped->pid);
    size_t bytes = said->areas_count * sizeof *text->areas;
    text->areas = malloc(bytes + 1);
    if (text->areas == NULL)
        return error_set(error, "out of memory for %zu bytes", bytes);
    if (!stopped_read(stopped, said->areas, text->areas, bytes))
        return error_set(error, "process %d: its collector does not answer", (int)stopped->pid);
    for (uint32_t i = 0; i < said->areas_count; i++)
        if (area_read(text, stopped, &text->areas[i], error) != 0)
            return -1;
    ranges_join(text);
    return 0;
}

void attach_text_release(struct attach_text *text)
{
    free(text->areas);
    free(text->changes);
    free(text->ranges);
    *text = (struct attach_text){.changes = NULL};
}

/* ---- threads in the way ---- */

struct leaving_out {
    const struct attach_text *text;
    uint64_t *items;
    size_t count, capacity;
    struct error *error;
    bool failed;
};

static void leave_out(uint64_t position, void *context)
{
    struct leaving_out *left = context;
    if (stopped_in(left->text->ranges, left->text->ranges_count, position) &&
        array_add(&left->items, &left->count, &left->capacity, position, left->error) != 0)
        left->failed = true;
}

int attach_text_clear(const struct attach_text *text, struct stopped *stopped, uint64_t **items,
                      size_t *count, struct error *error)
{
    struct leaving_out left = {.text = text, .error = error};
    for (size_t i = 0; i < stopped->count; i++) {
        if (stopped->threads[i].held &&
            !stopped_step_out(stopped, i, text->ranges, text->ranges_count, STEPS_MAX))
            leave_out(stopped_position(&stopped->threads[i]), &left);
        /* a call that was interrupted begins again at its instruction */
        if ((int64_t)stopped->threads[i].registers.orig_rax >= 0)
            leave_out(stopped_position(&stopped->threads[i]) - 2, &left);
        stopped_contexts(stopped, i, leave_out, &left);
    }
    *items = left.items;
    *count = left.count;
    return left.failed ? -1 : 0;
}

/* ---- taking back ---- */

static bool in_stubs(const struct attach_text *text, uint64_t address)
{
    for (uint32_t i = 0; i < text->attached.areas_count; i++)
        if (address - text->areas[i].memory < text->areas[i].bytes)
            return true;
    return false;
}

/* Is it what the collector put there: a jump to a stub, or a short one to a hop? */
static bool is_ours(const struct attach_text *text, const struct attach_change *change,
                    const unsigned char *now)
{
    int32_t displacement;
    if (change->bytes == FISQL_PATCH_SHORT_JUMP)
        return now[0] == 0xeb;
    memcpy(&displacement, now + 1, sizeof displacement);
    return now[0] == 0xe9 &&
           in_stubs(text, change->address + FISQL_PATCH_JUMP + (uint64_t)(int64_t)displacement);
}

size_t attach_text_restore(const struct attach_text *text, const struct stopped *stopped)
{
    size_t restored = 0;
    /* Backwards: a short jump first, then its hop. */
    for (size_t i = text->changes_count; i-- > 0;) {
        const struct attach_change *change = &text->changes[i];
        unsigned char now[sizeof change->before];
        if (stopped_read(stopped, change->address, now, change->bytes) &&
            memcmp(now, change->before, change->bytes) != 0 && is_ours(text, change, now))
            restored += stopped_write(stopped, change->address, change->before, change->bytes);
    }
    return restored;
}

static bool is_site_return(const struct attach_text *text, uint64_t address)
{
    const struct fisql_attached *said = &text->attached;
    return address >= said->sites_start && address < said->sites_end &&
           (address - said->sites_start) % said->site_bytes == said->site_back;
}

/* A page of the mirror. Within a page, the xor only changes the words' order. */
static size_t page_restore(const struct attach_text *text, const struct stopped *stopped,
                           uint64_t page)
{
    uint64_t mirror[PAGE / 8], slots[PAGE / 8], stack = page ^ text->attached.mirror;
    size_t restored = 0, within = stack % PAGE / 8;
    if (!stopped_read(stopped, page, mirror, sizeof mirror) ||
        !stopped_read(stopped, stack - stack % PAGE, slots, sizeof slots))
        return 0; /* the stack is gone */
    for (size_t i = 0; i < PAGE / 8; i++)
        if (mirror[i] != 0 && is_site_return(text, slots[i ^ within]))
            restored += stopped_write(stopped, (page + i * 8) ^ text->attached.mirror, &mirror[i],
                                      sizeof mirror[i]);
    return restored;
}

#define PAGE_PRESENT ((uint64_t)3 << 62) /* in memory, or swapped out */

/* The part of the mirror that belongs to a block of a stack: only the pages that were written. */
static size_t block_restore(const struct attach_text *text, const struct stopped *stopped,
                            int pagemap, uint64_t block)
{
    uint64_t start = block ^ (text->attached.mirror & ~(uint64_t)(PAGE - 1));
    uint64_t pages = text->attached.block_bytes / PAGE;
    uint64_t *present = malloc(pages * sizeof *present);
    size_t restored = 0;
    bool known =
        present != NULL && pagemap >= 0 &&
        pread(pagemap, present, pages * sizeof *present, (off_t)(start / PAGE * sizeof *present)) ==
            (ssize_t)(pages * sizeof *present);
    for (uint64_t i = 0; i < pages; i++)
        if (!known || (present[i] & PAGE_PRESENT) != 0)
            restored += page_restore(text, stopped, start + i * PAGE);
    free(present);
    return restored;
}

size_t attach_slots_restore(const struct attach_text *text, const struct stopped *stopped)
{
    char path[64];
    uint64_t table = 0, bytes = (uint64_t)text->attached.blocks_count * sizeof(uint64_t);
    size_t restored = 0;
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)stopped->pid);
    if (!stopped_read(stopped, text->attached.blocks, &table, sizeof table) || table == 0)
        return 0; /* no hook has run */
    uint64_t *blocks = malloc(bytes);
    int pagemap = open(path, O_RDONLY | O_CLOEXEC);
    if (blocks != NULL && stopped_read(stopped, table, blocks, bytes))
        for (uint32_t i = 0; i < text->attached.blocks_count; i++)
            if (blocks[i] != 0)
                restored += block_restore(text, stopped, pagemap, blocks[i]);
    if (pagemap >= 0)
        close(pagemap);
    free(blocks);
    return restored;
}

/* ---- who is in the collector ---- */

static bool is_collectors(const struct attach_text *text, uint64_t address)
{
    return (address >= text->attached.code_start && address < text->attached.code_end) ||
           in_stubs(text, address);
}

struct looking {
    const struct attach_text *text;
    bool found;
};

static void look(uint64_t position, void *context)
{
    struct looking *looking = context;
    looking->found |= is_collectors(looking->text, position);
}

/* Do the thread's own variables say that it is at work in the collector? */
static bool says_inside(const struct attach_text *text, const struct stopped *stopped,
                        const struct stopped_thread *thread)
{
    const struct fisql_attached *said = &text->attached;
    uint64_t pointer = thread->registers.fs_base, hook = 0, log = 0, busy = 0;
    if (said->block_slot != 0)
        pointer = attach_block(stopped, thread, said->block_slot);
    uint32_t inside = 0, forking = 0, ending = 0;
    if (pointer == 0 ||
        !stopped_read(stopped, pointer + (uint64_t)said->hook, &hook, sizeof hook) ||
        !stopped_read(stopped, pointer + (uint64_t)said->inside, &inside, sizeof inside) ||
        !stopped_read(stopped, pointer + (uint64_t)said->forking, &forking, sizeof forking) ||
        !stopped_read(stopped, pointer + (uint64_t)said->ending, &ending, sizeof ending) ||
        !stopped_read(stopped, pointer + (uint64_t)said->log, &log, sizeof log))
        return false; /* a thread that begins or ends */
    if (log != 0 && !stopped_read(stopped, log + said->log_busy, &busy, sizeof busy))
        busy = 0;
    return hook != 0 || inside != 0 || forking != 0 || ending != 0 || busy != 0;
}

size_t attach_inside(const struct attach_text *text, const struct stopped *stopped)
{
    for (size_t i = 0; i < stopped->count; i++) {
        const struct stopped_thread *thread = &stopped->threads[i];
        struct looking looking = {text, is_collectors(text, stopped_position(thread))};
        if (looking.found || says_inside(text, stopped, thread))
            return i;
        stopped_contexts(stopped, i, look, &looking);
        if (looking.found)
            return i;
    }
    return stopped->count;
}
#endif
