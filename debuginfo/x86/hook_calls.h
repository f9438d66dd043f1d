/*
 * Decides which functions have hooks by their code: does it call __cyg_profile_func_enter? Nothing
 * else is reliable: compilers do not always record their flags, linked files have no relocations,
 * and attributes and -finstrument-functions-exclude-* make exceptions.
 *
 * A function without hooks may hold the call of a function inlined into it. Each call passes the
 * address of its function. So a function that calls the hook and names another function's address
 * but never its own has no hooks itself (x86-64).
 *
 * After hook_calls_open() the struct is only read, so threads may share it.
 */
#ifndef FISQL_DEBUGINFO_X86_HOOK_CALLS_H
#define FISQL_DEBUGINFO_X86_HOOK_CALLS_H

#include "debuginfo/elf/elf_file.h"
#include "base/error.h"

struct hook_slot {
    uint64_t address; /* of a word in the module that holds an address when the module runs */
    uint64_t value;   /* that address, 0 = in another module */
};

struct hook_calls {
    const struct elf_file *file;
    const char *name;  /* of the hook */
    bool defined;      /* the module holds it */
    uint64_t *targets; /* addresses of code that is or leads to the hook */
    size_t targets_count, targets_capacity;
    uint64_t *hook_slots; /* words that hold the hook's address */
    size_t hook_slots_count, hook_slots_capacity;
    struct hook_slot *slots; /* the other words of the global offset table, by address */
    size_t slots_count, slots_capacity;
    uint64_t slots_start, slots_end;
    uint64_t table; /* _GLOBAL_OFFSET_TABLE_ */
};

#define HOOK_ENTER_NAME "__cyg_profile_func_enter"
#define HOOK_EXIT_NAME "__cyg_profile_func_exit"

/* Looks for the hook of this name in a module. `names` is a second file of the same module that may
 * have a symbol table (separate debug information), or NULL. Both are borrowed: `file` until the
 * close, `names` until this returns. 0, or -1 without memory. */
int hook_calls_open(struct hook_calls *hooks, const char *name, const struct elf_file *file,
                    const struct elf_file *names, struct error *error);
void hook_calls_close(struct hook_calls *hooks);

/* Does the module hold or import the hook? */
static inline bool hook_calls_any(const struct hook_calls *hooks)
{
    return hooks->targets_count > 0 || hooks->hook_slots_count > 0;
}

/* Does the module's code call the hook? Assumed of a module that imports it. */
bool hook_calls_made(const struct hook_calls *hooks);

/* Does a call of the code at `address`, or through the word there, reach the hook? */
bool hook_calls_is_target(const struct hook_calls *hooks, uint64_t address);
bool hook_calls_is_slot(const struct hook_calls *hooks, uint64_t address);

enum hook_evidence {
    HOOK_NONE,  /* the code does not call the hook */
    HOOK_OTHER, /* it does, and names the address of another function, never that of `function` */
    HOOK_OWN,   /* it does */
};

/* What the code from start to end shows of the function at address `function`. */
enum hook_evidence hook_calls_in(const struct hook_calls *hooks, uint64_t start, uint64_t end,
                                 uint64_t function);

#endif
