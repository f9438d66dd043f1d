/* Makes slices of the track events of a Perfetto trace: see perfetto.h. */
#include "loader/foreign/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

#define ANNOTATIONS_MAX 64u
#define ANNOTATION_LEVELS_MAX 6u
#define ANNOTATION_NAME_BYTES 256u

struct event {
    uint64_t type, name_iid, track;
    bool has_name_iid, has_track, has_counter, has_double, has_delta, has_absolute;
    struct proto_field name, legacy;
    int64_t counter, delta_us, absolute_us;
    double counter_double;
    size_t annotations; /* how many it has */
};

static struct event read_event(const struct proto_field *field)
{
    struct proto message = proto_message(field);
    struct proto_field inner;
    struct event event = {.type = 0};
    while (proto_next(&message, &inner) > 0) {
        switch (inner.number) {
        case EVENT_TYPE:
            event.type = inner.bits;
            break;
        case EVENT_NAME_IID:
            event.name_iid = inner.bits;
            event.has_name_iid = true;
            break;
        case EVENT_TRACK:
            event.track = inner.bits;
            event.has_track = true;
            break;
        case EVENT_NAME:
            if (inner.wire == PROTO_BYTES)
                event.name = inner;
            break;
        case EVENT_LEGACY:
            if (inner.wire == PROTO_BYTES)
                event.legacy = inner;
            break;
        case EVENT_ANNOTATION:
            event.annotations += inner.wire == PROTO_BYTES;
            break;
        case EVENT_COUNTER_VALUE:
            event.counter = (int64_t)inner.bits;
            event.has_counter = true;
            break;
        case EVENT_COUNTER_DOUBLE:
            event.has_double = inner.wire == PROTO_FIXED64;
            memcpy(&event.counter_double, &inner.bits, sizeof event.counter_double);
            break;
        case EVENT_DELTA_US:
            event.delta_us = (int64_t)inner.bits;
            event.has_delta = true;
            break;
        case EVENT_ABSOLUTE_US:
            event.absolute_us = (int64_t)inner.bits;
            event.has_absolute = true;
            break;
        default:
            break;
        }
    }
    return event;
}

/* ---- annotations ---- */

struct annotations {
    struct perfetto *perfetto;
    uint32_t sequence;
    struct slice_argument items[ANNOTATIONS_MAX];
    char names[ANNOTATIONS_MAX][ANNOTATION_NAME_BYTES];
    size_t count;
};

static bool annotation_value(const struct annotations *all, const struct proto_field *field,
                             struct slice_argument *argument)
{
    argument->bits = field->bits;
    switch (field->number) {
    case ANNOTATION_BOOL:
    case ANNOTATION_INT:
        argument->type = ARGUMENT_INTEGER;
        return field->wire == PROTO_VARINT;
    case ANNOTATION_UINT:
        argument->type = ARGUMENT_UNSIGNED;
        return field->wire == PROTO_VARINT;
    case ANNOTATION_POINTER:
        argument->type = ARGUMENT_POINTER;
        return field->wire == PROTO_VARINT;
    case ANNOTATION_DOUBLE:
        argument->type = ARGUMENT_FLOAT;
        memcpy(&argument->real, &field->bits, sizeof argument->real);
        return field->wire == PROTO_FIXED64;
    case ANNOTATION_TEXT:
    case ANNOTATION_JSON:
        argument->type = ARGUMENT_TEXT;
        argument->text = (const char *)field->data;
        argument->text_bytes = field->bytes;
        return field->wire == PROTO_BYTES;
    case ANNOTATION_TEXT_IID:
        argument->type = ARGUMENT_TEXT;
        argument->text = perfetto_text(all->perfetto, all->sequence, TEXT_VALUE, field->bits);
        argument->text_bytes = argument->text != NULL ? strlen(argument->text) : 0;
        return argument->text != NULL;
    default:
        return false;
    }
}

/* The annotation's own name, behind those of what it is nested in. */
static size_t annotation_name(const struct annotations *all, struct proto message,
                              const char *around, size_t around_bytes, uint32_t number, char *name)
{
    struct proto_field field, given = {.number = 0};
    const char *interned = NULL;
    while (proto_next(&message, &field) > 0) {
        if (field.number == ANNOTATION_NAME && field.wire == PROTO_BYTES)
            given = field;
        if (field.number == ANNOTATION_NAME_IID && field.wire == PROTO_VARINT)
            interned =
                perfetto_text(all->perfetto, all->sequence, TEXT_ANNOTATION_NAME, field.bits);
    }
    if (given.data != NULL && given.bytes > ANNOTATION_NAME_BYTES)
        given.bytes = ANNOTATION_NAME_BYTES;
    const char *dot = around_bytes > 0 ? "." : "";
    int length = given.data != NULL
                     ? snprintf(name, ANNOTATION_NAME_BYTES, "%.*s%s%.*s", (int)around_bytes,
                                around, dot, (int)given.bytes, (const char *)given.data)
                 : interned != NULL ? snprintf(name, ANNOTATION_NAME_BYTES, "%.*s%s%s",
                                               (int)around_bytes, around, dot, interned)
                                    : snprintf(name, ANNOTATION_NAME_BYTES, "%.*s%s%u",
                                               (int)around_bytes, around, dot, number);
    return length < (int)ANNOTATION_NAME_BYTES ? (size_t)length : ANNOTATION_NAME_BYTES - 1;
}

