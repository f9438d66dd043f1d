/* Writes a log: see log_writer.h. */
#include "loader/foreign/log_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/must.h"
#include "base/temporary_file.h"

#define CHUNK_BYTES (128u << 10)
#define POINTS_BYTES (256u << 10) /* a chunk of points is written when it has as many */
/* What one event takes at most: its own units, TIME, a definition, and 4 KiB of text or values. */
#define EVENT_UNITS_MAX (LOG_NOTE_MAX / 2 + 64u)
_Static_assert(FISQL_VALUES_BYTES_MAX < LOG_NOTE_MAX, "values fit where a text does");
_Static_assert(sizeof(struct fisql_chunk) + FISQL_SNAPSHOT_MAX * sizeof(struct fisql_open_call) +
                       EVENT_UNITS_MAX * 8 <
                   CHUNK_BYTES,
               "a chunk holds its snapshot and some events");

/* ---- the file ---- */

static int write_all(struct log_writer *writer, const void *data, size_t bytes, struct error *error)
{
    if (temporary_file_write(writer->file, data, bytes, writer->bytes_written) != 0)
        return error_set_file(
            error, ERROR_SYSTEM, writer->folder,
            "cannot write the temporary log: %s: load into a folder with room (-o)",
            strerror(errno));
    writer->bytes_written += bytes;
    return 0;
}

int log_writer_open(struct log_writer *writer, const char *folder, uint64_t run_id,
                    struct error *error)
{
    *writer = (struct log_writer){.file = -1, .run_id = run_id};
    writer->folder = strdup(folder);
    writer->chunk = malloc(CHUNK_BYTES);
    if (writer->folder == NULL || writer->chunk == NULL)
        return error_set(error, "out of memory");
    writer->file = temporary_file_open(folder);
    if (writer->file < 0)
        return error_set_file(error, ERROR_SYSTEM, folder,
                              "cannot make a temporary log: %s: load into another folder (-o)",
                              strerror(errno));
    snprintf(writer->path, sizeof writer->path, "/proc/self/fd/%d", writer->file);
    return 0;
}

void log_writer_close(struct log_writer *writer)
{
    if (writer->folder == NULL)
        return;
    if (writer->file >= 0)
        close(writer->file);
    free(writer->folder);
    free(writer->facts.bytes);
    free(writer->points.bytes);
    free(writer->chunk);
    free(writer->open);
    free(writer->slots.of_point);
    free(writer->slots.in_chunk);
    *writer = (struct log_writer){.file = -1};
}

static struct fisql_chunk head_of(const struct log_writer *writer, enum fisql_chunk_kind kind,
                                  const struct log_place *place, uint64_t tick)
{
    static const struct log_place run = {0};
    const struct log_place *of = place != NULL ? place : &run;
    return (struct fisql_chunk){.magic = FISQL_CHUNK_MAGIC,
                                .version = FISQL_LOG_VERSION,
                                .kind = (uint16_t)kind,
                                .run_id = writer->run_id,
                                .process_key = of->process_key,
                                .pid = of->pid,
                                .tid = of->tid,
                                .thread = of->thread,
                                .clock_tick = tick,
                                .clock_ns = tick};
}

/* ---- facts ---- */

/* A chunk's bytes begin with room for its header. */
static int facts_add(char **bytes, size_t *count, size_t *capacity, const char *text,
                     struct error *error)
{
    size_t length = strlen(text) + 1, from = *count == 0 ? sizeof(struct fisql_chunk) : *count;
    if (array_reserve(bytes, capacity, from + length + 8, error) != 0)
        return -1;
    memcpy(*bytes + from, text, length);
    *count = from + length;
    return 0;
}

/* Writes a chunk of facts, if it has any. */
static int facts_write(struct log_writer *writer, const struct fisql_chunk *head, char *bytes,
                       size_t count, struct error *error)
{
    struct fisql_chunk chunk = *head;
    if (count == 0)
        return 0;
    size_t length = (count + 7) / 8 * 8;
    must(length <= FISQL_CHUNK_LENGTH_MAX);
    memset(bytes + count, 0, length - count);
    chunk.length = (uint32_t)length;
    memcpy(bytes, &chunk, sizeof chunk);
    chunk.checksum = fisql_checksum(bytes, length);
    memcpy(bytes, &chunk, sizeof chunk);
    return write_all(writer, bytes, length, error);
}

void log_facts_begin(struct log_writer *writer, enum fisql_chunk_kind kind,
                     const struct log_place *place, uint64_t tick)
{
    writer->facts.count = 0;
    writer->facts.head = head_of(writer, kind, place, tick);
}

