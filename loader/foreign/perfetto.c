/*
 * Perfetto's traces: a row of TracePackets (field 1). Taken are track events (slices, instants and
 * counters), and what they need: descriptors of tracks, interned texts, clocks. Other packets (of the
 * kernel's ftrace, of heaps, ...) are passed over. Field numbers and meanings are from
 * protos/perfetto/trace/ of https://github.com/google/perfetto and docs/reference/
 * synthetic-track-event there.
 */
#include "loader/foreign/perfetto.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/array.h"
#include "loader/foreign/foreign_parts.h"

#define PACKET_BYTES_MAX (FOREIGN_INPUT_MAX - 32u)
#define UNPACKED_BYTES_MAX (64u << 20)

bool perfetto_is(const char *path, const unsigned char *head, size_t bytes)
{
    struct proto message = proto_begin(head, bytes);
    struct proto_field field;
    uint64_t tag, length;
    (void)path;
    /* A packet, with a field that packets have, or one that is longer than what we see. */
    if (!proto_varint(&message, &tag) || tag != (TRACE_PACKET << 3 | PROTO_BYTES) ||
        !proto_varint(&message, &length) || length > PACKET_BYTES_MAX)
        return false;
    if (length < (size_t)(message.end - message.at))
        message.end = message.at + length;
    return length == 0 || (proto_next(&message, &field) > 0 && field.number <= 200) ||
           (length > bytes && bytes > 0);
}

/* ---- packets ---- */

/* The parts of a packet, in the order in which they must be taken. */
struct parts {
    struct proto_field event, interned, clocks, track, process, thread, defaults, compressed;
    uint64_t timestamp, clock, sequence, flags;
    bool has_timestamp, cleared;
};

static bool split(struct proto packet, struct parts *parts)
{
    struct proto_field field;
    int got;
    *parts = (struct parts){.clock = 0};
    while ((got = proto_next(&packet, &field)) > 0) {
        struct proto_field *message = NULL;
        uint64_t *number = NULL;
        switch (field.number) {
        case PACKET_TIMESTAMP:
            number = &parts->timestamp;
            parts->has_timestamp = true;
            break;
        case PACKET_SEQUENCE:
            number = &parts->sequence;
            break;
        case PACKET_FLAGS:
            number = &parts->flags;
            break;
        case PACKET_CLOCK:
            number = &parts->clock;
            break;
        case PACKET_CLEARED:
            parts->cleared = field.bits != 0;
            break;
        case PACKET_EVENT:
            message = &parts->event;
            break;
        case PACKET_INTERNED:
            message = &parts->interned;
            break;
        case PACKET_CLOCKS:
            message = &parts->clocks;
            break;
        case PACKET_TRACK:
            message = &parts->track;
            break;
        case PACKET_PROCESS:
            message = &parts->process;
            break;
        case PACKET_THREAD:
            message = &parts->thread;
            break;
        case PACKET_DEFAULTS:
            message = &parts->defaults;
            break;
        case PACKET_COMPRESSED:
            message = &parts->compressed;
            break;
        default:
            break;
        }
        if (number != NULL && field.wire == PROTO_VARINT)
            *number = field.bits;
        if (message != NULL && field.wire == PROTO_BYTES)
            *message = field;
    }
    return got == 0;
}

/* TracePacketDefaults: the clock of a sequence's packets, the track of its events. */
static void take_defaults(struct perfetto_sequence *sequence, const struct proto_field *defaults)
{
    struct proto message = proto_message(defaults);
    struct proto_field field, inner;
    while (proto_next(&message, &field) > 0) {
        if (field.number == PACKET_CLOCK && field.wire == PROTO_VARINT)
            sequence->clock = field.bits;
        if (field.number != PACKET_EVENT || field.wire != PROTO_BYTES)
            continue;
        struct proto events = proto_message(&field);
        while (proto_next(&events, &inner) > 0)
            if (inner.number == EVENT_TRACK && inner.wire == PROTO_VARINT) {
                sequence->track = inner.bits;
                sequence->has_track = true;
            }
    }
}

static int take_all(struct perfetto *perfetto, const void *data, size_t bytes, bool nested,
                    struct error *error);

/* Packets that zlib has packed. */
static int take_compressed(struct perfetto *perfetto, const struct proto_field *field,
                           struct error *error)
{
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)field->data,
                       .avail_in = (unsigned)field->bytes};
    unsigned char *out = NULL;
    size_t count = 0, capacity = 0;
    int status = inflateInit(&stream), result = 0;
    if (status != Z_OK)
        return error_set(error, "out of memory");
    while (status == Z_OK && result == 0 && count < UNPACKED_BYTES_MAX) {
        result = array_reserve(&out, &capacity, count + (64u << 10), error);
        if (result != 0)
            break;
        stream.next_out = out + count;
        stream.avail_out = (unsigned)(capacity - count);
        status = inflate(&stream, Z_NO_FLUSH);
        count = stream.total_out;
    }
    inflateEnd(&stream);
    if (result == 0 && status != Z_STREAM_END)
        perfetto->unsound++;
    if (result == 0 && status == Z_STREAM_END)
        result = take_all(perfetto, out, count, true, error);
    free(out);
    return result;
}

