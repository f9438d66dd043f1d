/* Recipes that come later: see values_late.h. */
#include "collector/values/values_late.h"

#include "collector/core/mailbox.h"
#include "collector/core/quiet.h"
#include "collector/values/values_recipes.h"
#include "collector/core/word_wait.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define AWAITED_MAX 128u

enum { AWAITED_NOT, AWAITED_WAITS, AWAITED_TAKEN };

/* A module of this process. */
struct awaited_module {
    uint64_t bias, start, end;
    struct fisql_late_module *entry;
    uint32_t state; /* atomic; TAKEN: a thread is handling the answer */
};

static struct mailbox mailbox;
static struct fisql_late *late; /* its contents; NULL = not mapped yet */
static struct awaited_module awaited[AWAITED_MAX];
static uint32_t awaited_used; /* atomic */

void late_load(const struct fisql_live_part *part)
{
    mailbox.part = *part;
}

/* ---- asking ---- */

static bool is_entry(struct fisql_late_module *entry, const struct feature_module *module,
                     const struct stat *status)
{
    uint32_t state = __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE);
    return state >= FISQL_LATE_ASKED && entry->device == (uint64_t)status->st_dev &&
           entry->inode == (uint64_t)status->st_ino &&
           strncmp(entry->path, module->path, sizeof entry->path) == 0 &&
           strncmp(entry->build_id, module->build_id, sizeof entry->build_id - 1) == 0;
}

/* The module's entry; makes it if nobody asked for it yet. NULL = there is no room. */
static struct fisql_late_module *entry_of(const struct feature_module *module)
{
    struct stat status;
    if (strlen(module->path) >= FISQL_LATE_PATH_MAX || stat(module->path, &status) != 0)
        return NULL;
    for (uint32_t i = 0; i < FISQL_LATE_MAX; i++) {
        struct fisql_late_module *entry = &late->modules[i];
        uint32_t state = FISQL_LATE_FREE;
        if (is_entry(entry, module, &status))
            return entry;
        if (!__atomic_compare_exchange_n(&entry->state, &state, FISQL_LATE_WRITING, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        entry->device = (uint64_t)status.st_dev;
        entry->inode = (uint64_t)status.st_ino;
        strncpy(entry->path, module->path, sizeof entry->path - 1);
        strncpy(entry->build_id, module->build_id, sizeof entry->build_id - 1);
        __atomic_store_n(&entry->state, FISQL_LATE_ASKED, __ATOMIC_RELEASE);
        mailbox_wake(&late->mailbox);
        return entry;
    }
    return NULL;
}

bool late_ask(const struct feature_module *module)
{
    if (silent())
        return false;
    late = mailbox_open(&mailbox, sizeof *late);
    struct fisql_late_module *entry = late != NULL ? entry_of(module) : NULL;
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

void late_wait(uint32_t wait_ms)
{
    uint32_t used = __atomic_load_n(&awaited_used, __ATOMIC_ACQUIRE);
    if (used == 0 || late == NULL || silent())
        return;
    int error = errno;
    uint64_t end = word_now_ns() + (uint64_t)wait_ms * 1000000u;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t *state = &awaited[i].entry->state;
        uint64_t now;
        while (mailbox_is_served(&late->mailbox) && (now = word_now_ns()) < end &&
               !word_wait(state, FISQL_LATE_ASKED,
                          now + WORD_LOOK_NS < end ? now + WORD_LOOK_NS : end))
            ;
    }
    for (uint32_t i = 0; i < used; i++)
        late_look(awaited[i].start);
    errno = error;
}

void late_forget(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < awaited_used; i++) {
        uint32_t state = AWAITED_WAITS; /* a TAKEN one is in the map of modules anyway */
        if (awaited[i].start < end && start < awaited[i].end)
            __atomic_compare_exchange_n(&awaited[i].state, &state, AWAITED_NOT, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    }
}

void late_forked(void)
{
    for (uint32_t i = 0; i < awaited_used; i++)
        if (awaited[i].state == AWAITED_TAKEN) /* by a thread that the child does not have */
            awaited[i].state = AWAITED_WAITS;
}

/* ---- the answer ---- */

static void take(const struct awaited_module *module)
{
    struct fisql_late_module *entry = module->entry;
    struct quiet quiet;
    quiet_begin(&quiet);
    if (recipes_know(entry->path) ||
        recipes_add(live_area_part(entry->recipes.offset, entry->recipes.bytes, false),
                    entry->recipes.bytes))
        recipes_module(entry->path, module->bias, module->start, module->end);
    quiet_end(&quiet);
}

enum late_answer late_look(uint64_t address)
{
    uint32_t used = __atomic_load_n(&awaited_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        struct awaited_module *module = &awaited[i];
        uint32_t state = __atomic_load_n(&module->state, __ATOMIC_ACQUIRE);
        if (state == AWAITED_NOT || address < module->start || address >= module->end)
            continue;
        uint32_t answer = __atomic_load_n(&module->entry->state, __ATOMIC_ACQUIRE);
        if (state == AWAITED_TAKEN || answer < FISQL_LATE_READY ||
            (answer == FISQL_LATE_READY && silent()))
            return LATE_WAITS;
        if (!__atomic_compare_exchange_n(&module->state, &state, AWAITED_TAKEN, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return LATE_WAITS;
        if (answer == FISQL_LATE_READY)
            take(module);
        __atomic_store_n(&module->state, AWAITED_NOT, __ATOMIC_RELEASE);
        return answer == FISQL_LATE_READY ? LATE_CAME : LATE_NOBODY;
    }
    return LATE_NOBODY;
}
