/*
 * Deadlocks: threads that wait for each other when their process ends. A thread waits for one that
 * holds its lock: one whose own wait says that it holds it, or the holder when the wait began, if
 * that one was waiting by then. Other holders may have given the lock back since.
 */
#ifndef FISQL_LOADER_TABLES_LOCK_DEADLOCKS_H
#define FISQL_LOADER_TABLES_LOCK_DEADLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

#define LOCK_HELD_TO_READ 0x80000000u

/* The last wait of a thread, which has no end. */
struct lock_blocked {
    uint64_t start_ns;
    uint32_t thread, holder;              /* any numbers; a holder may be none of the threads */
    uint32_t lock;                        /* any number below 2^31 */
    uint32_t held[FISQL_LOCK_GUARDS_MAX]; /* the locks that the thread holds; 0 = no more */
    bool reads;                           /* it wants the lock to read */
    bool joins;                           /* it waits for the end of `holder` */
    uint32_t deadlock;                    /* result: number, from 1; 0 = it is part of none */
};

/* Sets `deadlock`. -1: no memory. */
int lock_deadlocks_find(struct lock_blocked *blocked, uint32_t count, struct error *error);

#endif
