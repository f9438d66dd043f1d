/*
 * Which threads are recorded (record --threads, fisql control, FISQL_RECORD_THREAD()).
 *
 * A thread is chosen by its name or by the first function with hooks that it entered. One that is not chosen has no log: its
 * hooks find none and ask here, which costs a comparison. A choice is made when a thread would begin its log, and when its
 * chunk is full or another thread asks for a new one. A thread may get its name later: one that is not chosen looks again at
 * its 1st, 2nd, 4th, ... and then each 4096th hook, and skips the others. Going off and on works as fisql_stop() and fisql_start() do.
 */
#ifndef FISQL_COLLECTOR_CORE_THREAD_CHOICE_H
#define FISQL_COLLECTOR_CORE_THREAD_CHOICE_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>

enum thread_will { THREAD_WILL_NONE, THREAD_WILL_ON, THREAD_WILL_OFF };

struct thread_choice {
    uint64_t function; /* the first one entered; 0 = none yet */
    uint32_t number;   /* of the choice that `chosen` answers, plus 1 */
    uint32_t skip;     /* hooks that a thread that is not chosen skips before it looks again, ... */
    uint32_t skipped;  /* ... and how many that was the last time */
    bool chosen;
    uint8_t will; /* enum thread_will: what the thread itself says */
};
extern HIDDEN THREAD_LOCAL struct thread_choice thread_choice;
/* atomic: counts choices; 0 = all threads are recorded. */
extern HIDDEN uint32_t thread_choices;

/* Makes the choice anew for the calling thread. Signals must be blocked. */
bool thread_choice_make(void);
/* Is the calling thread to be recorded, as far as is known? Blocks signals when it looks again. */
bool thread_choice_ask(void);

/* The function that a hook has entered, before anything is decided. */
static inline void thread_choice_entered(uint64_t function)
{
    if (UNLIKELY(thread_choice.function == 0)) {
        thread_choice.function = function;
        thread_choice.number = thread_choice.skip = 0;
    }
}

/* For a thread without a log: is this hook to be skipped? */
static inline bool thread_choice_skips(void)
{
    if (thread_choice.skip == 0 ||
        thread_choice.number != __atomic_load_n(&thread_choices, __ATOMIC_RELAXED) + 1)
        return false;
    thread_choice.skip--;
    return true;
}

/* Could any thread be left out? */
static inline bool thread_choice_matters(void)
{
    return (__atomic_load_n(&thread_choices, __ATOMIC_RELAXED) | thread_choice.will) != 0;
}

/* Takes a new text, or none, which has to be mapped. Returns the one before, to be unmapped. Signals must be blocked. */
const char *thread_choice_text(const char *text, size_t size_bytes, size_t *before_bytes);
void thread_choice_forked(void);

#endif
