/* Forks: what tells a child from the process that it was forked from. */
#ifndef FISQL_COLLECTOR_FORK_H
#define FISQL_COLLECTOR_FORK_H

#include "collector/base.h"

#include <stdbool.h>
#include <stddef.h>

/* A page that says whether this is the process that set it up, or a child that was forked from it
 * (fork.c). Hooks look at it. */
#if defined(__aarch64__)
#define FORK_MARK_BYTES 65536
#else
#define FORK_MARK_BYTES 4096
#endif
union fork_mark {
    struct {
        uint64_t mine;
        uint64_t off; /* atomic: as process.paused */
        /* Which functions of the program itself are left out, where functions are filtered
         * (filter.c): a bit for each byte of its code, other than `flip`'s. */
        uint64_t code_start, code_size; /* atomic: size; 0 = it is not known here */
        const uint64_t *code_bits;
        uint64_t code_flip;
        /* What `fisql control` asks for: its count of changes, and the one that is known. */
        const uint32_t *changes;
        uint64_t changes_known; /* atomic */
    };
    unsigned char page[FORK_MARK_BYTES];
} __attribute__((aligned(FORK_MARK_BYTES)));
extern HIDDEN union fork_mark fork_mark;

/* What it says: 0 in a child that nobody has told of; else that it is ours, and if functions are
 * filtered that as well, so that other processes' hooks need not ask. */
#define FORK_MARK_OURS 1u
#define FORK_MARK_FILTERED UINT64_MAX

/* Is this function left out, as far as can be told with one look? */
static inline bool fork_mark_leaves_out(uint64_t function)
{
    uint64_t at = function - fork_mark.code_start;
    return at < __atomic_load_n(&fork_mark.code_size, __ATOMIC_ACQUIRE) &&
           ((fork_mark.code_bits[at / 64] ^ fork_mark.code_flip) >> at % 64 & 1) != 0;
}

/* Does `fisql control` ask for something that this process has not done? */
static inline bool fork_mark_asked(void)
{
    const uint32_t *changes = fork_mark.changes; /* NULL = the page is empty */
    return changes != NULL && __atomic_load_n(changes, __ATOMIC_RELAXED) !=
                                  __atomic_load_n(&fork_mark.changes_known, __ATOMIC_RELAXED);
}

/* process.filtered was changed. */
void fork_mark_filtered(void);
/* process.paused was changed. */
void fork_mark_paused(void);

void fork_setup(void);
/* The page is empty: begins to record this process as one of its own. */
void fork_notice(void);

#endif
