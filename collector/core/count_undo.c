/* Takes back a change of the counts: see count.c. */
#include "collector/core/count_undo.h"

#include "collector/core/dictionary.h"
#include "collector/core/thread_log.h"

#include <string.h>

void count_undo(struct thread_log *log)
{
    const struct count_undo *undo = &log->counts.undo;
    if (undo->active == 0)
        return;
    if (undo->at != 0)
        memcpy(log_units(log, undo->at), undo->units, sizeof undo->units);
    if (undo->defined != 0)
        log->dictionary[undo->defined - 1] = (struct pair){0, 0};
    log->live.last_tick[fisql_word_toggle(undo->word)] = undo->last_tick;
    log->live.word = undo->word;
    log->shadow.hidden = undo->hidden;
    log->shadow.hidden_inherited = undo->hidden_inherited;
    log->shadow.blind = undo->blind;
    log->counts.end = 0;
    log->counts.undone = 1;
    log->counts.undo.active = 0;
}
