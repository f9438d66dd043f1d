/* Reads the events of a chunk: see events.h. Little-endian machines only, as the log is. */
#include "loader/log/events.h"

#include <stdbool.h>

#include "loader/log/values.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "units are read as they lie in memory");

struct event_cursor events_begin(const struct fisql_chunk *chunk)
{
    const unsigned char *payload = (const unsigned char *)chunk + sizeof *chunk;
    const void *units = payload + (size_t)chunk->open_calls * sizeof(struct fisql_open_call);
    const uint16_t *at = units;
    return (struct event_cursor){at, at + chunk->units, chunk->base_address, chunk->heap_base,
                                 false};
}

/* Whether `units` units are left from the event's code on. */
static inline int room(const struct event_cursor *cursor, uint32_t units)
{
    return cursor->end - cursor->at >= (ptrdiff_t)units;
}

static int read_define(struct event_cursor *cursor, struct event *event, uint32_t code)
{
    const uint16_t *at = cursor->at;
    event->type = EVENT_DEFINE;
    event->slot = code & (FISQL_SLOTS_MAX - 1);
    event->ticks = 0;
    if (code < FISQL_CODE_DEFINE_FAR) {
        if (!room(cursor, FISQL_UNITS_DEFINE_NEAR))
            return -1;
        event->function = cursor->base_address + (uint64_t)(int64_t)(int32_t)event_units2(at + 1);
        event->site = cursor->base_address + (uint64_t)(int64_t)(int32_t)event_units2(at + 3);
        cursor->at += FISQL_UNITS_DEFINE_NEAR;
    } else {
        if (!room(cursor, FISQL_UNITS_DEFINE_FAR))
            return -1;
        event->function = event_units4(at + 1);
        event->site = event_units4(at + 5);
        cursor->at += FISQL_UNITS_DEFINE_FAR;
    }
    return 1;
}

static uint64_t near_heap(const struct event_cursor *cursor, const uint16_t *at)
{
    return cursor->heap_base + (uint64_t)((int64_t)(int32_t)event_units2(at) * 16);
}

/* ALLOC, ALLOC_FULL, FREE, FREE_FULL and REALLOC. */
static int read_memory(struct event_cursor *cursor, struct event *event, uint32_t code)
{
    static const uint8_t units_of[] = {FISQL_UNITS_ALLOC, FISQL_UNITS_ALLOC_FULL, FISQL_UNITS_FREE,
                                       FISQL_UNITS_FREE_FULL};
    const uint16_t *at = cursor->at;
    uint32_t form = (code - FISQL_CODE_ALLOC) / FISQL_KINDS_MAX;
    uint32_t units = code == FISQL_CODE_REALLOC ? FISQL_UNITS_REALLOC
                     : form < 4                 ? units_of[form]
                                                : 0;
    if (units == 0 || !room(cursor, units) || at[2] >= FISQL_SLOTS_MAX)
        return -1;
    cursor->at += units;
    event->ticks = event_unit(at + 1);
    event->slot = at[2];
    event->alloc_kind = (code - FISQL_CODE_ALLOC) % FISQL_KINDS_MAX;
    if (code == FISQL_CODE_REALLOC) {
        event->type = EVENT_REALLOC;
        event->alloc_kind = FISQL_KIND_REALLOC;
        event->elapsed = event_units4(at + 3);
        event->size = event_units4(at + 7);
        event->old = event_units4(at + 11);
        event->address = event_units4(at + 15);
        return 1;
    }
    event->type = form < 2 ? EVENT_ALLOC : EVENT_FREE;
    if (form == 0) {
        event->size = event_unit(at + 3);
        event->address = near_heap(cursor, at + 4);
    } else if (form == 1) {
        event->size = event_units4(at + 3);
        event->address = event_units4(at + 7);
    } else {
        event->address = form == 2 ? near_heap(cursor, at + 3) : event_units4(at + 3);
    }
    return 1;
}

static int read_note(struct event_cursor *cursor, struct event *event)
{
    const uint16_t *at = cursor->at;
    uint32_t units = FISQL_UNITS_NOTE + (at[2] + 1u) / 2;
    if (!room(cursor, units))
        return -1;
    event->type = EVENT_NOTE;
    event->text = (const char *)(at + 3);
    event->text_bytes = at[2];
    cursor->at += units;
    return 1;
}

