/* The calling thread's name: as FISQL_THREAD() gave it, or else as the kernel has it. */
#ifndef FISQL_COLLECTOR_CORE_THREAD_NAME_H
#define FISQL_COLLECTOR_CORE_THREAD_NAME_H

#define THREAD_NAME_BYTES 32u /* with its NUL; a longer one is cut */

/* The name that the program gave; "" = none. */
const char *thread_name_given(void);
/* Keeps the name that the program gave. */
void thread_name_give(const char *name);
/* Writes the name; a system call unless it was given. Async-signal-safe. */
void thread_name_get(char name[THREAD_NAME_BYTES]);

#endif
