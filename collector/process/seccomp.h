/* Programs that forbid themselves system calls (seccomp). */
#ifndef FISQL_COLLECTOR_PROCESS_SECCOMP_H
#define FISQL_COLLECTOR_PROCESS_SECCOMP_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stdint.h>

/* fisql's look at a system call that limits those to come (seccomp.c): mode is an SECCOMP_MODE_,
 * filter a struct sock_fprog of the program's. Makes the call and returns what the kernel does. */
long seccomp_call(long number, const long argument[6], uint64_t mode, const void *filter);

/* The same for any prctl(), which may forbid the processor's clock, too. */
long seccomp_prctl(const long argument[6]);

/* Was the calling thread forbidden to read the processor's clock? The C library's clock_gettime() would fail, too. */
HIDDEN bool clock_forbidden(void);

#endif