static int read_incident(struct event_cursor *cursor, struct event *event)
{
    const uint16_t *at = cursor->at;
    uint32_t bytes = at[2];
    const unsigned char *payload = (const unsigned char *)(at + 3);
    if (bytes == 0 || !room(cursor, FISQL_UNITS_INCIDENT + (bytes + 1u) / 2) ||
        payload[0] >= FISQL_INCIDENT_KINDS_COUNT)
        return -1;
    bool adds = payload[0] == FISQL_INCIDENT_MORE || payload[0] == FISQL_INCIDENT_POINTERS;
    uint32_t head = adds ? 1 : FISQL_INCIDENT_HEAD;
    bool caller = head > 1 && bytes > 2 && (payload[2] & FISQL_INCIDENT_CALLER) != 0;
    if (caller)
        head += sizeof event->incident.caller;
    if (bytes < head)
        return -1;
    event->type = EVENT_INCIDENT;
    event->incident = (struct event_incident){.kind = payload[0]};
    if (head > 1) {
        event->incident.signal = payload[1];
        event->incident.flags = payload[2];
        memcpy(&event->incident.address, payload + 3, sizeof event->incident.address);
        memcpy(&event->incident.code, payload + 11, sizeof event->incident.code);
        if (caller)
            memcpy(&event->incident.caller, payload + FISQL_INCIDENT_HEAD,
                   sizeof event->incident.caller);
    }
    event->text = (const char *)payload + head;
    event->text_bytes = bytes - head;
    cursor->at += FISQL_UNITS_INCIDENT + (bytes + 1u) / 2;
    return 1;
}

static int read_object(struct event_cursor *cursor, struct event *event)
{
    static const unsigned char holds[] = {
#define HOLDS(constant, number, name, what) [number] = what,
        FISQL_OBJECT_KINDS(HOLDS)
#undef HOLDS
    };
    const uint16_t *at = cursor->at;
    if (!room(cursor, FISQL_UNITS_OBJECT + (at[2] + 1u) / 2))
        return -1;
    uint32_t bytes = at[2];
    const unsigned char *payload = (const unsigned char *)(at + 3);
    const unsigned char *rest = payload + FISQL_OBJECT_HEAD_BYTES;
    if (bytes < FISQL_OBJECT_HEAD_BYTES || payload[0] >= FISQL_OBJECT_KINDS_COUNT)
        return -1;
    bytes -= FISQL_OBJECT_HEAD_BYTES;
    event->type = EVENT_OBJECT;
    event->ticks = event_unit(at + 1);
    event->object_kind = payload[0];
    memcpy(&event->site, payload + 1, sizeof event->site);
    memcpy(&event->address, payload + 9, sizeof event->address);
    event->number = 0;
    event->text = (const char *)rest;
    event->text_bytes = 0;
    if (holds[event->object_kind] == FISQL_OBJECT_TEXT)
        event->text_bytes = bytes;
    else if (bytes != (holds[event->object_kind] == FISQL_OBJECT_NUMBER ? sizeof event->number : 0))
        return -1;
    else
        memcpy(&event->number, rest, bytes);
    cursor->at += FISQL_UNITS_OBJECT + (at[2] + 1u) / 2;
    return event->text_bytes <= FISQL_OBJECT_TEXT_MAX ? 1 : -1;
}

void event_lock(const struct event *event, struct fisql_lock_record *record)
{
    memset(record, 0, sizeof *record);
    memcpy(record, event->text, event->text_bytes);
}

/* A NOTE with another meaning. Kinds and counts are within their limits. */
static int read_lock(struct event_cursor *cursor, struct event *event)
{
    struct fisql_lock_record record;
    if (cursor->at[2] > sizeof record || read_note(cursor, event) < 0)
        return -1;
    event->type = EVENT_LOCK;
    event_lock(event, &record);
    return record.what < FISQL_LOCK_WHATS && record.count <= FISQL_LOCK_GUARDS_MAX &&
                   record.kind < (record.what == FISQL_LOCK_MISUSED ? FISQL_LOCK_MISUSES_COUNT
                                                                    : FISQL_LOCK_KINDS_COUNT)
               ? 1
               : -1;
}

static void read_gap(struct event *event, const uint16_t *at)
{
    event->type = EVENT_GAP;
    event->ticks = 0;
    event->gap = (struct event_gap){.ticks = event_units4(at + 1),
                                    .reading = event_units2(at + 5),
                                    .cpu_ns = event_units4(at + 7),
                                    .waits = event_units2(at + 11),
                                    .preemptions = event_units2(at + 13),
                                    .minor_faults = event_units2(at + 15),
                                    .major_faults = event_units2(at + 17)};
}

