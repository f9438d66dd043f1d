/* Programs that forbid themselves system calls (seccomp). */
#ifndef FISQL_COLLECTOR_PROCESS_SECCOMP_H
#define FISQL_COLLECTOR_PROCESS_SECCOMP_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stdint.h>

/* Handles a system call that limits later ones (seccomp.c). mode: a SECCOMP_MODE_; filter: the
 * program's struct sock_fprog. Makes the call and returns the kernel's result. */
long seccomp_call(long number, const long argument[6], uint64_t mode, const void *filter);

/* The same for any prctl(), which may also forbid the processor's clock. */
long seccomp_prctl(const long argument[6]);

/* Is the processor's clock forbidden to the calling thread? Then clock_gettime() fails, too. */
HIDDEN bool clock_forbidden(void);

#endif
