/* Frames of functions at the call of their entry hook, from the module's call frame information:
 * what it takes to return from the function there (formats/fault.h). */
#ifndef FISQL_DEBUGINFO_RECIPES_HOOK_FRAMES_H
#define FISQL_DEBUGINFO_RECIPES_HOOK_FRAMES_H

#include "base/error.h"
#include "formats/fault.h"
#include "debuginfo/symbols/symbols.h"

struct hook_frames;

/* Opens a module's frames; options as for symbols_open(). Returns 0, also if nothing is known of
 * it; -1 without memory. Close it in both cases. */
int hook_frames_open(struct hook_frames **out, const char *path,
                     const struct symbols_options *options, struct error *error);
void hook_frames_close(struct hook_frames *frames); /* NULL is allowed */

/* Fills in the frame at the hook call that returns to hook->address: can_return and the fields
 * after it. */
void hook_frames_at(const struct hook_frames *frames, struct fisql_fault_hook *hook);

#endif
