/*
 * The witness: a process that stays in our process group with every signal blocked, and does
 * nothing else.
 *
 * A signal to the whole group (kill(0), kill(-group), a shell's `kill %1` or `fg`) reaches the
 * program without us, and must not reach it twice; a signal to us alone reaches it only through us.
 * The kernel does not distinguish them, but the witness also gets a signal to the group.
 *
 * While we are stopped, the witness watches the program: when that continues, so do we.
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

/* Did the witness get this signal, too? Takes it from the witness. */
bool witness_got(struct witness *witness, const siginfo_t *info);

/* From now on sends us SIGCONT again and again while the program is not stopped; until the second
 * call. */
void witness_watch(struct witness *witness, pid_t program);
void witness_unwatch(struct witness *witness);

#endif
