/* Writes to the log the changes of the recording that were made before and while the program ran (struct
 * fisql_changes). */
#ifndef FISQL_CLI_RECORD_CHANGES_H
#define FISQL_CLI_RECORD_CHANGES_H

#include "cli/record/live.h"
#include "cli/record/record_options.h"

/* Puts words into the change's detail, patterns in quotes, cut if they are long. */
void changes_detail(struct fisql_change *change, const char *const *words, size_t count);

/* Notes what --only, --exclude or --threads leaves out from the start: else it would look dead. */
void changes_begin(struct live *live, const struct record_options *options);

/* Appends those that are not in the log yet; at the end also how many found no room. */
void changes_append(struct live *live, bool at_end);

#endif
