/*
 * The calls of the hooks in a module's code: where they return to, and whether the code behind an
 * exit hook leads straight to the function's return. Only then may the collector replace the return
 * address: a landing pad calls the exit hook, too, and goes on unwinding the stack.
 */
#ifndef FISQL_DEBUGINFO_X86_HOOK_SITES_H
#define FISQL_DEBUGINFO_X86_HOOK_SITES_H

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"

struct hook_site {
    uint64_t after; /* the address that the hook returns to */
    bool exit;
    bool returns; /* of an exit: all ways from here lead to a return before any call */
};

struct hook_sites {
    struct hook_site *items; /* by address */
    size_t count, capacity;
};

/* `names`: as in hook_calls_open(). 0, or -1 without memory. */
int hook_sites_find(struct hook_sites *sites, const struct elf_file *module,
                    const struct elf_file *names, struct error *error);
void hook_sites_release(struct hook_sites *sites);

/* The index of the first site that returns to `address` or behind it. */
size_t hook_sites_from(const struct hook_sites *sites, uint64_t address);

#endif
