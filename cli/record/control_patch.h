/* What `fisql control` asks fisql record: to patch and unpatch functions (struct fisql_patching). */
#ifndef FISQL_CLI_RECORD_CONTROL_PATCH_H
#define FISQL_CLI_RECORD_CONTROL_PATCH_H

#include "formats/live.h"

/* Parts of a run's area, mapped; NULL = the run has none. */
struct control_parts {
    struct fisql_late *late;
    struct fisql_patching *patching;
};

/* `file`: the area's, open for reading and writing. */
void control_parts_open(struct control_parts *parts, int file, const struct fisql_live_area *area);
void control_parts_close(const struct control_parts *parts);

/* Has fisql record patch what is to be recorded now, and unpatch the rest, and waits until that is
 * done. Says on stderr where it could not be: there the hooks leave it out. */
void control_patch(int file, const struct fisql_live_area *area);

#endif