/* One annotation, or what is nested in it. */
static void take_annotation(struct annotations *all, struct proto message, const char *around,
                            size_t around_bytes, uint32_t number, uint32_t level)
{
    char name[ANNOTATION_NAME_BYTES];
    size_t bytes = annotation_name(all, message, around, around_bytes, number, name);
    struct proto_field field;
    uint32_t next = 0;
    while (proto_next(&message, &field) > 0) {
        struct slice_argument argument = {.name_bytes = bytes};
        bool nested = (field.number == ANNOTATION_DICTIONARY || field.number == ANNOTATION_ARRAY) &&
                      field.wire == PROTO_BYTES;
        if (nested && level < ANNOTATION_LEVELS_MAX)
            take_annotation(all, proto_message(&field), name, bytes, next++, level + 1);
        if (nested || !annotation_value(all, &field, &argument))
            continue;
        if (all->count == ANNOTATIONS_MAX) {
            all->perfetto->slices.lost.arguments++;
            continue;
        }
        memcpy(all->names[all->count], name, bytes);
        argument.name = all->names[all->count];
        all->items[all->count++] = argument;
    }
}

/* Puts the event's annotations into perfetto->values as arguments of the name. */
static int take_annotations(struct perfetto *perfetto, uint32_t sequence,
                            const struct proto_field *event, uint32_t name, struct error *error)
{
    struct annotations *all = calloc(1, sizeof *all);
    struct proto message = proto_message(event);
    struct proto_field field;
    uint32_t number = 0;
    if (all == NULL)
        return error_set(error, "out of memory");
    all->perfetto = perfetto;
    all->sequence = sequence;
    while (proto_next(&message, &field) > 0)
        if (field.number == EVENT_ANNOTATION && field.wire == PROTO_BYTES)
            take_annotation(all, proto_message(&field), "", 0, number++, 0);
    int result =
        slices_arguments(&perfetto->slices, name, all->items, all->count, &perfetto->values, error);
    free(all);
    return result;
}

/* ---- what becomes of it ---- */

/* The event's name, "" where it has none; NULL: it is interned and missing, or no memory (-1). */
static int event_name(struct perfetto *perfetto, uint32_t sequence, const struct event *event,
                      const char **name, struct error *error)
{
    *name = NULL;
    if (event->has_name_iid) {
        *name = perfetto_text(perfetto, sequence, TEXT_EVENT_NAME, event->name_iid);
        return 0;
    }
    *name =
        slices_text(&perfetto->slices, (const char *)event->name.data, event->name.bytes, error);
    return *name != NULL ? 0 : -1;
}

static int find_track(struct perfetto *perfetto, uint32_t sequence, const struct event *event,
                      uint32_t *track, struct error *error)
{
    const struct perfetto_sequence *of = &perfetto->sequences[sequence];
    if (event->has_track)
        return perfetto_slices_track(perfetto, event->track, track, error);
    if (of->has_track)
        return perfetto_slices_track(perfetto, of->track, track, error);
    if (of->has_thread)
        return perfetto_thread_track(perfetto, of->pid, of->tid, track, error);
    return perfetto_slices_track(perfetto, 0, track, error);
}

static int take_counter(struct perfetto *perfetto, const struct event *event, int64_t ns,
                        uint32_t sequence, struct error *error)
{
    const struct perfetto_sequence *sequence_of = &perfetto->sequences[sequence];
    uint64_t uuid = event->has_track ? event->track : sequence_of->track;
    struct slice slice = {.kind = SLICE_COUNTER, .start_ns = ns, .values = &perfetto->values};
    struct slice_argument value = {.name = "value", .name_bytes = 5};
    struct perfetto_track *track;
    if (perfetto_track(perfetto, uuid, &track, error) != 0)
        return -1;
    track->is_counter = true;
    const char *name =
        track->name != NULL ? track->name : slices_text(&perfetto->slices, "counter", 7, error);
    if (event->has_double) {
        value.type = ARGUMENT_FLOAT;
        value.real = event->counter_double * (double)track->multiplier;
        track->sum += value.real;
        value.real = track->incremental ? track->sum : value.real;
    } else {
        int64_t product = event->counter;
        (void)__builtin_mul_overflow(event->counter, track->multiplier, &product);
        track->sum += (double)product;
        value.type = track->incremental ? ARGUMENT_FLOAT : ARGUMENT_INTEGER;
        value.bits = (uint64_t)product;
        value.real = track->sum;
    }
    if (name == NULL || perfetto_slices_track(perfetto, uuid, &slice.track, error) != 0 ||
        slices_name(&perfetto->slices, FISQL_POINT_COUNTER, name, &slice.name, error) != 0 ||
        slices_arguments(&perfetto->slices, slice.name, &value, 1, &perfetto->values, error) != 0)
        return -1;
    return slices_add(&perfetto->slices, &slice, error);
}

