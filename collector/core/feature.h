/*
 * Features: what we record besides calls and allocations, each in its own room (values, faults,
 * locks, incidents, diary, patch, calls). A feature's struct holds the functions that it wants
 * called; collector/features.c lists all features. So the rooms below name no feature, and a new one
 * changes nothing there.
 *
 * Two things are called directly all the same, because indirect calls would cost too much: what the
 * hooks write of arguments and results (values/values_hook.h), and one test for each allocation
 * (faults/faults.h, locks/lock_events.h).
 */
#ifndef FISQL_COLLECTOR_CORE_FEATURE_H
#define FISQL_COLLECTOR_CORE_FEATURE_H

#include "collector/core/base.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded module. build_id: "" = none. */
struct feature_module {
    const char *path, *build_id;
    uint64_t bias, start, end;
    bool calls_hooks;
    bool executable; /* it is the program itself */
};

/* What the program is about to forbid itself. */
enum feature_forbidden {
    FEATURE_NEEDED,  /* one of the feature's own system calls */
    FEATURE_SIGNALS, /* what signal handling needs */
    FEATURE_CALLS,   /* any system call (silent.h): make those you need now */
    FEATURE_ALLOWED  /* nothing, after FEATURE_SIGNALS: it failed */
};

struct watched; /* collector/core/watch.h */

/* Each function is called with signals blocked, unless noted. NULL = not wanted. */
struct feature {
    /* Takes its part of the live area, by live_area_part(). */
    void (*load)(const struct fisql_live_parts *parts);
    /* Returns true if it lacks memory for what it loaded: the process is then not recorded. */
    bool (*without_memory)(void);
    /* Before we decide whether to record. at_start: no library can have been unloaded. */
    void (*deciding)(bool at_start);
    /* The process begins to be recorded. */
    void (*begins)(void);
    /* The program starts now. Signals are not blocked. */
    void (*starts)(void);
    void (*module)(const struct feature_module *module);
    /* What lay there was unloaded; if the dynamic linker tells us so, nothing new lies there yet. */
    void (*module_gone)(uint64_t start, uint64_t end);
    /* Read-only memory of a module that cannot be unloaded. */
    void (*constants)(uint64_t start, uint64_t end);
    /* In a forked child. */
    void (*forked)(void);
    void (*thread_begins)(void);
    /* The thread records no more calls; it is gone, its last destructor included. */
    void (*thread_ends)(void);
    void (*thread_gone)(void);
    /* A jump to a frame further out. Signals are not blocked. */
    void (*jumps)(void);
    /* The exit of a function that is not open. Signals are not blocked. */
    void (*mismatch)(uint64_t function, uint64_t site, uint64_t stack);
    /* A block is about to be freed a second time. Signals are not blocked. */
    void (*freed_twice)(uint64_t block, uint64_t site, uint64_t stack);
    /* The program goes on after that. */
    void (*goes_on)(void);
    /* A call of a watched function has begun or ended; collector_inside is set. Signals are not
     * blocked. */
    void (*watched)(const struct watched *call);
    void (*forbidden)(enum feature_forbidden what);
    /* The program is about to call syscall(). Signals are not blocked. */
    void (*called)(long number, const long argument[6]);
    /* The process ends; events can still be recorded. Signals are not blocked. */
    void (*ending)(void);
    /* The process ends; its threads' logs are written. */
    void (*ended)(void);
    /* System calls that only this feature makes. */
    const int *calls;
    uint32_t calls_count;
};

/* All of them, NULL at the end. */
extern HIDDEN const struct feature *const features[];

/* FEATURES_CALL(member)(arguments): calls that function of each feature that has it. */
#define FEATURES_CALL(member)                                                                      \
    for (const struct feature *const *feature_at = features; *feature_at != NULL; feature_at++)    \
        if ((*feature_at)->member != NULL)                                                         \
    (*feature_at)->member

#endif
