/* What the slow path does first and last, so that the program notices nothing (base.h). */
#ifndef FISQL_COLLECTOR_CORE_QUIET_H
#define FISQL_COLLECTOR_CORE_QUIET_H

#include "collector/core/base.h"
#include "collector/core/silent.h"

#include <signal.h>
#include <string.h>

/* Not 0 while the calling thread is inside the collector: what it allocates is not recorded. */
extern HIDDEN THREAD_LOCAL int collector_inside;

/* Keeps errno and blocks signals. */
struct quiet {
    sigset_t mask;
    int error;
    bool silent; /* begun without a system call (silent.h): nothing is blocked */
    int cancel;  /* write() and the like must not act on a pthread_cancel() meant for the program */
};
void quiet_begin(struct quiet *quiet);
void quiet_end(const struct quiet *quiet);

/* dlsym(); NULL in a static program. Its allocations are ours: no call is recorded while it runs,
 * so no handler may. Leaves no error, whose blocks the program's next dlsym() would free as blocks
 * of its own. */
void *quiet_look(void *where, const char *name);
/* The same with RTLD_NEXT, unseen by signal handlers. */
void *quiet_symbol(const char *name);
/* The same, in the whole program. */
void *quiet_symbol_anywhere(const char *name);
/* The first, into a pointer to a function of whatever type. */
static inline void quiet_find(void *pointer, const char *name)
{
    void *found = quiet_symbol(name);
    memcpy(pointer, &found, sizeof found);
}

#endif
