/*
 * The processes that a program leaves behind. An experiment's supervisor is a subreaper: whatever
 * the program started, however it came loose (setsid, a double fork), is below the supervisor,
 * which finds and ends it.
 */
#ifndef FISQL_CLI_FAULTS_PROCESSES_H
#define FISQL_CLI_FAULTS_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* Kills every process below `root` except `spared` itself (0 = none). */
void processes_kill(pid_t root, pid_t spared);

/* Is there a process below `root`? */
bool processes_any(pid_t root);

/* Kills everything below this process and reaps it; returns when nothing is left. */
void processes_end(void);

#endif
