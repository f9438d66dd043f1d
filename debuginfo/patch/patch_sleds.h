/*
 * Where compilers left room for a jump at the starts of functions, as sections of the file say:
 * __patchable_function_entries (-fpatchable-function-entry), __mcount_loc (-mrecord-mcount),
 * xray_instr_map (-fxray-instrument). Of some modules these functions alone are patched.
 */
#ifndef FISQL_DEBUGINFO_PATCH_PATCH_SLEDS_H
#define FISQL_DEBUGINFO_PATCH_PATCH_SLEDS_H

#include <stdbool.h>

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"

struct patch_sled {
    uint64_t address;
};

struct patch_sleds {
    struct patch_sled *items; /* by address, each once; owned */
    size_t count, capacity;
};

/* Lists the sleds that lie in code. 0, or -1 without memory. Release them in both cases. */
int patch_sleds_find(struct patch_sleds *sleds, const struct elf_file *module, struct error *error);
void patch_sleds_release(struct patch_sleds *sleds);

/* Is there one at an address from `start` on, but before `end`? */
bool patch_sleds_within(const struct patch_sleds *sleds, uint64_t start, uint64_t end);

/* Does the module hold the collector itself (fisql cc -static, --static-runtime)? The collector and
 * the C library below it cannot be patched, so its sleds alone can. */
bool patch_holds_collector(const struct elf_file *module);

#endif
