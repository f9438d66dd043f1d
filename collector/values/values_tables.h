/*
 * What a thread awaits: results (values_result.c), and values at the exit of calls (values_exit.c).
 *
 * The tables lie in one array that never goes away and grows as threads need them (reserve.h): a
 * coroutine that was interrupted between hook and return and goes on in another thread finds its
 * table there.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_TABLES_H
#define FISQL_COLLECTOR_VALUES_VALUES_TABLES_H

#include "collector/core/watch.h"
#include "collector/values/values_exit.h"

#define AWAITED_MAX 16u

/* What belongs to a frame address. */
struct awaited {
    uint64_t *slot;   /* of the return address, now the trampoline's */
    uint64_t held;    /* what it held before: */
    uint64_t address; /* this address, signed perhaps */
    uint64_t word;    /* of the log, after the exit */
    struct thread_log *log;
    const struct recipe *recipe;
    uint32_t sequence;            /* of the log's chunk */
    struct watch_leaving watched; /* without callbacks: nothing to do */
} __attribute__((aligned(64)));

struct table {
    uint64_t frame[AWAITED_MAX]; /* 0 = the place is free */
    uint32_t places;             /* places before this one were taken once */
    uint32_t owner;              /* atomic: thread id, 0 = none */
    struct awaited awaited[AWAITED_MAX];
};

extern HIDDEN THREAD_LOCAL struct table *own_table;

/* The calling thread's, which it takes now if it has none; NULL = there is none left. */
struct table *table_get(void);
/* All that were owned once. */
struct table *tables_all(uint32_t *count);
void tables_forked(void);

#endif
