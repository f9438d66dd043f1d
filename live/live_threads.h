/*
 * The threads that record into a live area, with their stacks of open calls and their last calls, while
 * they run on: no thread is stopped, and nothing is written.
 *
 * How a stack is read while its thread goes on. A thread commits an event by storing its slot's word;
 * what lies before it in the chunk stays as it is until the chunk is full, but for the last event, which
 * a short call may take back (--min-duration), and for counts. So: the slot's head is copied, then the
 * chunk up to the units that the word counts, then the chunk's last bytes and the head once more. Where
 * the slot still holds the same chunk of the same thread and the last bytes are the same, the copy is
 * what the thread had at that moment; its events must lead to as many calls and as deep a stack as the
 * word says. Else it is copied again, at most LIVE_TRIES times.
 *
 * A thread that is between two chunks, or for which recording is off, has no live slot: it is looked for
 * again for some milliseconds. Then its stack is that of its last whole chunk, where that is still there.
 */
#ifndef FISQL_LIVE_LIVE_THREADS_H
#define FISQL_LIVE_LIVE_THREADS_H

#include "live/live_source.h"
#include "live/live_stack.h"
#include "loader/log/log_index.h"

enum live_how {
    LIVE_HOW_EXACT, /* as of the last event that it committed */
    LIVE_HOW_CHUNK, /* as of the end of its last whole chunk */
    LIVE_HOW_OFF,   /* recording is off for it, or it could not be read: no stack */
};

struct live_thread {
    uint32_t pid, tid, thread; /* thread: from 0, in its process image */
    uint64_t process_key;
    uint64_t owner_start; /* of the process, as in /proc/PID/stat; 0 = not known */
    uint32_t slot;        /* that holds its head: struct fisql_live_slot */
    enum live_how how;
    struct live_stack stack; /* its open calls and last ones */
};

struct live_threads {
    struct live_thread *items; /* by process_key and thread */
    size_t count, capacity;
};

/* A process image that has slots in the area and runs, as far as we can see. */
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
    size_t last_max;      /* how many of the last calls of each thread */
};

/* Reads all threads, after live_source_refresh(). Threads and processes that are gone, as far as we
 * can see, are left out unless `gone_too`. -1: no memory. Release in both cases. */
int live_threads_read(struct live_threads *threads, struct live_source *source,
                      const struct live_options *options, bool gone_too, struct error *error);
void live_threads_release(struct live_threads *threads);

/* Copies what is not in the log yet, or was not a moment ago: the chunks that threads fill, as far as they
 * are, and whole ones that wait. To be called before the log is read: what is written meanwhile is there.
 * -1: no memory. log_index_read() takes them, or release them in both cases. */
int live_chunks_read(struct log_salvaged *chunks, struct live_source *source, struct error *error);
void live_chunks_release(struct log_salvaged *chunks);

#endif
