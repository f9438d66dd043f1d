/*
 * What `fisql control` asks of a recorded process (struct fisql_control).
 *
 * The fast path never checks for it. A thread checks when a hook measures itself (one in some 512,
 * hook_sample.h), when a chunk is full, and at each entry while recording is off or the function is
 * left out. The first thread to notice makes all others check at their next events.
 *
 * For a thread, a new filter works like fisql_stop() and fisql_start(): its open calls end in the
 * log. So no exit is missed of a function that is left out from then on.
 */
#ifndef FISQL_COLLECTOR_CORE_CONTROL_H
#define FISQL_COLLECTOR_CORE_CONTROL_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of changes asked for, in the live area, and the number known here. */
struct control_mark {
    const uint32_t *changes; /* atomic: what it points to */
    uint32_t known;          /* atomic */
};
extern HIDDEN struct control_mark control_mark;

/* Does this process still have to do something? */
static inline bool control_asked(void)
{
    /* Plain reads: an atomic one costs a hook that records nothing an instruction more. */
    return *control_mark.changes != control_mark.known;
}

/* Takes what was asked of earlier processes, before this one begins to record. */
void control_begin(void);
/* Does what control_asked() reported, unless the collector is at work. */
void control_take(void);

/* In a forked child. */
void control_forked(void);

#endif
