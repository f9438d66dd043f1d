/*
 * Replays a graph with changes: how long would the run have taken? A simulation of its threads on a
 * number of processors, event by event. If more threads can run than there are processors, they share
 * them equally.
 *
 * The idea is that of causal profiling (Curtsinger and Berger, "Coz: finding code that counts with
 * causal profiling", SOSP 2015): what counts is not the time that a function takes, but by how much
 * the program would end sooner if it took less. Coz slows everything else down and measures; we have
 * all waits, and compute.
 */
#ifndef FISQL_CLI_WHATIF_REPLAY_H
#define FISQL_CLI_WHATIF_REPLAY_H

#include "cli/whatif/graph.h"

struct replay_plan {
    const struct graph *graph;
    const struct change *const
        *changes; /* those that are made; the numbers in the graph's operations
                                            are places in `all` */
    size_t changes_count;
    const struct change_list *all;
    double processors;
    bool raw; /* as it was: with the hooks' cost, with what threads were put aside for, and as many
                 processors as they want */
};

struct replay_path {
    double *run_ns;   /* by class: its time on the critical path */
    double *sleep_ns; /* by class: waits that keep their length */
    double *lock_ns;  /* by lock: time between a release and the next turn */
    double wake_ns;   /* from other events until the thread goes on */
    double queue_ns;  /* waiting for a processor */
    double start_ns;  /* before the first thread began */
};

struct replay {
    double end_ns;    /* from the run's start to its end */
    long long forced; /* waits that could not end, because the order of locks is another one */
    struct replay_path path; /* if it was asked for */
};

/* 0, or 2 after saying what is wrong. with_path: fills in replay->path, which replay_release()
 * frees. */
int replay_run(const struct replay_plan *plan, bool with_path, struct replay *replay);
void replay_release(struct replay *replay);

/* The processors that we may use. */
double processors_here(void);

#endif
