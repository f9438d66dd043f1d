/* What sequences of packets, tracks and clocks of a Perfetto trace are: see perfetto.h. */
#include "loader/foreign/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "loader/foreign/foreign_parts.h"

#define PARENTS_MAX 16      /* that are followed for a track's process and thread */
#define STATES_MAX 8000000u /* tracks, sequences, clocks: more are damage */

void perfetto_release(struct perfetto *perfetto)
{
    slices_close(&perfetto->slices);
    intern_release(&perfetto->track_of);
    intern_release(&perfetto->sequence_of);
    intern_release(&perfetto->clock_of);
    intern_release(&perfetto->text_of);
    free(perfetto->tracks);
    free(perfetto->sequences);
    free(perfetto->clocks);
    free(perfetto->texts);
}

static int too_many(struct error *error)
{
    return error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u tracks or sequences",
                          STATES_MAX);
}

int perfetto_track(struct perfetto *perfetto, uint64_t uuid, struct perfetto_track **track,
                   struct error *error)
{
    uint32_t index;
    if (intern_add(&perfetto->track_of, uuid, 0, &index, error) != 0)
        return -1;
    if (index >= STATES_MAX)
        return too_many(error);
    if (index == perfetto->tracks_count) {
        struct perfetto_track new = {.multiplier = 1};
        if (array_add(&perfetto->tracks, &perfetto->tracks_count, &perfetto->tracks_capacity, new,
                      error) != 0)
            return -1;
    }
    *track = &perfetto->tracks[index];
    return 0;
}

int perfetto_sequence(struct perfetto *perfetto, uint64_t id, uint32_t *sequence,
                      struct error *error)
{
    if (intern_add(&perfetto->sequence_of, id, 0, sequence, error) != 0)
        return -1;
    if (*sequence >= STATES_MAX)
        return too_many(error);
    if (*sequence < perfetto->sequences_count)
        return 0;
    struct perfetto_sequence new = {.generation = perfetto->generations++};
    return array_add(&perfetto->sequences, &perfetto->sequences_count,
                     &perfetto->sequences_capacity, new, error);
}

void perfetto_clear(struct perfetto *perfetto, uint32_t sequence)
{
    struct perfetto_sequence *of = &perfetto->sequences[sequence];
    of->generation = perfetto->generations++;
    of->clock = 0;
    of->has_track = false;
}

/* ---- interned texts ---- */

static int intern_one(struct perfetto *perfetto, uint32_t sequence, enum perfetto_text kind,
                      struct proto message, struct error *error)
{
    struct proto_field field, text = {.number = 0};
    uint64_t iid = 0;
    uint32_t index;
    while (proto_next(&message, &field) > 0) {
        if (field.number == 1 && field.wire == PROTO_VARINT)
            iid = field.bits;
        if (field.number == 2 && field.wire == PROTO_BYTES)
            text = field;
    }
    const char *kept = slices_text(&perfetto->slices, (const char *)text.data, text.bytes, error);
    if (kept == NULL ||
        intern_add(&perfetto->text_of,
                   intern_pack(perfetto->sequences[sequence].generation, (uint32_t)kind), iid,
                   &index, error) != 0)
        return -1;
    if (index < perfetto->texts_count) {
        perfetto->texts[index] = kept;
        return 0;
    }
    return array_add(&perfetto->texts, &perfetto->texts_count, &perfetto->texts_capacity, kept,
                     error);
}

int perfetto_intern(struct perfetto *perfetto, uint32_t sequence,
                    const struct proto_field *interned, struct error *error)
{
    struct proto message = proto_message(interned);
    struct proto_field field;
    while (proto_next(&message, &field) > 0) {
        enum perfetto_text kind = field.number == INTERNED_EVENT_NAMES        ? TEXT_EVENT_NAME
                                  : field.number == INTERNED_ANNOTATION_NAMES ? TEXT_ANNOTATION_NAME
                                                                              : TEXT_VALUE;
        bool known = field.number == INTERNED_EVENT_NAMES ||
                     field.number == INTERNED_ANNOTATION_NAMES || field.number == INTERNED_STRINGS;
        if (known && field.wire == PROTO_BYTES &&
            intern_one(perfetto, sequence, kind, proto_message(&field), error) != 0)
            return -1;
    }
    return 0;
}

const char *perfetto_text(const struct perfetto *perfetto, uint32_t sequence,
                          enum perfetto_text kind, uint64_t iid)
{
    uint32_t index =
        intern_find(&perfetto->text_of,
                    intern_pack(perfetto->sequences[sequence].generation, (uint32_t)kind), iid);
    return index == INTERN_NONE ? NULL : perfetto->texts[index];
}

