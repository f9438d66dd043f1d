/*
 * The thread of `fisql record` that appends to the log what processes hand over (formats/live.h, struct
 * fisql_writer), so that their threads need not. It gets what processor time nobody else wants: where
 * the program has work for all processors, its threads soon find that too much is waiting, and write
 * themselves, which costs them as much as if there were no writer. A process that may not make system
 * calls (collector/core/silent.h) cannot: where there is one, a second thread appends with what processor time
 * is anybody's.
 */
#ifndef FISQL_CLI_RECORD_LIVE_WRITER_H
#define FISQL_CLI_RECORD_LIVE_WRITER_H

#include "cli/record/live.h"

struct live_writer {
    struct live *live;
    pthread_t thread, second; /* the second one is for processes that cannot write themselves */
    bool started, second_started;
    uint32_t stop; /* atomic */
};

/* Starts it, unless there is one processor alone: then it would only get in the program's way. Before
 * any process can have the area: it says there whether chunks are compressed. Signals are as in the calling thread. */
void live_writer_start(struct live_writer *writer, struct live *live, bool compress);

/* live_keep(), unless the writer sees to that itself: a caller that must not wait for a slow disk. */
void live_writer_keep(struct live_writer *writer);

/* Appends what there is, and ends: from now on threads write their chunks themselves. */
void live_writer_end(struct live_writer *writer);

#endif
