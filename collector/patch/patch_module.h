/* Patches one module by its plan (formats/patch.h). */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_MODULE_H
#define FISQL_COLLECTOR_PATCH_PATCH_MODULE_H

#include "collector/core/feature.h"
#include "formats/attach.h"
#include "formats/live.h"
#include "formats/patch.h"

struct patch_area;

/* Patches the module's functions but those that a filter leaves out; *patched: how many. Returns
 * NULL, or why none could be (a static text). Signals are blocked; one thread at a time. The plan
 * lies in this part of the live area, and is not trusted. */
const char *patch_module(const struct fisql_live_part *part, const struct feature_module *module,
                         uint32_t *patched);
/* The same in two steps: makes the stubs, *area; writes the jumps. */
const char *patch_module_prepare(const struct fisql_live_part *part,
                                 const struct feature_module *module, struct patch_area **area);
const char *patch_module_write(const struct patch_area *area, uint32_t *patched);
/* In a process that runs already: do not replace bytes if one of these addresses lies behind the
 * first of them, for a thread goes on there. Borrowed until the modules are patched. */
void patch_module_leave_out(const uint64_t *addresses, uint64_t count);
/* The functions (addresses in the file) that were left out so, from the entry *from on, at most `room`;
 * returns how many, and sets *from to go on. */
uint32_t patch_module_left(const struct patch_area *area, uint32_t *from, uint64_t *functions,
                           uint32_t room);
/* Lists the modules that have stubs, at most `room`; returns how many. */
uint32_t patch_module_list(struct fisql_attach_area *list, uint32_t room);
/* Makes the function at `address`, which does nothing (a return, alignment behind it), jump to
 * `instead`. False if it is not like that, or cannot be written. Signals are blocked. */
bool patch_empty_function(uint64_t address, void (*instead)(void));
/* Makes a function of this library return at once. Signals are blocked. */
void patch_own_function_empty(uint64_t address);
/* Nothing is to be patched there from outside any more. What lies there keeps its stubs. */
void patch_module_hide(uint64_t start, uint64_t end);
/* Another module may lie there now: gives the stubs of the one that did back. */
void patch_module_gone(uint64_t start, uint64_t end);
/* If the address lies in a stub, where its instruction was in the function; else the address itself.
 * Async-signal-safe. */
uint64_t patch_module_place(uint64_t address);

#endif
