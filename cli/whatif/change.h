/*
 * The changes that `fisql whatif` is asked about, as people write them:
 *
 *   parse: 2x              the function's own time is divided by two; 0.5x makes it slower
 *   parse: -30%            a part of it is taken away
 *   work: 4 threads        its calls by one call of another function are shared among four threads
 *   lock stat_lock: split 8   the lock becomes eight, each used at random by a part of the threads' turns
 *   lock stat_lock: none   no thread waits for it
 *   malloc in node_new: pool  its blocks come from a list of free ones
 *   read: async            its waits are begun when the one before is over, and go on meanwhile
 *
 * Functions and locks may be patterns (*, ? and [...]).
 */
#ifndef FISQL_CLI_WHATIF_CHANGE_H
#define FISQL_CLI_WHATIF_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum change_kind {
    CHANGE_SCALE,  /* value: the factor that the own time is multiplied by */
    CHANGE_SPREAD, /* value: threads */
    CHANGE_SPLIT,  /* value: locks */
    CHANGE_UNLOCK, /* value: of a hundred acquisitions, how many wait for nobody */
    CHANGE_POOL,   /* value: not used */
    CHANGE_ASYNC,
    CHANGE_WAIT, /* value: the factor that waits in the function are multiplied by */
};

#define CHANGE_LOCK_KINDS (1u << CHANGE_SPLIT | 1u << CHANGE_UNLOCK)

struct change {
    enum change_kind kind;
    const char *text; /* as it was given; borrowed */
    char *name;       /* of the function or the lock */
    double value;
    /* What it means in the run: filled in by graph_open(). */
    bool *functions;  /* by functions.id, those that it names; NULL = it is about a lock */
    bool *locks;      /* by index in graph.locks */
    double speedup;   /* CHANGE_SPREAD: how much faster the calls can be together */
    double *saves_ns; /* CHANGE_POOL: by class of the graph; NULL = nothing */
    char *told;       /* more to say of it; NULL = nothing */
};

#define CHANGES_MAX 32u

struct change_list {
    struct change items[CHANGES_MAX];
    size_t count;
};

/* Is the word a change, not a file? */
bool change_looks_like(const char *word);

/* Adds the change of these words. 0, or 2 after saying what is wrong with it. */
int change_add(struct change_list *list, const char *text);
void change_list_release(struct change_list *list);

#endif
