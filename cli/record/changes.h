/* Changes of the recording that were made while the program ran (struct fisql_changes): to the log. */
#ifndef FISQL_CLI_RECORD_CHANGES_H
#define FISQL_CLI_RECORD_CHANGES_H

#include "cli/record/live.h"

/* Appends those that are not in the log yet; at the end how many found no room, too. */
void changes_append(struct live *live, bool at_end);

#endif
