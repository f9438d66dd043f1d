/*
 * A log as text: a line for each chunk, then a line for each fact or event in it. We do not
 * trust a log: we escape control characters, and show a chunk whose events break the format's rules
 * up to there.
 */
#include "loader/loader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loader/foreign/foreign.h"
#include "loader/log/events.h"
#include "loader/log/log_reader.h"
#include "loader/log/log_unpack.h"
#include "loader/log/values.h"

static const char *const chunk_kinds[] = {
#define KIND(constant, number, name, what) [number] = name,
    FISQL_CHUNK_KINDS(KIND)
#undef KIND
};

static const char *alloc_kind(uint32_t kind)
{
    switch (kind) {
#define KIND(constant, number, name, family)                                                       \
    case number:                                                                                   \
        return name;
        FISQL_ALLOC_KINDS(KIND)
#undef KIND
    default:
        return "unknown kind";
    }
}

static void put_text(FILE *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == 0x7f || c == '\\')
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
}

static void dump_flags(FILE *out, uint32_t flags)
{
#define FLAG(constant, number, name, what)                                                         \
    if (flags & number)                                                                            \
        fputs(" " name, out);
    FISQL_FLAGS(FLAG)
#undef FLAG
}

/* Pairs of strings, each ended by a NUL; an empty key ends them. */
static void dump_facts(FILE *out, const struct fisql_chunk *chunk)
{
    const char *at = (const char *)(chunk + 1), *end = (const char *)chunk + chunk->length;
    while (at < end && *at != 0) {
        size_t key = strnlen(at, (size_t)(end - at));
        const char *value = at + key < end ? at + key + 1 : end;
        size_t length = strnlen(value, (size_t)(end - value));
        fputs("  ", out);
        put_text(out, at, key);
        fputs(" = ", out);
        put_text(out, value, length);
        fputc('\n', out);
        at = value + length < end ? value + length + 1 : end;
    }
}

static void dump_value(FILE *out, const struct value *value)
{
    char text[VALUE_FLOAT_TEXT_MAX];
    switch (value->type) {
    case VALUE_INTEGER:
        fprintf(out, "%" PRId64, (int64_t)value->bits);
        break;
    case VALUE_UNSIGNED:
        fprintf(out, "%" PRIu64, value->bits);
        break;
    case VALUE_POINTER:
        fprintf(out, value->bits == 0 ? "NULL" : "0x%" PRIx64, value->bits);
        break;
    case VALUE_FLOAT:
        value_float_text(value, text);
        fprintf(out, "float%u %s", value->bytes, text);
        break;
    case VALUE_BYTES:
        fputs("bytes ", out);
        for (uint32_t i = 0; i < value->bytes; i++)
            fprintf(out, "%02x", value->data[i]);
        break;
    case VALUE_TEXT:
    case VALUE_TEXT_CUT:
        fputc('"', out);
        put_text(out, (const char *)value->data, value->bytes);
        fputs(value->type == VALUE_TEXT ? "\"" : "\"...", out);
        break;
    case VALUE_ABSENT:
        fputs("absent", out);
        break;
    case VALUE_UNREADABLE:
        fputs("unreadable", out);
        break;
    case VALUE_NO_ROOM:
        fputs("no-room", out);
        break;
    }
}

static void dump_values(FILE *out, const struct event *event)
{
    const unsigned char *at = event->values, *end = at + event->values_bytes;
    struct value value;
    if (event->type == EVENT_CHECKPOINT)
        fprintf(out, " of point %u", event->point);
    for (const char *between = " "; at < end && value_read(&at, end, &value); between = ", ") {
        fputs(between, out);
        dump_value(out, &value);
    }
}

static void dump_incident(FILE *out, const struct event *event)
{
    static const char *const names[] = {
#define NAME(constant, number, name, what) [number] = name,
        FISQL_INCIDENT_KINDS(NAME)
#undef NAME
    };
    const struct event_incident *incident = &event->incident;
    fprintf(out, " %s", names[incident->kind]);
    if (incident->kind == FISQL_INCIDENT_POINTERS) {
        for (uint32_t at = 0; at + sizeof(uint64_t) <= event->text_bytes; at += sizeof(uint64_t)) {
            uint64_t pointer;
            memcpy(&pointer, event->text + at, sizeof pointer);
            fprintf(out, " %" PRIx64, pointer);
        }
        return;
    }
    if (incident->kind != FISQL_INCIDENT_MORE)
        fprintf(out, " signal %u flags %u address %" PRIx64 " code %" PRIx64, incident->signal,
                incident->flags, incident->address, incident->code);
    if (incident->caller != 0)
        fprintf(out, " caller %" PRIx64, incident->caller);
    fputc(' ', out);
    put_text(out, event->text, event->text_bytes);
}

