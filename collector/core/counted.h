/*
 * Functions whose calls are only counted, as `fisql record --budget` asks while the program runs: see
 * counted.c.
 */
#ifndef FISQL_COLLECTOR_CORE_COUNTED_H
#define FISQL_COLLECTOR_CORE_COUNTED_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_log;

/* A table by hash, which never changes. */
struct counted {
    uint64_t mask; /* of places; the last place is empty, and so are half of the others */
    uint64_t functions[];
};

static inline uint64_t counted_place(uint64_t function)
{
    return function * 0x9e3779b97f4a7c15u >> 40;
}

static inline bool counted_has(const struct counted *set, uint64_t function)
{
    uint64_t at = counted_place(function) & set->mask;
    while (set->functions[at] != function) {
        if (set->functions[at] == 0)
            return false;
        at = (at + 1) & set->mask;
    }
    return true;
}

/* Replaces the text, whose lines are those of filter.c; it must stay mapped. The caller then calls
 * counted_module() for each module. */
void counted_text(const char *from, uint64_t size_bytes);
/* Applies the text to a module. With signals blocked. */
void counted_module(const char *path, uint64_t bias, uint64_t start, uint64_t end);
void counted_forked(void);

/* Has the log's thread count what is to be counted from now on, unless it cannot begin yet. For the hook
 * that holds the log, or has just made it. */
void counted_adopt(struct thread_log *log);
/* Is the function's call only counted? Of one that is open in the log and was recorded at entry, calls
 * are recorded until it ends: their exits look alike. */
bool counted_only(struct thread_log *log, uint64_t function);

#endif
