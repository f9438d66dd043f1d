/*
 * `fisql record --rotate SIZE,COUNT`: when the log is longer than SIZE, a new one takes its place, as
 * logrotate does it: RUN.bin is always the newest, RUN.bin.1 the one before, and the last COUNT of
 * these are kept. Each can be loaded alone.
 *
 * What a log needs for that. Chunks of events decode on their own, and name the calls that were open
 * before. So a new log begins with the facts of all processes and threads that may still write:
 * copies from the log before, without those of processes and threads that have ended. So their
 * number stays bounded however long a program runs. A fact says how many logs came earlier; the
 * replaced log says that it is continued.
 *
 * Nothing is lost or written twice at the border, and the chunks of each thread in a log come before
 * those in the next one (formats/live.h: log_epoch):
 * 1. We append what processes left whole, and what dead ones left, to the old log; copy its facts.
 * 2. The epoch becomes odd: nobody opens a log now. Processes open it for each write
 *    (collector/core/log_file.c), so those that are writing have the old one.
 * 3. The files get their names; then the epoch becomes even, and processes go on in the new log.
 * 4. We copy the facts that came to the old log meanwhile. A process that wrote facts to it later
 *    sees the new epoch behind its write, and writes them again.
 * 5. A chunk that a process left whole in the old epoch, and that comes to us now, still goes to the
 *    old log, which stays open until the next is replaced.
 */
#ifndef FISQL_CLI_RECORD_LOG_ROTATE_H
#define FISQL_CLI_RECORD_LOG_ROTATE_H

#include "cli/record/live.h"
#include "cli/record/log_place.h"
#include "cli/record/log_totals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_rotate {
    struct live *live;
    struct log_place *place;
    uint64_t size_bytes; /* 0 = the log is not rotated */
    uint32_t count;
    uint64_t facts_bytes;      /* with which the log began */
    uint64_t next_bytes;       /* the log is replaced when it is so long */
    uint32_t replaced;         /* logs of this recording that were replaced */
    struct log_totals *totals; /* of the last `count` of them, by number */
    bool failed;               /* it cannot be done */
    bool said;                 /* ... or could not be once, and we said so */
};

/* Begins with a new log. Does nothing if the options ask for none. Returns 0, or 2 after saying that
 * there is no memory. */
int log_rotate_begin(struct log_rotate *rotate, struct live *live, struct log_place *place,
                     const struct record_options *options);

/* To be called often: replaces the log if it is too long. Returns whether it did. */
bool log_rotate_look(struct log_rotate *rotate);

/* After how many milliseconds to look again, at most: a log grows by less than its size meanwhile,
 * unless by more than 256 MB a second. INT_MAX if logs are not rotated. */
int log_rotate_wait_ms(const struct log_rotate *rotate);

/* How many logs of this recording there are beside the newest one: "run.bin.1" to that number. */
uint32_t log_rotate_kept(const struct log_rotate *rotate);

/* When nobody writes any more: adds what the kept logs before the newest one hold. */
void log_rotate_totals(struct log_rotate *rotate, struct log_totals *totals);

/* " in 3 logs (run.bin.1 and run.bin.2 came before)", and how many were removed; empty if there is
 * one log. */
void log_rotate_words(const struct log_rotate *rotate, char *text, size_t size);

void log_rotate_end(struct log_rotate *rotate);

#endif