static const char *object_kind(uint32_t kind)
{
    static const char *const names[] = {
#define NAME(constant, number, name, holds) [number] = name,
        FISQL_OBJECT_KINDS(NAME)
#undef NAME
    };
    return names[kind];
}

static void dump_object(FILE *out, const struct event *event)
{
    fprintf(out, " object %" PRIx64 " site %" PRIx64, event->address, event->site);
    if (event->object_kind == FISQL_OBJECT_KEEP) {
        fputc(' ', out);
        put_text(out, event->text, event->text_bytes);
    } else if (event->object_kind < FISQL_OBJECT_GONE) {
        fprintf(out, " %" PRId64, event->number);
    }
}

static void dump_lock(FILE *out, const struct event *event)
{
    static const char *const whats[] = {"define",  "wait", "waited",  "taken", "order",
                                        "ordered", "held", "misused", "ended"};
    struct fisql_lock_record record;
    event_lock(event, &record);
    fprintf(out, " %s %u kind %u mode %u count %u site %" PRIx64, whats[record.what], record.lock,
            record.kind, record.mode, record.count, record.site);
    fprintf(out, " thread %u other %u point %" PRIx64 " site %" PRIx64, record.thread, record.other,
            record.point, record.other_site);
    for (int i = 0; i < 5; i++)
        fprintf(out, " %" PRIx64, record.numbers[i]);
}

static void dump_gap(FILE *out, const struct event *event)
{
    fprintf(out,
            " of %" PRIu64 " read %u later: cpu %" PRIu64
            "ns waits %u preemptions %u faults %u and %u with I/O",
            event->gap.ticks, event->gap.reading, event->gap.cpu_ns, event->gap.waits,
            event->gap.preemptions, event->gap.minor_faults, event->gap.major_faults);
}

static const char *const event_words[] = {
#define WORD(type, word, clock) word,
    FISQL_EVENT_TYPES(WORD)
#undef WORD
};

/* What an event says besides its word. */
static void dump_fields(FILE *out, const struct event *event)
{
    switch (event->type) {
    case EVENT_EXIT:
    case EVENT_TIME:
    case EVENT_PAUSE:
    case EVENT_PAUSED:
    case EVENT_RESUMED:
        break;
    case EVENT_ENTER:
        fprintf(out, " slot %u", event->slot);
        break;
    case EVENT_DEFINE:
        fprintf(out, " slot %u function %" PRIx64 " site %" PRIx64, event->slot, event->function,
                event->site);
        break;
    case EVENT_ENTER_FULL:
    case EVENT_MISMATCH:
        fprintf(out, " function %" PRIx64 " site %" PRIx64, event->function, event->site);
        break;
    case EVENT_UNWIND:
        fprintf(out, " %u calls", event->calls);
        break;
    case EVENT_NOTE:
        fputc(' ', out);
        put_text(out, event->text, event->text_bytes);
        break;
    case EVENT_COUNTED:
        fprintf(out, " %u calls of slot %u", event->calls, event->slot);
        break;
    case EVENT_GAP:
        dump_gap(out, event);
        break;
    case EVENT_HELD:
        fprintf(out, "%s for %" PRIu64,
                (event->elapsed & FISQL_HELD_RAN) != 0 ? " by callbacks that ran" : "",
                event->elapsed & ~FISQL_HELD_RAN);
        break;
    case EVENT_FAULT:
        fprintf(out, " of rule %u site %" PRIx64, event->rule, event->site);
        break;
    case EVENT_INCIDENT:
        dump_incident(out, event);
        break;
    case EVENT_OBJECT:
        dump_object(out, event);
        break;
    case EVENT_LOCK:
        dump_lock(out, event);
        break;
    case EVENT_ALLOC:
        fprintf(out, " %" PRIu64 " bytes at %" PRIx64 " slot %u", event->size, event->address,
                event->slot);
        break;
    case EVENT_FREE:
        fprintf(out, " %" PRIx64 " slot %u", event->address, event->slot);
        break;
    case EVENT_REALLOC:
        fprintf(out, " %" PRIx64 " to %" PRIu64 " bytes at %" PRIx64 " slot %u in %" PRIu64,
                event->old, event->size, event->address, event->slot, event->elapsed);
        break;
    case EVENT_CHECKPOINT:
    case EVENT_ARGUMENTS:
    case EVENT_RESULT:
    case EVENT_EXIT_VALUES:
        dump_values(out, event);
        break;
    }
}

