/*
 * Patches and unpatches functions of programs that are recorded as they are while they run, as `fisql
 * control` asks (struct fisql_patching of formats/live.h). What is unpatched runs its own bytes: no
 * hook is left that could look for changes, so it is done from here, by the parent of the program.
 *
 * A pass looks at each process that shows areas (formats/patch_areas.h), and finds what has to change
 * (patch_changes.h); nothing, as a rule. Else it stops the process (stopped.h) for some milliseconds,
 * leads threads out of the instructions that are to be replaced, and writes. What cannot be written at
 * once, because a thread sleeps there or a signal's handler will return there, waits for the next
 * pass. Passes compare with what is there, so it does not matter how often they are made.
 *
 * A process that is being traced stays as it is, and its hooks leave out what the filter says.
 */
#ifndef FISQL_CLI_RECORD_PATCHING_H
#define FISQL_CLI_RECORD_PATCHING_H

#include "cli/record/budget.h"
#include "cli/record/mailbox.h"
#include "cli/record/patch_plans.h"

/* What a module's file says, looked at once. */
struct known_module {
    char *path;
    bool hooks; /* compiled in */
    bool fixed; /* see program_file.h */
};

struct patching {
    struct live *live;
    const struct fisql_late *late;         /* NULL = there are no plans */
    const struct patch_attached *attached; /* NULL = we have begun the program */
    struct mailbox mailbox;                /* of struct fisql_patching */
    struct patch_plans plans;
    struct budget budget;
    struct {
        struct known_module *items;
        size_t count, capacity;
    } modules;
    uint64_t since; /* processes that started earlier are none of ours */
    uint64_t passes;
    uint32_t woken;   /* `wake` of the mailbox at the last pass */
    uint32_t left_ms; /* until the next pass is due; 0 = when something is asked */
    int64_t passed_ns;
};

/* Does nothing if no modules are patched. All are borrowed until the end. `late` has the plans. */
void patching_start(struct patching *patching, struct live *live,
                    const struct record_options *options, const struct fisql_late *late,
                    const struct patch_attached *attached);
void patching_end(struct patching *patching);

/* A pass stops threads of the program, which a wait for the program's stops would take for its own.
 * May the caller look for such stops? Then it calls patching_waited() afterwards. */
bool patching_may_wait(void);
void patching_waited(void);

#endif
