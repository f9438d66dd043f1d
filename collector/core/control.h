/*
 * What `fisql control` asks of a process that is being recorded (struct fisql_control).
 *
 * How it is noticed. No fast path looks for it: a thread looks when a hook measures itself (one in
 * some 512, hook_sample.h), when a chunk is full, and at each entry where recording is off or the
 * function is left out. Who notices has all other threads look at their next events.
 *
 * A filter changes for a thread as if its recording went off and on again: what is open then ends there,
 * as at fisql_stop(). So no exit is missed whose function is left out from then on.
 */
#ifndef FISQL_COLLECTOR_CORE_CONTROL_H
#define FISQL_COLLECTOR_CORE_CONTROL_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stdint.h>

/* The count of changes that are asked for, in the live area, and the one that is known here. */
struct control_mark {
    const uint32_t *changes; /* atomic: what it points to */
    uint32_t known;          /* atomic */
};
extern HIDDEN struct control_mark control_mark;

/* Is something asked for that this process has not done? */
static inline bool control_asked(void)
{
    /* Both are read as plain variables are: of an atomic one gcc makes an instruction of its own, and a hook
     * that records nothing has few. */
    return *control_mark.changes != control_mark.known;
}

/* Before the process begins to record: what was asked of the processes before. */
void control_begin(void);
/* Does what is asked (control_asked()), unless the collector is at work. */
void control_take(void);

/* After fork, in the child. */
void control_forked(void);

#endif
