/* Results of calls: see values_result.c. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_RESULT_H
#define FISQL_COLLECTOR_VALUES_VALUES_RESULT_H

#include "collector/values/values_capture.h"

/* Results that were not recorded. */
struct results_lost {
    uint64_t separated; /* something was recorded between the exit and them */
    uint64_t crowded;   /* too many were awaited in one thread */
};
/* Takes the counts since the last call. */
struct results_lost results_lost_take(void);

void results_forked(void);
/* Gives back the calling thread's table, if it awaits nothing. */
void results_release(void);
/* Takes the thread's table now, because later it cannot. */
void results_prepare(void);

/* Functions with an awaited result return here (values_x86_64.S, values_aarch64.S). */
void values_trampoline(void);
/* The trampoline calls this with the stack pointer after the return. Records the result; returns
 * the function's true return address. */
uint64_t values_returned(uint64_t stack, const struct values_returned *returned);
/* The function in front of _Unwind_Resume() calls this before an exception goes on through the
 * frame above `stack`: no return is awaited there from now on. Returns the real function. */
uint64_t values_unwinding(uint64_t stack);

#endif
