/*
 * Functions whose calls are only counted. `fisql record` names them in the live area, as filter.c's
 * text does. When a text or a module comes, we make a table of their addresses. A table never changes:
 * each change makes a new one, and old ones stay, for hooks may be reading them.
 *
 * A call is counted by its entry's hook alone (COUNT_ASKED); its exit's hook does nothing. So a thread
 * must treat entry and exit of a call alike, and takes a new table (counted_adopt) when it has an eye on
 * its open calls: between two events, in the slow path. If it has a call open of a function that is to be
 * counted, all calls of that function are recorded until the outermost of them that was open has ended
 * (counted_above).
 */
#include "collector/core/counted.h"

#include "collector/core/filter_lines.h"
#include "collector/core/lock.h"
#include "collector/core/thread_log.h"

#include <sys/mman.h>

#define COUNTED_MAX 4096u /* functions */
/* A thread with more open calls adopts a table later: it looks through them at each counted call. */
#define OPEN_MAX 1000u

static const char *text;
static uint64_t text_bytes;
static uint32_t lock;  /* taken with signals blocked */
static uint64_t *list; /* COUNTED_MAX; mapped with the first text */
static uint32_t list_count;
static const struct counted *newest; /* atomic */

void counted_text(const char *from, uint64_t size_bytes)
{
    lock_acquire(&lock);
    if (list == NULL) {
        void *memory = mmap(NULL, COUNTED_MAX * sizeof *list, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        list = memory == MAP_FAILED ? NULL : memory;
    }
    if (list != NULL) { /* without memory the functions are recorded */
        text = from;
        text_bytes = size_bytes;
    }
    lock_release(&lock);
}

/* Without memory the table stays as it is, and its functions are recorded. */
static void publish(void)
{
    uint64_t places = 16;
    while (places < 2 * (uint64_t)list_count + 2)
        places *= 2;
    size_t bytes = sizeof(struct counted) + (size_t)places * sizeof list[0];
    struct counted *set =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (set == MAP_FAILED)
        return;
    set->mask = places - 1;
    for (uint32_t i = 0; i < list_count; i++) {
        uint64_t at = counted_place(list[i]) & set->mask;
        while (set->functions[at] != 0 && set->functions[at] != list[i])
            at = (at + 1) & set->mask;
        set->functions[at] = list[i];
    }
    __atomic_store_n(&newest, set, __ATOMIC_RELEASE);
}

void counted_module(const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
    uint64_t address;
    lock_acquire(&lock);
    if (text != NULL) {
        uint32_t kept = 0, before = list_count, same = 0;
        for (uint32_t i = 0; i < list_count; i++) /* it may lie where an unloaded module was */
            if (list[i] < start || list[i] >= end)
                list[kept++] = list[i];
        list_count = kept;
        for (struct filter_lines lines = {text, text + text_bytes, false};
             filter_lines_next(&lines, path, &address) && list_count < COUNTED_MAX;) {
            address += bias;
            if (address < start || address >= end)
                continue;
            const struct counted *set = newest;
            same += set != NULL && counted_has(set, address);
            list[list_count++] = address;
        }
        if (list_count != before || same != list_count - kept)
            publish();
    }
    lock_release(&lock);
}

void counted_forked(void)
{
    lock_forked(&lock);
}

void counted_adopt(struct thread_log *log)
{
    const struct counted *set = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    uint32_t open = calls_open(log);
    if (set == log->thread.counted || log->shadow.blind != 0 || open > OPEN_MAX)
        return;
    log->thread.counted = set;
    log->thread.counted_above = open;
}

bool counted_only(struct thread_log *log, uint64_t function)
{
    const struct counted *set = log->thread.counted;
    const struct shadow_call *calls = log->shadow.calls;
    uint32_t above = log->thread.counted_above, open = calls_open(log);
    if (!counted_has(set, function))
        return false;
    if (above > open)
        above = open;
    while (above > 0 && !counted_has(set, calls[above - 1].function))
        above--;
    log->thread.counted_above = above;
    for (uint32_t i = 0; i < above; i++)
        if (calls[i].function == function)
            return false;
    return true;
}
