/* Locks of a live area's threads: see live_locks.h. */
#include "live/live_locks.h"

#include <stdlib.h>

#include "live/live_futex.h"

#define LOOKS_MAX 100u

/* Reads a thread's locks until the copy is whole. */
static bool locks_read(const struct live_thread *thread, const struct live_source *source,
                       struct fisql_live_locks *locks)
{
    for (uint32_t looks = 0; looks < LOOKS_MAX; looks++) {
        struct fisql_live_slot before, after;
        if (!live_source_slot(source, thread->slot, &before) ||
            (before.locks.changes != 0 && !live_source_slot(source, thread->slot, &after)) ||
            before.process_key != thread->process_key || before.thread != thread->thread)
            return false;
        if (before.locks.changes == 0) { /* no lock yet, as always without --locks */
            *locks = (struct fisql_live_locks){0};
            return true;
        }
        if (before.locks.changes % 2 != 0 || before.locks.changes != after.locks.changes)
            continue;
        *locks = before.locks;
        return true;
    }
    return false;
}

bool live_hold_taken(const struct live_thread *thread, const struct fisql_live_locks *locks,
                     uint32_t hold, struct live_taken *taken)
{
    if (hold >= live_holds_count(locks) || hold >= FISQL_LIVE_STACKS_MAX)
        return false;
    const struct fisql_live_stack *stack = &locks->stacks[hold];
    const struct live_calls *open = &thread->stack.open;
    uint64_t calls = locks->holds[hold].point >> FISQL_POINT_DEPTH_BITS, outer;
    uint32_t count = stack->count < FISQL_LIVE_FRAMES_MAX ? stack->count : FISQL_LIVE_FRAMES_MAX;
    *taken = (struct live_taken){.open = 0};
    /* A call that was entered before is the same that was open then, if the thread has it open
     * now. Without a clock, the calls' numbers alone tell. */
    while (taken->open < open->count && open->items[taken->open].enter_tick <= stack->tick &&
           (calls == 0 || open->items[taken->open].call == LIVE_UNKNOWN ||
            open->items[taken->open].call < calls))
        taken->open++;
    outer = thread->stack.outer + (uint64_t)taken->open;
    if (outer > stack->depth) /* it took the lock again meanwhile */
        taken->open = outer = 0;
    taken->kept = stack->depth - (uint32_t)outer < count ? stack->depth - (uint32_t)outer : count;
    taken->unknown = stack->depth - (uint32_t)outer - taken->kept;
    return stack->depth > 0;
}

/* Finds the holder of the lock: the thread that lists it, else the holder when the waiting
 * began. */
static void holder_find(struct live_waits *waits, const struct live_threads *threads, size_t waiter)
{
    struct live_wait *wait = &waits->items[waiter];
    wait->holder = LIVE_NOBODY;
    wait->hold = LIVE_NO_HOLD;
    if (!wait->known || wait->locks.waiting == 0)
        return;
    for (size_t i = 0; i < waits->count; i++) {
        const struct live_wait *other = &waits->items[i];
        if (!other->known || threads->items[i].process_key != threads->items[waiter].process_key)
            continue;
        for (uint32_t h = 0; h < live_holds_count(&other->locks); h++)
            if (other->locks.holds[h].lock == wait->locks.waiting) {
                wait->holder = i;
                wait->hold = h;
                return;
            }
        if (threads->items[i].tid == wait->locks.waiting_holder &&
            (wait->outside || other->locks.held > FISQL_LIVE_HOLDS_MAX))
            wait->holder = i; /* it holds more locks than it can list */
    }
}

/* Do the threads record no locks? */
static bool is_without_locks(const struct live_waits *waits)
{
    for (size_t i = 0; i < waits->count; i++)
        if (!waits->items[i].known || waits->items[i].locks.changes != 0)
            return false;
    return true;
}

static void read_outside(struct live_waits *waits, const struct live_threads *threads)
{
    for (size_t i = 0; i < waits->count && !waits->denied; i++) {
        struct live_wait *wait = &waits->items[i];
        struct live_futex futex;
        enum live_futex_found found =
            live_futex_read(threads->items[i].pid, threads->items[i].tid, &futex);
        waits->denied = found == LIVE_FUTEX_DENIED;
        if (found != LIVE_FUTEX_OWNED)
            continue;
        wait->outside = true;
        wait->switches = futex.switches;
        wait->locks.waiting = futex.address;
        wait->locks.waiting_holder = futex.owner;
        wait->locks.waiting_mode = futex.limited ? FISQL_LOCK_TRIED : 0;
    }
}

int live_waits_read(struct live_waits *waits, const struct live_threads *threads,
                    const struct live_source *source, struct error *error)
{
    *waits = (struct live_waits){.items = calloc(threads->count + 1, sizeof *waits->items),
                                 .count = threads->count};
    if (waits->items == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < threads->count; i++)
        waits->items[i].known = locks_read(&threads->items[i], source, &waits->items[i].locks);
    if (is_without_locks(waits))
        read_outside(waits, threads);
    for (size_t i = 0; i < threads->count; i++)
        holder_find(waits, threads, i);
    return 0;
}

void live_waits_release(struct live_waits *waits)
{
    free(waits->items);
    *waits = (struct live_waits){0};
}

size_t live_waits_circle(const struct live_waits *waits, size_t first, size_t *members, size_t room)
{
    size_t count = 0, at = first;
    do {
        if (count == room || at < first)
            return 0;
        members[count++] = at;
        if (waits->items[at].locks.waiting_mode & FISQL_LOCK_TRIED)
            return 0; /* it will give up */
        at = waits->items[at].holder;
    } while (at != first && at != LIVE_NOBODY);
    return at == first ? count : 0;
}

bool live_wait_lasts(const struct live_wait *wait, const struct live_thread *thread,
                     const struct live_source *source)
{
    struct fisql_live_locks now;
    struct live_futex futex;
    if (wait->outside)
        return live_futex_read(thread->pid, thread->tid, &futex) == LIVE_FUTEX_OWNED &&
               futex.address == wait->locks.waiting && futex.owner == wait->locks.waiting_holder &&
               futex.switches == wait->switches;
    return locks_read(thread, source, &now) && now.waiting == wait->locks.waiting &&
           now.waiting_tick == wait->locks.waiting_tick;
}
