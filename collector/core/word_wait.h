/* Waits for a word that another process changes. */
#ifndef FISQL_COLLECTOR_CORE_WORD_WAIT_H
#define FISQL_COLLECTOR_CORE_WORD_WAIT_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORD_LOOK_NS 10000000u

/* CLOCK_MONOTONIC. */
static inline uint64_t word_now_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Waits until the word is no longer `value`; false if it still is at end_ns. Changes errno. */
static inline bool word_wait(uint32_t *word, uint32_t value, uint64_t end_ns)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) {
        uint64_t now = word_now_ns();
        if (now >= end_ns)
            return false;
        /* We look now and then: the process that should wake us may be killed. */
        uint64_t wait = end_ns - now < WORD_LOOK_NS ? end_ns - now : WORD_LOOK_NS;
        const struct timespec look = {0, (long)wait};
        syscall(SYS_futex, word, FUTEX_WAIT, value, &look, NULL, 0);
    }
    return true;
}

#endif