/* ---- descriptors ---- */

/* A process's or thread's descriptor: numbers of pid and tid, and its name, where it has one. */
struct described {
    int64_t pid, tid;
    const char *name;
    int64_t reference_us;
};

static int describe(struct perfetto *perfetto, struct proto message, bool is_thread,
                    struct described *out, struct error *error)
{
    struct proto_field field, name = {.number = 0};
    *out = (struct described){0};
    while (proto_next(&message, &field) > 0) {
        if (field.wire == PROTO_VARINT && field.number == THREAD_PID)
            out->pid = (int32_t)field.bits;
        if (field.wire == PROTO_VARINT && is_thread && field.number == THREAD_TID)
            out->tid = (int32_t)field.bits;
        if (field.wire == PROTO_VARINT && is_thread && field.number == THREAD_REFERENCE_US)
            out->reference_us = (int64_t)field.bits;
        bool names = is_thread ? field.number == THREAD_NAME
                               : field.number == PROCESS_NAME ||
                                     (field.number == PROCESS_COMMAND && name.data == NULL);
        if (field.wire == PROTO_BYTES && names)
            name = field;
    }
    if (name.bytes == 0)
        return 0;
    out->name = slices_text(&perfetto->slices, (const char *)name.data, name.bytes, error);
    return out->name != NULL ? 0 : -1;
}

static int name_process(struct perfetto *perfetto, const struct described *of, uint32_t *process,
                        struct error *error)
{
    struct slices *slices = &perfetto->slices;
    if (slices_process(slices, of->pid, process, error) != 0)
        return -1;
    if (of->name != NULL)
        slices->processes[*process].name = of->name;
    return 0;
}

int perfetto_thread_track(struct perfetto *perfetto, int64_t pid, int64_t tid, uint32_t *track,
                          struct error *error)
{
    uint32_t process;
    return slices_process(&perfetto->slices, pid, &process, error) != 0
               ? -1
               : slices_track(&perfetto->slices, process, FOREIGN_THREAD, (uint64_t)tid, tid, track,
                              error);
}

static int name_thread(struct perfetto *perfetto, const struct described *of, struct error *error)
{
    uint32_t track;
    if (perfetto_thread_track(perfetto, of->pid, of->tid, &track, error) != 0)
        return -1;
    if (of->name != NULL)
        perfetto->slices.tracks[track].name = of->name;
    return 0;
}

int perfetto_describe_thread(struct perfetto *perfetto, uint32_t sequence,
                             const struct proto_field *field, bool is_thread, struct error *error)
{
    struct described described;
    uint32_t process;
    if (describe(perfetto, proto_message(field), is_thread, &described, error) != 0)
        return -1;
    if (!is_thread)
        return name_process(perfetto, &described, &process, error);
    struct perfetto_sequence *of = &perfetto->sequences[sequence];
    of->has_thread = true;
    of->pid = described.pid;
    of->tid = described.tid;
    of->reference_us = described.reference_us;
    return name_thread(perfetto, &described, error);
}

static void describe_counter(struct perfetto_track *track, struct proto message)
{
    struct proto_field field;
    track->is_counter = true;
    while (proto_next(&message, &field) > 0) {
        if (field.number == COUNTER_INCREMENTAL && field.wire == PROTO_VARINT)
            track->incremental = field.bits != 0;
        if (field.number == COUNTER_MULTIPLIER && field.wire == PROTO_VARINT && field.bits != 0)
            track->multiplier = (int64_t)field.bits;
    }
}

