/* Questions about modules: see late.h. */
#include "collector/core/late.h"

#include "collector/core/mailbox.h"
#include "collector/core/quiet.h"
#include "collector/core/word_wait.h"
#include "collector/process/process.h"

#include <string.h>
#include <sys/stat.h>

static struct mailbox mailbox;
static struct fisql_late *late; /* its contents; NULL = not mapped yet */

static bool is_entry(struct fisql_late_module *entry, const struct feature_module *module,
                     uint32_t flags, const struct stat *status)
{
    uint32_t state = __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE);
    return state >= FISQL_LATE_ASKED && entry->device == (uint64_t)status->st_dev &&
           entry->inode == (uint64_t)status->st_ino && entry->flags == flags &&
           strncmp(entry->path, module->path, sizeof entry->path) == 0 &&
           strncmp(entry->build_id, module->build_id, sizeof entry->build_id - 1) == 0;
}

struct fisql_late_module *late_ask(const struct feature_module *module, uint32_t flags)
{
    struct stat status;
    if (silent() || process.area == NULL)
        return NULL;
    mailbox.part = process.area->parts.late;
    late = mailbox_open(&mailbox, sizeof *late);
    if (late == NULL || strlen(module->path) >= FISQL_LATE_PATH_MAX ||
        stat(module->path, &status) != 0)
        return NULL;
    for (uint32_t i = 0; i < FISQL_LATE_MAX; i++) {
        struct fisql_late_module *entry = &late->modules[i];
        uint32_t state = FISQL_LATE_FREE;
        if (is_entry(entry, module, flags, &status))
            return entry;
        if (!__atomic_compare_exchange_n(&entry->state, &state, FISQL_LATE_WRITING, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        entry->device = (uint64_t)status.st_dev;
        entry->inode = (uint64_t)status.st_ino;
        entry->flags = flags;
        strncpy(entry->path, module->path, sizeof entry->path - 1);
        strncpy(entry->build_id, module->build_id, sizeof entry->build_id - 1);
        __atomic_store_n(&entry->state, FISQL_LATE_ASKED, __ATOMIC_RELEASE);
        mailbox_wake(&late->mailbox);
        return entry;
    }
    return NULL;
}

bool late_wait(struct fisql_late_module *entry, uint64_t end_ns)
{
    uint64_t now;
    while (!silent() && !late_answered(entry) && mailbox_is_served(&late->mailbox) &&
           (now = word_now_ns()) < end_ns)
        word_wait(&entry->state, FISQL_LATE_ASKED,
                  now + WORD_LOOK_NS < end_ns ? now + WORD_LOOK_NS : end_ns);
    return late_answered(entry);
}
