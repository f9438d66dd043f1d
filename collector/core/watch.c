/* Functions with callbacks: see watch.h. */
#include "collector/core/watch.h"

#include "collector/core/event.h"
#include "collector/core/feature.h"
#include "collector/core/fork_mark.h"
#include "collector/core/held.h"
#include "collector/core/lock.h"
#include "collector/values/values_hook.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#define PLACES_MIN 1024u

struct watch_table *watch_table;
THREAD_LOCAL uint64_t watch_frame;
static THREAD_LOCAL int cancel_before; /* the thread's state before its callbacks */
static uint32_t table_lock;            /* taken with signals blocked */

/* ---- the table ---- */

static struct watch_table *table_make(uint64_t places)
{
    size_t bytes = sizeof(struct watch_table) + places * sizeof(struct watch_place);
    if (silent())
        return NULL;
    struct watch_table *table =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED)
        return NULL;
    table->places = places;
    return table;
}

static void table_put(struct watch_table *table, uint64_t function, uint64_t callbacks)
{
    uint64_t i = watch_place_of(table, function);
    while (table->at[i].function != 0 && table->at[i].function != function)
        i = (i + 1) & (table->places - 1);
    struct watch_place *place = &table->at[i];
    __atomic_store_n(&place->callbacks, place->callbacks | callbacks, __ATOMIC_RELAXED);
    table->taken += place->function == 0;
    __atomic_store_n(&place->function, function, __ATOMIC_RELEASE);
}

/* A table with room for `count` more. Hooks may be reading the old one: it stays, and all old ones
 * together are no larger than this one. */
static struct watch_table *table_with_room(size_t count)
{
    struct watch_table *table = watch_table;
    uint64_t places = table != NULL ? table->places : PLACES_MIN;
    while ((table != NULL ? table->taken : 0) + count > places / 2)
        places *= 2;
    if (table != NULL && places == table->places)
        return table;
    struct watch_table *larger = table_make(places);
    for (uint64_t i = 0; larger != NULL && table != NULL && i < table->places; i++)
        if (table->at[i].function != 0)
            table_put(larger, table->at[i].function, table->at[i].callbacks);
    if (larger != NULL)
        __atomic_store_n(&watch_table, larger, __ATOMIC_RELEASE);
    return larger;
}

bool watch_add(const uint64_t *functions, size_t count, uint64_t bias, uint64_t callbacks)
{
    lock_acquire(&table_lock);
    struct watch_table *table = table_with_room(count);
    for (size_t i = 0; table != NULL && i < count; i++)
        table_put(table, functions[i] + bias, callbacks);
    lock_release(&table_lock);
    return table != NULL;
}

static void take(uint64_t start, uint64_t end, uint64_t callbacks)
{
    lock_acquire(&table_lock);
    for (uint64_t i = 0; watch_table != NULL && i < watch_table->places; i++) {
        struct watch_place *place = &watch_table->at[i];
        if (place->function >= start && place->function < end)
            __atomic_fetch_and(&place->callbacks, ~callbacks, __ATOMIC_RELAXED);
    }
    lock_release(&table_lock);
}

void watch_remove(uint64_t callbacks)
{
    take(0, UINT64_MAX, callbacks);
}

void watch_forget(uint64_t start, uint64_t end)
{
    take(start, end, UINT64_MAX);
}

void watch_set(bool on)
{
    __atomic_store_n(&process.watched, on, __ATOMIC_RELEASE);
    fork_mark_filtered();
}

void watch_forked(void)
{
    lock_forked(&table_lock);
}

/* ---- running callbacks ---- */

static THREAD_LOCAL bool slow; /* the thread's last callbacks took long */

/* result_follows: the log gets the call's result behind its end, where nothing may come between. */
static void run(const struct watched *call, bool result_follows)
{
    int error = errno;
    struct held held;
    held_begin(&held, slow);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_before);
    collector_inside++;
    BARRIER();
    watch_frame = FRAME_ADDRESS();
    FEATURES_CALL(watched)(call);
    watch_frame = 0;
    BARRIER();
    collector_inside--;
    pthread_setcancelstate(cancel_before, NULL);
    slow = held_end(&held, !result_follows);
    errno = error;
}

void watch_abandoned(void)
{
    watch_frame = 0;
    collector_inside--;
    pthread_setcancelstate(cancel_before, NULL);
}

/* ---- values ---- */

/* Room for the event of values, and what its writing may touch behind it. */
#define UNITS_MAX (2 + (FISQL_VALUES_BYTES_MAX + 64u) / 2)

