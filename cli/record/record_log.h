/* The log of a run, on the side of `fisql record`: its first facts, and its completion. */
#ifndef FISQL_CLI_RECORD_RECORD_LOG_H
#define FISQL_CLI_RECORD_RECORD_LOG_H

#include "cli/record/live.h"
#include "cli/record/log_place.h"
#include "cli/record/log_rotate.h"
#include "cli/record/log_space.h"
#include "cli/record/record_options.h"
#include "cli/record/record_patch.h"

#include <stdbool.h>

/* Appends what was asked for, and of which program. */
void record_log_begin(struct live *live, const struct record_options *options, char **argv);

/* Completes the log when the program, and what it left running, have ended, and says what came of it.
 * `rotate` holds what came of
 * --rotate, else zeros. `all`: no process can record any more. Returns whether nothing was recorded. */
bool record_log_complete(struct live *live, struct log_place *place, struct log_space *space,
                         struct log_rotate *rotate, const struct record_options *options,
                         const struct patch_summary *patched, const char *program, bool all);

#endif