/* The first units of the codes below ALLOC; 0 = there is no such code. */
static uint32_t units_of(uint32_t code)
{
    switch (code) {
#define UNITS(constant, number, added, type, units, fields, what)                                  \
    case number:                                                                                   \
        return units;
        FISQL_EVENTS(UNITS)
#undef UNITS
    default:
        return 0;
    }
}

/* The codes from TIME to LOCK, and OBJECT. */
static int read_rare(struct event_cursor *cursor, struct event *event, uint32_t code)
{
    const uint16_t *at = cursor->at;
    uint32_t units = units_of(code);
    if (units == 0 || !room(cursor, units))
        return -1;
    if (code == FISQL_CODE_OBJECT)
        return read_object(cursor, event);
    if (code == FISQL_CODE_COUNTED && at[1] >= FISQL_SLOTS_MAX)
        return -1;
    event->ticks = event_unit(at + 1);
    if (code == FISQL_CODE_NOTE)
        return read_note(cursor, event);
    if (code == FISQL_CODE_INCIDENT)
        return read_incident(cursor, event);
    if (code == FISQL_CODE_LOCK)
        return read_lock(cursor, event);
    cursor->at += units;
    switch (code) {
    case FISQL_CODE_TIME:
        event->type = EVENT_TIME;
        event->ticks = event_units4(at + 1);
        break;
    case FISQL_CODE_UNWIND:
        event->type = EVENT_UNWIND;
        event->calls = event_units2(at + 2);
        break;
    case FISQL_CODE_COUNTED:
        event->type = EVENT_COUNTED;
        event->slot = at[1];
        event->calls = event_units2(at + 2);
        event->ticks = event_units4(at + 4);
        break;
    case FISQL_CODE_PAUSE:
        event->type = EVENT_PAUSE;
        break;
    case FISQL_CODE_GAP:
        read_gap(event, at);
        break;
    case FISQL_CODE_HELD:
        event->type = EVENT_HELD;
        event->ticks = 0;
        event->elapsed = event_units4(at + 1);
        break;
    case FISQL_CODE_FAULT:
        event->type = EVENT_FAULT;
        event->rule = at[2];
        event->site = event_units4(at + 3);
        break;
    default:
        event->type = code == FISQL_CODE_MISMATCH ? EVENT_MISMATCH : EVENT_ENTER_FULL;
        event->function = event_units4(at + 2);
        event->site = event_units4(at + 6);
        break;
    }
    return 1;
}

static bool is_too_long(const struct value *value)
{
    return (value->type == VALUE_TEXT || value->type == VALUE_TEXT_CUT) &&
           value->bytes > FISQL_CHECKPOINT_TEXT_MAX;
}

/* Positions ascend. */
static bool is_position(const struct value *value, uint64_t *before)
{
    bool sound =
        value->type == VALUE_INTEGER && value->bits > *before && value->bits <= EVENT_ARGUMENTS_MAX;
    *before = value->bits;
    return sound;
}

/* A result is not nothing; each value at the exit has its position before it. */
static bool values_are_sound(const struct event *event)
{
    const unsigned char *at = event->values, *end = at + event->values_bytes;
    bool at_exit = event->type == EVENT_EXIT_VALUES;
    uint64_t position = 0;
    uint32_t count = 0, most = event->type == EVENT_RESULT       ? 2
                               : event->type == EVENT_CHECKPOINT ? FISQL_CHECKPOINT_VALUES_MAX
                               : at_exit                         ? 2 * EVENT_ARGUMENTS_MAX
                                                                 : EVENT_ARGUMENTS_MAX;
    struct value value;
    for (; at < end; count++)
        if (count == most || !value_read(&at, end, &value) || is_too_long(&value) ||
            (count == 1 && event->type == EVENT_RESULT && value.type != VALUE_INTEGER) ||
            (at_exit && count % 2 == 0 && !is_position(&value, &position)))
            return false;
    return at_exit ? count > 0 && count % 2 == 0 : count > 0 || event->type != EVENT_RESULT;
}

