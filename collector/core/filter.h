/* Function filter (--only, --exclude), by module: see filter.c. */
#ifndef FISQL_COLLECTOR_CORE_FILTER_H
#define FISQL_COLLECTOR_CORE_FILTER_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>

struct filter {
    uint64_t start, size;
    unsigned char *bits; /* one for each byte of code; NULL: no function matches */
    bool passes;         /* record functions with a bit, or those without? */
};
extern HIDDEN THREAD_LOCAL const struct filter *filter_last; /* found last */
/* The filter of a function's module; NULL = none. */
const struct filter *filter_find(uint64_t function);
/* Do we record functions outside such modules? */
bool filter_passes_unknown(void);

static inline bool filter_answer(const struct filter *filter, uint64_t function)
{
    uint64_t at = function - filter->start;
    bool match = filter->bits != NULL && (filter->bits[at / 8] >> (at & 7) & 1);
    return match == filter->passes;
}

/* Left-out functions of the program itself, as hooks have found them: sets of two, by some bits of
 * the address. A hook looks here first; the filter's bits would take twice the instructions. */
#define FILTER_NOTED_BYTES 0x10000u
extern HIDDEN uint64_t filter_noted[FILTER_NOTED_BYTES / 8] __attribute__((aligned(64)));
static inline uint64_t *filter_noted_set(uint64_t function)
{
    return (uint64_t *)(void *)((unsigned char *)filter_noted +
                                (function & (FILTER_NOTED_BYTES - 16)));
}
/* Notes one that is left out, if there is room. Async-signal-safe. */
void filter_note(const struct filter *filter, uint64_t function);

/* Takes the filter's text from `offset` of the live area's file. False if it cannot be mapped. */
bool filter_load(int file, uint64_t offset, uint64_t size_bytes);
/* Replaces the text; it must stay mapped. The caller then calls filter_module() for each module. */
void filter_text(const char *from, uint64_t size_bytes);
/* Applies the text to a module. */
void filter_module(const char *path, uint64_t bias, uint64_t start, uint64_t end);

#endif
