/* Interposes the ways to run another program. */
#ifndef FISQL_COLLECTOR_PROCESS_EXEC_H
#define FISQL_COLLECTOR_PROCESS_EXEC_H

/* syscall(SYS_execve, ...). Absent where this file is not linked in. */
__attribute__((weak)) int exec_called(const char *path, char *const arguments[],
                                      char *const environment[]);

#endif
