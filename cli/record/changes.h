/* Writes to the log the changes of the recording that were made while the program ran (struct
 * fisql_changes). */
#ifndef FISQL_CLI_RECORD_CHANGES_H
#define FISQL_CLI_RECORD_CHANGES_H

#include "cli/record/live.h"

/* Appends those that are not in the log yet; at the end also how many found no room. */
void changes_append(struct live *live, bool at_end);

#endif
