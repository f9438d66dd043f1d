/*
 * Arguments and results of calls: see values.h. This file writes a call's arguments for the slow
 * path and is the feature's struct; results are in values_result.c.
 */
#include "collector/values/values.h"

#include "collector/core/facts.h"
#include "collector/core/live_area.h"
#include "collector/process/process.h"
#include "collector/values/values_exit.h"
#include "collector/values/values_guard.h"
#include "collector/values/values_hook.h"
#include "collector/values/values_late.h"
#include "collector/values/values_read.h"
#include "collector/values/values_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

THREAD_LOCAL uint64_t values_kept;
static bool load_failed, no_memory;
static uint32_t strangers; /* modules that came later, for which nobody could make recipes */
static char stranger[256]; /* the first one's path */
static uint64_t missed;    /* atomic: calls in modules whose recipes were still to come */
static char awaited[256];  /* the first such module's path */

/* The recipe word of the hook with this frame address, if it has kept registers. */
static uint64_t recipe_kept(uint64_t function, uint64_t stack, bool exit)
{
    if (values_patched_stack == stack)
        return recipe_word_patched(function, exit);
    return values_kept == stack ? recipe_word(values_frame(stack)->hook_return) : 0;
}

uint32_t values_arguments_kept(struct thread_log *log, uint16_t *units, uint64_t function,
                               uint64_t stack)
{
    uint64_t recipe = recipe_kept(function, stack, false);
    if (recipe == 0 && values_kept == stack)
        values_missed(stack);
    return recipe != 0 ? values_arguments(log, units, recipe, function, stack) : 0;
}

uint32_t values_result_kept(struct thread_log *log, uint16_t *units, uint64_t function,
                            uint64_t stack, bool *awaits)
{
    uint64_t recipe = recipe_kept(function, stack, true);
    if (recipe == 0)
        recipe = values_plain();
    return recipe != 0 ? values_result(log, units, recipe, function, stack, awaits) : 0;
}

void values_await_kept(struct thread_log *log, uint64_t function, uint64_t site, uint64_t stack,
                       uint64_t after)
{
    uint64_t recipe = recipe_kept(function, stack, true);
    if (recipe != 0)
        values_await(log, recipe, function, site, stack, after);
}

/* ---- a feature of the collector ---- */

static void load(const struct fisql_live_parts *parts)
{
    const struct fisql_live_part *part = &parts->recipes;
    no_memory = !recipes_prepare();
    load_failed = !no_memory && part->bytes != 0 &&
                  !recipes_add(live_area_part(part->offset, part->bytes, false), part->bytes);
}

static bool constants_wanted;

static void deciding(bool at_start)
{
    constants_wanted = at_start;
    read_setup();
    guard_setup();
}

static void module_loaded(const struct feature_module *module)
{
    bool library = !module->calls_hooks && process.options.library_calls;
    values_late_forget(module->start, module->end);
    if (recipes_module(module->path, module->bias, module->start, module->end) ||
        (!module->calls_hooks && !library) || !recipes_there())
        return;
    if (values_late_ask(module)) {
        if (awaited[0] == 0)
            strncpy(awaited, module->path, sizeof awaited - 1);
    } else if (!library && strangers++ == 0) {
        strncpy(stranger, module->path, sizeof stranger - 1);
    }
}

static void starts(void)
{
    values_late_wait(process.options.values_wait_ms);
}

void values_missed(uint64_t stack)
{
    if (values_late_look(values_frame(stack)->hook_return) != LATE_NOBODY)
        __atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
}

static void constants(uint64_t start, uint64_t end)
{
    if (constants_wanted && !process_recording())
        read_constants(start, end);
}

static void forked(void)
{
    strangers = 0; /* the parent reports them */
    missed = 0;
    values_late_forked();
    recipes_forked();
    results_forked();
}

static void forbidden(enum feature_forbidden what)
{
    if (what == FEATURE_NEEDED || what == FEATURE_CALLS)
        read_forbid();
    if (what == FEATURE_CALLS) {
        recipes_take_room();
        results_prepare();
    }
}

static __attribute__((format(printf, 1, 2))) void report(const char *format, ...)
{
    char detail[512];
    unsigned char buffer[1024];
    struct facts facts;
    va_list rest;
    va_start(rest, format);
    vsnprintf(detail, sizeof detail, format, rest);
    va_end(rest);
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS, 0, process.pid);
    facts_text(&facts, FISQL_FACT_LOSS_REASON, "arguments and results not recorded");
    facts_text(&facts, FISQL_FACT_LOSS_DETAIL, detail);
    facts_write(&facts);
}

static void ended(void)
{
    int error;
    struct results_lost lost = results_lost_take();
    uint64_t refused = read_refused(&error);
    uint64_t kept_lost = kept_lost_take();
    uint64_t calls = __atomic_exchange_n(&missed, 0, __ATOMIC_RELAXED);
    if (no_memory)
        report("there was no memory for them; allow the program more (ulimit -d, ulimit -v)");
    if (load_failed)
        report("what fisql record says of them cannot be read");
    if (strangers != 0)
        report("of %u modules that came later: %s ...", strangers, stranger);
    if (calls != 0)
        report("of %llu calls, made before fisql record had read the debug information: %s ...",
               (unsigned long long)calls, awaited);
    if (lost.separated + lost.crowded != 0)
        report("results of %llu calls, behind which a signal handler was recorded first",
               (unsigned long long)(lost.separated + lost.crowded));
    if (kept_lost != 0)
        report(
            "no values at the exit, %llu times: more than %u open calls of a thread wait for some",
            (unsigned long long)kept_lost, KEPT_CALLS_MAX);
    if (refused != 0)
        report("text and the like in memory: process_vm_readv() is refused: %s", strerror(error));
    load_failed = false;
    strangers = 0;
}

/* Made by values_read.c. */
static const int calls[] = {SYS_process_vm_readv};

const struct feature values_feature = {
    .load = load,
    .deciding = deciding,
    .starts = starts,
    .module = module_loaded,
    .constants = constants,
    .forked = forked,
    .thread_ends = results_release,
    .forbidden = forbidden,
    .called = guard_called,
    .ended = ended,
    .calls = calls,
    .calls_count = sizeof calls / sizeof calls[0],
};
