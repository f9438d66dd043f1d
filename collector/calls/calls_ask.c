/* Questions about patterns: see calls_ask.h. */
#include "collector/calls/calls_ask.h"

#include "collector/core/mailbox.h"
#include "collector/core/silent.h"
#include "collector/core/word_wait.h"
#include "formats/patch_modules.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static struct mailbox mailbox;
static struct fisql_calls *calls; /* its contents; NULL = not mapped yet */

void calls_ask_load(const struct fisql_live_parts *parts)
{
    mailbox.part = parts->calls;
}

static bool is_open(void)
{
    if (calls == NULL && !silent())
        calls = mailbox_open(&mailbox, sizeof *calls);
    return calls != NULL;
}

bool calls_can_ask(void)
{
    return is_open() && mailbox_is_served(&calls->mailbox);
}

const char *calls_plugin(void)
{
    return is_open() ? calls->plugin : "";
}

bool calls_is_left(const struct feature_module *module)
{
    return module->path[0] != '/' || fisql_patch_is_base(module->path);
}

static bool is_entry(struct fisql_call_names *entry, const char *path, const char *pattern,
                     const struct stat *status)
{
    return __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) >= FISQL_LATE_ASKED &&
           entry->device == (uint64_t)status->st_dev && entry->inode == (uint64_t)status->st_ino &&
           strncmp(entry->path, path, sizeof entry->path) == 0 &&
           strncmp(entry->pattern, pattern, sizeof entry->pattern) == 0;
}

bool calls_ask(struct calls_asked *question, const struct feature_module *module,
               const char *program, const char *pattern)
{
    struct stat status;
    *question = (struct calls_asked){.bias = module->bias};
    if (!calls_can_ask())
        return false;
    if (strlen(module->path) >= FISQL_LATE_PATH_MAX || stat(module->path, &status) != 0)
        return true;
    for (uint32_t i = 0; i < FISQL_CALLS_MAX; i++) {
        struct fisql_call_names *entry = question->entry = &calls->names[i];
        uint32_t state = FISQL_LATE_FREE;
        if (is_entry(entry, module->path, pattern, &status))
            return true;
        if (!__atomic_compare_exchange_n(&entry->state, &state, FISQL_LATE_WRITING, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        entry->own = module->executable || fisql_patch_is_own(program, module->path);
        entry->device = (uint64_t)status.st_dev;
        entry->inode = (uint64_t)status.st_ino;
        strncpy(entry->path, module->path, sizeof entry->path - 1);
        strncpy(entry->pattern, pattern, sizeof entry->pattern - 1);
        __atomic_store_n(&entry->state, FISQL_LATE_ASKED, __ATOMIC_RELEASE);
        mailbox_wake(&calls->mailbox);
        return true;
    }
    return false;
}

bool calls_answer(const struct calls_asked *question, uint64_t end_ns, uint32_t *functions,
                  const uint64_t **addresses, uint64_t *count)
{
    struct fisql_call_names *entry = question->entry;
    uint64_t now;
    *functions = 0;
    *addresses = NULL;
    *count = 0;
    if (entry == NULL)
        return true;
    while (__atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) != FISQL_LATE_ANSWERED) {
        if (silent() || !mailbox_is_served(&calls->mailbox) || (now = word_now_ns()) >= end_ns)
            return false;
        word_wait(&entry->state, FISQL_LATE_ASKED, now + WORD_LOOK_NS);
    }
    const struct fisql_live_part part = entry->addresses;
    *functions = entry->functions;
    *count = part.bytes / sizeof **addresses;
    *addresses = *count > 0 ? live_area_part(part.offset, part.bytes, false) : NULL;
    return *count == 0 || *addresses != NULL;
}

void calls_answer_release(const uint64_t *addresses, uint64_t count)
{
    if (addresses != NULL)
        munmap((void *)(uintptr_t)addresses, count * sizeof *addresses);
}

void *calls_scratch(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void calls_scratch_release(void *memory, uint64_t bytes)
{
    munmap(memory, bytes);
}
