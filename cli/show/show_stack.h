/* The stack of a call as text, the call itself first: what `fisql stack` prints. */
#ifndef FISQL_CLI_SHOW_SHOW_STACK_H
#define FISQL_CLI_SHOW_SHOW_STACK_H

#include "cli/run/names.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Does the database have the rows of the call and of all around it? */
bool show_stack_is_whole(sqlite3 *database, int64_t id);

/* Writes the stack of the call (calls.id) to `out`; all: of a deep one all calls, not its ends
 * alone. `path` is what messages call the database. Returns 0, or 2 after saying what is wrong. */
int show_stack(sqlite3 *database, const char *path, int64_t id, enum name_style style, bool all,
               FILE *out);

#endif
