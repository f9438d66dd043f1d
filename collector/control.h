/*
 * What `fisql control` asks of a process that is being recorded (struct fisql_control).
 *
 * How it is noticed. No fast path looks for it: a thread looks when a hook measures itself (one in
 * some 512, hook_sample.h), when a chunk is full, and at each hook where recording is off or the
 * function is left out. Who notices has all other threads look at their next events.
 *
 * A filter changes for a thread as if its recording went off and on again: what is open then ends there,
 * as at fisql_stop(). So no exit is missed whose function is left out from then on.
 */
#ifndef FISQL_COLLECTOR_CONTROL_H
#define FISQL_COLLECTOR_CONTROL_H

#include "collector/fork.h"

/* Before the process begins to record: what was asked of the processes before. */
void control_begin(void);
/* Does what is asked (fork_mark_asked()), unless the collector is at work. */
void control_take(void);

/* After fork, in the child. */
void control_forked(void);

#endif
