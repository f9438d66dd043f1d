/* Patches one module by its plan (formats/patch.h). */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_MODULE_H
#define FISQL_COLLECTOR_PATCH_PATCH_MODULE_H

#include "collector/core/feature.h"
#include "formats/patch.h"

/* Patches the module's functions but those that a filter leaves out; *patched: how many. Returns
 * NULL, or why none could be (a static text). Signals are blocked; one thread at a time. The plan
 * is `bytes` long and not trusted. */
const char *patch_module(const struct fisql_patch *plan, uint64_t bytes,
                         const struct feature_module *module, uint32_t *patched);
/* Makes the function at `address`, which does nothing (a return, alignment behind it), jump to
 * `instead`. False if it is not like that, or cannot be written. Signals are blocked. */
bool patch_empty_function(uint64_t address, void (*instead)(void));
/* Makes a function of this library return at once. Signals are blocked. */
void patch_own_function_empty(uint64_t address);
/* Another module may lie there now: gives the stubs of the one that did back. */
void patch_module_gone(uint64_t start, uint64_t end);
/* If the address lies in a stub, where its instruction was in the function; else the address itself.
 * Async-signal-safe. */
uint64_t patch_module_place(uint64_t address);

#endif