int perfetto_describe_track(struct perfetto *perfetto, const struct proto_field *descriptor,
                            struct error *error)
{
    struct proto message = proto_message(descriptor);
    struct proto_field field, process = {.number = 0}, thread = {.number = 0};
    struct perfetto_track made = {.multiplier = 1}, *track;
    struct described described;
    uint32_t index;
    uint64_t uuid = 0;
    while (proto_next(&message, &field) > 0) {
        if (field.number == TRACK_UUID)
            uuid = field.bits;
        else if (field.number == TRACK_PARENT)
            made.parent = field.bits;
        else if ((field.number == TRACK_NAME || field.number == TRACK_STATIC_NAME) &&
                 field.wire == PROTO_BYTES && field.bytes > 0)
            made.name =
                slices_text(&perfetto->slices, (const char *)field.data, field.bytes, error);
        else if (field.number == TRACK_PROCESS && field.wire == PROTO_BYTES)
            process = field;
        else if (field.number == TRACK_THREAD && field.wire == PROTO_BYTES)
            thread = field;
        else if (field.number == TRACK_COUNTER && field.wire == PROTO_BYTES)
            describe_counter(&made, proto_message(&field));
        if (made.name == NULL &&
            (field.number == TRACK_NAME || field.number == TRACK_STATIC_NAME) &&
            field.wire == PROTO_BYTES && field.bytes > 0)
            return -1;
    }
    if (process.data != NULL) {
        if (describe(perfetto, proto_message(&process), false, &described, error) != 0 ||
            name_process(perfetto, &described, &index, error) != 0)
            return -1;
        made.has_process = true;
        made.pid = described.pid;
    }
    if (thread.data != NULL) {
        if (describe(perfetto, proto_message(&thread), true, &described, error) != 0 ||
            name_thread(perfetto, &described, error) != 0)
            return -1;
        made.has_thread = true;
        made.pid = described.pid;
        made.tid = described.tid;
    }
    if (perfetto_track(perfetto, uuid, &track, error) != 0)
        return -1;
    made.slices = track->slices; /* a track may be described again */
    made.sum = track->sum;
    made.described = true;
    *track = made;
    return 0;
}

/* ---- the tracks of slices ---- */

/* The nearest track upwards that has a process, or a thread; NULL = none. */
static const struct perfetto_track *upwards(const struct perfetto *perfetto, uint64_t uuid)
{
    for (int i = 0; i < PARENTS_MAX; i++) {
        uint32_t index = intern_find(&perfetto->track_of, uuid, 0);
        if (index == INTERN_NONE)
            return NULL;
        const struct perfetto_track *track = &perfetto->tracks[index];
        if (track->has_process || track->has_thread)
            return track;
        if (track->parent == 0 || track->parent == uuid)
            return NULL;
        uuid = track->parent;
    }
    return NULL;
}

int perfetto_slices_track(struct perfetto *perfetto, uint64_t uuid, uint32_t *out,
                          struct error *error)
{
    struct perfetto_track *track;
    struct slices *slices = &perfetto->slices;
    uint32_t process;
    char text[64];
    if (perfetto_track(perfetto, uuid, &track, error) != 0)
        return -1;
    if (track->slices != 0) {
        *out = track->slices - 1;
        return 0;
    }
    const struct perfetto_track *of = upwards(perfetto, uuid);
    if (track->has_thread) {
        if (perfetto_thread_track(perfetto, track->pid, track->tid, out, error) != 0)
            return -1;
    } else {
        const char *name = track->is_counter ? "counters" : track->name;
        if (name == NULL) {
            snprintf(text, sizeof text, "track %llx", (unsigned long long)uuid);
            name = text;
        }
        if (of == NULL && slices->processes_count > 0)
            process = 0; /* the trace's own: it goes to its first process */
        else if (slices_process(slices, of != NULL ? of->pid : 0, &process, error) != 0)
            return -1;
        if (slices_track(slices, process, track->is_counter ? FOREIGN_COUNTERS : FOREIGN_ASYNC,
                         track->is_counter ? 0 : uuid, of != NULL && of->has_thread ? of->tid : 0,
                         out, error) != 0)
            return -1;
        slices->tracks[*out].name = slices_text(slices, name, strlen(name), error);
        if (slices->tracks[*out].name == NULL)
            return -1;
    }
    if (track->described)
        track->slices = *out + 1;
    return 0;
}

/* ---- clocks ---- */

static bool is_of_sequence(uint64_t clock)
{
    return clock >= CLOCK_SEQUENCE_FIRST && clock <= CLOCK_SEQUENCE_LAST;
}

static uint64_t clock_owner(uint32_t sequence, uint64_t clock)
{
    return is_of_sequence(clock) ? sequence + UINT64_C(1) : 0;
}

static int set_clock(struct perfetto *perfetto, uint32_t sequence, uint64_t id,
                     const struct perfetto_clock *clock, struct error *error)
{
    uint32_t index;
    if (intern_add(&perfetto->clock_of, id, clock_owner(sequence, id), &index, error) != 0)
        return -1;
    if (index >= STATES_MAX)
        return too_many(error);
    if (index < perfetto->clocks_count) {
        perfetto->clocks[index] = *clock;
        return 0;
    }
    return array_add(&perfetto->clocks, &perfetto->clocks_count, &perfetto->clocks_capacity, *clock,
                     error);
}

static uint64_t primary_clock(const struct perfetto *perfetto)
{
    return perfetto->primary_clock != 0 ? perfetto->primary_clock : CLOCK_BOOTTIME;
}

