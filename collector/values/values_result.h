/* Results of calls: see values_result.c. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_RESULT_H
#define FISQL_COLLECTOR_VALUES_VALUES_RESULT_H

#include "collector/values/values_capture.h"

/* Results that were not recorded. */
struct results_lost {
    uint64_t separated; /* something was recorded between the exit and them */
    uint64_t crowded;   /* too many were awaited in one thread */
};
/* Those since the last time. */
struct results_lost results_lost_take(void);

void results_forked(void);
/* Of the calling thread: it awaits none any more. */
void results_release(void);
/* Takes the thread's table now, for later it cannot. */
void results_prepare(void);

/* Where functions whose result is awaited return to (values_x86_64.S, values_aarch64.S). */
void values_trampoline(void);
/* Called by it with the stack pointer after the return. Records the result; returns where the function
 * was to return to. */
uint64_t values_returned(uint64_t stack, const struct values_returned *returned);
/* Called by what stands in front of _Unwind_Resume(), before an exception goes on through the frame
 * above `stack`: no return is awaited there. Returns where the real one is. */
uint64_t values_unwinding(uint64_t stack);

#endif
