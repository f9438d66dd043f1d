/*
 * The witness: a process that does nothing but stay in our process group with every signal blocked.
 *
 * What is sent to the whole group (kill(0), kill(-group), a shell's `kill %1` or `fg`) reaches the
 * program without us, and must not reach it a second time; what is sent to us alone reaches it only
 * through us. The kernel does not distinguish them. But a signal to the group is with the witness too.
 *
 * While we are stopped, the witness looks after the program for us: when that goes on, so do we.
 */
#ifndef FISQL_CLI_RECORD_SIGNAL_WITNESS_H
#define FISQL_CLI_RECORD_SIGNAL_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct witness {
    pid_t pid; /* 0 = there is none */
    int ask, answer;
};

/* Starts it; all signals must be blocked. Without a witness every signal counts as sent to us
 * alone. */
void witness_start(struct witness *witness);
void witness_end(struct witness *witness);

/* Did the witness get this signal too? Takes it from the witness. */
bool witness_got(struct witness *witness, const siginfo_t *info);

/* From now on sends us SIGCONT again and again whenever the program is not stopped; until the
 * second call. */
void witness_watch(struct witness *witness, pid_t program);
void witness_unwatch(struct witness *witness);

#endif
