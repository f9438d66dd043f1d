/* The feature: see patch.h. */
#include "collector/patch/patch.h"

#include "collector/core/facts.h"
#include "collector/core/held.h"
#include "collector/core/hooks.h"
#include "collector/core/late.h"
#include "collector/core/live_area.h"
#include "collector/core/lock.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/true_return.h"
#include "collector/core/word_wait.h"
#include "collector/patch/patch_found.h"
#include "collector/patch/patch_hook.h"
#include "collector/patch/patch_links.h"
#include "collector/patch/patch_module.h"
#include "collector/patch/patch_shown.h"
#include "collector/patch/patch_state.h"
#include "collector/patch/patch_kept.h"
#include "collector/process/process.h"
#include "formats/patch_modules.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

#ifdef FISQL_PATCHES
#define ASKED_MAX 512u
#define WAIT_NS 60000000000u /* planning a large program takes seconds on a busy machine */

/* A module that was asked for. */
struct asked {
    struct feature_module module;
    struct fisql_late_module *entry;
    /* of patch_running_prepare() */
    struct patch_area *area;
    const char *problem;
};
static struct asked *asked; /* mapped when the first is needed */
static uint32_t asked_count, lock;
static char program[256]; /* the program's name */

/* ---- asking and patching ---- */

/* AddressSanitizer and LeakSanitizer name the callers of faults and allocations by the return
 * addresses that they find along frame pointers. Of patched functions they would find call sites. */
static bool is_sanitized(void)
{
    static int8_t known; /* 1 = yes, -1 = no */
    if (known == 0)
        known = quiet_symbol_anywhere("__asan_init") != NULL ||
                        quiet_symbol_anywhere("__lsan_init") != NULL
                    ? 1
                    : -1;
    return known > 0;
}

static uint32_t flags_of(const struct feature_module *module)
{
    bool links = process.options.as_is == 0 || (module->calls_hooks && process.options.as_is < 2);
    uint32_t flags =
        FISQL_LATE_PLAN | (links ? FISQL_LATE_LINKS : patch_values_asked(module->path));
    if (process.options.as_is < 2 && is_sanitized())
        flags |= FISQL_LATE_SANITIZED;
    if (module->executable)
        return flags | FISQL_LATE_EXECUTABLE | FISQL_LATE_OWN;
    return fisql_patch_is_own(program, module->path) ? flags | FISQL_LATE_OWN : flags;
}

static bool is_collector(const struct feature_module *module)
{
    uint64_t own = (uint64_t)(uintptr_t)patch_sites;
    return own >= module->start && own < module->end;
}

static void asked_add(const struct feature_module *module, struct fisql_late_module *entry)
{
    if (asked == NULL) {
        void *memory = mmap(NULL, ASKED_MAX * sizeof *asked, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return;
        asked = memory;
    }
    asked[asked_count++] = (struct asked){*module, entry, NULL, NULL};
}

/* Is it left to the hooks that it calls, its library calls, too? A program that holds the collector is
 * asked for: its plan has its sleds alone (debuginfo/patch/patch_sleds.h). */
static bool is_left(const struct feature_module *module)
{
#ifdef FISQL_WRAP
    return module->calls_hooks && !is_collector(module);
#else
    return (module->calls_hooks && process.options.as_is < 2 && !process.options.library_calls) ||
           is_collector(module);
#endif
}

/* Are modules patched? */
static bool is_on(void)
{
    return process.options.as_is != 0 || process.options.library_calls;
}

static void module_loaded(const struct feature_module *module)
{
    patch_module_gone(module->start, module->end);
    if (module->executable)
        strncpy(program, fisql_patch_name(module->path), sizeof program - 1);
    if (!is_on() || is_left(module) || fisql_patch_is_base(module->path) ||
        asked_count == ASKED_MAX)
        return;
    struct fisql_late_module *entry = late_ask(module, flags_of(module));
    if (entry != NULL)
        asked_add(module, entry);
}

static void facts_put(const struct asked *it, const char *problem, uint32_t patched)
{
    unsigned char buffer[8192];
    struct facts facts;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_MODULES, 0, 0);
    facts_text(&facts, FISQL_FACT_MODULES_MODULE, it->entry->path);
    facts_text(&facts, FISQL_FACT_MODULES_EVENT, FISQL_MODULE_PATCH);
    facts_number(&facts, FISQL_FACT_MODULES_TICK, clock_read(process.clock));
    facts_hex(&facts, FISQL_FACT_MODULES_BIAS, it->module.bias);
    facts_hex(&facts, FISQL_FACT_MODULES_START, it->module.start);
    facts_hex(&facts, FISQL_FACT_MODULES_END, it->module.end);
    facts_number(&facts, FISQL_FACT_MODULES_PATCHED, patched);
    if (problem != NULL)
        facts_text(&facts, FISQL_FACT_MODULES_UNPATCHED, problem);
    facts_write(&facts);
}

#define LEFT_MAX 256u /* in one chunk */

/* Writes which functions were left out because of threads that were in them. */
static void left_put(const struct asked *it)
{
    static uint64_t left[LEFT_MAX]; /* not on the stack, which may be small */
    unsigned char buffer[8192];
    struct facts facts;
    uint32_t count, from = 0;
    while ((count = patch_module_left(it->area, &from, left, LEFT_MAX)) != 0) {
        facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_MODULES, 0, 0);
        facts_text(&facts, FISQL_FACT_MODULES_MODULE, it->entry->path);
        facts_text(&facts, FISQL_FACT_MODULES_EVENT, FISQL_MODULE_LEFT);
        facts_hex(&facts, FISQL_FACT_MODULES_BIAS, it->module.bias);
        facts_hex(&facts, FISQL_FACT_MODULES_START, it->module.start);
        for (uint32_t i = 0; i < count; i++)
            facts_hex(&facts, FISQL_FACT_MODULES_LEFT, left[i]);
        facts_write(&facts);
    }
}

