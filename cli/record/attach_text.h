/*
 * What a collector changes in a running process, and how it is taken back, while all threads are
 * stopped: the first bytes of functions, and the return addresses of calls that are open
 * (collector/patch/patch_hook.h).
 *
 * The mirror knows the true return address of every slot that holds a call site's address, on
 * whatever stack it lies. So all slots are found by the mirror: no stack is walked.
 */
#ifndef FISQL_CLI_RECORD_ATTACH_TEXT_H
#define FISQL_CLI_RECORD_ATTACH_TEXT_H

#include "base/error.h"
#include "cli/record/stopped.h"
#include "formats/attach.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are to be replaced. */
struct attach_change {
    uint64_t address;
    unsigned char before[5], bytes;
};

/* Zero is empty. */
struct attach_text {
    struct fisql_attached attached;  /* as the process says */
    struct fisql_attach_area *areas; /* attached.areas_count */
    struct attach_change *changes;
    struct stopped_range *ranges; /* where no thread may be when they are replaced; sorted */
    size_t changes_count, changes_capacity, ranges_count, ranges_capacity;
};

/* Reads `attached` at its address in the process, and what is there now of the bytes that its plans
 * replace. 0, or -1 with *error set. Nothing of what it reads is trusted. */
int attach_text_read(struct attach_text *text, const struct stopped *stopped, uint64_t attached,
                     struct error *error) MUST_CHECK;
void attach_text_release(struct attach_text *text);

/* Leads threads out of the ranges. What cannot be led out is listed in `left`, a malloc'ed array of
 * *count addresses that goes to the caller: contexts of signal handlers, system calls. 0, or -1 with
 * *error set. */
int attach_text_clear(const struct attach_text *text, struct stopped *stopped, uint64_t **left,
                      size_t *count, struct error *error) MUST_CHECK;

/* Puts back the bytes that were replaced. Returns how many places were; what is not a jump to a stub
 * is somebody else's, and stays. */
size_t attach_text_restore(const struct attach_text *text, const struct stopped *stopped);

/* Puts true return addresses back into the slots of open calls. Returns how many. */
size_t attach_slots_restore(const struct attach_text *text, const struct stopped *stopped);

/* A thread that is in the collector or a stub, or that will return there from a signal's handler;
 * stopped->count if there is none. */
size_t attach_inside(const struct attach_text *text, const struct stopped *stopped);

#endif
