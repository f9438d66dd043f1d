/* Programs that forbid themselves system calls (seccomp). */
#ifndef FISQL_COLLECTOR_SECCOMP_H
#define FISQL_COLLECTOR_SECCOMP_H

#include <stdint.h>

/* fisql's look at a system call that limits those to come (seccomp.c): mode is an SECCOMP_MODE_,
 * filter a struct sock_fprog of the program's. Makes the call and returns what the kernel does. */
long seccomp_call(long number, const long argument[6], uint64_t mode, const void *filter);

#endif
