/*
 * Values that expressions have at the exit of a call (`--value 'f: *out at exit'`).
 *
 * The parameters' registers are gone at the exit. So the entry hook keeps the words from which the
 * expression begins, usually a pointer, and the exit hook computes the rest from them and from
 * memory as it is then.
 *
 * The exit needs no recipe of its own: the compiler may have made its hook's call a jump, or have
 * inlined the function. What to record there is in the entry's.
 *
 * Kept words lie in a table of the thread. A call finds its own by its index on the shadow stack,
 * and takes them only if function, frame and tick of entry are its own as well: what an exception or
 * a jump has left behind belongs to no other call. The exit hook changes nothing in the table,
 * because a signal handler may interrupt it, and it then begins again. Entering a call drops those
 * that are as deep or deeper.
 *
 * Nothing is allocated: the table lies beside those of awaited results (values_result.c).
 */
#include "collector/values/values_exit.h"

#include "collector/values/values_hook.h"

#include <string.h>

static uint64_t lost; /* atomic */
THREAD_LOCAL struct kept_calls *kept_own;

uint64_t kept_lost_take(void)
{
    return __atomic_exchange_n(&lost, 0, __ATOMIC_RELAXED);
}

static bool is_of(const struct kept_call *kept, const struct shadow_call *call)
{
    return kept->function == call->function && kept->stack == call->stack &&
           kept->tick == call->tick;
}

/* Drops calls that have ended. */
static void drop_ended(struct thread_log *log, struct kept_calls *calls)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < calls->count; i++)
        if (is_of(&calls->items[i], &log->shadow.calls[calls->items[i].depth]))
            calls->items[kept++] = calls->items[i];
    calls->count = kept;
}

/* The entry for the call that is being entered, new or begun; NULL = there is no room. */
static struct kept_call *entry_of(struct thread_log *log, const struct recipe *recipe)
{
    struct kept_calls *calls = kept_own != NULL ? kept_own : (kept_own = results_kept());
    uint32_t depth = fisql_word_depth(log->live.word);
    const struct shadow_call *call = &log->shadow.calls[depth];
    if (calls == NULL)
        return NULL;
    while (calls->count > 0 && calls->items[calls->count - 1].depth > depth)
        calls->count--;
    struct kept_call *last = calls->count > 0 ? &calls->items[calls->count - 1] : NULL;
    if (last != NULL && last->depth == depth && is_of(last, call))
        return last;
    if (last != NULL && last->depth == depth)
        calls->count--;
    if (calls->count == KEPT_CALLS_MAX)
        drop_ended(log, calls);
    if (calls->count == KEPT_CALLS_MAX)
        return NULL;
    last = &calls->items[calls->count];
    last->recipe = recipe;
    last->function = call->function;
    last->stack = call->stack;
    last->tick = call->tick;
    last->depth = depth;
    last->known = 0;
    BARRIER();
    calls->count++;
    return last;
}

/* The word that the n-th of a KEEP is at the entry. False: it is not known. */
static bool word_at_entry(const struct capture *capture, const struct fisql_recipe_value *keep,
                          uint32_t n, struct value_writer writer, uint64_t *word)
{
    const struct fisql_recipe_value *value = &capture->module->values[keep->constant + n];
    *word = 0;
    if (keep->part == 0 || n + 2u < keep->base)
        return capture_word(capture, value, word) == FOUND;
    const unsigned char *end = capture_other(writer, capture, value);
    *word = fisql_checksum(writer.at, (size_t)(end - writer.at));
    return writer.at[0] != FISQL_VALUE_ABSENT && writer.at[0] != FISQL_VALUE_NO_ROOM;
}

