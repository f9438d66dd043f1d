/* Calls that are written as one event: see leaf.h. */
#include "collector/core/leaf.h"

#include "collector/core/dictionary.h"
#include "collector/core/hooks_fast.h"
#include "collector/core/sampled.h"
#include "formats/patch.h"

/* The pair of the last event, if that is what its units say; else NULL. */
static const struct pair *last_leaf(const struct thread_log *log, const uint16_t *units)
{
    uint32_t code = units[0] >> 1;
    if ((units[0] & 1) == 0 || units[1] != 0 || code < FISQL_CODE_LEAF ||
        code - FISQL_CODE_LEAF >= DICTIONARY_ENTRIES)
        return NULL;
    return &log->dictionary[code - FISQL_CODE_LEAF];
}

void leaf_open_again(uint64_t code, uint64_t stack)
{
    struct thread_log *log = log_free();
    if (log == NULL || (process.clock != CLOCK_SAMPLED && process.clock != CLOCK_SWITCHED_OFF))
        return;
    log->busy = FRAME_ADDRESS();
    BARRIER();
    uint64_t word = log->live.word;
    uint32_t depth = fisql_word_depth(word), units = fisql_word_units(word);
    struct shadow_call *call = &log->shadow.calls[depth];
    uint16_t *last = log_units(log, word) - FISQL_UNITS_LEAF;
    const struct pair *pair =
        units >= log->min_units + FISQL_UNITS_LEAF ? last_leaf(log, last) : NULL;
    /* Units of other events may look like one: but then the function is open, or is another one. */
    if (pair != NULL && code - pair->function < FISQL_PATCH_LEAF_BYTES &&
        call[-1].function != pair->function && stack < call[-1].stack &&
        depth < log->shadow.depth_logged) {
        uint32_t slot = (uint32_t)(pair - log->dictionary);
        *call = (struct shadow_call){.function = pair->function,
                                     .site = pair->site,
                                     .stack = stack,
                                     .tick = sampled_no_tick(log_last_tick(log))};
        last[0] =
            (uint16_t)((FISQL_CODE_ENTER + slot) << 1 | 1u); /* as long, and its delta is 0, too */
        word += WORD_DEPTH;
        BARRIER();
        log->live.word = word;
    }
    log_leave(log, word);
}
