/*
 * The calls of the hooks in a module's code: where they return to, and whether what follows an exit hook
 * leads straight to the function's return. Only then may the collector put another address into the
 * return slot: a landing pad calls the exit hook, too, and goes on with the unwinding of the stack.
 */
#ifndef FISQL_DEBUGINFO_X86_HOOK_SITES_H
#define FISQL_DEBUGINFO_X86_HOOK_SITES_H

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"

struct hook_site {
    uint64_t after; /* the address that the hook returns to */
    bool exit;
    bool
        returns; /* of an exit: all ways from here end in a return, and nothing is called before it */
};

struct hook_sites {
    struct hook_site *items; /* by address */
    size_t count, capacity;
};

/* Finds them. `names` as for hook_calls_open(). 0, or -1 without memory. */
int hook_sites_find(struct hook_sites *sites, const struct elf_file *module,
                    const struct elf_file *names, struct error *error);
void hook_sites_release(struct hook_sites *sites);

/* The index of the first one that returns to an address >= `address`. */
size_t hook_sites_from(const struct hook_sites *sites, uint64_t address);

#endif