void kept_add(struct thread_log *log, const struct capture *capture, const struct recipe *recipe,
              const struct fisql_recipe_value *value, struct value_writer writer)
{
    values_keep(capture->stack.from); /* copies use vector registers */
    struct kept_call *kept = entry_of(log, recipe);
    uint32_t first = (uint32_t)value->offset;
    if (kept == NULL) {
        __atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
        return;
    }
    for (uint32_t i = 0; i + 1u < value->base && first + i < FISQL_RECIPE_KEPT_MAX; i++) {
        uint64_t word = 0;
        bool known = word_at_entry(capture, value, i, writer, &word);
        kept->words[first + i] = word;
        kept->known = (kept->known & ~(1u << (first + i))) | (uint32_t)known << (first + i);
    }
}

unsigned char *values_argument(struct thread_log *log, struct value_writer writer,
                               const struct recipe *recipe, uint32_t index, uint64_t stack)
{
    const struct values_frame *frame = values_frame_of(stack);
    bool patched = values_patched_stack == stack;
    const struct capture capture = {.general = frame->general,
                                    .vector = frame->vector[0],
                                    .returned = patched ? &values_patched->returned : NULL,
                                    .module = recipe_module(recipe),
                                    .stack = {&log->shadow.bounds, stack, true}};
    if (recipe->value[index].where == FISQL_WHERE_KEEP)
        kept_add(log, &capture, recipe, &recipe->value[index], writer);
    return capture_other(writer, &capture, &recipe->value[index]);
}

/* What the call that ends has kept; NULL = nothing. */
static const struct kept_call *kept_of(const struct thread_log *log)
{
    const struct kept_calls *calls = kept_own;
    uint32_t depth = fisql_word_depth(log->live.word) - 1;
    for (uint32_t i = calls != NULL ? calls->count : 0; i-- > 0 && calls->items[i].depth >= depth;)
        if (calls->items[i].depth == depth && is_of(&calls->items[i], &log->shadow.calls[depth]))
            return &calls->items[i];
    return NULL;
}

/* Is the value between these, of a KEEP, the same as it was at the entry, and not wanted then? */
static bool is_unchanged(const struct kept_call *kept, const struct fisql_recipe_value *keep,
                         const unsigned char *from, const unsigned char *end)
{
    uint32_t at = (uint32_t)keep->offset + keep->base - 2u;
    return keep->part != 0 && at < FISQL_RECIPE_KEPT_MAX && (kept->known >> at & 1) != 0 &&
           kept->words[at] == fisql_checksum(from, (size_t)(end - from));
}

uint32_t values_at_exit(struct thread_log *log, uint16_t *units, uint64_t stack, bool registers)
{
    const struct kept_call *kept = kept_of(log);
    unsigned char *into = (unsigned char *)(units + 1);
    if (kept == NULL)
        return 0;
    if (registers)
        values_keep(stack); /* the result may be in one of those that we use */
    const struct recipe *recipe = kept->recipe;
    const struct recipe_module *module = recipe_module(recipe);
    const struct capture capture = {
        .module = module, .stack = {&log->shadow.bounds, stack, registers}, .kept = kept};
    struct value_writer writer = {.at = into, .limit = into + FISQL_VALUES_BYTES_MAX + 2};
    for (uint32_t i = 0; i < recipe->count; i++)
        if (recipe->value[i].where == FISQL_WHERE_KEEP)
            writer.limit -= 2; /* a byte for its position, and one at least for itself */
    for (uint32_t i = 0; i < recipe->count; i++) {
        const struct fisql_recipe_value *keep = &recipe->value[i];
        if (keep->where != FISQL_WHERE_KEEP)
            continue;
        const struct fisql_recipe_value *value = &module->values[keep->constant + keep->base - 1];
        unsigned char *before = writer.at;
        value_put_tag(&writer, FISQL_VALUE_INTEGER_BASE + (uint32_t)value->offset);
        writer.limit++;
        writer.at = capture_other(writer, &capture, value);
        writer.limit++;
        if (is_unchanged(kept, keep, before + 1, writer.at))
            writer.at = before;
    }
    uint32_t bytes = (uint32_t)(writer.at - into);
    if (bytes == 0)
        return 0;
    units[0] = (uint16_t)((FISQL_CODE_EXIT_VALUES + bytes) << 1 | 1u);
    into[bytes] = 0;
    return 1 + (bytes + 1) / 2;
}
