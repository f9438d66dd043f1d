/* Images that are not recorded, and why: counted in the live area, for `fisql record` to report. */
#ifndef FISQL_COLLECTOR_PROCESS_UNRECORDED_H
#define FISQL_COLLECTOR_PROCESS_UNRECORDED_H

#include "collector/core/base.h"
#include "formats/live.h"

#define UNRECORDED_NAME_BYTES sizeof(((struct fisql_unrecorded_images *)NULL)->names[0])

/* The calling thread's name: the program's, unless changed. */
HIDDEN void unrecorded_name(char name[UNRECORDED_NAME_BYTES]);

/* Counts one more, with its name, or (change: -1) one fewer. Makes no system calls. */
HIDDEN void unrecorded_count(struct fisql_live_area *area, enum fisql_unrecorded reason,
                             const char name[UNRECORDED_NAME_BYTES], int change);

#endif
