/* Callbacks: see calls.h. */
#include "collector/calls/calls.h"

#include "collector/calls/calls_ask.h"
#include "collector/calls/call_arguments.h"
#include "collector/calls/plugin.h"
#include "collector/core/lock.h"
#include "collector/core/modules.h"
#include "collector/core/reserve.h"
#include "collector/core/watch.h"
#include "collector/core/word_wait.h"
#include "collector/fisql.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 10000000000u
#define PAIRS_BYTES ((size_t)1 << 20) /* of address space: 65536 of them */

/* What to call. It never changes: a thread that was slower than fisql_off_call() may still come. */
struct pair {
    fisql_call_function *function;
    void *data;
};

struct callback {
    const struct pair *pair; /* atomic; NULL = the place is free, or about to be */
    uint32_t taken;
};

struct pattern {
    char text[FISQL_CALLS_PATTERN_MAX];
};

static struct callback callbacks[WATCH_CALLBACKS_MAX];
static uint64_t asked;          /* atomic: bits of callbacks for which modules are looked through */
static uint32_t callbacks_lock; /* taken with signals blocked; not while we wait */
static struct reserve pairs;
static uint32_t pairs_used;
static struct reserve patterns; /* one for each of callbacks, once one was asked for */

/* ---- places ---- */

static struct pair *pair_make(fisql_call_function *function, void *data)
{
    size_t at = pairs_used * sizeof(struct pair);
    if (at == PAIRS_BYTES || !reserve_grow(&pairs, PAIRS_BYTES, at + sizeof(struct pair)))
        return NULL;
    struct pair *pair = (struct pair *)reserve_start(&pairs) + pairs_used++;
    *pair = (struct pair){function, data};
    return pair;
}

static char *pattern_of(uint32_t index)
{
    struct pattern *all = reserve_start(&patterns);
    return all[index].text;
}

/* Takes a place for a callback, whose functions nobody knows yet. -1 = there is none. */
static int place_take(const char *pattern, fisql_call_function *function, void *data)
{
    int found = -1;
    lock_acquire(&callbacks_lock);
    for (uint32_t i = 0; found < 0 && i < WATCH_CALLBACKS_MAX; i++)
        if (!callbacks[i].taken)
            found = (int)i;
    const size_t bytes = WATCH_CALLBACKS_MAX * sizeof(struct pattern);
    bool memory = reserve_grow(&patterns, bytes, bytes);
    const struct pair *pair = memory && found >= 0 ? pair_make(function, data) : NULL;
    if (pair == NULL) {
        found = -1;
    } else {
        struct callback *callback = &callbacks[found];
        callback->taken = 1;
        strcpy(pattern_of((uint32_t)found), pattern);
        __atomic_store_n(&callback->pair, pair, __ATOMIC_RELEASE);
        __atomic_fetch_or(&asked, (uint64_t)1 << found, __ATOMIC_SEQ_CST);
        watch_set(true);
    }
    lock_release(&callbacks_lock);
    return found;
}

/* Gives back the places of these bits. */
static void places_free(uint64_t bits)
{
    lock_acquire(&callbacks_lock);
    __atomic_fetch_and(&asked, ~bits, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < WATCH_CALLBACKS_MAX; i++)
        if ((bits >> i & 1) != 0)
            __atomic_store_n(&callbacks[i].pair, NULL, __ATOMIC_RELEASE);
    watch_remove(bits);
    bool any = false;
    for (uint32_t i = 0; i < WATCH_CALLBACKS_MAX; i++) {
        if ((bits >> i & 1) != 0)
            callbacks[i].taken = 0;
        any |= callbacks[i].taken != 0;
    }
    watch_set(any);
    lock_release(&callbacks_lock);
}

/* ---- modules ---- */

static char program[4096]; /* its path */

/* Takes an answer. Returns the number of functions; -1: it did not come, or there is no memory. */
static int64_t take(const struct calls_asked *question, uint64_t bit, uint64_t end_ns)
{
    uint64_t count;
    uint32_t functions;
    const uint64_t *addresses;
    if (!calls_answer(question, end_ns, &functions, &addresses, &count))
        return -1;
    bool added = count == 0 || watch_add(addresses, count, question->bias, bit);
    calls_answer_release(addresses, count);
    return added ? (int64_t)functions : -1;
}

/* The modules of which one callback asks. */
struct asking {
    const char *pattern;
    uint32_t count;
    bool refused;
    struct calls_asked questions[FISQL_CALLS_MAX];
};

