/*
 * Prints on stderr what programs report while they run (fisql.h: FISQL_TELL). A thread waits for
 * their texts (struct fisql_told) and puts names, files and lines into the frames of stacks.
 */
#ifndef FISQL_CLI_RECORD_TOLD_H
#define FISQL_CLI_RECORD_TOLD_H

#include "cli/record/mailbox.h"

struct told_module;

struct told {
    struct mailbox mailbox; /* of struct fisql_told */
    struct told_module *modules;
    size_t modules_count, modules_capacity;
};

/* `live` is borrowed until the end. */
void told_start(struct told *told, const struct live *live);
/* Prints the remaining texts. */
void told_end(struct told *told);

#endif
