/*
 * Smashed stacks: a function writes past an array of its own and over the return addresses of itself and its
 * callers. The shadow stack has the true ones.
 *
 * Where they lay. A function's hook has its frame below that of the function, and what the function calls
 * puts its return address below that, too, or at most where the hook's frame began. So the return address of
 * each open call lies between its own hook's frame and its caller's; an inlined function has none. A program
 * that goes on after such a thing comes to an address that is none, by a return.
 */
#include "collector/incident_stack.h"

#include "collector/modules.h"
#include "collector/thread_log.h"

#include <string.h>

#define FRAME_MAX 65536u /* a frame is searched up to here */
#define FUNCTION_MAX 65536u
#define CALLS_MAX 64u /* so many of the innermost calls are looked at */

/* A return address as it may be signed (aarch64), without the signature. */
static uint64_t plain_code(uint64_t address)
{
#if defined(__aarch64__)
    return address & 0xffffffffffffu;
#else
    return address;
#endif
}

/* Is the word in this part of the stack? What cannot be read is taken for it: nothing is claimed. */
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

/* How many of the open calls have lost their return addresses? */
static uint32_t returns_taken(const struct thread_log *log, uint32_t open)
{
    uint32_t taken = 0;
    for (uint32_t i = open; i-- > 1 && open - i <= CALLS_MAX;) {
        const struct shadow_call *call = &log->shadow.calls[i], *caller = call - 1;
        if (caller->stack <= call->stack || caller->stack - call->stack > FRAME_MAX ||
            caller->site == call->site) /* inlined, perhaps */
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
    /* `ret` to an address that cannot be one fails by itself; else it took it from below the stack. */
    if (modules_known(code))
        return incident_read(code, &byte, 1) && (byte == 0xc3 || byte == 0xc2) &&
               incident_read(trouble->stack, &word, sizeof word) && word != left->site;
    if (!incident_read(trouble->stack - 8, &word, sizeof word) || word != code ||
        word == left->site)
        return false;
    /* A call of what is no function leaves its own return address on the stack. */
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
    /* The guard is looked at behind the exit hook, by the function itself. */
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