int log_fact(struct log_writer *writer, enum fisql_fact fact, const char *text, struct error *error)
{
    if (facts_add(&writer->facts.bytes, &writer->facts.count, &writer->facts.capacity,
                  fisql_fact_key(fact), error) != 0)
        return -1;
    return facts_add(&writer->facts.bytes, &writer->facts.count, &writer->facts.capacity, text,
                     error);
}

int log_fact_number(struct log_writer *writer, enum fisql_fact fact, uint64_t number,
                    struct error *error)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return log_fact(writer, fact, text, error);
}

int log_fact_address(struct log_writer *writer, enum fisql_fact fact, uint64_t address,
                     struct error *error)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIx64, address);
    return log_fact(writer, fact, text, error);
}

int log_facts_end(struct log_writer *writer, struct error *error)
{
    if (writer->facts.count == 0) /* a chunk without facts says that its process is there */
        if (facts_add(&writer->facts.bytes, &writer->facts.count, &writer->facts.capacity, "",
                      error) != 0)
            return -1;
    int result =
        facts_write(writer, &writer->facts.head, writer->facts.bytes, writer->facts.count, error);
    writer->facts.count = 0;
    return result;
}

int log_writer_loss(struct log_writer *writer, const char *reason, uint64_t calls,
                    const char *detail, struct error *error)
{
    log_facts_begin(writer, FISQL_CHUNK_LOSS, NULL, 0);
    if (log_fact(writer, FISQL_FACT_LOSS_REASON, reason, error) != 0 ||
        (detail != NULL && log_fact(writer, FISQL_FACT_LOSS_DETAIL, detail, error) != 0) ||
        (calls != UINT64_MAX && log_fact_number(writer, FISQL_FACT_LOSS_CALLS, calls, error) != 0))
        return -1;
    return log_facts_end(writer, error);
}

/* ---- points ---- */

static int points_flush(struct log_writer *writer, struct error *error)
{
    int result = facts_write(writer, &writer->points.head, writer->points.bytes,
                             writer->points.count, error);
    writer->points.count = 0;
    return result;
}

static int point_fact(struct log_writer *writer, enum fisql_fact fact, const char *text,
                      struct error *error)
{
    if (facts_add(&writer->points.bytes, &writer->points.count, &writer->points.capacity,
                  fisql_fact_key(fact), error) != 0)
        return -1;
    return facts_add(&writer->points.bytes, &writer->points.count, &writer->points.capacity, text,
                     error);
}

int log_writer_point(struct log_writer *writer, const struct log_writer_point *point,
                     uint32_t *number, struct error *error)
{
    char text[24];
    bool labelled = point->kind == FISQL_POINT_COUNTER || point->kind == FISQL_POINT_MARK;
    struct fisql_chunk head = head_of(writer, FISQL_CHUNK_POINTS, point->process, 0);
    if (writer->points_count >= FISQL_POINT_MAX)
        return error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u different names",
                              FISQL_POINT_MAX);
    if ((writer->points.count > POINTS_BYTES ||
         head.process_key != writer->points.head.process_key) &&
        points_flush(writer, error) != 0)
        return -1;
    writer->points.head = head;
    *number = ++writer->points_count;
    snprintf(text, sizeof text, "%u", *number);
    if (point_fact(writer, FISQL_FACT_POINTS_POINT, text, error) != 0 ||
        point_fact(writer, FISQL_FACT_POINTS_KIND, fisql_point_word(point->kind), error) != 0 ||
        point_fact(writer, labelled ? FISQL_FACT_POINTS_LABEL : FISQL_FACT_POINTS_FUNCTION,
                   point->name, error) != 0 ||
        (point->values != NULL &&
         point_fact(writer, FISQL_FACT_POINTS_VALUES, point->values, error) != 0))
        return -1;
    snprintf(text, sizeof text, "%" PRIx64, point->address);
    return point->address == 0 ? 0 : point_fact(writer, FISQL_FACT_POINTS_ADDRESS, text, error);
}

int log_writer_finish(struct log_writer *writer, struct error *error)
{
    return points_flush(writer, error);
}

/* ---- chunks of events ---- */

static struct fisql_chunk *chunk_of(struct log_writer *writer)
{
    return (void *)writer->chunk;
}

