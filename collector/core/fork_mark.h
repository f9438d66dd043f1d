/* The page by which a process knows that it is no forked child; hooks look at it first (process/fork.c). */
#ifndef FISQL_COLLECTOR_CORE_FORK_MARK_H
#define FISQL_COLLECTOR_CORE_FORK_MARK_H

#include "collector/core/base.h"

/* A page that says whether this is the process that set it up, or a child that was forked from it
 * (process/fork.c). Hooks look at it. */
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

/* What it says: 0 in a child that nobody has told of; else that it is ours, and if functions are
 * filtered that as well, so that other processes' hooks need not ask. */
#define FORK_MARK_OURS 1u
#define FORK_MARK_FILTERED UINT64_MAX

/* process.filtered was changed. */
void fork_mark_filtered(void);
/* process.paused was changed. */
void fork_mark_paused(void);

#endif
