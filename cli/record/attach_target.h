/* What `fisql record -p` has to know of a process before it attaches: may it, and where are the
 * functions that bring a library in. */
#ifndef FISQL_CLI_RECORD_ATTACH_TARGET_H
#define FISQL_CLI_RECORD_ATTACH_TARGET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The name of the library's copy that a process maps. */
#define ATTACH_MEMORY_NAME "fisql-collector"

struct attach_target {
    pid_t pid;
    char name[64];     /* "PID (NAME)" */
    char root[64];     /* what its paths begin with here; "" = nothing */
    char program[512]; /* its executable, as it sees it */
    bool musl;         /* its C library, which never unloads another one */
    uint64_t dlopen, dlsym, dlclose, dlerror;
};

/* Looks at a process. Returns 0, or -1 with *error set to the sentence that says why it cannot be
 * recorded: there is none; it is static, of another machine, set-user-ID, recorded already, traced,
 * forbids itself what is needed (seccomp), or has no C library that we know. */
int attach_target_look(struct attach_target *target, pid_t pid, struct error *error) MUST_CHECK;

/* Is the path of a mapping that of a library which an attach has brought in? */
bool attach_target_is_left(const char *path);

#endif
