/*
 * The processes that a program leaves behind. An experiment's supervisor is a subreaper: whatever the program
 * started, and however that came loose from it (setsid, a double fork), is below the supervisor and can be
 * found and ended.
 */
#ifndef FISQL_CLI_FAULTS_PROCESSES_H
#define FISQL_CLI_FAULTS_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* Kills every process below `root`, but the process `spared` itself (0 = none). */
void processes_kill(pid_t root, pid_t spared);

/* Is there one below `root`? */
bool processes_any(pid_t root);

/* Kills all that is below this process, reaps it, and returns when nothing is left. */
void processes_end(void);

#endif
