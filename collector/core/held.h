/*
 * Time that the recorder takes in a call: it is taken out of the call that is open then.
 *
 *   struct held held;
 *   held_begin(&held, true);
 *   ...
 *   held_end(&held, true);
 *
 * For the calling thread; keeps errno. Records nothing if the thread has no log, or if it took less
 * than two microseconds. What events are recorded between the two must be few: the log knows only
 * that the time passed before the next one.
 */
#ifndef FISQL_COLLECTOR_CORE_HELD_H
#define FISQL_COLLECTOR_CORE_HELD_H

#include <stdbool.h>
#include <stdint.h>

struct held {
    uint64_t tick;
    uint64_t cpu_ns; /* 0 = not read */
};

/* with_cpu: reads the thread's processor time, too, by a system call. Else all of it counts as on the
 * processor. */
void held_begin(struct held *held, bool with_cpu);
/* Returns whether it took two microseconds. record: writes it down; else this is all. */
bool held_end(const struct held *held, bool record);

#endif
