/* What hooks note of functions that are left out: only what is, only of the program itself, and nothing
 * any more that a change of the filter has made wrong, also while others note. */
#include "collector/core/filter_passes.h"

#include "collector/core/modules.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <stdio.h>

struct process process = {.active = PROCESS_RECORDING};

/* None of these comes into it. */
bool process_activate(bool by_hook)
{
    return by_hook;
}

void modules_learn(uint64_t function)
{
    (void)function;
}

#define START 0x400000u
#define CODE_BYTES 0x40000u
#define LIBRARY 0x900000u
#define FUNCTIONS 1024u
#define STEP (CODE_BYTES / FUNCTIONS)

static bool noted(uint64_t function)
{
    const uint64_t *set = filter_noted_set(function);
    return __atomic_load_n(&set[0], __ATOMIC_RELAXED) == function ||
           __atomic_load_n(&set[1], __ATOMIC_RELAXED) == function;
}

/* As a hook does that finds nothing noted. */
static void ask(uint64_t function)
{
    if (!filter_passes(function))
        filter_note(filter_last, function);
}

/* A filter that names each function whose number leaves `rest` when it is divided by `by`. */
static void filter_set(const char *kind, unsigned by, unsigned rest)
{
    static char texts[2][FUNCTIONS * 8 + 100];
    static unsigned count;
    char *text = texts[count++ % 2], *at = text;
    at += sprintf(at, "%s\nmodule /program\n", kind);
    for (unsigned i = rest; i < FUNCTIONS; i += by)
        at += sprintf(at, "%x\n", i * STEP);
    filter_text(text, (uint64_t)(at - text));
    filter_module("/program", START, START, START + CODE_BYTES);
}

/* How many functions are noted, and how many of them the filter lets pass. */
static void count_noted(unsigned *all, unsigned *wrong)
{
    *all = *wrong = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (noted(START + i * STEP)) {
            ++*all;
            *wrong += filter_passes(START + i * STEP);
        }
}

static bool stop;

static void *ask_all(void *context)
{
    (void)context;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        for (unsigned i = 0; i < FUNCTIONS; i++)
            ask(START + i * STEP);
    return NULL;
}

int main(void)
{
    unsigned all, wrong;
    filter_set("exclude", 2, 0);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        ask(START + i * STEP);
    count_noted(&all, &wrong);
    check_equal(FUNCTIONS / 4, all, "of four that are left out and share a set, two are noted");
    check_equal(0, wrong, "and nothing else");
    ask(START + STEP / 2);
    check(!noted(START + STEP / 2), "not what lies between them");

    filter_set("only", 2, 0);
    count_noted(&all, &wrong);
    check_equal(0, all, "another filter: all that was noted is forgotten");
    for (unsigned i = 0; i < FUNCTIONS; i++)
        ask(START + i * STEP);
    count_noted(&all, &wrong);
    check_equal(FUNCTIONS / 4, all, "--only: of the others likewise");
    check_equal(0, wrong, "and none of those that are named");

    filter_module("/library.so", LIBRARY, LIBRARY, LIBRARY + CODE_BYTES);
    filter_set("only", FUNCTIONS, 0);
    ask(LIBRARY + STEP);
    check(!filter_passes(LIBRARY + STEP) && !noted(LIBRARY + STEP),
          "a library's function is left out, but not noted: another may be loaded there");

    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, ask_all, NULL);
    for (unsigned round = 0; round < 2000; round++)
        filter_set("exclude", 3, round % 3);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    count_noted(&all, &wrong);
    check_equal(0, wrong, "changed 2000 times while two threads note: nothing wrong stays");
    check(all > 0, "and something is noted");
    return check_status();
}