static void patched_say(const struct asked *it, const char *problem, uint32_t patched)
{
    if (patched > __atomic_load_n(&it->entry->patched, __ATOMIC_RELAXED))
        __atomic_store_n(&it->entry->patched, patched, __ATOMIC_RELAXED);
    facts_put(it, problem, patched);
}

static void patch(const struct asked *it, uint64_t end_ns)
{
    const char *problem = NULL;
    uint32_t patched = 0;
    if (!late_wait(it->entry, end_ns)) {
        problem = "fisql record did not answer in time";
    } else {
        const struct fisql_live_part *part = &it->entry->plan;
        if (part->bytes == 0)
            return;
        patch_values_take(it->entry, &it->module);
        problem = patch_module(part, &it->module, &patched);
    }
    patched_say(it, problem, patched);
}

/* Has the module's library calls recorded, once it is known which modules are recorded themselves. */
static void links_write(const struct asked *it)
{
    struct patch_area *area = patch_area_of(it->module.start);
    uint32_t linked = area != NULL ? patch_links(area) : 0;
    if (linked > __atomic_load_n(&it->entry->linked, __ATOMIC_RELAXED))
        __atomic_store_n(&it->entry->linked, linked, __ATOMIC_RELAXED);
}

static void patch_asked(void)
{
    struct quiet quiet;
    if (asked_count == 0)
        return;
    quiet_begin(&quiet);
    lock_acquire(&lock);
    uint64_t end_ns = word_now_ns() + WAIT_NS;
    uint32_t changes = patch_shown_changes();
    for (uint32_t i = 0; i < asked_count; i++)
        patch(&asked[i], end_ns);
    if (process.options.library_calls)
        patch_values_wait();
    for (uint32_t i = 0; i < asked_count; i++)
        links_write(&asked[i]);
    asked_count = 0;
    patch_shown_since(changes);
    lock_release(&lock);
    quiet_end(&quiet);
}

/* ---- libraries that come later ---- */

#ifdef FISQL_STATIC
/* None do. glibc 2.41 does not list the program itself at its first allocation, when it starts. */
static void watch_list(void)
{
}

static __attribute__((constructor)) void program_listed(void)
{
    struct quiet quiet;
    if (!is_on() || !process_recording())
        return;
    quiet_begin(&quiet);
    modules_refresh();
    quiet_end(&quiet);
    patch_asked();
}
#else
static const struct r_debug *linker; /* what the dynamic linker tells debuggers */

/* The dynamic linker has changed, or is about to change, its list of modules. What it has added is
 * mapped, and nothing of it has run. */
static void list_changes(void)
{
    struct quiet quiet;
    struct held held;
    if (linker->r_state != RT_CONSISTENT || collector_inside != 0 || !process_recording())
        return;
    held_begin(&held, true); /* fisql record may take a second for a large library */
    quiet_begin(&quiet);
    modules_refresh();
    quiet_end(&quiet);
    patch_asked();
    if (process_active_for_hook())
        held_end(&held, true);
}

static void watch_list(void)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    linker = quiet_symbol("_r_debug");
    if (linker != NULL && linker->r_brk != 0)
        patch_empty_function(linker->r_brk, list_changes);
    quiet_end(&quiet);
}
#endif

static void setup(void)
{
    patch_state_setup();
    return_stand_ins = (struct return_stand_ins){
        (uint64_t)(uintptr_t)patch_sites, (uint64_t)PATCH_SITES * PATCH_SITE_BYTES, PATCH_MIRROR};
}

void patch_running_prepare(void)
{
    setup();
    for (uint32_t i = 0; i < asked_count; i++) {
        struct asked *it = &asked[i];
        const struct fisql_live_part *part = &it->entry->plan;
        if (!late_answered(it->entry)) {
            it->problem = "fisql record did not answer in time";
        } else if (part->bytes != 0) {
            patch_values_take(it->entry, &it->module);
            it->problem = patch_module_prepare(part, &it->module, &it->area);
        }
    }
}

uint32_t patch_running(void)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < asked_count; i++) {
        struct asked *it = &asked[i];
        uint32_t patched = 0;
        if (it->area != NULL)
            it->problem = patch_module_write(it->area, &patched);
        if (it->area != NULL || it->problem != NULL)
            patched_say(it, it->problem, patched);
        if (it->area != NULL)
            left_put(it);
        all += patched;
    }
    for (uint32_t i = 0; i < asked_count; i++)
        links_write(&asked[i]);
    asked_count = 0;
    return all;
}

static void starts(void)
{
    if (!is_on())
        return;
    setup();
    patch_asked();
    watch_list();
#ifndef FISQL_WRAP
    if (process.options.as_is > 1) {
        patch_own_function_empty((uint64_t)(uintptr_t)__cyg_profile_func_enter);
        patch_own_function_empty((uint64_t)(uintptr_t)__cyg_profile_func_exit);
    }
#endif
}

static void forked(void)
{
    lock_forked(&lock);
    asked_count = 0;
    patch_mirror_forked();
    patch_found_forked();
}

const struct feature patch_feature = {
    .module = module_loaded,
    .module_gone = patch_module_hide,
    .starts = starts,
    .forked = forked,
};
#else
const struct feature patch_feature = {.load = NULL};
#endif
