/* Recipes that come later: see values_late.h. */
#include "collector/values/values_late.h"

#include "collector/core/late.h"
#include "collector/core/live_area.h"
#include "collector/core/quiet.h"
#include "collector/values/values_recipes.h"
#include "collector/core/word_wait.h"

#include <errno.h>

#define AWAITED_MAX 128u

enum { AWAITED_NOT, AWAITED_WAITS, AWAITED_TAKEN };

/* A module of this process. */
struct awaited_module {
    uint64_t bias, start, end;
    struct fisql_late_module *entry;
    uint32_t state; /* atomic; TAKEN: a thread is handling the answer */
};

static struct awaited_module awaited[AWAITED_MAX];
static uint32_t awaited_used; /* atomic */

/* ---- asking ---- */

bool values_late_ask(const struct feature_module *module)
{
    struct fisql_late_module *entry = late_ask(module, FISQL_LATE_RECIPES);
    if (entry == NULL)
        return false;
    for (uint32_t i = 0; i < AWAITED_MAX; i++) {
        struct awaited_module *place = &awaited[i];
        if (__atomic_load_n(&place->state, __ATOMIC_ACQUIRE) != AWAITED_NOT)
            continue;
        place->bias = module->bias;
        place->start = module->start;
        place->end = module->end;
        place->entry = entry;
        __atomic_store_n(&place->state, AWAITED_WAITS, __ATOMIC_RELEASE);
        if (i >= awaited_used)
            __atomic_store_n(&awaited_used, i + 1, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

void values_late_wait(uint32_t wait_ms)
{
    uint32_t used = __atomic_load_n(&awaited_used, __ATOMIC_ACQUIRE);
    if (used == 0 || silent())
        return;
    int error = errno;
    uint64_t end = word_now_ns() + (uint64_t)wait_ms * 1000000u;
    for (uint32_t i = 0; i < used; i++)
        late_wait(awaited[i].entry, end);
    for (uint32_t i = 0; i < used; i++)
        values_late_look(awaited[i].start);
    errno = error;
}

void values_late_forget(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < awaited_used; i++) {
        uint32_t state = AWAITED_WAITS; /* a TAKEN one is in the map of modules anyway */
        if (awaited[i].start < end && start < awaited[i].end)
            __atomic_compare_exchange_n(&awaited[i].state, &state, AWAITED_NOT, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    }
}

void values_late_forked(void)
{
    for (uint32_t i = 0; i < awaited_used; i++)
        if (awaited[i].state == AWAITED_TAKEN) /* by a thread that the child does not have */
            awaited[i].state = AWAITED_WAITS;
}

/* ---- the answer ---- */

static bool add(const struct fisql_late_module *entry)
{
    return recipes_know(entry->path) ||
           recipes_add(live_area_part(entry->recipes.offset, entry->recipes.bytes, false),
                       entry->recipes.bytes);
}

static void take(const struct awaited_module *module)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    if (add(module->entry))
        recipes_module(module->entry->path, module->bias, module->start, module->end);
    quiet_end(&quiet);
}

void values_late_take(const struct fisql_late_module *entry, const struct feature_module *module)
{
    if (entry->recipes.bytes != 0 && add(entry))
        recipes_module(entry->path, module->bias, module->start,
                       module->end); /* its path is gone */
}

enum late_answer values_late_look(uint64_t address)
{
    uint32_t used = __atomic_load_n(&awaited_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        struct awaited_module *module = &awaited[i];
        uint32_t state = __atomic_load_n(&module->state, __ATOMIC_ACQUIRE);
        if (state == AWAITED_NOT || address < module->start || address >= module->end)
            continue;
        bool answered = late_answered(module->entry);
        bool there = answered && module->entry->recipes.bytes != 0;
        if (state == AWAITED_TAKEN || !answered || (there && silent()))
            return LATE_WAITS;
        if (!__atomic_compare_exchange_n(&module->state, &state, AWAITED_TAKEN, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return LATE_WAITS;
        if (there)
            take(module);
        __atomic_store_n(&module->state, AWAITED_NOT, __ATOMIC_RELEASE);
        return there ? LATE_CAME : LATE_NOBODY;
    }
    return LATE_NOBODY;
}
