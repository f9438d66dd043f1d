/*
 * The thread of `fisql record` that appends to the log what processes hand over (formats/live.h,
 * struct fisql_writer), so that their threads need not. It runs only on processor time that nobody
 * else wants. If the program keeps all processors busy, its threads soon find that too many chunks
 * wait, and write themselves, which costs as much as having no writer. A process that may not make
 * system calls (collector/core/silent.h) cannot; for such processes a second thread appends at
 * normal priority.
 */
#ifndef FISQL_CLI_RECORD_LIVE_WRITER_H
#define FISQL_CLI_RECORD_LIVE_WRITER_H

#include "cli/record/live.h"
#include "cli/record/live_relief.h"

struct live_writer {
    struct live *live;
    pthread_t thread, second; /* the second serves processes that cannot write themselves */
    bool started, second_started;
    struct live_relief relief;
    uint32_t stop; /* atomic */
};

/* Starts the writer, unless there is only one processor, where it would get in the program's way.
 * Call it before any process can have the area, which records whether chunks are compressed.
 * Signals are as in the calling thread. */
void live_writer_start(struct live_writer *writer, struct live *live, bool compress);

/* live_keep(), unless the writer calls it itself. For a caller that must not wait for a slow
 * disk. */
void live_writer_keep(struct live_writer *writer);

/* Appends what waits, and ends: from now on threads write their chunks themselves. */
void live_writer_end(struct live_writer *writer);

#endif
