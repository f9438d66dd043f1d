/*
 * Calls that leave a count instead of events: those deeper than --depth, those for which the shadow
 * stack has no room, leaf calls shorter than --min-duration, and those of functions that --budget has
 * counted. We measure the time of short leaf
 * calls only; other counted calls' time is their logged caller's own.
 *
 * A count is a record in the chunk (COUNTED, COUNTED_SHORT of formats/log.h) behind the enter of
 * the open call around it. Consecutive counts without another event between them are a *run* and
 * belong to one open call. If a run already has a record for a call, we add to that record in
 * place. So a count is in the live area at once, and a run's size does not grow with its calls.
 *
 * Adding in place takes several stores, which a signal handler may interrupt. So each change is a
 * transaction: it first saves in log->counts.undo what it will change. A nested hook that abandons
 * the log (thread_log_nested) undoes it (count_undo.c), and the interrupted hook starts again in
 * the other log, as hooks always do.
 */
#include "collector/core/count.h"

#include "collector/core/event.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/values/values.h"

#include <string.h>

#define SHORT_MAX 0xffffu
_Static_assert(DICTIONARY_ENTRIES <= FISQL_COUNTED_SLOTS, "slots must fit COUNTED_SHORT");

static void undo_begin(struct thread_log *log)
{
    struct count_undo *undo = &log->counts.undo;
    uint64_t word = log->live.word;
    undo->word = word;
    undo->last_tick = log->live.last_tick[fisql_word_toggle(word)];
    undo->hidden = log->shadow.hidden;
    undo->hidden_inherited = log->shadow.hidden_inherited;
    undo->blind = log->shadow.blind;
    undo->at = 0;
    undo->defined = 0;
    log->counts.undone = 0;
    BARRIER();
    undo->active = 1;
    BARRIER();
    if (UNLIKELY(log->abandoned != 0))
        log->counts.undone = 1; /* before any change */
}

/* Saves the record at this unit before it changes. */
static void undo_save(struct thread_log *log, uint32_t at)
{
    log->counts.undo.at = 0;
    BARRIER();
    memcpy(log->counts.undo.units, log_units(log, at), sizeof log->counts.undo.units);
    BARRIER();
    log->counts.undo.at = at;
    BARRIER();
}

/* Ends the transaction and leaves the log. Returns false if a nested hook undid it. */
static bool undo_end(struct thread_log *log)
{
    BARRIER();
    log->counts.undo.active = 0;
    BARRIER();
    if (UNLIKELY(log_writes_through(log)))
        log_write_through(log);
    bool there = LIKELY(log->abandoned == 0) || log->counts.undone == 0; /* as in log_leave() */
    BARRIER();
    log->busy = 0;
    BARRIER();
    return there;
}

/* Numbers the runs. The last run's number is behind the slots: the table outlives the log. */
static void run_begin(struct thread_log *log, uint32_t at)
{
    uint32_t *last = &log->counts.of_slot[DICTIONARY_ENTRIES];
    if (++*last > SHORT_MAX) {
        memset(log->counts.of_slot, 0, DICTIONARY_ENTRIES * sizeof *log->counts.of_slot);
        *last = 1;
    }
    log->counts.run = *last;
    log->counts.end = at;
}

/* Adds to the pair's record in the run. Returns false if there is none or it is full. */
static bool add_in_place(struct thread_log *log, const struct pair *pair, uint32_t slot,
                         uint64_t ticks)
{
    uint32_t entry = log->counts.of_slot[slot];
    if (entry >> 16 != log->counts.run || !pair_is(log, slot, pair->function, pair->site))
        return false;
    uint32_t at = entry & 0xffffu;
    uint16_t *units = log_units(log, at);
    if (units[0] != (FISQL_CODE_COUNTED << 1 | 1u)) {
        uint32_t value = (uint32_t)units[1] | (uint32_t)units[2] << 16;
        if ((value & 0xffffu) == SHORT_MAX || (value >> 16) + ticks > SHORT_MAX)
            return false;
        value += 1 + ((uint32_t)ticks << 16);
        undo_save(log, at);
        memcpy(units + 1, &value, sizeof value);
        return true;
    }
    uint32_t calls;
    uint64_t sum;
    memcpy(&calls, units + 2, sizeof calls);
    memcpy(&sum, units + 4, sizeof sum);
    if (calls == UINT32_MAX)
        return false;
    calls++;
    sum += ticks;
    undo_save(log, at);
    memcpy(units + 2, &calls, sizeof calls);
    memcpy(units + 4, &sum, sizeof sum);
    return true;
}