/* Takes what events stand on. */
static int take_state(struct perfetto *perfetto, uint32_t sequence, const struct parts *parts,
                      struct error *error)
{
    if (parts->cleared || (parts->flags & FLAGS_CLEARED) != 0)
        perfetto_clear(perfetto, sequence);
    if (parts->defaults.data != NULL)
        take_defaults(&perfetto->sequences[sequence], &parts->defaults);
    if (parts->interned.data != NULL &&
        perfetto_intern(perfetto, sequence, &parts->interned, error) != 0)
        return -1;
    if (parts->clocks.data != NULL &&
        perfetto_take_clocks(perfetto, sequence, &parts->clocks, error) != 0)
        return -1;
    if (parts->process.data != NULL &&
        perfetto_describe_thread(perfetto, sequence, &parts->process, false, error) != 0)
        return -1;
    if (parts->thread.data != NULL &&
        perfetto_describe_thread(perfetto, sequence, &parts->thread, true, error) != 0)
        return -1;
    return parts->track.data != NULL ? perfetto_describe_track(perfetto, &parts->track, error) : 0;
}

static int take_packet(struct perfetto *perfetto, struct proto packet, bool nested,
                       struct error *error)
{
    struct parts parts;
    uint32_t sequence;
    if (!split(packet, &parts)) {
        perfetto->unsound++;
        return 0;
    }
    if (parts.compressed.data != NULL && !nested)
        return take_compressed(perfetto, &parts.compressed, error);
    if (perfetto_sequence(perfetto, parts.sequence, &sequence, error) != 0 ||
        take_state(perfetto, sequence, &parts, error) != 0)
        return -1;
    /* The time of each packet moves an incremental clock. */
    struct perfetto_packet of = {.sequence = sequence};
    if (parts.has_timestamp)
        of.has_time = perfetto_time(perfetto, sequence, parts.clock, parts.timestamp, &of.ns);
    if (parts.event.data == NULL)
        return 0;
    if (parts.has_timestamp && !of.has_time) {
        perfetto->no_time++;
        return 0;
    }
    return perfetto_take_event(perfetto, &of, &parts.event, error);
}

/* Takes packets in memory. */
static int take_all(struct perfetto *perfetto, const void *data, size_t bytes, bool nested,
                    struct error *error)
{
    struct proto trace = proto_begin(data, bytes);
    struct proto_field field;
    int got;
    while ((got = proto_next(&trace, &field)) > 0)
        if (field.number == TRACE_PACKET && field.wire == PROTO_BYTES &&
            take_packet(perfetto, proto_message(&field), nested, error) != 0)
            return -1;
    perfetto->unsound += got < 0;
    return 0;
}

/* ---- the file ---- */

/* Reads the next packet. 1; 0: the end; 2: the file ends before the packet does; -1. */
static int read_packet(struct perfetto *perfetto, struct foreign_input *input, struct error *error)
{
    uint64_t tag, length = 0, unused;
    if (foreign_input_fill(input, 20, error) != 0)
        return -1;
    if (input->count == 0)
        return 0;
    struct proto head = proto_begin(foreign_input_at(input), input->count);
    if (!proto_varint(&head, &tag))
        return input->count < 10 ? 2
                                 : foreign_input_damage(input, input->offset, "no field", error);
    bool counted = (tag & 7) == PROTO_BYTES;
    if (counted ? !proto_varint(&head, &length)
                : (tag & 7) != PROTO_VARINT || !proto_varint(&head, &unused))
        return input->count < 20
                   ? 2
                   : foreign_input_damage(input, input->offset, "is no trace of Perfetto", error);
    size_t start = (size_t)(head.at - foreign_input_at(input));
    if (length > PACKET_BYTES_MAX)
        return foreign_input_damage(input, input->offset, "a packet of more than 64 MB", error);
    if (foreign_input_fill(input, start + (size_t)length, error) != 0)
        return -1;
    if (input->count < start + length)
        return 2;
    if (tag == (TRACE_PACKET << 3 | PROTO_BYTES) &&
        take_packet(perfetto, proto_begin(foreign_input_at(input) + start, (size_t)length), false,
                    error) != 0)
        return -1;
    foreign_input_skip(input, start + (size_t)length);
    return 1;
}

static int write_losses(const struct perfetto *perfetto, struct log_writer *writer, bool truncated,
                        struct error *error)
{
    const struct {
        const char *reason, *detail;
        uint64_t count;
    } losses[] = {{"events without a time that makes sense", NULL, perfetto->no_time},
                  {"events whose interned name is missing", NULL, perfetto->no_name},
                  {"events of kinds that fisql does not take", "old asynchronous ones",
                   perfetto->other_kinds},
                  {"packets that are not sound", NULL, perfetto->unsound}};
    if (truncated && log_writer_loss(writer, "truncated", UINT64_MAX,
                                     "the trace ends before its last packet does", error) != 0)
        return -1;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0 && log_writer_loss(writer, losses[i].reason, losses[i].count,
                                                   losses[i].detail, error) != 0)
            return -1;
    return 0;
}

int perfetto_read(const struct foreign_job *job, struct error *error)
{
    struct foreign_input input = {.path = job->path};
    struct perfetto *perfetto = calloc(1, sizeof *perfetto);
    if (perfetto == NULL)
        return error_set(error, "out of memory");
    int got = slices_open(&perfetto->slices, job->folder, error);
    if (got == 0)
        got = foreign_input_open(&input, job->path, error);
    input.progress = job->progress;
    input.progress_context = job->progress_context;
    if (got == 0)
        do
            got = read_packet(perfetto, &input, error);
        while (got == 1);
    foreign_input_close(&input);
    int result = got < 0 ? -1 : slices_write(&perfetto->slices, job->writer, error);
    if (result == 0)
        result = write_losses(perfetto, job->writer, got == 2, error);
    perfetto_release(perfetto);
    free(perfetto);
    return result;
}
