/*
 * The flight recorder (--ring): the last chunks of each thread, in slots of the live area, so that
 * they outlive the process too. Signals must be blocked.
 */
#ifndef FISQL_COLLECTOR_CORE_RING_H
#define FISQL_COLLECTOR_CORE_RING_H

struct thread_log;

/* Finishes the chunk and keeps a copy in place of the oldest one that is kept. */
void ring_keep(struct thread_log *log);
/* Appends the chunks that are kept to the log, and the one being filled. */
void ring_dump(struct thread_log *log);
/* As slot_settle(), of what it holds: that is dumped. */
void ring_settle(struct thread_log *log);
void ring_release(struct thread_log *log);

#endif
