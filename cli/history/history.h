/*
 * The history of an object, or of a value: every moment of a run that has to do with it, across
 * threads and in order.
 *
 * An object is a block of allocs with what realloc made of it before and afterwards; or, where no
 * block lay at its address, the address. A pointer anywhere into it is one to it: to a member, or
 * moved along. After a block was freed, pointers to it are stale ones until another block lies there.
 *
 * A value is what an expression of `fisql record --value` gave, by the object of the call's first
 * pointer.
 */
#ifndef FISQL_CLI_HISTORY_HISTORY_H
#define FISQL_CLI_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/run/call_values.h"
#include "cli/run/run_view.h"

/* Where the object lay, and from when to when. */
struct place {
    int64_t address, end;               /* the first byte, and the one behind its last */
    int64_t from_ns, freed_ns, gone_ns; /* gone_ns: when another block lay there; INT64_MAX */
    int64_t alloc;                      /* allocs.id; 0 = it is no block */
    int64_t process;
};

enum moment_kind {
    MOMENT_ALLOCATED,
    MOMENT_CALL,      /* was passed, or returned, a pointer to it */
    MOMENT_NEIGHBOUR, /* was passed a pointer to the block right before it */
    MOMENT_FREED,
    MOMENT_WRONG, /* a wrong free, an incident */
    MOMENT_SAID,  /* FISQL_KEEP and its relatives */
    MOMENT_VALUE,
};

struct moment {
    enum moment_kind kind;
    int64_t ns, call, thread; /* ids; 0 = none */
    uint32_t frame;           /* frames.id; 0 = outside any call */
    uint32_t number;          /* in the order in which they were found, where nothing else tells */
    bool changes;             /* a value that it shows was another one before, or is after it */
    bool stale;               /* the object was freed before */
    char *text;               /* what happened; sqlite3_free() it */
};

struct history {
    const struct run_view *view;
    struct call_values values;
    struct place *places; /* the object's, in the order of time */
    size_t places_count, places_capacity;
    struct place neighbour; /* the block right before it; alloc 0 = none */
    struct moment *moments; /* by ns */
    size_t moments_count, moments_capacity;
    long unwitnessed; /* changes that no call made that was passed it */
};

/* history_target.c. Each returns 0, or 2 after saying what is wrong. */
/* The words: "block 0x55d0", "block 12". */
int history_of_block(struct history *history, const char *which);
/* "123.2", "123.arg 2", "123.name", "123.result" */
int history_of_call(struct history *history, const char *which);

/* history_moments.c: finds all that happened to the places, sorted. */
int history_find(struct history *history);
/* history_value.c: the values of an expression, or a parameter, of this name; `is` = NULL or the value to which it
 * came: then up to the first moment at which it had it. */
int history_of_value(struct history *history, const char *name, const char *is);

/* The function of a moment; 0 = none is known. */
static inline uint32_t moment_function(const struct history *history, const struct moment *moment)
{
    return moment->frame != 0 ? history->view->frames[moment->frame].function : 0;
}

int moment_add(struct history *history, struct moment moment);
void history_sort(struct history *history);
void history_release(struct history *history);

#endif