static void ask_each(const struct feature_module *module, void *context)
{
    struct asking *asking = context;
    struct calls_asked question;
    if (calls_is_left(module))
        return;
    if (asking->count == FISQL_CALLS_MAX || !calls_ask(&question, module, program, asking->pattern))
        asking->refused = true;
    else
        asking->questions[asking->count++] = question;
}

/* Finds the callback's functions in all modules. Returns their number, or -1. */
static int64_t find_all(int index)
{
    struct asking *asking = calls_scratch(sizeof *asking);
    int64_t functions = 0;
    uint64_t end_ns = word_now_ns() + WAIT_NS;
    if (asking == NULL)
        return -1;
    asking->pattern = pattern_of((uint32_t)index);
    modules_refresh();
    modules_each(ask_each, asking);
    bool refused = asking->refused || asking->count == 0;
    for (uint32_t i = 0; i < asking->count && !refused; i++) {
        int64_t more = take(&asking->questions[i], (uint64_t)1 << index, end_ns);
        refused = more < 0;
        functions += more;
    }
    calls_scratch_release(asking, sizeof *asking);
    return refused ? -1 : functions;
}

/* A hook may be waiting for this, in a module that was loaded later: better than to miss calls. */
static void module_loaded(const struct feature_module *module)
{
    uint64_t bits = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);
    uint64_t end_ns = bits != 0 ? word_now_ns() + WAIT_NS : 0;
    if (module->executable)
        strncpy(program, module->path, sizeof program - 1);
    watch_forget(module->start, module->end);
    for (uint64_t left = calls_is_left(module) ? 0 : bits; left != 0; left &= left - 1) {
        int index = __builtin_ctzll(left);
        struct calls_asked question;
        if (calls_ask(&question, module, program, pattern_of((uint32_t)index)))
            take(&question, (uint64_t)1 << index, end_ns);
    }
}

/* ---- the program's functions ---- */

EXPORT int fisql_on_call(const char *pattern, fisql_call_function *function, void *data)
{
    struct quiet quiet;
    if (pattern == NULL || pattern[0] == 0 || function == NULL ||
        strnlen(pattern, FISQL_CALLS_PATTERN_MAX) == FISQL_CALLS_PATTERN_MAX || !process_active() ||
        silent() || !calls_can_ask())
        return -1;
    quiet_begin(&quiet);
    int index = place_take(pattern, function, data);
    int64_t functions = index >= 0 ? find_all(index) : -1;
    if (index >= 0 && functions < 0)
        places_free((uint64_t)1 << index);
    quiet_end(&quiet);
    return (int)functions;
}

EXPORT int fisql_off_call(fisql_call_function *function, void *data)
{
    struct quiet quiet;
    uint64_t bits = 0;
    if (!process_recording())
        return 0;
    quiet_begin(&quiet);
    for (uint32_t i = 0; i < WATCH_CALLBACKS_MAX; i++) {
        const struct pair *pair = __atomic_load_n(&callbacks[i].pair, __ATOMIC_ACQUIRE);
        if (pair != NULL && pair->function == function && pair->data == data)
            bits |= (uint64_t)1 << i;
    }
    if (bits != 0)
        places_free(bits);
    quiet_end(&quiet);
    return __builtin_popcountll(bits);
}

/* ---- a call ---- */

static void watched(const struct watched *call)
{
    struct fisql_call_value values[CALL_ARGUMENTS_MAX];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned count = call_arguments(call, values);
    const struct fisql_call told = {.ends = call->ends,
                                    .unwound = call->unwound,
                                    .function = (const void *)(uintptr_t)call->function,
                                    .site = (const void *)(uintptr_t)call->site,
                                    .depth = call->depth,
                                    .thread = call->tid,
                                    .ns = (unsigned long long)now.tv_sec * 1000000000u +
                                          (unsigned long long)now.tv_nsec,
                                    .arguments_count = call->ends ? 0 : count,
                                    .arguments = call->ends ? NULL : values,
                                    .result = call->ends && count > 0 ? values : NULL};
    for (uint64_t left = call->callbacks; left != 0; left &= left - 1) {
        const struct pair *pair =
            __atomic_load_n(&callbacks[__builtin_ctzll(left)].pair, __ATOMIC_ACQUIRE);
        if (pair != NULL)
            pair->function(&told, pair->data);
    }
}

static void load(const struct fisql_live_parts *parts)
{
    calls_ask_load(parts);
}

static void forked(void)
{
    lock_forked(&callbacks_lock);
    watch_forked();
}

static __attribute__((constructor)) void calls_constructor(void)
{
    if (process_active())
        plugin_start();
}

const struct feature calls_feature = {
    .load = load, .module = module_loaded, .watched = watched, .forked = forked};
