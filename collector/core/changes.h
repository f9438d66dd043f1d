/* Changes of the recording that the program itself makes, or that are asked of it where there is no fisql record:
 * struct fisql_changes of the live area, and the log. */
#ifndef FISQL_COLLECTOR_CORE_CHANGES_H
#define FISQL_COLLECTOR_CORE_CHANGES_H

#include <stdbool.h>

/* The live area is there. */
void changes_setup(void);
/* This process switched its recording on or off. Async-signal-safe. */
void changes_switched(bool on);
/* Without fisql record: writes those that are not in the log yet, at the end also how many found no room. Signals
 * must be blocked. */
void changes_write(bool at_end);

#endif
