/* What open calls have called: see callee_history.h. */
#include "loader/calls/callee_history.h"

#include <stdlib.h>
#include <string.h>

void callee_history_init(struct callee_history *history, struct rollup *rollup)
{
    memset(history, 0, sizeof *history);
    history->rollup = rollup;
}

void callee_history_release(struct callee_history *history)
{
    free(history->open);
    free(history->callees);
    free(history->marks);
    callee_history_init(history, NULL);
}

void callee_history_clear(struct callee_history *history)
{
    history->open_count = history->unended = 0;
    history->callees_count = history->marks_count = 0;
}

int callee_history_finish(struct callee_history *history, struct error *error)
{
    for (; history->open_count > 0; history->open_count--)
        if (callee_history_leave(history, &history->open[history->open_count], error) != 0)
            return -1;
    return 0;
}

int callee_history_room(struct callee_history *history, struct error *error)
{
    if (array_reserve(&history->open, &history->open_capacity, history->open_count + 2, error) != 0)
        return -1;
    history->open[0] = (struct history_call){0};
    return 0;
}

int callee_history_take_over(struct callee_history *history, const struct history_call *caller,
                             const struct callee_runs *runs, struct error *error)
{
    if (array_reserve(&history->marks, &history->marks_capacity, history->marks_count + 1, error) !=
        0)
        return -1;
    history->marks[history->marks_count++] =
        (struct callee_runs_mark){caller->call_id, runs->seen_by, caller->last_callee};
    return 0;
}

int callee_history_find(struct callee_history *history, struct transition *transition,
                        const struct history_call *caller, const struct link *link,
                        struct error *error)
{
    struct rollup *rollup = history->rollup;
    uint32_t previous = caller->last_callee;
    uint32_t before = previous == NO_CALLEE ? 0 : rollup_callee_runs_key(rollup, previous).callee;
    uint32_t sequence;
    if (rollup_transition(rollup, caller->link->function->same_id, before, link->function->same_id,
                          &sequence, error) != 0)
        return -1;
    *transition = (struct transition){previous, link->callee_runs, sequence};
    return 0;
}
