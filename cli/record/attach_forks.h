/*
 * Before the collector is unmapped: no thread may be about to call it for a fork.
 *
 * fork() takes a handler of pthread_atfork() from its list under a lock, gives the lock back, and then
 * calls the handler (glibc, posix/register-atfork.c, 2.36). A thread that was put aside in between calls
 * it later, even if dlclose() has taken it off the list and unmapped it. Giving back a lock that others
 * want is a system call, where threads are often put aside. So the handlers are taken off first
 * (fisql_attach_forget()). Then each thread must have slept since, or run on.
 */
#ifndef FISQL_CLI_RECORD_ATTACH_FORKS_H
#define FISQL_CLI_RECORD_ATTACH_FORKS_H

#include <stdbool.h>
#include <sys/types.h>

/* Waits until all threads of the process but this one, which is stopped, have run on or slept. False: not
 * within timeout_ms. */
bool attach_forks_passed(pid_t pid, pid_t stopped, unsigned timeout_ms);

#endif