/* ARGUMENTS, RESULT and their short forms; EXIT_VALUES. */
static int read_values(struct event_cursor *cursor, struct event *event, uint32_t code)
{
    static const unsigned char bytes[256] = {
#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)
        SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)};
    bool at_exit = code >= FISQL_CODE_EXIT_VALUES;
    bool is_short = code >= FISQL_CODE_ARGUMENTS_SHORT && !at_exit;
    bool result = is_short ? code >= FISQL_CODE_RESULT_SHORT : code >= FISQL_CODE_RESULT;
    uint32_t first = at_exit ? FISQL_CODE_EXIT_VALUES : FISQL_CODE_ARGUMENTS;
    uint32_t length = is_short ? 1 : (code - first) & FISQL_VALUES_BYTES_MAX;
    uint32_t units = is_short ? 1 : 1 + (length + 1) / 2;
    if (code >= FISQL_CODE_EXIT_VALUES + FISQL_VALUES_BYTES_MAX + 1 || !room(cursor, units))
        return -1;
    event->type = at_exit ? EVENT_EXIT_VALUES : result ? EVENT_RESULT : EVENT_ARGUMENTS;
    event->ticks = 0;
    event->values = is_short ? &bytes[code & 0xff] : (const unsigned char *)(cursor->at + 1);
    event->values_bytes = length;
    cursor->at += units;
    return values_are_sound(event) ? 1 : -1;
}

/* CHECKPOINT, PAUSED and RESUMED. */
static int read_trace(struct event_cursor *cursor, struct event *event, uint32_t code)
{
    const uint16_t *at = cursor->at;
    bool checkpoint = code == FISQL_CODE_CHECKPOINT;
    /* A checkpoint has a point behind them, of two units. */
    if (!room(cursor, checkpoint ? FISQL_UNITS_CHECKPOINT + 2 : FISQL_UNITS_PAUSED))
        return -1;
    event->type = checkpoint                  ? EVENT_CHECKPOINT
                  : code == FISQL_CODE_PAUSED ? EVENT_PAUSED
                                              : EVENT_RESUMED;
    event->ticks = event_unit(at + 1);
    if (!checkpoint) {
        cursor->at += FISQL_UNITS_PAUSED;
        return 1;
    }
    uint32_t units = FISQL_UNITS_CHECKPOINT + (at[2] + 1u) / 2;
    if (at[2] < 4 || !room(cursor, units))
        return -1;
    event->point = event_units2(at + 3);
    event->values = (const unsigned char *)(at + 5);
    event->values_bytes = at[2] - 4u;
    cursor->at += units;
    return values_are_sound(event) ? 1 : -1;
}

/* ENTER of a LEAF. */
static int read_leaf(struct event_cursor *cursor, struct event *event, uint32_t code)
{
    if (!room(cursor, FISQL_UNITS_LEAF) || cursor->at[1] != 0)
        return -1;
    event->type = EVENT_ENTER;
    event->slot = code - FISQL_CODE_LEAF;
    event->ticks = 0;
    cursor->at += FISQL_UNITS_LEAF;
    cursor->in_leaf = true;
    return 1;
}

int event_next(struct event_cursor *cursor, struct event *event)
{
    if (cursor->in_leaf) {
        cursor->in_leaf = false;
        event->type = EVENT_EXIT;
        event->ticks = 0;
        return 1;
    }
    if (cursor->at >= cursor->end)
        return 0;
    uint32_t unit = *cursor->at;
    if ((unit & 1) == 0) {
        event->type = EVENT_EXIT;
        event->ticks = unit >> 1;
        cursor->at++;
        return 1;
    }
    uint32_t code = unit >> 1;
    if (code < FISQL_CODE_DEFINE_NEAR) {
        if (!room(cursor, FISQL_UNITS_ENTER))
            return -1;
        event->type = EVENT_ENTER;
        event->slot = code;
        event->ticks = cursor->at[1];
        cursor->at += FISQL_UNITS_ENTER;
        return 1;
    }
    if (code < FISQL_CODE_TIME)
        return read_define(cursor, event, code);
    if (code >= FISQL_CODE_LEAF)
        return read_leaf(cursor, event, code);
    if (code >= FISQL_CODE_COUNTED_SHORT) {
        if (!room(cursor, FISQL_UNITS_COUNTED_SHORT))
            return -1;
        event->type = EVENT_COUNTED;
        event->slot = code - FISQL_CODE_COUNTED_SHORT;
        event->calls = cursor->at[1];
        event->ticks = cursor->at[2];
        cursor->at += FISQL_UNITS_COUNTED_SHORT;
        return 1;
    }
    if (code >= FISQL_CODE_ARGUMENTS)
        return read_values(cursor, event, code);
    if (code >= FISQL_CODE_CHECKPOINT && code <= FISQL_CODE_RESUMED)
        return read_trace(cursor, event, code);
    return code < FISQL_CODE_ALLOC ? read_rare(cursor, event, code)
                                   : read_memory(cursor, event, code);
}
