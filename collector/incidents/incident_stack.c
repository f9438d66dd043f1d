/*
 * Smashed stacks: a function writes past its own array and over the return addresses of itself and
 * its callers. The shadow stack has the true ones.
 *
 * A function's hook has its frame below the function's. Whatever the function calls puts its return
 * address below that, too, or at most where the hook's frame began. So the return address of each
 * open call lies between its own hook's frame and its caller's; an inlined function has none. A
 * program that goes on with a smashed stack reaches by a return an address that is none.
 *
 * The same shows where a function has called a library in which something goes wrong, abort() or
 * memcpy(): its hook was called from the end of its frame, and so is everything that it calls
 * later. The first return address below that end is the call's. We pass over what the function
 * itself has put there (arguments, alloca()).
 */
#include "collector/incidents/incident_stack.h"

#include "collector/core/modules.h"
#include "collector/core/thread_log.h"
#include "collector/patch/patch_hook.h"

#include <string.h>

#define FRAME_MAX 65536u /* we search so much of a frame */
#define FUNCTION_MAX 65536u
#define CALLS_MAX 64u                   /* innermost calls that we look at */
#define STACK_NEAR ((uint64_t)1 << 16)  /* an address this near below the stack pointer, ... */
#define STACK_ABOVE ((uint64_t)8 << 20) /* ... or this near above it is the stack's */
#define CALL_BYTES 7u                   /* the longest call instruction */

/* A return address without its signature (aarch64). */
static uint64_t plain_code(uint64_t address)
{
#if defined(__aarch64__)
    return address & 0xffffffffffffu;
#else
    return address;
#endif
}

/* Does this part of the stack hold the word? Yes if we cannot read it: then we claim nothing. */
static bool stack_holds(uint64_t low, uint64_t high, uint64_t word)
{
    uint64_t words[64];
    for (uint64_t at = low & ~(uint64_t)7; at < high; at += sizeof words) {
        size_t bytes = high - at < sizeof words ? (size_t)(high - at) : sizeof words;
        if (!incident_read(at, words, bytes))
            return true;
        for (size_t i = 0; i < bytes / sizeof words[0]; i++)
            if (plain_code(words[i]) == plain_code(word))
                return true;
    }
    return false;
}

/* Does a patched call have its call site as return address, as it should (patch_hook.h)? */
static bool returns_to_site(const struct shadow_call *call)
{
    uint64_t word;
#if defined(__aarch64__) &&                                                                        \
    defined(FISQL_PATCHES) /* which may keep the site anywhere in its frame */
    return incident_read((uint64_t)(uintptr_t)patch_mirror(call->stack), &word, sizeof word) &&
           word == call->site;
#else
    return incident_read(call->stack, &word, sizeof word) && patch_is_site(word);
#endif
}

/* How many open calls have lost their return addresses? */
static uint32_t returns_taken(const struct thread_log *log, uint32_t open)
{
    uint32_t taken = 0;
    for (uint32_t i = open; i-- > 1 && open - i <= CALLS_MAX;) {
        const struct shadow_call *call = &log->shadow.calls[i], *caller = call - 1;
        if (caller->stack <= call->stack || caller->stack - call->stack > FRAME_MAX ||
            returns_to_site(call) || caller->site == call->site) /* inlined, perhaps */
            continue;
        taken += !stack_holds(call->stack, caller->stack, call->site);
    }
    return taken;
}

/* Has the call that ended last returned to where the program is now, which is nowhere? */
static bool came_by_return(const struct trouble *trouble, const struct shadow_call *left)
{
    uint64_t word, code = trouble->told.code;
    unsigned char byte;
    if (left->function == 0 || trouble->stack < left->stack)
        return false;
#if defined(__x86_64__)
    /* `ret` to a noncanonical address fails itself; else the address came from below the stack
     * pointer. */
    if (modules_known(code))
        return incident_read(code, &byte, 1) && (byte == 0xc3 || byte == 0xc2) &&
               incident_read(trouble->stack, &word, sizeof word) && word != left->site;
    if (!incident_read(trouble->stack - 8, &word, sizeof word) || word != code ||
        word == left->site)
        return false;
    /* A call of something that is no function leaves its return address on the stack. */
    return !incident_read(trouble->stack, &word, sizeof word) || !modules_known(word);
#else
    (void)word;
    (void)byte;
    return !modules_known(code) && plain_code(code) != plain_code(left->site);
#endif
}

