/* Programs of a run that could not be recorded, as the collector counted them. */
#ifndef FISQL_CLI_RECORD_UNRECORDED_H
#define FISQL_CLI_RECORD_UNRECORDED_H

#include "cli/record/live.h"
#include "cli/record/record_options.h"

/* Says on stderr which programs and why, and writes it into the log. Returns whether programs with
 * hooks are among them. */
bool unrecorded_append(struct live *live, const char *log_path, bool quiet);

/* Why nothing was recorded of a run of this program, named as for execvp(), and what to do. */
const char *unrecorded_reason(const struct live *live, const struct record_options *options,
                              const char *program);

#endif
