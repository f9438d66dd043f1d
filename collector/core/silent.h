/*
 * Silence: the program has forbidden itself system calls that recording needs (seccomp.c), and
 * recording goes on without any. We copy full chunks into slots of the live area that we mapped
 * before; `fisql record` appends them. We cannot block signals: the slow path sets
 * `collector_inside`, so handlers' hooks that interrupt it are not recorded. Nor are new threads,
 * children, and handlers that interrupt a hook: there is no memory for them.
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

/* Before silence: stores the name under which losses are reported. */
void silent_prepare(void);
/* Counts a loss, which `fisql record` will report. */
void silent_lose(void);
/* In the child of a silent process. */
void silent_child(void);

#endif