/* Begins a chunk with the calls that are open. */
static void chunk_begin(struct log_writer *writer)
{
    struct fisql_chunk *chunk = chunk_of(writer);
    size_t shown =
        writer->open_count < FISQL_SNAPSHOT_MAX ? writer->open_count : FISQL_SNAPSHOT_MAX;
    *chunk = head_of(writer, FISQL_CHUNK_EVENTS, &writer->thread, 0);
    chunk->sequence = writer->sequence;
    chunk->first_call = writer->calls;
    chunk->open_calls = (uint32_t)shown;
    chunk->open_depth = (uint32_t)writer->open_count;
    chunk->tick_start = writer->tick;
    if (shown > 0)
        memcpy(chunk + 1, writer->open + writer->open_count - shown, shown * sizeof *writer->open);
    writer->at = (void *)(writer->chunk + sizeof *chunk + shown * sizeof *writer->open);
    writer->end = (uint16_t *)(void *)(writer->chunk + CHUNK_BYTES) - EVENT_UNITS_MAX;
    writer->begun = false;
    writer->slots.used = 0;
    writer->slots.chunk++;
}

static int chunk_write(struct log_writer *writer, struct error *error)
{
    struct fisql_chunk *chunk = chunk_of(writer);
    unsigned char *units = writer->chunk + sizeof *chunk + chunk->open_calls * sizeof *writer->open;
    size_t bytes = (size_t)((unsigned char *)writer->at - writer->chunk);
    size_t length = (bytes + 7) / 8 * 8;
    if (!writer->begun)
        return 0;
    memset(writer->chunk + bytes, 0, length - bytes);
    chunk->units = (uint32_t)((size_t)((unsigned char *)writer->at - units) / 2);
    chunk->length = (uint32_t)length;
    chunk->checksum = 0;
    chunk->checksum = fisql_checksum(writer->chunk, length);
    writer->calls += chunk->calls;
    writer->sequence++;
    return write_all(writer, writer->chunk, length, error);
}

/* Room for an event at the tick. */
static inline int event_room(struct log_writer *writer, uint64_t tick, struct error *error)
{
    if (__builtin_expect(!writer->begun, 0)) {
        writer->begun = true;
        if (writer->sequence == 0) {
            writer->tick = tick;
            chunk_of(writer)->tick_start = tick;
        }
        return 0;
    }
    if (writer->at < writer->end)
        return 0;
    if (chunk_write(writer, error) != 0)
        return -1;
    chunk_begin(writer);
    writer->begun = true;
    return 0;
}

static inline void put(struct log_writer *writer, uint64_t value, unsigned units)
{
    memcpy(writer->at, &value, (size_t)units * 2);
    writer->at += units;
}

static inline void put_code(struct log_writer *writer, uint32_t code)
{
    *writer->at++ = (uint16_t)(code << 1 | 1);
}

/* The time since the event before, as far as it fits into the event's own delta. */
static inline uint32_t delta(struct log_writer *writer, uint64_t tick, uint32_t most)
{
    uint64_t passed = tick - writer->tick;
    if (__builtin_expect(tick < writer->tick, 0)) {
        writer->backwards++;
        return 0;
    }
    writer->tick = tick;
    if (__builtin_expect(passed <= most, 1))
        return (uint32_t)passed;
    put_code(writer, FISQL_CODE_TIME);
    put(writer, passed, 4);
    return 0;
}

static void put_bytes(struct log_writer *writer, const void *bytes, size_t count)
{
    if (count % 2 != 0)
        writer->at[count / 2] = 0;
    if (count > 0)
        memcpy(writer->at, bytes, count);
    writer->at += (count + 1) / 2;
}

int log_thread_begin(struct log_writer *writer, const struct log_place *thread, struct error *error)
{
    if (points_flush(writer, error) != 0)
        return -1;
    writer->thread = *thread;
    writer->tick = writer->calls = 0;
    writer->sequence = writer->left_out_depth = 0;
    writer->open_count = 0;
    chunk_begin(writer);
    return 0;
}

int log_thread_end(struct log_writer *writer, struct error *error)
{
    return chunk_write(writer, error);
}

/* ---- events ---- */

static uint64_t function_of(uint32_t point)
{
    return FISQL_POINT_ADDRESS | point;
}

/* The slot of a point in this chunk, defined where it is new; -1 = all slots are taken. */
static int slot_of(struct log_writer *writer, uint32_t point)
{
    if (writer->slots.in_chunk[point] == writer->slots.chunk)
        return (int)writer->slots.of_point[point];
    if (writer->slots.used == FISQL_SLOTS_MAX)
        return -1;
    uint32_t slot = writer->slots.used++;
    writer->slots.in_chunk[point] = writer->slots.chunk;
    writer->slots.of_point[point] = slot;
    put_code(writer, FISQL_CODE_DEFINE_FAR + slot);
    put(writer, function_of(point), 4);
    put(writer, 0, 4);
    return (int)slot;
}

