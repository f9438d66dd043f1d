/*
 * Which functions of programs as they are shall be patched now: what `fisql control` has asked for,
 * or --only and --exclude at the start, less those that are left out to save time (--budget).
 */
#ifndef FISQL_CLI_RECORD_PATCH_WISH_H
#define FISQL_CLI_RECORD_PATCH_WISH_H

#include "base/error.h"
#include "cli/record/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of a module: their addresses in its file, ascending. */
struct function_set {
    char *path, *real; /* real: without symbolic links */
    uint64_t *addresses;
    size_t count, capacity;
};

struct function_sets {
    struct function_set *items;
    size_t count, capacity;
};

struct patch_wish {
    bool off; /* `fisql control` has switched recording off */
    bool only, filtered;
    struct function_sets matches;     /* of the filter */
    const struct function_sets *left; /* borrowed; NULL = none */
};

/* Reads what is asked for now. Returns 0, or -1 with *error; release it in either case. */
int patch_wish_read(struct patch_wish *wish, const struct live *live, struct error *error);
void patch_wish_release(struct patch_wish *wish);

/* Is the function of this module to be patched? `path`: as the dynamic linker has it, or as
 * /proc/PID/maps does. */
bool patch_wish_has(const struct patch_wish *wish, const char *path, uint64_t address);

/* The set of a module; NULL = it has none. */
const struct function_set *function_sets_of(const struct function_sets *sets, const char *path);
bool function_set_has(const struct function_set *set, uint64_t address);
/* Adds a function. Returns 0, or -1 with *error. */
int function_sets_add(struct function_sets *sets, const char *path, uint64_t address,
                      struct error *error);
void function_sets_release(struct function_sets *sets);

#endif
