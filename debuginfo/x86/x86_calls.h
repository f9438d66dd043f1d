/*
 * What the direct calls of a module's code show of the functions they call (x86-64). A compiler that
 * sees all calls of a function may leave out arguments and a result that nobody uses; the debug
 * information does not say so. But it sets a register right before a call only for the one that is
 * called, and reads rax or xmm0 right behind a call only if that has put its result there.
 *
 * A function whose address is handed on may be called by those who do not see it: it keeps the
 * convention. All its arguments are passed, too, if code calls it by no other way.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_CALLS_H
#define FISQL_DEBUGINFO_X86_X86_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/elf/exported.h"

/* A function whose address is in code of its module. Bits as in x86_uses.h. */
struct x86_callee {
    uint64_t address;
    bool called;    /* directly, or perhaps */
    bool handed_on; /* its address is */
    uint32_t sets;  /* registers that a call sets for it alone */
    uint32_t takes; /* of rax and xmm0: read behind a call of it */
    uint64_t end;   /* of its code: where the next function starts */
    /* For x86_reads.c, once asked for. */
    uint32_t reads;
    enum x86_callee_state { X86_CALLEE_NEW, X86_CALLEE_BUSY, X86_CALLEE_READ } state;
};

struct x86_calls {
    struct x86_callee *items; /* by address, each once */
    size_t count, capacity;
    bool known;
};

/* Reads all code of the module, some million instructions a second. `functions` are in the order of
 * their addresses. Returns 0, or -1 without memory; release it in any case. */
int x86_calls_find(struct x86_calls *calls, const struct elf_file *module,
                   const struct named_code *functions, size_t count, struct error *error);

/* NULL: no code of the module has its address. */
struct x86_callee *x86_calls_of(const struct x86_calls *calls, uint64_t address);

void x86_calls_release(struct x86_calls *calls);

#endif
