/* Changes of the recording made by the program itself, or asked of it when no fisql record runs:
 * written to struct fisql_changes of the live area, and to the log. */
#ifndef FISQL_COLLECTOR_CORE_CHANGES_H
#define FISQL_COLLECTOR_CORE_CHANGES_H

#include <stdbool.h>

/* Call it when the live area is mapped. */
void changes_setup(void);
/* Notes that this process switched its recording on or off. Async-signal-safe. */
void changes_switched(bool on);
/* Without fisql record: writes the changes that are not in the log yet; at the end also the number
 * of those that found no room. Signals must be blocked. */
void changes_write(bool at_end);

#endif
