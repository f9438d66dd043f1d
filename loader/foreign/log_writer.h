/*
 * Writes a log as formats/log.h has it, for what was recorded by others: the loader then reads it
 * like any other. The log is a temporary file without a name, in the folder of the database.
 *
 *   log_writer_open
 *     log_facts_begin, log_fact..., log_facts_end    a chunk of facts; in any order
 *     log_writer_point                               a function, a counter or a mark, before its use
 *     log_thread_begin, events, log_thread_end       threads one after another
 *   log_writer_finish
 *   log_writer_close
 *
 * Functions are points (FISQL_POINT_NAMED): names without code. Ticks are nanoseconds from 1 on, the
 * same clock in all processes; a tick before the thread's last one counts as that, and is counted in
 * `backwards`. Memory: one chunk, the open calls of one thread, and 8 bytes a point.
 */
#ifndef FISQL_LOADER_FOREIGN_LOG_WRITER_H
#define FISQL_LOADER_FOREIGN_LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/log.h"

/* Deeper calls are left out, with what they call, and counted. */
#define LOG_WRITER_DEPTH_MAX (1u << 20)

/* Whose chunk it is; zeros = the run's. */
struct log_place {
    uint64_t process_key;
    uint32_t pid, tid, thread;
};

struct log_writer {
    char *folder;
    int file; /* -1 = none */
    uint64_t run_id, bytes_written;
    char path[64]; /* of the log, while it is open */

    struct {
        char *bytes;
        size_t count, capacity;
        struct fisql_chunk head;
    } facts, points; /* chunks in the making */
    uint32_t points_count;

    unsigned char *chunk; /* EVENTS in the making */
    struct log_place thread;
    uint16_t *at, *end; /* the next unit, and where no event may begin any more */
    uint64_t tick;      /* of the last event */
    uint64_t calls;     /* of the thread, in chunks that are written */
    uint32_t sequence;
    bool begun; /* the chunk has events */
    struct fisql_open_call *open;
    size_t open_count, open_capacity;
    uint32_t left_out_depth; /* calls that are open beyond LOG_WRITER_DEPTH_MAX */
    struct {
        uint32_t *of_point; /* slot + 1 in chunk number `in_chunk`, by the point's number */
        uint32_t *in_chunk;
        size_t capacity, chunks_capacity;
        uint32_t used, chunk;
    } slots;
    uint64_t backwards, left_out_calls;
};

MUST_CHECK int log_writer_open(struct log_writer *writer, const char *folder, uint64_t run_id,
                               struct error *error);
/* Writes what is pending; the log at writer->path is whole then. */
MUST_CHECK int log_writer_finish(struct log_writer *writer, struct error *error);
void log_writer_close(struct log_writer *writer); /* zeros may be closed */

/* tick: of a clock pair; 0 = the chunk has none. */
void log_facts_begin(struct log_writer *writer, enum fisql_chunk_kind kind,
                     const struct log_place *place, uint64_t tick);
/* NULs end the text. */
MUST_CHECK int log_fact(struct log_writer *writer, enum fisql_fact fact, const char *text,
                        struct error *error);
MUST_CHECK int log_fact_number(struct log_writer *writer, enum fisql_fact fact, uint64_t number,
                               struct error *error);
MUST_CHECK int log_fact_address(struct log_writer *writer, enum fisql_fact fact, uint64_t address,
                                struct error *error);
MUST_CHECK int log_facts_end(struct log_writer *writer, struct error *error);

/* A LOSS of the run: what, how often (UINT64_MAX = not known), and more of it (NULL = nothing). */
MUST_CHECK int log_writer_loss(struct log_writer *writer, const char *reason, uint64_t calls,
                               const char *detail, struct error *error);

struct log_writer_point {
    enum fisql_point_kind kind;      /* a plain one */
    const char *name;                /* of the function; of a counter or a mark its label */
    const char *values;              /* names, a line each; NULL = none */
    uint64_t address;                /* of the function, in `process`; 0 = it has none */
    const struct log_place *process; /* NULL = of all processes */
};
/* *number: of the new point. */
MUST_CHECK int log_writer_point(struct log_writer *writer, const struct log_writer_point *point,
                                uint32_t *number, struct error *error);

MUST_CHECK int log_thread_begin(struct log_writer *writer, const struct log_place *thread,
                                struct error *error);
/* Open calls stay open. */
MUST_CHECK int log_thread_end(struct log_writer *writer, struct error *error);

MUST_CHECK int log_enter(struct log_writer *writer, uint64_t tick, uint32_t point,
                         struct error *error);
/* Of the call that was entered right before; values as in formats/events.h, FISQL_VALUES_BYTES_MAX
 * bytes at most. */
void log_arguments(struct log_writer *writer, const unsigned char *values, size_t bytes);
/* The innermost call returns; there must be one. */
MUST_CHECK int log_exit(struct log_writer *writer, uint64_t tick, struct error *error);
/* Of the call that returned right before. */
void log_result(struct log_writer *writer, const unsigned char *value, size_t bytes);
/* The innermost calls end at once. */
MUST_CHECK int log_unwind(struct log_writer *writer, uint64_t tick, uint32_t calls,
                          struct error *error);
/* Text of LOG_NOTE_MAX bytes at most; what is longer is cut. */
#define LOG_NOTE_MAX 4096u
MUST_CHECK int log_note(struct log_writer *writer, uint64_t tick, const char *text,
                        struct error *error);
/* A counter's or a mark's values. */
MUST_CHECK int log_checkpoint(struct log_writer *writer, uint64_t tick, uint32_t point,
                              const unsigned char *values, size_t bytes, struct error *error);

/* The calls that are open in the thread, those beyond the depth that is written included. */
static inline uint32_t log_writer_depth(const struct log_writer *writer)
{
    return (uint32_t)writer->open_count + writer->left_out_depth;
}

#endif
