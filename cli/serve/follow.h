/*
 * Serving a log: `fisql load --follow` runs beside the server. It makes the log's database, as
 * `fisql load` names it, and replaces what that holds again and again while the program is being
 * recorded.
 */
#ifndef FISQL_CLI_SERVE_FOLLOW_H
#define FISQL_CLI_SERVE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Starts it, and waits until its first state is there. Returns the process, 0 if that has ended, or
 * less than 0 after saying what is wrong; `database` gets the database's path. */
pid_t follow_begin(const char *log, char *database, size_t size);

/* Does it still run? *pid is 0 from when it does not. */
bool follow_runs(pid_t *pid);

/* Asks it to end: it loads what is there once more. */
void follow_end(pid_t *pid);

#endif
