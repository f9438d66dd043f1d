/*
 * The threads that record into a live area, with their open and last calls, read while they run: we
 * stop no thread and write nothing.
 *
 * Reading a moving stack: A thread commits an event by storing its slot's word. The chunk before
 * that stays as it is until it is full, except for counts and for the last event, which a short
 * call may take back (--min-duration). So we copy the slot's head, then the chunk up to the units
 * that the word counts, then the chunk's last bytes and the head again. If the slot still holds the
 * same chunk of the same thread, and the last bytes are the same, then the copy is the thread's
 * state at that moment. Its events must lead to the calls and the depth in the word. Otherwise we
 * copy again, at most LIVE_TRIES times.
 *
 * A thread between two chunks, or with recording off, has no live slot. We look again for some
 * milliseconds, then take the stack of its last whole chunk if it is still there.
 */
#ifndef FISQL_LIVE_LIVE_THREADS_H
#define FISQL_LIVE_LIVE_THREADS_H

#include "live/live_source.h"
#include "live/live_stack.h"
#include "loader/log/log_index.h"

enum live_how {
    LIVE_HOW_EXACT, /* as of its last event */
    LIVE_HOW_CHUNK, /* as of the end of its last whole chunk */
    LIVE_HOW_OFF,   /* recording is off, or we could not read it: no stack */
};

struct live_thread {
    uint32_t pid, tid, thread; /* thread: from 0, in the image */
    uint64_t process_key;
    uint64_t owner_start; /* as in /proc/PID/stat; 0 = not known */
    uint32_t slot;        /* of its head: struct fisql_live_slot */
    enum live_how how;
    struct live_stack stack; /* its open and last calls */
};

struct live_threads {
    struct live_thread *items; /* by process_key and thread */
    size_t count, capacity;
};

/* A process image with slots in the area that runs, as far as we see. */
struct live_image {
    uint32_t pid;
    uint64_t process_key, owner_start;
};

struct live_images {
    struct live_image *items; /* by process_key; free() it */
    size_t count, capacity;
};

/* -1: no memory. */
int live_images_read(struct live_images *images, const struct live_source *source,
                     struct error *error);

struct live_options {
    uint32_t pid;         /* 0 = of all processes */
    uint64_t process_key; /* 0 = of all images */
    size_t last_max;      /* last calls to keep a thread */
};

/* Reads all threads, after live_source_refresh(). Leaves out threads and processes that seem gone,
 * unless `gone_too`. -1: no memory. Release in both cases. */
int live_threads_read(struct live_threads *threads, struct live_source *source,
                      const struct live_options *options, bool gone_too, struct error *error);
void live_threads_release(struct live_threads *threads);

/* Copies the chunks that are not in the log yet, or were not a moment ago: those that threads are
 * filling, and whole ones that wait. Call it before reading the log, which then has what is written
 * meanwhile. -1: no memory. log_index_read() takes them; otherwise release them, after a failure,
 * too. */
int live_chunks_read(struct log_salvaged *chunks, struct live_source *source, struct error *error);
void live_chunks_release(struct log_salvaged *chunks);

/* A chunk in the area. */
struct live_chunk_place {
    uint64_t process_key;
    uint32_t pid, tid, thread, sequence;
    uint32_t units; /* of the whole chunk, so far */
    bool grows;     /* its thread still fills it */
};

struct live_chunks {
    /* Is it to be copied? */
    bool (*wants)(void *context, const struct live_chunk_place *place);
    /* The chunk as live_stack_read() takes it, borrowed. -1 ends the reading. */
    int (*take)(void *context, const struct live_chunk_place *place,
                const struct fisql_chunk *chunk, struct error *error);
    void *context;
};

/* Refreshes the source, and shows its chunks of events, those of a thread in order, the oldest
 * first. Leaves out what cannot be copied just now. -1: no memory, or take() gave it. */
int live_chunks_each(struct live_source *source, const struct live_chunks *chunks,
                     struct error *error);

#endif
