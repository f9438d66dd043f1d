/*
 * Silence: the program has forbidden itself system calls that recording makes otherwise (seccomp.c),
 * and goes on being recorded without any. What is full is copied into slots of the live area that were
 * mapped before, for `fisql record` to append. Signals cannot be blocked: hooks of handlers that come
 * in the middle of the slow path are not recorded, as the path says that it is inside. New threads and
 * children are not recorded, nor handlers that interrupt a hook: for these there is no memory.
 */
#ifndef FISQL_COLLECTOR_CORE_SILENT_H
#define FISQL_COLLECTOR_CORE_SILENT_H

#include "collector/core/base.h"

#include <stdbool.h>

/* Atomic, for the whole process. */
extern HIDDEN uint32_t silence;

static inline bool silent(void)
{
    return UNLIKELY(__atomic_load_n(&silence, __ATOMIC_ACQUIRE) != 0);
}

/* Before it begins: takes the name under which something is lost then. */
void silent_prepare(void);
/* Something of the program cannot be recorded: `fisql record` will say so. */
void silent_lose(void);
/* The process is the child of one that is silent. */
void silent_child(void);

#endif
