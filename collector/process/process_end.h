/* The end of the process: see process_end.c. */
#ifndef FISQL_COLLECTOR_PROCESS_PROCESS_END_H
#define FISQL_COLLECTOR_PROCESS_PROCESS_END_H

/* The process begins to be recorded: its exit status is wanted. */
void process_end_setup(void);
/* The process ends with this status, though neither exit() nor _exit() says so. */
void process_returned(int status);

#endif