struct clock_reading {
    uint64_t id, at, multiplier;
    bool incremental;
};

static struct clock_reading read_clock(const struct proto_field *field)
{
    struct proto message = proto_message(field);
    struct clock_reading reading = {.id = 0};
    struct proto_field inner;
    while (proto_next(&message, &inner) > 0) {
        if (inner.number == CLOCK_ID)
            reading.id = inner.bits;
        else if (inner.number == CLOCK_TIME)
            reading.at = inner.bits;
        else if (inner.number == CLOCK_INCREMENTAL)
            reading.incremental = inner.bits != 0;
        else if (inner.number == CLOCK_MULTIPLIER)
            reading.multiplier = inner.bits;
    }
    return reading;
}

/* The trace's time at a snapshot: its clock, else another one that an earlier snapshot related to
 * it, else the one that is most like it. Chrome relates a sequence's clocks to CLOCK_MONOTONIC
 * alone. False: there is none. */
static bool snapshot_time(struct perfetto *perfetto, uint32_t sequence,
                          const struct clock_reading *readings, size_t count, int64_t *ns)
{
    const struct clock_reading *best = NULL;
    unsigned best_rank = 0;
    for (size_t i = 0; i < count; i++) {
        const struct clock_reading *reading = &readings[i];
        bool known = intern_find(&perfetto->clock_of, reading->id, 0) != INTERN_NONE;
        unsigned rank = is_of_sequence(reading->id)              ? 0
                        : reading->id == primary_clock(perfetto) ? 3
                        : known                                  ? 2
                        : reading->id == CLOCK_MONOTONIC         ? 1
                                                                 : 0;
        if (rank > best_rank) {
            best = reading;
            best_rank = rank;
        }
    }
    return best != NULL && perfetto_time(perfetto, sequence, best->id, best->at, ns);
}

/* A snapshot reads several clocks at once: that gives each its place in the trace's time. */
int perfetto_take_clocks(struct perfetto *perfetto, uint32_t sequence,
                         const struct proto_field *snapshot, struct error *error)
{
    enum { READ_MAX = 32 };
    struct clock_reading read[READ_MAX];
    struct proto message = proto_message(snapshot);
    struct proto_field field;
    size_t count = 0;
    int64_t trace_ns = 0;
    while (proto_next(&message, &field) > 0) {
        if (field.number == CLOCKS_CLOCK && field.wire == PROTO_BYTES && count < READ_MAX)
            read[count++] = read_clock(&field);
        if (field.number == CLOCKS_PRIMARY && field.wire == PROTO_VARINT &&
            perfetto->primary_clock == 0 && !is_of_sequence(field.bits))
            perfetto->primary_clock = field.bits;
    }
    if (!snapshot_time(perfetto, sequence, read, count, &trace_ns))
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct perfetto_clock clock = {.at = read[i].at,
                                       .trace_ns = trace_ns,
                                       .multiplier = read[i].multiplier,
                                       .incremental = read[i].incremental};
        if (set_clock(perfetto, sequence, read[i].id, &clock, error) != 0)
            return -1;
    }
    return 0;
}

bool perfetto_time(struct perfetto *perfetto, uint32_t sequence, uint64_t clock, uint64_t timestamp,
                   int64_t *ns)
{
    if (clock == 0)
        clock = perfetto->sequences[sequence].clock;
    uint32_t index = clock == 0 || clock == primary_clock(perfetto)
                         ? INTERN_NONE
                         : intern_find(&perfetto->clock_of, clock, clock_owner(sequence, clock));
    *ns = (int64_t)timestamp;
    if (index == INTERN_NONE) /* the trace's own, or one that was never read beside it */
        return timestamp <= SLICE_TIME_MAX && !is_of_sequence(clock);
    struct perfetto_clock *of = &perfetto->clocks[index];
    int64_t multiplier =
        of->multiplier != 0 && of->multiplier <= 1000000000 ? (int64_t)of->multiplier : 1;
    int64_t passed;
    if (of->incremental) {
        if (__builtin_mul_overflow((int64_t)timestamp, multiplier, &passed) ||
            __builtin_add_overflow(of->trace_ns, passed, ns) || *ns > SLICE_TIME_MAX || *ns < 0)
            return false;
        of->trace_ns = *ns;
        return true;
    }
    return !__builtin_mul_overflow((int64_t)(timestamp - of->at), multiplier, &passed) &&
           !__builtin_add_overflow(of->trace_ns, passed, ns) && *ns <= SLICE_TIME_MAX &&
           *ns >= -SLICE_TIME_MAX;
}
