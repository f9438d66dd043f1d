/* A page that is empty in a forked child (process/fork.c): by it a process knows that it is the one
 * that set the page up. Hooks look at it first. */
#ifndef FISQL_COLLECTOR_CORE_FORK_MARK_H
#define FISQL_COLLECTOR_CORE_FORK_MARK_H

#include "collector/core/base.h"

#if defined(__aarch64__)
#define FORK_MARK_BYTES 65536
#else
#define FORK_MARK_BYTES 4096
#endif
union fork_mark {
    struct {
        uint64_t mine;
        uint64_t off; /* atomic: as process.paused */
    };
    unsigned char page[FORK_MARK_BYTES];
} __attribute__((aligned(FORK_MARK_BYTES)));
extern HIDDEN union fork_mark fork_mark;

/* Values of `mine`: 0 in a child that we have not noticed yet; else ours, with a mark of its own if
 * functions are filtered, or not filtered but watched (watch.h), so that hooks of other processes
 * need not ask. No log_ready() equals these two. */
#define FORK_MARK_OURS 1u
#define FORK_MARK_FILTERED UINT64_MAX
#define FORK_MARK_WATCHED (UINT64_MAX - 1)

/* process.filtered or process.watched has changed. */
void fork_mark_filtered(void);
/* process.paused has changed. */
void fork_mark_paused(void);

#endif
