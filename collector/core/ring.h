/*
 * The flight recorder (--ring): the last chunks of each thread, in slots of the live area, so that
 * they outlive the process. Signals must be blocked.
 */
#ifndef FISQL_COLLECTOR_CORE_RING_H
#define FISQL_COLLECTOR_CORE_RING_H

struct thread_log;

/* Finishes the chunk and keeps a copy, which replaces the oldest one. */
void ring_keep(struct thread_log *log);
/* Appends the kept chunks to the log, and the one being filled. */
void ring_dump(struct thread_log *log);
/* Calls slot_settle() for each kept chunk: they were dumped. */
void ring_settle(struct thread_log *log);
void ring_release(struct thread_log *log);

#endif
