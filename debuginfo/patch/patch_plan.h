/*
 * Plans how to record an unmodified module (formats/patch.h): which functions a jump at their entry
 * can hook, and what the stubs hold. Functions are those that .eh_frame and .debug_frame describe,
 * less their cold parts (patch_functions.c).
 *
 * The file is not trusted: what cannot be read or moved costs its own function alone.
 */
#ifndef FISQL_DEBUGINFO_PATCH_PATCH_PLAN_H
#define FISQL_DEBUGINFO_PATCH_PATCH_PLAN_H

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"
#include "formats/patch.h"

/* A function that is not hooked. */
struct patch_left {
    uint64_t address;
    enum fisql_patch_reason reason;
};

struct patch_plan {
    struct fisql_patch *plan; /* plan->bytes bytes, owned; NULL = it has no entries and no links */
    struct patch_left *left;  /* by address; owned */
    size_t left_count, left_capacity;
    bool sleds_only;     /* the functions that it does not name have no sled (aarch64) */
    const char *problem; /* why no function can be hooked; NULL = some can, or the module holds the
                          * collector and has no sleds. The plan may have links all the same */
};

/* Makes the plan of a module. Returns 0, also if nothing can be hooked, or -1 without memory.
 * Release it in both cases. Threads may make plans at a time. */
int patch_plan_make(struct patch_plan *plan, const struct elf_file *module, struct error *error);
void patch_plan_release(struct patch_plan *plan);

/* Has the program in the file at `path` a runtime of AddressSanitizer or LeakSanitizer linked into
 * it? That of gcc -static-libasan exports nothing by which a process would know. */
bool patch_holds_asan(const char *path);

/* How many functions it is about, hooked or not, the program's start apart. Where sleds alone are
 * patched, it is about the functions that have one. */
size_t patch_plan_functions(const struct patch_plan *plan);

/* Where a module's code lies, by its program headers; false if it has none. A plan's entries are
 * there. */
bool patch_code_range(const struct elf_file *module, uint64_t *start, uint64_t *end);

/* The reason in words. */
const char *patch_reason_text(enum fisql_patch_reason reason);

#endif
