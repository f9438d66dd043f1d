/* Arguments, results and faults of patched functions: see patch_kept.h. */
#include "collector/patch/patch_kept.h"

#include "collector/patch/patch_hook.h"

#ifdef PATCH_KEEPS
#include "collector/core/hooks_slow.h"
#include "collector/core/watch.h"
#include "collector/faults/faults.h"
#include "collector/patch/patch_state.h"
#include "collector/process/process.h"
#include "collector/values/values_late.h"
#include "collector/values/values_lookup.h"

#include <errno.h>
#include <string.h>

#define STATE_XMM 160  /* where XSAVE puts xmm0 */
#define STATE_USED 512 /* ... and which parts are not in their first state */
#define STATE_SSE 2u

bool patch_values_wanted(uint64_t function)
{
    return recipe_wants_patched(function);
}

uint32_t patch_values_asked(const char *path)
{
    return recipes_there() && !recipes_know(path) ? FISQL_LATE_RECIPES : 0;
}

void patch_values_take(const struct fisql_late_module *entry, const struct feature_module *module)
{
    values_late_take(entry, module);
}

void patch_values_wait(void)
{
    values_late_wait(process.options.values_wait_ms);
}

/* Copies what may hold an argument or a result. */
static void registers_copy(struct values_patched *patched, uint64_t slot,
                           const struct patch_registers *registers)
{
    const struct patch_kept *kept = registers->kept;
    uint64_t *general = patched->frame.general;
    general[0] = patched->returned.general[0] = kept->rax;
    general[1] = patched->returned.general[1] = kept->rdx;
    general[2] = kept->rcx;
    general[4] = kept->rsi;
    general[5] = kept->rdi;
    general[VALUES_STACK_POINTER] = slot;
    general[8] = kept->r8;
    general[9] = kept->r9;
    memcpy(patched->frame.vector, registers->state + STATE_XMM, sizeof patched->frame.vector);
    memcpy(patched->returned.vector, registers->state + STATE_XMM,
           2 * sizeof *patched->returned.vector);
    patched->frame.vectors_kept = 1;
}

uint64_t patch_values_begin(struct patch_values *values, uint64_t function, uint64_t slot,
                            bool returns, const struct patch_registers *registers)
{
    uint64_t word = recipe_word_patched(function, returns);
    values->before = values_patched;
    values->stack_before = values_patched_stack;
    values_patched_stack = 0;
    if (word == 0)
        return 0;
    memset(&values->patched, 0, sizeof values->patched);
    values->patched.frame.hook_return = recipe_address_patched(function, returns);
    registers_copy(&values->patched, slot, registers);
    values_patched = &values->patched;
    BARRIER();
    values_patched_stack = slot;
    return word;
}

void patch_values_end(const struct patch_values *values)
{
    values_patched_stack = 0; /* a handler that comes in between sees neither */
    BARRIER();
    values_patched = values->before;
    BARRIER();
    values_patched_stack = values->stack_before;
}

#ifdef FISQL_FAULTS
/* Sets xmm0 in what will be restored. */
static void vector_set(unsigned char *state, uint64_t low)
{
    uint64_t used;
    memcpy(state + STATE_XMM, (const uint64_t[2]){low, 0}, 16);
    if (patch_state_mask == 0)
        return; /* FXSAVE's */
    memcpy(&used, state + STATE_USED, sizeof used);
    used |= STATE_SSE;
    memcpy(state + STATE_USED, &used, sizeof used);
}

/* Where the stub jumps if the function is made to return at once. */
static __attribute__((naked)) void return_at_once(void)
{
    __asm__("ret");
}

uint64_t patch_values_strike(const struct fault_patched *call,
                             const struct patch_registers *registers)
{
    struct patch_values values;
    struct fault_return back;
    int32_t error;
    if ((patch_values_begin(&values, call->function, call->slot, false, registers) &
         RECIPE_FAULT) == 0) {
        patch_values_end(&values);
        return 0;
    }
    enum faults_patched what = faults_enter_patched(call, &back, &error);
    patch_values_end(&values);
    if (what == FAULTS_THROW) {
        registers->kept->rdi = back.general[0];
        return back.address;
    }
    if (what == FAULTS_GO_ON)
        return 0;
    struct watch_leaving leaving = {.callbacks = 0};
    if (watch_on())
        watch_leaves(&leaving, call->function, call->site, call->slot, false);
    hook_exit_slow(call->function, call->site, call->slot, false);
    watch_left(&leaving, call->slot, 0);
    if (what == FAULTS_RETURN_WORD)
        registers->kept->rax = back.general[0];
    else if (what == FAULTS_RETURN_VECTOR)
        vector_set(registers->state, back.vector);
    if (error != 0)
        errno = error;
    return (uint64_t)(uintptr_t)return_at_once;
}

/* Where the function returns to if it throws then: as if its caller had called rdi with rsi. */
static __attribute__((naked)) void throw_there(void)
{
    __asm__("pushq %rdx\n\tjmp *%rsi");
}

uint64_t patch_values_leave(const struct fault_patched *call, uint64_t back,
                            const struct patch_registers *registers)
{
    struct fault_return result;
    enum faults_patched what;
    int32_t error;
    while ((what = faults_leave_patched(call, &result, &error)) != FAULTS_GO_ON) {
        if (what == FAULTS_THROW) {
            registers->kept->rdi = result.general[0];
            registers->kept->rsi = result.address;
            registers->kept->rdx = back;
            return (uint64_t)(uintptr_t)throw_there;
        }
        if (what == FAULTS_RETURN_WORD)
            registers->kept->rax = result.general[0];
        else if (what == FAULTS_RETURN_VECTOR)
            vector_set(registers->state, result.vector);
        if (error != 0)
            errno = error;
    }
    return 0;
}
#endif
#endif
