/* The end of the process: see process_end.c. */
#ifndef FISQL_COLLECTOR_PROCESS_PROCESS_END_H
#define FISQL_COLLECTOR_PROCESS_PROCESS_END_H

/* Call it when recording begins: asks for the exit status. */
void process_end_setup(void);
/* `fisql record` leaves the process, whose other threads are stopped: completes the log, and gives
 * back all that was mapped. Nothing is recorded any more. */
void process_leave(void);
/* The process ends with this status, not by exit() or _exit(). */
void process_returned(int status);

#endif
