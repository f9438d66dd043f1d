/* See fork_mark.h. */
#include "collector/core/fork_mark.h"

#include "collector/process/process.h"

union fork_mark fork_mark;

void fork_mark_filtered(void)
{
    uint64_t mark = process.filtered != 0                                      ? FORK_MARK_FILTERED
                    : __atomic_load_n(&process.watched, __ATOMIC_ACQUIRE) != 0 ? FORK_MARK_WATCHED
                                                                               : FORK_MARK_OURS;
    __atomic_store_n(&fork_mark.mine, mark, __ATOMIC_RELEASE);
}

void fork_mark_paused(void)
{
    uint64_t paused;
    do { /* threads may switch at once: the last to store has looked last */
        paused = __atomic_load_n(&process.paused, __ATOMIC_SEQ_CST);
        __atomic_store_n(&fork_mark.off, paused, __ATOMIC_SEQ_CST);
    } while (paused != __atomic_load_n(&process.paused, __ATOMIC_SEQ_CST));
}