static void dump_event(FILE *out, const struct event *event)
{
    bool of_kind = event->type == EVENT_ALLOC || event->type == EVENT_FREE;
    fprintf(out, "  +%" PRIu64 " %s", event->ticks,
            of_kind                       ? alloc_kind(event->alloc_kind)
            : event->type == EVENT_OBJECT ? object_kind(event->object_kind)
                                          : event_words[event->type]);
    dump_fields(out, event);
    fputc('\n', out);
}

/* Whether all events could be read. */
static bool dump_events(FILE *out, const struct fisql_chunk *chunk, struct log_unpacker *unpacker)
{
    struct error error;
    if (log_unpack(unpacker, &chunk, &error) != 0) {
        fprintf(out, "  damaged: %s\n", error.text);
        return false;
    }
    const struct fisql_open_call *open = (const void *)(chunk + 1);
    struct event_cursor cursor = events_begin(chunk);
    struct event event;
    int got;
    for (uint32_t i = 0; i < chunk->open_calls; i++)
        fprintf(out, "  open function %" PRIx64 " site %" PRIx64 " since %" PRIu64 "\n",
                open[i].function, open[i].site, open[i].enter_tick);
    while ((got = event_next(&cursor, &event)) == 1)
        dump_event(out, &event);
    if (got < 0)
        fputs("  damaged: an event that the format does not know\n", out);
    return got == 0;
}

static bool dump_chunk(FILE *out, const struct log_item *item, struct log_unpacker *unpacker)
{
    const struct fisql_chunk *chunk = item->chunk;
    fprintf(out, "%" PRIu64 ": %s process %" PRIu64 " pid %u thread %u tid %u bytes %u",
            item->offset, chunk_kinds[chunk->kind], chunk->process_key, chunk->pid, chunk->thread,
            chunk->tid, chunk->length);
    if (chunk->clock_ns != 0)
        fprintf(out, " clock %" PRIu64 "=%" PRIu64 "ns", chunk->clock_tick, chunk->clock_ns);
    if (chunk->kind != FISQL_CHUNK_EVENTS) {
        dump_flags(out, chunk->flags);
        fputc('\n', out);
        dump_facts(out, chunk);
        return true;
    }
    fprintf(out, " sequence %u calls %" PRIu64 "+%u units %u open %u tick %" PRIu64,
            chunk->sequence, chunk->first_call, chunk->calls, chunk->units, chunk->open_depth,
            chunk->tick_start);
    dump_flags(out, chunk->flags);
    fputc('\n', out);
    return dump_events(out, chunk, unpacker);
}

static int dump_log(const char *log_path, FILE *out, struct error *error)
{
    struct log_reader reader;
    struct log_item item;
    struct log_unpacker unpacker = {0};
    bool sound = true, any = false;
    int got;
    if (log_reader_open(&reader, log_path, error) != 0)
        return 2;
    while ((got = log_reader_next(&reader, &item, error)) == 1 && !ferror(out)) {
        if (item.kind == LOG_ITEM_CHUNK) {
            sound &= dump_chunk(out, &item, &unpacker);
            any = true;
            continue;
        }
        sound = false;
        fprintf(out, "%" PRIu64 ": %s, %" PRIu64 " bytes\n", item.offset,
                item.truncated ? "truncated chunk" : "no sound chunk", item.bytes);
    }
    uint16_t newer = reader.newer_version;
    log_reader_close(&reader);
    log_unpacker_release(&unpacker);
    if (got == 0 && !any) {
        if (newer != 0)
            error_set_file(error, ERROR_UNSUPPORTED, log_path,
                           "is a log of format version %u, this fisql reads version %u", newer,
                           FISQL_LOG_VERSION);
        else
            error_set_file(error, ERROR_USAGE, log_path,
                           "is not a fisql log, or nothing in it is sound");
        return 2;
    }
    return got < 0 ? 2 : sound ? 0 : 1;
}

/* A recording of another tool is shown as the log that a load makes of it. */
int fisql_dump(const char *log_path, FILE *out, struct error *error)
{
    struct foreign_log foreign;
    const char *folder = getenv("TMPDIR");
    int status = 2;
    if (foreign_log_make(&foreign, log_path, folder != NULL && *folder != 0 ? folder : "/var/tmp",
                         NULL, NULL, error) == 0)
        status = dump_log(foreign.path != NULL ? foreign.path : log_path, out, error);
    foreign_log_close(&foreign);
    return status;
}
