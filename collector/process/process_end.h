/* The end of the process: see process_end.c. */
#ifndef FISQL_COLLECTOR_PROCESS_PROCESS_END_H
#define FISQL_COLLECTOR_PROCESS_PROCESS_END_H

/* Call it when recording begins: asks for the exit status. */
void process_end_setup(void);
/* The process ends with this status, not by exit() or _exit(). */
void process_returned(int status);

#endif
