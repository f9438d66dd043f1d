/*
 * --budget: which functions to leave out, while the program runs, so that recording costs no more than
 * a part of the program's own processor time.
 *
 * From time to time we measure: how many calls the threads have entered, which their slots say; what
 * processor time their processes have taken; and what a call's hooks cost, which hooks sample in place
 * (collector/core/hook_sample.h). If hooks take too much, we look into the chunks that the busiest
 * threads are filling, and count their functions' calls and time of their own. Functions are left out
 * in the order of calls a microsecond of their own: short leaves, called often, say least for what
 * they cost. They are unpatched (patching.h), and stay left out. The hooks that are compiled into a
 * program cannot be: there the calls of such functions are only counted, from then on
 * (collector/core/counted.c). Each function is a change of the recording (recording_changes), at the
 * moment of the choice.
 */
#ifndef FISQL_CLI_RECORD_BUDGET_H
#define FISQL_CLI_RECORD_BUDGET_H

#include "cli/record/patch_wish.h"
#include "live/live_counts.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How a function is recorded. */
enum budget_kind {
    BUDGET_PATCHED,
    BUDGET_LINKED, /* of a library that is not recorded itself */
    BUDGET_HOOKED, /* by compiled hooks: its calls are counted instead */
};

/* What a function costs just now. */
struct budget_function {
    char *path; /* of its module */
    uint64_t address;
    enum budget_kind kind;
    double calls, self_ns; /* in the last interval */
};

struct budget_functions {
    struct budget_function *items;
    size_t count, capacity;
};

/* A function that was left out. */
struct budget_left {
    char *path;
    uint64_t address, ns; /* ns: CLOCK_MONOTONIC */
    enum budget_kind kind;
};

struct budget_module; /* the names of its functions */

/* A thread, by its slot. */
struct budget_thread {
    uint64_t process_key, calls, fresh; /* fresh: calls in the last interval */
    uint32_t thread, pid;
};

/* A process and the processor time it has taken. */
struct budget_process {
    uint64_t key, cpu_ns;
    pid_t pid;
};

/* What was measured. */
struct budget_measured {
    double calls, cpu_ns;   /* since the last decision */
    struct fisql_cost cost; /* of hooks, as far as chunks were counted */
    double cost_ns;         /* of a call */
    size_t distinct;        /* functions that a thread calls */
    double ns_per_tick;
};

struct budget {
    struct budget_measured measured;
    double part; /* of the program's own time that recording may take; 0 = no budget */
    struct live *live;
    struct live_source source;
    struct live_counts counts;
    struct budget_thread *threads;
    size_t threads_capacity;
    struct budget_process *processes;
    size_t processes_count, processes_capacity;
    struct budget_functions functions;
    struct function_sets left;                       /* that were left out */
    struct budget_left *chosen;                      /* the same, in this order */
    size_t left_count, left_capacity, written_count; /* of which so many are in the log */
    struct budget_module *modules;
    size_t modules_count, modules_capacity;
    struct budget_said {
        size_t count;
        char names[512]; /* of the first of these */
    } said[2];           /* left out; counted */
    int64_t next_ns;     /* CLOCK_MONOTONIC: when to measure again */
    unsigned rounds;     /* since the last one that exceeded the budget */
    bool changed;        /* functions were left out since the last measurement, which begins anew */
};

/* Where a function of a process lies: the path of its module (borrowed), and its address in the file.
 * False: it cannot be unpatched. */
struct budget_where {
    const char *path;
    uint64_t address;
    enum budget_kind kind;
};
typedef bool budget_place(void *context, pid_t pid, uint64_t function, struct budget_where *where);

/* `live` is borrowed until the end. */
void budget_begin(struct budget *budget, struct live *live, double part);
void budget_end(struct budget *budget);

/* Is it time to measure? */
bool budget_is_due(const struct budget *budget);
/* Measures. Returns whether functions have to be left out: then budget_choose() does. */
bool budget_measure(struct budget *budget);
/* Chooses functions, and adds them to `left`. Returns how many. */
size_t budget_choose(struct budget *budget, budget_place *place, void *context);
/* The text of all functions whose calls are to be counted (collector/core/filter.c has its form), which
 * the caller frees; NULL without memory. */
char *budget_counts_text(const struct budget *budget, size_t *size_bytes);
/* Writes into the log what has been left out, by name. That takes long in a large program: unpatch it
 * before. */
void budget_write(struct budget *budget);
/* Says at the end what was left out. */
void budget_say(const struct budget *budget);

#endif
