/* What `fisql record -p` calls and reads in a process: formats/attach.h. */
#ifndef FISQL_COLLECTOR_ATTACH_ATTACH_H
#define FISQL_COLLECTOR_ATTACH_ATTACH_H

#include "collector/core/base.h"
#include "formats/attach.h"

/* On a stack of at least 64 KiB, by a thread that is in no signal handler's way. */
EXPORT int fisql_attach_start(const struct fisql_attach_orders *orders);
EXPORT void fisql_attach_prepare(void);
EXPORT uint32_t fisql_attach_patch(const uint64_t *left_out, uint64_t count);
EXPORT void fisql_attach_leave(void);
/* Behind it: no fork that begins from now on calls the collector. Other threads may run. */
EXPORT void fisql_attach_forget(void);
/* and the variable fisql_attached */

#endif