static int slots_reach(struct log_writer *writer, uint32_t point, struct error *error)
{
    return array_reach(&writer->slots.of_point, &writer->slots.capacity, point, error) != 0 ||
                   array_reach(&writer->slots.in_chunk, &writer->slots.chunks_capacity, point,
                               error) != 0
               ? -1
               : 0;
}

int log_enter(struct log_writer *writer, uint64_t tick, uint32_t point, struct error *error)
{
    must(point != 0 && point <= writer->points_count);
    if (__builtin_expect(writer->open_count >= LOG_WRITER_DEPTH_MAX || writer->left_out_depth > 0,
                         0)) {
        writer->left_out_depth++;
        writer->left_out_calls++;
        return 0;
    }
    if (event_room(writer, tick, error) != 0 || slots_reach(writer, point, error) != 0 ||
        array_reserve(&writer->open, &writer->open_capacity, writer->open_count + 1, error) != 0)
        return -1;
    int slot = slot_of(writer, point);
    uint32_t passed = delta(writer, tick, UINT16_MAX);
    if (slot >= 0) {
        put_code(writer, FISQL_CODE_ENTER + (uint32_t)slot);
        put(writer, passed, 1);
    } else {
        put_code(writer, FISQL_CODE_ENTER_FULL);
        put(writer, passed, 1);
        put(writer, function_of(point), 4);
        put(writer, 0, 4);
    }
    chunk_of(writer)->calls++;
    writer->open[writer->open_count++] =
        (struct fisql_open_call){.function = function_of(point), .enter_tick = writer->tick};
    return 0;
}

void log_arguments(struct log_writer *writer, const unsigned char *values, size_t bytes)
{
    must(bytes <= FISQL_VALUES_BYTES_MAX);
    if (bytes == 0 || writer->left_out_depth > 0)
        return;
    put_code(writer, FISQL_CODE_ARGUMENTS + (uint32_t)bytes);
    put_bytes(writer, values, bytes);
}

int log_exit(struct log_writer *writer, uint64_t tick, struct error *error)
{
    if (__builtin_expect(writer->left_out_depth > 0, 0)) {
        writer->left_out_depth--;
        return 0;
    }
    must(writer->open_count > 0);
    if (event_room(writer, tick, error) != 0)
        return -1;
    uint32_t passed = delta(writer, tick, 0x7fff);
    *writer->at++ = (uint16_t)(passed << 1);
    writer->open_count--;
    return 0;
}

void log_result(struct log_writer *writer, const unsigned char *value, size_t bytes)
{
    must(bytes <= FISQL_VALUES_BYTES_MAX);
    if (bytes == 0 || writer->left_out_depth > 0)
        return;
    put_code(writer, FISQL_CODE_RESULT + (uint32_t)bytes);
    put_bytes(writer, value, bytes);
}

int log_unwind(struct log_writer *writer, uint64_t tick, uint32_t calls, struct error *error)
{
    uint32_t left_out = calls < writer->left_out_depth ? calls : writer->left_out_depth;
    writer->left_out_depth -= left_out;
    calls -= left_out;
    if (calls > writer->open_count)
        calls = (uint32_t)writer->open_count;
    if (calls == 0)
        return 0;
    if (event_room(writer, tick, error) != 0)
        return -1;
    uint32_t passed = delta(writer, tick, UINT16_MAX);
    put_code(writer, FISQL_CODE_UNWIND);
    put(writer, passed, 1);
    put(writer, calls, 2);
    writer->open_count -= calls;
    return 0;
}

int log_note(struct log_writer *writer, uint64_t tick, const char *text, struct error *error)
{
    size_t bytes = strnlen(text, LOG_NOTE_MAX);
    if (event_room(writer, tick, error) != 0)
        return -1;
    uint32_t passed = delta(writer, tick, UINT16_MAX);
    put_code(writer, FISQL_CODE_NOTE);
    put(writer, passed, 1);
    put(writer, bytes, 1);
    put_bytes(writer, text, bytes);
    return 0;
}

int log_checkpoint(struct log_writer *writer, uint64_t tick, uint32_t point,
                   const unsigned char *values, size_t bytes, struct error *error)
{
    must(bytes <= FISQL_VALUES_BYTES_MAX);
    if (event_room(writer, tick, error) != 0)
        return -1;
    uint32_t passed = delta(writer, tick, UINT16_MAX);
    put_code(writer, FISQL_CODE_CHECKPOINT);
    put(writer, passed, 1);
    put(writer, bytes + sizeof point, 1);
    put(writer, point, 2);
    put_bytes(writer, values, bytes);
    return 0;
}
