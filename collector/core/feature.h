/*
 * Features: what recording does beside calls and allocations, each in a room of its own (values, faults, locks,
 * incidents, diary). A feature says in a struct what it wants to be called for; collector/features.c lists them all.
 * So the rooms below name no feature, and a new one needs no change there.
 *
 * Two things are called directly all the same, for what they would cost otherwise: what the hooks write of arguments
 * and results (values/values_hook.h), and one test for each allocation (faults/faults.h, locks/lock_events.h).
 */
#ifndef FISQL_COLLECTOR_CORE_FEATURE_H
#define FISQL_COLLECTOR_CORE_FEATURE_H

#include "collector/core/base.h"
#include "formats/live.h"

#include <stdbool.h>
#include <stdint.h>

/* A module that was loaded; "" = it has no build-id. */
struct feature_module {
    const char *path, *build_id;
    uint64_t bias, start, end;
    bool calls_hooks;
};

/* What the program is about to forbid itself. */
enum feature_forbidden {
    FEATURE_NEEDED,  /* one of the feature's own system calls */
    FEATURE_SIGNALS, /* what handling signals takes */
    FEATURE_CALLS,   /* any system call (silent.h): what takes one is done now */
    FEATURE_ALLOWED  /* nothing, after FEATURE_SIGNALS: it failed */
};

/* Each function is called with signals blocked, unless it says otherwise. NULL = of no interest. */
struct feature {
    /* Takes its part of the live area, by live_area_part(). */
    void (*load)(const struct fisql_live_parts *parts);
    /* There is no memory for what was loaded: the process is not recorded then. */
    bool (*without_memory)(void);
    /* Before it is decided whether the process is recorded. at_start: no library can have been unloaded. */
    void (*deciding)(bool at_start);
    /* The process begins to be recorded. */
    void (*begins)(void);
    /* The program starts now. Signals are not blocked. */
    void (*starts)(void);
    void (*module)(const struct feature_module *module);
    /* Memory of a module that cannot be unloaded and is only read. */
    void (*constants)(uint64_t start, uint64_t end);
    /* In a forked child. */
    void (*forked)(void);
    void (*thread_begins)(void);
    /* The thread records no more calls; and it is gone, its last destructor, too. */
    void (*thread_ends)(void);
    void (*thread_gone)(void);
    /* A jump to a frame further out. Signals are not blocked. */
    void (*jumps)(void);
    /* An exit came of a function that is not open. Signals are not blocked. */
    void (*mismatch)(uint64_t function, uint64_t site, uint64_t stack);
    void (*forbidden)(enum feature_forbidden what);
    /* The program is about to make a system call by its number. Signals are not blocked. */
    void (*called)(long number, const long argument[6]);
    /* The process ends: events may be recorded still. Signals are not blocked. */
    void (*ending)(void);
    /* The process ends, and its threads' logs are written. */
    void (*ended)(void);
    /* System calls that only this feature makes. */
    const int *calls;
    uint32_t calls_count;
};

/* All of them, NULL at the end. */
extern HIDDEN const struct feature *const features[];

void features_load(const struct fisql_live_parts *parts);
bool features_without_memory(void);
void features_deciding(bool at_start);
void features_begin(void);
void features_start(void);
void features_module(const struct feature_module *module);
void features_constants(uint64_t start, uint64_t end);
void features_forked(void);
void features_thread_begins(void);
void features_thread_ends(void);
void features_thread_gone(void);
void features_jump(void);
void features_mismatch(uint64_t function, uint64_t site, uint64_t stack);
void features_forbidden(enum feature_forbidden what);
void features_called(long number, const long argument[6]);
void features_ending(void);
void features_ended(void);

#endif
