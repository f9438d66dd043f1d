/*
 * Frames of functions where they call their entry hook: what it takes to return from the function there
 * (formats/fault.h). Read from the module's call frame information.
 */
#ifndef FISQL_DEBUGINFO_RECIPES_HOOK_FRAMES_H
#define FISQL_DEBUGINFO_RECIPES_HOOK_FRAMES_H

#include <stdbool.h>

#include "base/error.h"
#include "formats/fault.h"
#include "debuginfo/symbols/symbols.h"

struct hook_frames;

/* Opens those of a module; options as for symbols_open(). Returns 0, also where nothing is known of it; -1
 * without memory. Close it in every case. */
int hook_frames_open(struct hook_frames **out, const char *path,
                     const struct symbols_options *options, struct error *error);
void hook_frames_close(struct hook_frames *frames); /* NULL is allowed */

/* Fills in what is said of the frame of the hook call that returns to hook->address: can_return and what
 * follows it. */
void hook_frames_at(const struct hook_frames *frames, struct fisql_fault_hook *hook);

#endif
