/*
 * Signals of `fisql record`. While the program runs, signals sent to us are meant for it: we pass
 * on, once, each signal that can be caught and was sent to us alone. We do not pass on what the
 * program gets without us (signals of a terminal or to the process group). When the program stops
 * we stop, so that a shell sees its job stopped.
 *
 * All signals are blocked from signals_begin() on, and signals_wait() takes them one by one: none
 * interrupts anything, and none is lost between two looks.
 */
#ifndef FISQL_CLI_RECORD_RECORD_SIGNALS_H
#define FISQL_CLI_RECORD_RECORD_SIGNALS_H

#include "cli/record/signal_witness.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct signals {
    uint64_t mask;          /* what was blocked when we were started */
    struct sigaction child; /* SIGCHLD's action at that time */
    struct witness witness;
    pid_t program;       /* 0 = no program to pass signals on to */
    uint64_t ends_asked; /* a bit for each terminating signal that came while the program ran */
    int summary;         /* a signal that asks for a summary instead (summary.h); 0 = none */
    uint32_t summaries;  /* atomic: how often it came */
    int end_asked;       /* terminating signal that came when no program ran any more; 0 = none */
};

void signals_begin(struct signals *signals);

/* In the program's process before exec: restores the signals that we got. */
void signals_inherit(const struct signals *signals);

/* Handles the signals that have come; waits up to timeout_ms for the first. */
void signals_wait(struct signals *signals, int timeout_ms);

/* The program was stopped by this signal: stops us, too, and returns when we continue. */
void signals_stop(struct signals *signals, int number);

/* The program has ended, and its pid may soon be another's. */
void signals_program_ended(struct signals *signals);

/* Ends this process by a signal, without a core. Returns if it cannot. */
void signals_die(int number);

#endif