void incident_look(struct trouble *trouble)
{
    const struct thread_log *log = current_log;
    if (log == NULL || trouble->stack == 0 || log->shadow.calls == NULL)
        return;
    uint32_t open = calls_open(log);
    if (open >= log->shadow.depth_max)
        return;
    uint32_t taken = returns_taken(log, open);
    bool returned = trouble->told.kind == FISQL_INCIDENT_SIGNAL &&
                    came_by_return(trouble, &log->shadow.calls[open]);
    /* The function checks the guard after its exit hook. */
    bool guarded = trouble->told.kind == FISQL_INCIDENT_STACK;
    const struct shadow_call *left = &log->shadow.calls[open];
    if (guarded && trouble->told.code - left->function < FUNCTION_MAX)
        trouble->told.flags |= FISQL_INCIDENT_RETURN;
    if (returned)
        trouble->told.flags |= FISQL_INCIDENT_RETURN;
    if (returned || taken > 0)
        trouble->told.kind = FISQL_INCIDENT_STACK;
    if (returned || guarded || taken > 0) {
        if (trouble->told.text[0] != 0)
            trouble_text(trouble, "; ");
        trouble_text(trouble, "the stack was smashed");
        if (returned)
            trouble_text(trouble, " where the call that ended last returned");
        if (taken > 0) {
            trouble_text(trouble, ": ");
            trouble_number(trouble, taken);
            trouble_text(trouble, taken == 1 ? " open call has" : " open calls have");
            trouble_text(trouble, " lost the return address");
        }
    }
}

#if defined(__x86_64__)
/* Do these bytes end with a call instruction? CALL rel32 is e8; CALL through a register or
 * memory is ff, with 2 in the middle of the next byte and up to 5 bytes more (Intel SDM, volume
 * 2, CALL). */
static bool ends_with_call(const unsigned char code[CALL_BYTES])
{
    static const unsigned lengths[] = {2, 3, 4, 6, 7};
    if (code[CALL_BYTES - 5] == 0xe8)
        return true;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const unsigned char *at = code + CALL_BYTES - lengths[i];
        if (at[0] == 0xff && (at[1] & 0x38) == 0x10)
            return true;
    }
    return false;
}
#endif

static bool comes_after_call(uint64_t address)
{
#if defined(__x86_64__)
    unsigned char code[CALL_BYTES];
    return incident_read(address - sizeof code, code, sizeof code) && ends_with_call(code);
#else
    uint32_t code; /* BL and BLR (Arm ARM, C6.2) */
    return incident_read(address - sizeof code, &code, sizeof code) &&
           (code >> 26 == 0x25 || (code & 0xfffffc1fu) == 0xd63f0000u ||
            (code & 0xfefff800u) == 0xd63f0800u);
#endif
}

/* The first return address in the function's module, from `high` down to `low`; 0 = none. */
static uint64_t first_return(uint64_t low, uint64_t high, uint64_t function)
{
    uint64_t words[64];
    while (high > low) {
        size_t bytes = high - low < sizeof words ? (size_t)(high - low) : sizeof words;
        high -= bytes;
        if (!incident_read(high, words, bytes))
            return 0;
        for (size_t i = bytes / sizeof words[0]; i-- > 0;) {
            uint64_t word = plain_code(words[i]);
            if (modules_same(function, word) && comes_after_call(word))
                return word;
        }
    }
    return 0;
}

void incident_find_caller(struct trouble *trouble)
{
    const struct thread_log *log = current_log;
    uint32_t open = log != NULL && log->shadow.calls != NULL ? calls_open(log) : 0;
    if (open == 0 || open >= log->shadow.depth_max || trouble->stack == 0 ||
        (trouble->told.flags & FISQL_INCIDENT_RETURN) != 0)
        return;
    const struct shadow_call *call = &log->shadow.calls[open - 1];
    uint64_t high = call->stack & ~(uint64_t)7, low = (trouble->stack + 7) & ~(uint64_t)7;
    if (modules_same(call->function, trouble->told.code) || low > high)
        return;
    if (high - low > FRAME_MAX)
        low = high - FRAME_MAX;
    trouble->told.caller = first_return(low, high, call->function);
    if (trouble->told.caller != 0)
        trouble->told.flags |= FISQL_INCIDENT_CALLER;
}

void incident_pointer(struct trouble *trouble, uint64_t word)
{
    if (trouble->pointers_count == INCIDENT_POINTERS_MAX || word < STACK_NEAR || word >> 48 != 0 ||
        word - trouble->stack + STACK_NEAR < STACK_ABOVE || modules_known(word))
        return;
    for (uint32_t i = 0; i < trouble->pointers_count; i++)
        if (trouble->pointers[i] == word)
            return;
    trouble->pointers[trouble->pointers_count++] = word;
}

uint32_t incident_frame(const struct trouble *trouble, uint64_t *words, uint32_t most)
{
    const struct thread_log *log = current_log;
    uint32_t open = log != NULL && log->shadow.calls != NULL ? calls_open(log) : 0;
    if (open < 2 || open >= log->shadow.depth_max)
        return 0;
    const struct shadow_call *call = &log->shadow.calls[open - 1];
    uint64_t low = (call->stack + 7) & ~(uint64_t)7, high = call[-1].stack;
    uint32_t count = high > low && high - low < FRAME_MAX ? (uint32_t)((high - low) / 8) : 0;
    if (trouble->stack > call->stack + FRAME_MAX || trouble->stack + FRAME_MAX < call->stack)
        return 0; /* on another stack */
    if (count > most)
        count = most;
    return incident_read(low, words, count * sizeof *words) ? count : 0;
}
