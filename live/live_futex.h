/*
 * What a thread waits for, seen from outside, of a program that is recorded without --locks: the
 * kernel tells the futex, and the futex's memory its owner. That of a mutex of the C library lies
 * behind it; that of some kinds, and of priority inheritance, in its word. Others, such as a
 * semaphore's, tell none.
 */
#ifndef FISQL_LIVE_LIVE_FUTEX_H
#define FISQL_LIVE_LIVE_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

struct live_futex {
    uint64_t address;
    uint64_t
        switches;   /* how often the thread gave up the processor: it sleeps on if it is the same */
    uint32_t owner; /* tid, a thread of the process */
    bool limited;   /* the wait has a limit */
};

enum live_futex_found {
    LIVE_FUTEX_NONE, /* the thread waits for no futex that tells its owner */
    LIVE_FUTEX_OWNED,
    LIVE_FUTEX_DENIED, /* we may not look */
};

enum live_futex_found live_futex_read(uint32_t pid, uint32_t tid, struct live_futex *futex);

#endif