#ifdef FISQL_VALUES
static void values_take(struct watched *call, uint16_t *units, uint64_t stack, uint64_t recipe)
{
    struct thread_log *log = current_log;
    uint32_t code = call->ends ? FISQL_CODE_RESULT : FISQL_CODE_ARGUMENTS, count = 0;
    bool awaits = false;
    if (recipe != 0 && (recipe & RECIPE_PLAIN) == 0)
        count = call->ends ? values_result_there(log, units, recipe, call->function, stack, &awaits)
                           : values_arguments(log, units, recipe, call->function, stack);
    if (count == 0)
        return;
    call->values = (unsigned char *)(units + 1);
    call->values_bytes = count == 1 ? 1 : (uint32_t)(units[0] >> 1) - code;
}

static bool result_follows(const struct watched *call, uint64_t stack, uint64_t recipe)
{
    if (recipe == 0 || (recipe & RECIPE_PLAIN) != 0 || call->values_bytes != 0)
        return false;
    const struct recipe *it =
        recipe_of(recipe, values_frame_by(recipe, stack)->hook_return, call->function);
    return it != NULL && it->exit && it->at_hook == RECIPE_COMES;
}
#else
static void values_take(struct watched *call, uint16_t *units, uint64_t stack, uint64_t recipe)
{
    (void)call, (void)units, (void)stack, (void)recipe;
}

static bool result_follows(const struct watched *call, uint64_t stack, uint64_t recipe)
{
    (void)call, (void)stack, (void)recipe;
    return false;
}
#endif

/* Apart, so that hooks without callbacks take no such stack. */
static __attribute__((noinline)) void tell(const struct watched *without_values, uint64_t stack,
                                           uint64_t recipe)
{
    uint16_t units[UNITS_MAX];
    struct watched call = *without_values;
    call.tid = current_log->live.tid;
    values_take(&call, units, stack, recipe);
    run(&call, call.ends && result_follows(&call, stack, recipe));
}

/* ---- hooks ---- */

void watch_entered(uint64_t function, uint64_t site, uint64_t stack, uint64_t recipe)
{
    uint64_t callbacks = watch_callbacks(function);
    const struct thread_log *log = current_log;
    if (LIKELY(callbacks == 0) || log == NULL || log->shadow.blind != 0)
        return;
    uint32_t open = calls_open(log);
    const struct shadow_call *call = &log->shadow.calls[(int64_t)open - 1];
    if (open == 0 || call->function != function || call->site != site || call->stack != stack)
        return; /* it was not recorded */
    const struct watched begun = {
        .callbacks = callbacks, .function = function, .site = site, .depth = open - 1};
    tell(&begun, stack, recipe);
}

void watch_leaves(struct watch_leaving *leaving, uint64_t function, uint64_t site, uint64_t stack,
                  bool tail)
{
    leaving->callbacks = watch_callbacks(function);
    const struct thread_log *log = current_log;
    if (LIKELY(leaving->callbacks == 0) || log == NULL || log->shadow.blind != 0)
        goto nothing;
    int64_t target = shadow_exit_target(log, function, site, stack, tail);
    if (target < 0)
        goto nothing;
    leaving->function = function;
    leaving->site = log->shadow.calls[target].site;
    leaving->depth = (uint32_t)target;
    leaving->unwound = log->shadow.throw_depth > (uint64_t)target;
    return;
nothing:
    leaving->callbacks = 0;
}

static struct watched end_of(const struct watch_leaving *leaving)
{
    return (struct watched){.callbacks = leaving->callbacks,
                            .function = leaving->function,
                            .site = leaving->site,
                            .depth = leaving->depth,
                            .ends = true,
                            .unwound = leaving->unwound};
}

void watch_left(const struct watch_leaving *leaving, uint64_t stack, uint64_t recipe)
{
    const struct thread_log *log = current_log;
    if (leaving->callbacks == 0 || log == NULL || calls_open(log) > leaving->depth)
        return;
    const struct watched ended = end_of(leaving);
    tell(&ended, stack, leaving->unwound ? 0 : recipe);
}

void watch_left_later(const struct watch_leaving *leaving, unsigned char *values,
                      uint32_t values_bytes)
{
    struct watched ended = end_of(leaving);
    if (current_log == NULL || collector_inside != 0)
        return;
    ended.tid = current_log->live.tid;
    ended.values = values;
    ended.values_bytes = values_bytes;
    run(&ended, false);
}
