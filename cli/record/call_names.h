/*
 * Answers which functions the patterns of programs' callbacks mean (fisql_on_call() of fisql.h;
 * formats/live_calls.h). A thread waits for the questions.
 */
#ifndef FISQL_CLI_RECORD_CALL_NAMES_H
#define FISQL_CLI_RECORD_CALL_NAMES_H

#include "cli/record/mailbox.h"

struct call_names {
    struct live *live;
    const struct record_options *options;
    struct mailbox mailbox; /* of struct fisql_calls */
};

/* Adds the part to the live area; without room for it, programs' callbacks are refused. Both are
 * borrowed until the end. */
void call_names_start(struct call_names *names, struct live *live,
                      const struct record_options *options);
void call_names_end(struct call_names *names);

#endif