/* An event of Chrome's older kind: its phase says what it is. False: none that we take. */
static bool read_legacy(struct event *event, enum slice_kind *kind, int64_t *duration_ns)
{
    struct proto message = proto_message(&event->legacy);
    struct proto_field field;
    uint64_t phase = 0, duration_us = 0;
    while (proto_next(&message, &field) > 0) {
        if (field.wire != PROTO_VARINT)
            continue;
        if (field.number == LEGACY_PHASE)
            phase = field.bits;
        if (field.number == LEGACY_DURATION_US)
            duration_us = field.bits;
        if (field.number == LEGACY_NAME_IID && !event->has_name_iid) {
            event->has_name_iid = true;
            event->name_iid = field.bits;
        }
    }
    *duration_ns = duration_us < SLICE_TIME_MAX / 1000 ? (int64_t)duration_us * 1000 : 0;
    *kind = phase == 'X'                                   ? SLICE_WHOLE
            : phase == 'B'                                 ? SLICE_BEGIN
            : phase == 'E'                                 ? SLICE_END
            : phase == 'I' || phase == 'i' || phase == 'R' ? SLICE_MARK
                                                           : SLICE_COUNTER;
    return *kind != SLICE_COUNTER;
}

/* The event's own time, where its packet has none: microseconds, from what the sequence said. */
static bool own_time(struct perfetto_sequence *sequence, const struct event *event, int64_t *ns)
{
    int64_t us = event->absolute_us;
    if (event->has_delta && !event->has_absolute &&
        __builtin_add_overflow(sequence->reference_us, event->delta_us, &us))
        return false;
    if (event->has_delta && !event->has_absolute)
        sequence->reference_us = us;
    *ns = us > 0 && us < SLICE_TIME_MAX / 1000 ? us * 1000 : 0;
    return (event->has_delta || event->has_absolute) && us >= 0 && us < SLICE_TIME_MAX / 1000;
}

static int take_slice(struct perfetto *perfetto, const struct perfetto_packet *packet,
                      const struct proto_field *field, const struct event *event,
                      struct slice *slice, struct error *error)
{
    struct slices *slices = &perfetto->slices;
    const char *name;
    if (find_track(perfetto, packet->sequence, event, &slice->track, error) != 0)
        return -1;
    if (slice->kind == SLICE_END) {
        slices->lost.at_end += event->annotations > 0;
        return slices_add(slices, slice, error);
    }
    if (event_name(perfetto, packet->sequence, event, &name, error) != 0)
        return -1;
    if (name == NULL) {
        perfetto->no_name++;
        name = slices_text(slices, "?", 1, error);
    }
    enum fisql_point_kind kind = slice->kind == SLICE_MARK ? FISQL_POINT_MARK : FISQL_POINT_NAMED;
    if (name == NULL || slices_name(slices, kind, name, &slice->name, error) != 0)
        return -1;
    if (event->annotations > 0) {
        if (take_annotations(perfetto, packet->sequence, field, slice->name, error) != 0)
            return -1;
        slice->values = &perfetto->values;
    }
    return slices_add(slices, slice, error);
}

int perfetto_take_event(struct perfetto *perfetto, const struct perfetto_packet *packet,
                        const struct proto_field *field, struct error *error)
{
    struct event event = read_event(field);
    struct slice slice = {.start_ns = packet->ns};
    int64_t duration_ns = 0;
    if (!packet->has_time &&
        !own_time(&perfetto->sequences[packet->sequence], &event, &slice.start_ns)) {
        perfetto->no_time++;
        return 0;
    }
    switch (event.type) {
    case TYPE_BEGIN:
        slice.kind = SLICE_BEGIN;
        break;
    case TYPE_END:
        slice.kind = SLICE_END;
        break;
    case TYPE_INSTANT:
        slice.kind = SLICE_MARK;
        break;
    case TYPE_COUNTER:
        return take_counter(perfetto, &event, slice.start_ns, packet->sequence, error);
    default:
        if (event.legacy.data == NULL || !read_legacy(&event, &slice.kind, &duration_ns)) {
            perfetto->other_kinds++;
            return 0;
        }
        break;
    }
    slice.end_ns = slice.start_ns < SLICE_TIME_MAX - duration_ns ? slice.start_ns + duration_ns
                                                                 : SLICE_TIME_MAX;
    return take_slice(perfetto, packet, field, &event, &slice, error);
}
