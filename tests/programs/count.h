/* Self-counting test programs: each function begins with COUNT(), and report() prints how often
 * every one of them ran, as the program itself counted it: the oracle for what was recorded.
 * report() and the counters are not instrumented. */
#ifndef COUNT_H
#define COUNT_H
#include <stdio.h>

#define PLAIN __attribute__((no_instrument_function))
#define COUNT() count_add(__func__)
#define COUNTED_NAMES_MAX 64

struct counted_name {
    const char *name;
    unsigned long calls;
};
extern struct counted_name counted_names[COUNTED_NAMES_MAX];

static inline PLAIN void count_add(const char *name)
{
    for (int i = 0; i < COUNTED_NAMES_MAX; i++) {
        const char *known = __atomic_load_n(&counted_names[i].name, __ATOMIC_ACQUIRE);
        if (known == NULL && __atomic_compare_exchange_n(&counted_names[i].name, &known, name, 0,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            known = name;
        if (known == name) {
            __atomic_fetch_add(&counted_names[i].calls, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

static inline PLAIN void report(void)
{
    for (int i = 0; i < COUNTED_NAMES_MAX && counted_names[i].name != NULL; i++)
        printf("%s %lu\n", counted_names[i].name, counted_names[i].calls);
    fflush(stdout);
}
#define COUNTED_NAMES struct counted_name counted_names[COUNTED_NAMES_MAX]
#endif
