/* Trace events of Chrome's JSON: see chrome_event.h. */
#include "loader/foreign/chrome_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/foreign/foreign_parts.h"

int chrome_events_open(struct chrome_events *events, const char *folder, struct error *error)
{
    return slices_open(&events->slices, folder, error);
}

void chrome_events_close(struct chrome_events *events)
{
    slices_close(&events->slices);
}

/* ---- numbers ---- */

/* A decimal number as mantissa * 10^exponent; digits beyond the nineteenth only count as zeros. */
struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    bool negative;
};

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool read_decimal(const char *text, size_t bytes, struct decimal *out)
{
    const uint64_t mantissa_max = (UINT64_MAX - 9) / 10;
    size_t at = 0, digits = 0;
    int64_t exponent = 0;
    *out = (struct decimal){0};
    out->negative = at < bytes && text[at] == '-';
    at += out->negative;
    for (bool fraction = false; at < bytes; at++) {
        if (text[at] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(text[at]))
            break;
        digits++;
        if (out->mantissa <= mantissa_max) {
            out->mantissa = out->mantissa * 10 + (uint64_t)(text[at] - '0');
            out->exponent -= fraction;
        } else {
            out->exponent += !fraction;
        }
    }
    if (digits == 0)
        return false;
    if (at < bytes && (text[at] == 'e' || text[at] == 'E')) {
        bool negative = ++at < bytes && text[at] == '-';
        at += at < bytes && (text[at] == '-' || text[at] == '+');
        if (at == bytes)
            return false;
        for (; at < bytes && is_digit(text[at]); at++)
            if (exponent < 100000)
                exponent = exponent * 10 + (text[at] - '0');
        out->exponent += negative ? -exponent : exponent;
    }
    return at == bytes;
}

