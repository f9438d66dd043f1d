/*
 * Makes recipes while the program runs: of libraries that it opens itself, and of programs that it
 * becomes or starts. A thread waits for requests in the live area (struct fisql_late).
 */
#ifndef FISQL_CLI_RECORD_LATE_RECIPES_H
#define FISQL_CLI_RECORD_LATE_RECIPES_H

#include "cli/record/mailbox.h"

struct late_recipes {
    struct live *live;
    const struct record_values *values;
    struct mailbox mailbox; /* of struct fisql_late */
};

/* Does nothing if values are not wanted. Both are borrowed until the end. */
void late_recipes_start(struct late_recipes *recipes, struct live *live,
                        const struct record_values *values);
void late_recipes_end(struct late_recipes *recipes);

#endif
