/* What a process has forbidden itself (seccomp(2)): read and tried on the system calls that attaching
 * makes there, before the first one is made. */
#ifndef FISQL_CLI_RECORD_ATTACH_SECCOMP_H
#define FISQL_CLI_RECORD_ATTACH_SECCOMP_H

#include "base/error.h"
#include "cli/record/stopped.h"

/* Do the filters of all threads let all of them pass? 0; -1 with *error set to a sentence that begins
 * with `name` and names the call, or says that the filters cannot be read. */
int attach_seccomp_check(const struct stopped *stopped, const char *name,
                         struct error *error) MUST_CHECK;

#endif