bool chrome_time(const char *text, size_t bytes, int64_t *ns)
{
    struct decimal decimal;
    if (!read_decimal(text, bytes, &decimal))
        return false;
    uint64_t value = decimal.mantissa;
    int64_t exponent = decimal.exponent + 3;
    for (; exponent > 0 && value != 0; exponent--) {
        if (value > SLICE_TIME_MAX / 10)
            return false;
        value *= 10;
    }
    unsigned rest = 0;
    for (; exponent < 0 && value != 0; exponent++) {
        rest = (unsigned)(value % 10);
        value /= 10;
    }
    value += exponent == 0 && rest >= 5;
    if (value > SLICE_TIME_MAX)
        return false;
    *ns = decimal.negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static bool read_integer(const char *text, size_t bytes, int64_t *out)
{
    char copy[32];
    char *end;
    size_t digits = 0;
    if (bytes == 0 || bytes >= sizeof copy)
        return false;
    /* Nearly all of them are such. */
    for (*out = 0; digits < bytes && digits < 18 && is_digit(text[digits]); digits++)
        *out = *out * 10 + (text[digits] - '0');
    if (digits == bytes)
        return true;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    errno = 0;
    *out = strtoll(copy, &end, 10);
    return *end == 0 && errno == 0;
}

/* A number as it is: an integer, else the nearest double. */
static void take_number(struct slice_argument *argument, const char *text, size_t bytes)
{
    char copy[64];
    char *end;
    int64_t integer;
    if (read_integer(text, bytes, &integer)) {
        argument->type = ARGUMENT_INTEGER;
        argument->bits = (uint64_t)integer;
        return;
    }
    size_t length = bytes < sizeof copy ? bytes : sizeof copy - 1;
    memcpy(copy, text, length);
    copy[length] = 0;
    errno = 0;
    argument->bits = strtoull(copy, &end, 10);
    argument->type = ARGUMENT_UNSIGNED;
    if (*end == 0 && errno == 0 && copy[0] != '-')
        return;
    argument->type = ARGUMENT_FLOAT;
    argument->real = strtod(copy, NULL);
}

/* ---- what an event holds ---- */

void chrome_event_begin(struct chrome_events *events)
{
    struct chrome_event *event = &events->event;
    events->key = CHROME_OTHER;
    events->nesting = events->too_deep = 0;
    events->path_bytes = 0;
    memset(event, 0, offsetof(struct chrome_event, arguments));
    event->arguments_count = 0;
    event->texts_used = 0;
    event->name = event->category = "";
}

/* The event's copy of a text, NUL-terminated; as much of it as there is room for. */
static const char *keep(struct chrome_event *event, const char *text, size_t *bytes)
{
    size_t left = CHROME_TEXTS_BYTES - event->texts_used;
    char *copy = event->texts + event->texts_used;
    if (left == 0) {
        *bytes = 0;
        return "";
    }
    if (*bytes > left - 1)
        *bytes = left - 1;
    if (*bytes > 0)
        memcpy(copy, text, *bytes);
    copy[*bytes] = 0;
    event->texts_used += *bytes + 1;
    return copy;
}

/* Comparisons of a known length are of a few bytes in a register: each event has some eight keys. */
static enum chrome_key key_of(const char *key, size_t bytes)
{
#define IS(word) (memcmp(key, word, sizeof word - 1) == 0)
    switch (bytes) {
    case 2:
        return IS("ts")   ? CHROME_TIME
               : IS("ph") ? CHROME_PHASE
               : IS("id") ? CHROME_ID
                          : CHROME_OTHER;
    case 3:
        return IS("dur")   ? CHROME_DURATION
               : IS("pid") ? CHROME_PROCESS
               : IS("tid") ? CHROME_THREAD
               : IS("cat") ? CHROME_CATEGORY
               : IS("id2") ? CHROME_ID
                           : CHROME_OTHER;
    case 4:
        return IS("name") ? CHROME_NAME : IS("args") ? CHROME_ARGS : CHROME_OTHER;
    case 5:
        return IS("scope") ? CHROME_SCOPE : CHROME_OTHER;
    default:
        return CHROME_OTHER;
    }
#undef IS
}

/* Puts a key behind the path of what lies around it. */
static void extend_path(struct chrome_events *events, const char *key, size_t bytes)
{
    size_t at = events->nests[events->nesting - 1].path_bytes;
    if (at > 0 && at < CHROME_PATH_BYTES)
        events->path[at++] = '.';
    if (bytes > CHROME_PATH_BYTES - at)
        bytes = CHROME_PATH_BYTES - at;
    if (bytes > 0)
        memcpy(events->path + at, key, bytes);
    events->path_bytes = at + bytes;
}

/* In an array a number stands for the key. */
static void next_place(struct chrome_events *events)
{
    char number[16];
    if (events->nesting == 0 || !events->nests[events->nesting - 1].is_array)
        return;
    int length = snprintf(number, sizeof number, "%u", events->nests[events->nesting - 1].next++);
    extend_path(events, number, (size_t)length);
}

void chrome_event_key(struct chrome_events *events, const char *key, size_t bytes)
{
    if (events->too_deep > 0)
        return;
    if (events->nesting == 0)
        events->key = key_of(key, bytes);
    else
        extend_path(events, key, bytes);
}

void chrome_event_nest(struct chrome_events *events, bool is_array)
{
    if (events->too_deep > 0 || events->nesting == CHROME_NESTING_MAX) {
        events->too_deep++;
        return;
    }
    next_place(events);
    events->nests[events->nesting] = (struct chrome_nest){
        .path_bytes = events->nesting > 0 ? events->path_bytes : 0, .is_array = is_array};
    events->nesting++;
}

void chrome_event_unnest(struct chrome_events *events)
{
    if (events->too_deep > 0)
        events->too_deep--;
    else if (events->nesting > 0)
        events->nesting--;
}

static void take_argument(struct chrome_events *events, enum chrome_value type, const char *text,
                          size_t bytes)
{
    struct chrome_event *event = &events->event;
    if (type == CHROME_NULL || events->path_bytes == 0)
        return;
    if (event->arguments_count == CHROME_ARGUMENTS_MAX) {
        events->slices.lost.arguments++;
        return;
    }
    struct slice_argument *argument = &event->arguments[event->arguments_count++];
    argument->name_bytes = events->path_bytes;
    argument->name = keep(event, events->path, &argument->name_bytes);
    if (type != CHROME_TEXT) {
        take_number(argument, text, bytes);
        return;
    }
    argument->type = ARGUMENT_TEXT;
    argument->text_bytes = bytes;
    argument->text = keep(event, text, &argument->text_bytes);
}

/* pid and tid: numbers, or texts, which stand for numbers of their own. */
static void take_number_or_text(struct chrome_event *event, enum chrome_value type,
                                const char *text, size_t bytes, int64_t *number, const char **name)
{
    if (read_integer(text, bytes, number))
        return;
    *number = (int64_t)(text_hash(TEXT_HASH_START, text, bytes) >> 33);
    if (type == CHROME_TEXT)
        *name = keep(event, text, &bytes);
}

static void mix_id(struct chrome_event *event, const char *text, size_t bytes)
{
    event->id = text_hash(event->id ^ TEXT_HASH_START, text, bytes);
}

void chrome_event_value(struct chrome_events *events, enum chrome_value type, const char *text,
                        size_t bytes)
{
    struct chrome_event *event = &events->event;
    if (events->too_deep > 0)
        return;
    next_place(events);
    if (events->nesting > 0 && events->key == CHROME_ARGS) {
        take_argument(events, type, text, bytes);
        return;
    }
    switch (events->key) {
    case CHROME_NAME:
        event->name_bytes = bytes;
        event->name = keep(event, text, &event->name_bytes);
        break;
    case CHROME_CATEGORY:
        event->category_bytes = bytes;
        event->category = keep(event, text, &event->category_bytes);
        break;
    case CHROME_PHASE:
        event->phase = bytes == 1 ? text[0] : 0;
        break;
    case CHROME_TIME:
        event->has_time = chrome_time(text, bytes, &event->start_ns);
        break;
    case CHROME_DURATION:
        event->has_duration =
            chrome_time(text, bytes, &event->duration_ns) && event->duration_ns >= 0;
        break;
    case CHROME_PROCESS:
        take_number_or_text(event, type, text, bytes, &event->pid, &event->pid_text);
        break;
    case CHROME_THREAD:
        take_number_or_text(event, type, text, bytes, &event->tid, &event->tid_text);
        break;
    case CHROME_ID:
        event->has_id = true;
        mix_id(event, text, bytes);
        break;
    case CHROME_SCOPE:
        mix_id(event, text, bytes);
        break;
    default:
        break;
    }
}

/* ---- what becomes of it ---- */

static int find_process(struct chrome_events *events, uint32_t *process, struct error *error)
{
    const struct chrome_event *event = &events->event;
    struct slices *slices = &events->slices;
    if (slices_process(slices, event->pid, process, error) != 0)
        return -1;
    if (event->pid_text == NULL || slices->processes[*process].name != NULL)
        return 0;
    const char *name = slices_text(slices, event->pid_text, strlen(event->pid_text), error);
    slices->processes[*process].name = name;
    return name != NULL ? 0 : -1;
}

/* The event's thread, or the track of an asynchronous event: those of one id belong together. */
static int find_track(struct chrome_events *events, bool async, uint32_t *track,
                      struct error *error)
{
    struct chrome_event *event = &events->event;
    struct slices *slices = &events->slices;
    uint32_t process;
    char text[SLICE_NAME_MAX];
    uint64_t key = (uint64_t)event->tid;
    if (async)
        key = text_hash(event->id, event->category, event->category_bytes);
    if (find_process(events, &process, error) != 0 ||
        slices_track(slices, process, async ? FOREIGN_ASYNC : FOREIGN_THREAD, key, event->tid,
                     track, error) != 0)
        return -1;
    if (slices->tracks[*track].name != NULL || (!async && event->tid_text == NULL))
        return 0;
    snprintf(text, sizeof text, "%s%s", async ? "asynchronous " : "",
             async ? event->name : event->tid_text);
    slices->tracks[*track].name = slices_text(slices, text, strlen(text), error);
    return slices->tracks[*track].name != NULL ? 0 : -1;
}

/* Adds the event as what it is. */
static int add(struct chrome_events *events, enum slice_kind kind, uint32_t track,
               struct error *error)
{
    const struct chrome_event *event = &events->event;
    struct slices *slices = &events->slices;
    enum fisql_point_kind point = kind == SLICE_MARK      ? FISQL_POINT_MARK
                                  : kind == SLICE_COUNTER ? FISQL_POINT_COUNTER
                                                          : FISQL_POINT_NAMED;
    struct slice slice = {.kind = kind, .track = track, .start_ns = event->start_ns};
    if (kind == SLICE_WHOLE)
        slice.end_ns = event->start_ns + event->duration_ns;
    if (slice.end_ns > SLICE_TIME_MAX)
        slice.end_ns = SLICE_TIME_MAX;
    if (kind == SLICE_END) {
        slices->lost.at_end += event->arguments_count > 0;
        return slices_add(slices, &slice, error);
    }
    const char *name = slices_text(slices, event->name, event->name_bytes, error);
    if (name == NULL || slices_name(slices, point, name, &slice.name, error) != 0)
        return -1;
    if (event->arguments_count > 0) {
        if (slices_arguments(slices, slice.name, event->arguments, event->arguments_count,
                             &events->values, error) != 0)
            return -1;
        slice.values = &events->values;
    }
    return slices_add(slices, &slice, error);
}

static const struct slice_argument *argument(const struct chrome_event *event, const char *name)
{
    for (size_t i = 0; i < event->arguments_count; i++)
        if (strcmp(event->arguments[i].name, name) == 0 &&
            event->arguments[i].type == ARGUMENT_TEXT)
            return &event->arguments[i];
    return NULL;
}

/* Names of processes and threads. */
static int take_metadata(struct chrome_events *events, struct error *error)
{
    const struct chrome_event *event = &events->event;
    struct slices *slices = &events->slices;
    bool of_thread = strcmp(event->name, "thread_name") == 0;
    const struct slice_argument *given = argument(event, "name");
    uint32_t process, track;
    if (given == NULL || (!of_thread && strcmp(event->name, "process_name") != 0))
        return 0;
    const char *name = slices_text(slices, given->text, given->text_bytes, error);
    if (name == NULL || find_process(events, &process, error) != 0)
        return -1;
    if (!of_thread) {
        slices->processes[process].name = name;
        return 0;
    }
    if (find_track(events, false, &track, error) != 0)
        return -1;
    slices->tracks[track].name = name;
    return 0;
}

/* Counters of a process are on a track of their own. */
static int take_counter(struct chrome_events *events, struct error *error)
{
    struct slices *slices = &events->slices;
    uint32_t process, track;
    if (find_process(events, &process, error) != 0 ||
        slices_track(slices, process, FOREIGN_COUNTERS, 0, 0, &track, error) != 0)
        return -1;
    slices->tracks[track].name = slices_text(slices, "counters", 8, error);
    return slices->tracks[track].name == NULL ? -1 : add(events, SLICE_COUNTER, track, error);
}

/* Phases: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, "Event
 * Types". Letters in lower case, S and F are asynchronous, older ones, too. */
static int take(struct chrome_events *events, struct error *error)
{
    const struct chrome_event *event = &events->event;
    enum slice_kind kind;
    uint32_t track;
    switch (event->phase) {
    case 'X':
        kind = SLICE_WHOLE;
        break;
    case 'B':
    case 'b':
    case 'S':
        kind = SLICE_BEGIN;
        break;
    case 'E':
    case 'e':
    case 'F':
        kind = SLICE_END;
        break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        kind = SLICE_MARK;
        break;
    case 'C':
        return take_counter(events, error);
    default:
        events->other_kinds++;
        return 0;
    }
    bool async = strchr("beSFn", event->phase) != NULL;
    if (kind == SLICE_WHOLE && !event->has_duration) {
        events->no_time++;
        return 0;
    }
    return find_track(events, async, &track, error) != 0 ? -1 : add(events, kind, track, error);
}

int chrome_event_end(struct chrome_events *events, struct error *error)
{
    const struct chrome_event *event = &events->event;
    if (event->phase == 'M')
        return take_metadata(events, error);
    if (event->has_time)
        return take(events, error);
    events->no_time++;
    return 0;
}

int chrome_events_write(struct chrome_events *events, struct log_writer *writer,
                        struct error *error)
{
    if (slices_write(&events->slices, writer, error) != 0)
        return -1;
    if (events->no_time > 0 && log_writer_loss(writer, "events without a time that makes sense",
                                               events->no_time, NULL, error) != 0)
        return -1;
    char kinds[80];
    snprintf(kinds, sizeof kinds, "%llu: flows, samples, objects, memory dumps",
             (unsigned long long)events->other_kinds);
    return events->other_kinds == 0
               ? 0
               : log_writer_loss(writer, "events of kinds that fisql does not take", UINT64_MAX,
                                 kinds, error);
}
