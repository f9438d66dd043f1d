/*
 * Signals of `fisql record`. As long as the program runs, what is sent to us is meant for it: every
 * signal that can be caught, and that was sent to us alone, is passed on once. What the program
 * gets without us (a terminal's signals, signals to the process group) is not passed on. When the
 * program stops we stop, so that a shell sees its job stopped.
 *
 * All signals are blocked from signals_begin() on and taken one by one by signals_wait(): nothing
 * is interrupted by one, and none is lost between two looks.
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
    struct sigaction child; /* SIGCHLD, likewise */
    struct witness witness;
    pid_t program; /* 0 = none that signals could be passed on to */
    uint64_t
        ends_asked; /* signals that end a process and came while the program ran: a bit for each */
    int end_asked; /* a signal that ends a process came when there was no program any more; 0 = no */
};

/* Once, before the program is started. */
void signals_begin(struct signals *signals);

/* In the program's process before it is run: signals as we got them. */
void signals_inherit(const struct signals *signals);

/* Handles the signals that have come; waits for the first for up to timeout_ms. */
void signals_wait(struct signals *signals, int timeout_ms);

/* The program was stopped by this signal: we stop too, and return when we go on. */
void signals_stop(struct signals *signals, int number);

/* The program has ended, and its pid may soon be another's. */
void signals_program_ended(struct signals *signals);

/* Ends this process by a signal, without a core of its own. Returns if that cannot be done. */
void signals_die(int number);

#endif
