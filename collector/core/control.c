/* Does what `fisql control` asks: see control.h. */
#include "collector/core/control.h"

#include "collector/core/changes.h"
#include "collector/core/counted.h"
#include "collector/core/feature.h"
#include "collector/core/filter.h"
#include "collector/core/fork_mark.h"
#include "collector/core/live_area.h"
#include "collector/core/lock.h"
#include "collector/core/modules.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/core/thread_choice.h"
#include "collector/core/thread_log.h"

#include <string.h>
#include <sys/mman.h>

static const uint32_t nothing_asked;
struct control_mark control_mark = {&nothing_asked, 0};

static uint32_t control_lock; /* taken with signals blocked */
static struct fisql_control done;
static const char *filter_from; /* the current filter, mapped; NULL = none of ours */
static uint64_t filter_bytes;

static void filter_take(uint32_t number, uint32_t size_bytes)
{
    const struct fisql_live_part *room = &process.area->parts.control;
    uint64_t half = room->bytes / 2;
    if (size_bytes == 0 || size_bytes > half)
        return;
    const char *text =
        live_area_part(room->offset + (number % 2 != 0 ? half : 0), size_bytes, false);
    if (text == NULL)
        return;
    modules_filter(text, size_bytes);
    if (filter_from != NULL)
        munmap((void *)(uintptr_t)filter_from, filter_bytes);
    filter_from = text;
    filter_bytes = size_bytes;
    process.filtered = 1;
}

static void counted_apply(const struct feature_module *module, void *context)
{
    (void)context;
    counted_module(module->path, module->bias, module->start, module->end);
}

/* The text with this number that names the functions whose calls are counted; NULL = none. */
static const char *counts_text(const struct fisql_control *asked)
{
    const struct fisql_live_part *room = &process.area->parts.counts;
    uint64_t half = room->bytes / 2;
    if (asked->counts == 0 || asked->counts_bytes == 0 || asked->counts_bytes > half)
        return NULL;
    return live_area_part(room->offset + (asked->counts % 2 != 0 ? half : 0), asked->counts_bytes,
                          false);
}

/* Hooks look for what is counted where they look for what is left out: there has to be a filter. */
static void counts_begin(void)
{
    static const char all[] = "exclude\n";
    if (process.filtered == 0)
        modules_filter(all, sizeof all - 1);
    process.filtered = 1;
}

static void counts_take(const struct fisql_control *asked)
{
    static const char *from;
    static uint64_t bytes;
    const char *text = counts_text(asked);
    if (text == NULL)
        return;
    counted_text(text, asked->counts_bytes);
    modules_each(counted_apply, NULL);
    if (from != NULL)
        munmap((void *)(uintptr_t)from, bytes);
    from = text;
    bytes = asked->counts_bytes;
    counts_begin();
    fork_mark_filtered();
}

/* Takes the choice of threads with this number. */
static void threads_take(uint32_t number, uint32_t size_bytes)
{
    const struct fisql_live_part *room = &process.area->parts.threads;
    uint64_t half = room->bytes / 2;
    size_t before_bytes;
    if (number == 0 || size_bytes == 0 || size_bytes > half)
        return;
    const char *text =
        live_area_part(room->offset + (number % 2 != 0 ? half : 0), size_bytes, false);
    const char *before = text != NULL ? thread_choice_text(text, size_bytes, &before_bytes) : NULL;
    if (before != NULL)
        munmap((void *)(uintptr_t)before, before_bytes);
}

static void take(const struct fisql_control *asked)
{
    if (asked->threads != done.threads)
        threads_take(asked->threads, asked->threads_bytes);
    if (asked->depth != done.depth && asked->depth != 0)
        process.options.depth = asked->depth - 1;
    if (asked->only != done.only) {
        filter_take(asked->only, asked->only_bytes);
        __atomic_fetch_add(&process.filter_settings, 1, __ATOMIC_RELEASE);
        fork_mark_filtered();
    }
    if (asked->counts != done.counts)
        counts_take(asked);
    if (asked->switches != done.switches) {
        uint32_t on = __atomic_load_n(&process.area->recording, __ATOMIC_ACQUIRE);
        __atomic_store_n(&process.paused, on ? 0 : 1, __ATOMIC_SEQ_CST);
        fork_mark_paused();
    }
    done = *asked;
    thread_logs_poke(); /* `dumps` needs no more; depth and filter: see log_turn() */
}

static struct fisql_control asked_now(void)
{
    struct fisql_control asked;
    asked.changes = __atomic_load_n(&process.area->control.changes, __ATOMIC_ACQUIRE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    struct fisql_control rest = process.area->control;
    rest.changes = asked.changes;
    return rest;
}

/* modules_refresh() will apply the filter. */
void control_begin(void)
{
    struct fisql_control asked = asked_now();
    const struct fisql_live_part *room = &process.area->parts.control;
    uint64_t half = room->bytes / 2;
    if (asked.depth != 0)
        process.options.depth = asked.depth - 1;
    const char *text = asked.only != 0 && asked.only_bytes != 0 && asked.only_bytes <= half
                           ? live_area_part(room->offset + (asked.only % 2 != 0 ? half : 0),
                                            asked.only_bytes, false)
                           : NULL;
    if (text != NULL) {
        filter_text(text, asked.only_bytes);
        filter_from = text;
        filter_bytes = asked.only_bytes;
        process.filtered = 1;
    }
    const char *counts = counts_text(&asked);
    if (counts != NULL) {
        counted_text(counts, asked.counts_bytes);
        if (process.filtered == 0)
            filter_text("exclude\n", 8);
        process.filtered = 1;
    }
    threads_take(asked.threads, asked.threads_bytes);
    done = asked;
    control_mark = (struct control_mark){&process.area->control.changes, asked.changes};
}

void control_take(void)
{
    struct quiet quiet;
    if (collector_inside != 0 || !process_recording())
        return;
    if (silent()) { /* can neither block signals nor map a filter */
        __atomic_store_n(&control_mark.known, *control_mark.changes, __ATOMIC_RELAXED);
        return;
    }
    quiet_begin(&quiet);
    lock_acquire(&control_lock);
    struct fisql_control asked = asked_now();
    if (asked.changes != control_mark.known) {
        take(&asked);
        changes_write(false);
        __atomic_store_n(&control_mark.known, asked.changes, __ATOMIC_RELEASE);
    }
    lock_release(&control_lock);
    quiet_end(&quiet);
}

void control_forked(void)
{
    lock_forked(&control_lock);
    counted_forked();
    thread_choice_forked();
}
