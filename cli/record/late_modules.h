/*
 * Answers what processes ask about the modules that they load (struct fisql_late of
 * formats/live.h): with recipes for libraries that they open themselves and for programs that they
 * become or start, and with plans for patching. A thread waits for the questions.
 */
#ifndef FISQL_CLI_RECORD_LATE_MODULES_H
#define FISQL_CLI_RECORD_LATE_MODULES_H

#include "cli/record/mailbox.h"
#include "cli/record/record_patch.h"

struct late_modules {
    struct live *live;
    const struct record_options *options;
    struct mailbox mailbox; /* of struct fisql_late */
    struct patch_summary summary;
};

/* Does nothing if neither values nor plans are wanted. Both are borrowed until the end. */
void late_modules_start(struct late_modules *modules, struct live *live,
                        const struct record_options *options);
/* Afterwards `summary` is complete. */
void late_modules_end(struct late_modules *modules);

#endif
