/*
 * Attaching to a running process: brings the collector in, patches, and takes all of it out again.
 *
 *     attach_begin()   the collector is there, and has asked about the process's modules
 *     attach_patch()   calls are recorded from here on
 *     attach_leave()   the process is as it was; its log is complete
 *
 * Each stops the process for some milliseconds. The first and the last wait, with the process
 * running, for a thread that stands where it may open or close a library: blocked in a wait, or in
 * the program's own code, and in no handler of a signal.
 *
 * One thread calls all of these (stopped.h), and may print nothing in between that could block.
 */
#ifndef FISQL_CLI_RECORD_ATTACH_H
#define FISQL_CLI_RECORD_ATTACH_H

#include "base/error.h"
#include "cli/record/attach_stay.h"
#include "cli/record/attach_target.h"
#include "cli/record/attach_text.h"
#include "cli/record/patch_changes.h"
#include "formats/attach.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach {
    struct attach_target target;
    struct attach_text text;
    struct attach_stay stay; /* with musl */
    int memory;              /* the library as a file of ours, which no update of fisql changes */
    uint64_t inode;  /* of what it maps until it is left: of that; with musl, of the live area */
    uint64_t handle; /* of dlopen(); 0 = not there */
    uint64_t start, prepare, patch, leave, forget, attached; /* addresses in the process */
    uint64_t patched;                                        /* functions */
    struct patch_attached left_alone;                        /* by attach_patch() */
};

/* What the process gets. */
struct attach_orders {
    const char *library;                /* path of the collector */
    int live, log;                      /* descriptors of ours */
    struct fisql_attach_orders *orders; /* all but the descriptors and live_path */
};

/* Brings the collector into a process that attach_target_look() has filled attach->target for; all
 * else of *attach is zero. Returns 0, or -1 with *error set and the process as it was. Release it in
 * both cases. */
int attach_begin(struct attach *attach, const struct attach_orders *orders,
                 struct error *error) MUST_CHECK;
/* Patches it, when the questions of attach_begin() are answered. */
int attach_patch(struct attach *attach, struct error *error) MUST_CHECK;
/* Leaves it, and its children that came by fork. Returns 0; 1 with *error set if recording has ended
 * but the library had to stay; -1 if the process could not even be stopped. */
int attach_leave(struct attach *attach, struct error *error) MUST_CHECK;
void attach_release(struct attach *attach);

#endif
