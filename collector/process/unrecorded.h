/* What of a program's images is not recorded, and why: counted in the live area, for `fisql record` to say. */
#ifndef FISQL_COLLECTOR_PROCESS_UNRECORDED_H
#define FISQL_COLLECTOR_PROCESS_UNRECORDED_H

#include "collector/core/base.h"
#include "formats/live.h"

#define UNRECORDED_NAME_BYTES sizeof(((struct fisql_unrecorded_images *)NULL)->names[0])

/* The calling thread's name, which is the program's where it was not changed. */
HIDDEN void unrecorded_name(char name[UNRECORDED_NAME_BYTES]);

/* One more, with its name; or one fewer (change: -1), whose name stays. Makes no system calls. */
HIDDEN void unrecorded_count(struct fisql_live_area *area, enum fisql_unrecorded reason,
                             const char name[UNRECORDED_NAME_BYTES], int change);

#endif