/* Commits a word whose last event is as old as the one before it. */
static void commit(struct thread_log *log, uint64_t after, uint64_t last)
{
    log->live.last_tick[fisql_word_toggle(after)] = last;
    BARRIER();
    log->live.word = after;
    BARRIER();
}

static void append(struct thread_log *log, const struct pair *pair, uint32_t slot, uint64_t ticks,
                   uint64_t last)
{
    struct event event = {.count = 0};
    uint64_t word = log->live.word;
    if (!pair_is(log, slot, pair->function, pair->site)) {
        modules_learn(pair->function);
        log->counts.undo.defined = slot + 1;
        BARRIER();
        log->counts.of_slot[slot] = 0;
        event.count +=
            pair_define(log, &event.units[event.count], slot, pair->function, pair->site);
    }
    uint32_t at = fisql_word_units(word) + event.count;
    if (ticks <= SHORT_MAX && log->counts.of_slot[slot] >> 16 != log->counts.run) {
        event_put_code(&event, FISQL_CODE_COUNTED_SHORT + slot);
        event_put(&event, 1, 1);
        event_put(&event, ticks, 1);
    } else {
        event_put_code(&event, FISQL_CODE_COUNTED);
        event_put(&event, slot, 1);
        event_put(&event, 1, 2);
        event_put(&event, ticks, 4);
    }
    uint16_t *units = log_units(log, word);
    for (uint32_t i = 0; i < event.count; i += 4)
        memcpy(units + i, event.units + i, 4 * sizeof units[0]);
    log->counts.of_slot[slot] = log->counts.run << 16 | at;
    log->counts.end = fisql_word_units(word) + event.count;
    BARRIER();
    commit(log, word_after(word, event.count), last);
}

bool count_call(struct thread_log *log, const struct pair *pair, uint64_t ticks,
                enum count_kind kind)
{
    undo_begin(log);
    uint64_t word = log->live.word;
    uint64_t last = log->counts.undo.last_tick;
    if (kind ==
        COUNT_LEAF) { /* take back its enter, arguments included; its second unit is the delta */
        uint32_t units = values_enter_units(log), at = fisql_word_units(word) - units;
        undo_save(log, at);
        last -= log_units(log, at)[1];
        word = word_after(word - WORD_CALL - WORD_DEPTH, 0) - units;
        commit(log, word, last);
    }
    uint32_t slot = pair_find(log, pair->function, pair->site);
    if (fisql_word_units(word) != log->counts.end)
        run_begin(log, fisql_word_units(word));
    /* Adding in place leaves the units of the enter taken back unchanged: they need no undo. */
    if (!add_in_place(log, pair, slot, ticks))
        append(log, pair, slot, ticks, last);
    log->other_units = fisql_word_units(log->live.word);
    if (kind == COUNT_HIDDEN)
        log->shadow.hidden--;
    else if (kind == COUNT_BLIND)
        log->shadow.blind++;
    return undo_end(log);
}

bool count_enter(struct thread_log *log, const struct shadow_call *call)
{
    undo_begin(log);
    log->shadow.calls[fisql_word_depth(log->live.word) + log->shadow.hidden] = *call;
    log->shadow.hidden++;
    log->live.units_max = 0;
    return undo_end(log);
}

bool count_leave(struct thread_log *log)
{
    const struct shadow_call *call =
        &log->shadow.calls[fisql_word_depth(log->live.word) + log->shadow.hidden - 1];
    if (UNLIKELY(log->shadow.hidden <= log->shadow.hidden_inherited)) {
        undo_begin(log);
        log->shadow.hidden--;
        log->shadow.hidden_inherited--;
        return undo_end(log);
    }
    return count_call(log, &(struct pair){call->function, call->site}, 0, COUNT_HIDDEN);
}

bool count_leave_blind(struct thread_log *log)
{
    undo_begin(log);
    log->shadow.blind--;
    return undo_end(log);
}
