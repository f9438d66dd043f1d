/* The log's encoding: each event decodes to what was put in, a cut one is refused, a chunk's
 * checksum notices every changed byte, and a chunk is finished as formats/log.h says. */
#include "formats/live.h"
#include "loader/log/events.h"
#include "loader/log/log_reader.h"
#include "tests/unit/check.h"

#include <stdlib.h>

#define UNITS_MAX 64

struct sample {
    const char *name;
    uint32_t code;
    uint16_t units[24]; /* behind the code */
    uint32_t count;
    struct event expected;
};

#define LOW64(value)                                                                               \
    (uint16_t)(value), (uint16_t)((uint64_t)(value) >> 16), (uint16_t)((uint64_t)(value) >> 32),   \
        (uint16_t)((uint64_t)(value) >> 48)
#define LOW32(value) (uint16_t)(value), (uint16_t)((uint32_t)(value) >> 16)
#define BASE 0x555500001000u
#define HEAP 0x600000000000u

static const struct sample samples[] = {
    {"enter", 5, {100}, 1, {.type = EVENT_ENTER, .slot = 5, .ticks = 100}},
    {"enter of the last slot",
     0x1fff,
     {0xffff},
     1,
     {.type = EVENT_ENTER, .slot = 0x1fff, .ticks = 0xffff}},
    {"near definition",
     FISQL_CODE_DEFINE_NEAR + 7,
     {LOW32(-16), LOW32(0x7fffffff)},
     4,
     {.type = EVENT_DEFINE, .slot = 7, .function = BASE - 16, .site = BASE + 0x7fffffffu}},
    {"far definition",
     FISQL_CODE_DEFINE_FAR + 9,
     {LOW64(0x7fff12345678), LOW64(0x123456789abcdef0)},
     8,
     {.type = EVENT_DEFINE, .slot = 9, .function = 0x7fff12345678, .site = 0x123456789abcdef0}},
    {"time",
     FISQL_CODE_TIME,
     {LOW64(0x123456789a)},
     4,
     {.type = EVENT_TIME, .ticks = 0x123456789a}},
    {"full enter",
     FISQL_CODE_ENTER_FULL,
     {3, LOW64(0x1111), LOW64(0x2222)},
     9,
     {.type = EVENT_ENTER_FULL, .ticks = 3, .function = 0x1111, .site = 0x2222}},
    {"unwind",
     FISQL_CODE_UNWIND,
     {4, LOW32(70000)},
     3,
     {.type = EVENT_UNWIND, .ticks = 4, .calls = 70000}},
    {"mismatch",
     FISQL_CODE_MISMATCH,
     {5, LOW64(0x3333), LOW64(0x4444)},
     9,
     {.type = EVENT_MISMATCH, .ticks = 5, .function = 0x3333, .site = 0x4444}},
    {"counted",
     FISQL_CODE_COUNTED,
     {6, LOW32(1000000), LOW64(123456789)},
     7,
     {.type = EVENT_COUNTED, .slot = 6, .calls = 1000000, .ticks = 123456789}},
    {"pause", FISQL_CODE_PAUSE, {8}, 1, {.type = EVENT_PAUSE, .ticks = 8}},
    {"gap",
     FISQL_CODE_GAP,
     {LOW64(0x123456789a), LOW32(77), LOW64(0x3456789abc), LOW32(0xfffffffe), LOW32(5), LOW32(6),
      LOW32(0x70000)},
     18,
     {.type = EVENT_GAP,
      .gap = {.ticks = 0x123456789a,
              .reading = 77,
              .cpu_ns = 0x3456789abc,
              .waits = 0xfffffffe,
              .preemptions = 5,
              .minor_faults = 6,
              .major_faults = 0x70000}}},
    {"held",
     FISQL_CODE_HELD,
     {LOW64(0x123456789a)},
     4,
     {.type = EVENT_HELD, .elapsed = 0x123456789a}},
    {"fault",
     FISQL_CODE_FAULT,
     {7, 3, LOW64(0x123456789a)},
     6,
     {.type = EVENT_FAULT, .ticks = 7, .rule = 3, .site = 0x123456789a}},
    {"incident",
     FISQL_CODE_INCIDENT,
     {7, 21, 11 << 8 | FISQL_INCIDENT_SIGNAL, 0x7801, 0x3456, 0x12, 0, 0xee00, 0xabcd, 0, 0,
      'h' << 8, 'i'},
     13,
     {.type = EVENT_INCIDENT,
      .ticks = 7,
      .incident = {.kind = FISQL_INCIDENT_SIGNAL,
                   .signal = 11,
                   .flags = 1,
                   .address = 0x12345678,
                   .code = 0xabcdee},
      .text = "hi",
      .text_bytes = 2}},
    {"more of an incident",
     FISQL_CODE_INCIDENT,
     {7, 3, 'h' << 8, 'i'},
     4,
     {.type = EVENT_INCIDENT, .ticks = 7, .text = "hi", .text_bytes = 2}},
    {"an object's state",
     FISQL_CODE_OBJECT,
     {7, 20, FISQL_OBJECT_KEEP | 0x9a00, 0x5678, 0x1234, 0, 0x2000, 0x2100, 0x6543, 0x87, 'o' << 8,
      'k' | '!' << 8},
     12,
     {.type = EVENT_OBJECT,
      .ticks = 7,
      .object_kind = FISQL_OBJECT_KEEP,
      .site = 0x123456789a,
      .address = 0x876543210020,
      .text = "ok!",
      .text_bytes = 3}},
    {"an object's count",
     FISQL_CODE_OBJECT,
     {7, 25, FISQL_OBJECT_UNREF | 0x100, 0, 0, 0, 0x200, 0, 0, 0, 0xfe00, 0xffff, 0xffff, 0xffff,
      0xff},
     15,
     {.type = EVENT_OBJECT,
      .ticks = 7,
      .object_kind = FISQL_OBJECT_UNREF,
      .site = 1,
      .address = 2,
      .number = -2}},
    {"an object's end",
     FISQL_CODE_OBJECT,
     {7, 17, FISQL_OBJECT_GONE | 0x100, 0, 0, 0, 0x200, 0, 0, 0, 0},
     11,
     {.type = EVENT_OBJECT, .ticks = 7, .object_kind = FISQL_OBJECT_GONE, .site = 1, .address = 2}},
    {"lock",
     FISQL_CODE_LOCK,
     {7, 5, FISQL_LOCK_WAITED, 0x100, 9},
     5,
     {.type = EVENT_LOCK, .ticks = 7, .text_bytes = 5}},
    {"checkpoint",
     FISQL_CODE_CHECKPOINT,
     {7, 7, LOW32(0x12345), 0x61a1, 0x0000},
     6,
     {.type = EVENT_CHECKPOINT, .ticks = 7, .point = 0x12345, .values_bytes = 3}},
    {"a pause begins", FISQL_CODE_PAUSED, {8}, 1, {.type = EVENT_PAUSED, .ticks = 8}},
    {"a pause ends", FISQL_CODE_RESUMED, {9}, 1, {.type = EVENT_RESUMED, .ticks = 9}},
    {"short allocation",
     FISQL_CODE_ALLOC + FISQL_KIND_NEW,
     {9, 10, 400, LOW32(-2)},
     5,
     {.type = EVENT_ALLOC,
      .ticks = 9,
      .slot = 10,
      .size = 400,
      .address = HEAP - 32,
      .alloc_kind = FISQL_KIND_NEW}},
    {"full allocation",
     FISQL_CODE_ALLOC_FULL + FISQL_KIND_CALLOC,
     {1, 2, LOW64(1u << 20), LOW64(0x7f0000000010)},
     10,
     {.type = EVENT_ALLOC,
      .ticks = 1,
      .slot = 2,
      .size = 1u << 20,
      .address = 0x7f0000000010,
      .alloc_kind = FISQL_KIND_CALLOC}},
    {"short free",
     FISQL_CODE_FREE + FISQL_KIND_DELETE,
     {1, 2, LOW32(3)},
     4,
     {.type = EVENT_FREE,
      .ticks = 1,
      .slot = 2,
      .address = HEAP + 48,
      .alloc_kind = FISQL_KIND_DELETE}},
    {"full free",
     FISQL_CODE_FREE_FULL + FISQL_KIND_FREE,
     {1, 2, LOW64(0x1234)},
     6,
     {.type = EVENT_FREE, .ticks = 1, .slot = 2, .address = 0x1234, .alloc_kind = FISQL_KIND_FREE}},
    {"realloc",
     FISQL_CODE_REALLOC,
     {1, 2, LOW64(77), LOW64(5000), LOW64(0x1000), LOW64(0x2000)},
     18,
     {.type = EVENT_REALLOC,
      .ticks = 1,
      .slot = 2,
      .elapsed = 77,
      .size = 5000,
      .old = 0x1000,
      .address = 0x2000}},
    {"arguments",
     FISQL_CODE_ARGUMENTS + 3,
     {0xe8 << 8 | 0xa1, 0x03},
     2,
     {.type = EVENT_ARGUMENTS, .values = (const unsigned char *)"\xa1\xe8\x03", .values_bytes = 3}},
    {"no arguments", FISQL_CODE_ARGUMENTS, {0}, 0, {.type = EVENT_ARGUMENTS}},
    {"a short argument",
     FISQL_CODE_ARGUMENTS_SHORT + 0x9f,
     {0},
     0,
     {.type = EVENT_ARGUMENTS, .values = (const unsigned char *)"\x9f", .values_bytes = 1}},
    {"result",
     FISQL_CODE_RESULT + 9,
     {0xa3, 0, 0, 0, 0x80},
     5,
     {.type = EVENT_RESULT,
      .values = (const unsigned char *)"\xa3\0\0\0\0\0\0\0\x80",
      .values_bytes = 9}},
    {"a short result",
     FISQL_CODE_RESULT_SHORT + 0xb2,
     {0},
     0,
     {.type = EVENT_RESULT, .values = (const unsigned char *)"\xb2", .values_bytes = 1}},
    {"values at the exit",
     FISQL_CODE_EXIT_VALUES + 4,
     {0xb1 << 8 | 0x22, 0x25 << 8 | 0x23},
     2,
     {.type = EVENT_EXIT_VALUES,
      .values = (const unsigned char *)"\x22\xb1\x23\x25",
      .values_bytes = 4}},
};

static bool same_gap(const struct event_gap *a, const struct event_gap *b)
{
    return a->ticks == b->ticks && a->reading == b->reading && a->cpu_ns == b->cpu_ns &&
           a->waits == b->waits && a->preemptions == b->preemptions &&
           a->minor_faults == b->minor_faults && a->major_faults == b->major_faults;
}

static bool like(const struct event *a, const struct event *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case EVENT_DEFINE:
        return a->slot == b->slot && a->function == b->function && a->site == b->site;
    case EVENT_ENTER_FULL:
    case EVENT_MISMATCH:
        return a->ticks == b->ticks && a->function == b->function && a->site == b->site;
    case EVENT_UNWIND:
        return a->ticks == b->ticks && a->calls == b->calls;
    case EVENT_COUNTED:
        return a->slot == b->slot && a->calls == b->calls && a->ticks == b->ticks;
    case EVENT_ALLOC:
    case EVENT_FREE:
        return a->ticks == b->ticks && a->slot == b->slot && a->address == b->address &&
               a->alloc_kind == b->alloc_kind && (a->type == EVENT_FREE || a->size == b->size);
    case EVENT_REALLOC:
        return a->ticks == b->ticks && a->slot == b->slot && a->elapsed == b->elapsed &&
               a->size == b->size && a->old == b->old && a->address == b->address;
    case EVENT_GAP:
        return a->ticks == b->ticks && same_gap(&a->gap, &b->gap);
    case EVENT_ARGUMENTS:
    case EVENT_RESULT:
    case EVENT_EXIT_VALUES:
        return a->values_bytes == b->values_bytes &&
               (a->values_bytes == 0 || memcmp(a->values, b->values, a->values_bytes) == 0);
    case EVENT_CHECKPOINT:
        return a->ticks == b->ticks && a->point == b->point && a->values_bytes == b->values_bytes;
    case EVENT_FAULT:
        return a->ticks == b->ticks && a->rule == b->rule && a->site == b->site;
    case EVENT_INCIDENT:
        return a->ticks == b->ticks && a->text_bytes == b->text_bytes &&
               memcmp(a->text, b->text, a->text_bytes) == 0 &&
               a->incident.kind == b->incident.kind && a->incident.signal == b->incident.signal &&
               a->incident.flags == b->incident.flags &&
               a->incident.address == b->incident.address && a->incident.code == b->incident.code;
    case EVENT_OBJECT:
        return a->ticks == b->ticks && a->object_kind == b->object_kind && a->site == b->site &&
               a->address == b->address && a->number == b->number &&
               a->text_bytes == b->text_bytes &&
               (a->text_bytes == 0 || memcmp(a->text, b->text, a->text_bytes) == 0);
    case EVENT_HELD:
        return a->ticks == b->ticks && a->elapsed == b->elapsed;
    case EVENT_ENTER:
        return a->slot == b->slot && a->ticks == b->ticks;
    default:
        return a->ticks == b->ticks;
    }
}

static void check_sample(const struct sample *sample)
{
    uint16_t units[UNITS_MAX] = {(uint16_t)(sample->code << 1 | 1)};
    struct event event = {0};
    memcpy(units + 1, sample->units, sample->count * sizeof units[0]);
    for (uint32_t left = 0; left <= sample->count; left++) {
        struct event_cursor cursor = {units, units + 1 + left, BASE, HEAP, false};
        int got = event_next(&cursor, &event);
        if (left < sample->count) {
            if (got != -1)
                check(false, "%s cut after %u units is refused", sample->name, left);
            continue;
        }
        check(got == 1 && cursor.at == cursor.end && like(&event, &sample->expected),
              "%s decodes to what was put in", sample->name);
        check(event_next(&cursor, &event) == 0, "%s: then the units end", sample->name);
    }
}

static void check_exit_and_unknown(void)
{
    const uint16_t units[] = {0x7fff << 1, 0x6f00 << 1 | 1};
    struct event event;
    struct event_cursor cursor = {units, units + 2, 0, 0, false};
    check(event_next(&cursor, &event) == 1 && event.type == EVENT_EXIT && event.ticks == 0x7fff,
          "an exit has 15 bits of time");
    check(event_next(&cursor, &event) == -1, "an unknown code is refused");
}

static void check_leaf(void)
{
    const uint16_t units[] = {(FISQL_CODE_LEAF + 5) << 1 | 1, 0, 7 << 1};
    struct event event;
    struct event_cursor cursor = {units, units + 3, 0, 0, false};
    check(event_next(&cursor, &event) == 1 && event.type == EVENT_ENTER && event.slot == 5 &&
              event.ticks == 0,
          "a leaf is an enter");
    check(event_next(&cursor, &event) == 1 && event.type == EVENT_EXIT && event.ticks == 0,
          "and an exit, at once");
    check(event_next(&cursor, &event) == 1 && event.type == EVENT_EXIT && event.ticks == 7 &&
              event_next(&cursor, &event) == 0,
          "and what follows is read once");
    const uint16_t odd[] = {(FISQL_CODE_LEAF + 5) << 1 | 1, 3};
    cursor = (struct event_cursor){odd, odd + 1, 0, 0, false};
    check(event_next(&cursor, &event) == -1, "half a leaf is refused");
    cursor = (struct event_cursor){odd, odd + 2, 0, 0, false};
    check(event_next(&cursor, &event) == -1, "and one whose second unit is no 0");
}

static int read_one(uint32_t code, uint16_t first, uint16_t second)
{
    const uint16_t units[] = {(uint16_t)(code << 1 | 1), first, second};
    struct event_cursor cursor = {units, units + 3, 0, 0, false};
    struct event event;
    return event_next(&cursor, &event);
}

static void check_unsound_values(void)
{
    check(read_one(FISQL_CODE_ARGUMENTS_SHORT + 0xa0, 0, 0) == -1, "an unknown tag is refused");
    check(read_one(FISQL_CODE_ARGUMENTS + 2, 0xa1, 0) == -1, "a number beyond the end is refused");
    check(read_one(FISQL_CODE_ARGUMENTS + 3, 0xff << 8 | 0xac, 0) == -1,
          "bytes beyond the end are refused");
    check(read_one(FISQL_CODE_RESULT + 2, 0x2020, 0) == 1, "errno behind a result is read");
    check(read_one(FISQL_CODE_RESULT + 3, 0x2020, 0x20) == -1, "and nothing behind that");
    check(read_one(FISQL_CODE_RESULT, 0, 0) == -1, "a result of no bytes is refused");
    check(read_one(FISQL_CODE_RESULT_SHORT + 0x100, 0, 0) == -1,
          "values at the exit of no bytes are refused");
    check(read_one(FISQL_CODE_EXIT_VALUES + 2, 0x2021, 0) == 1, "one of position 1 is read");
    check(read_one(FISQL_CODE_EXIT_VALUES + 2, 0x2020, 0) == -1, "position 0 is the result's");
    check(read_one(FISQL_CODE_EXIT_VALUES + 2, 0x203f, 0) == -1, "and 31 is errno's");
    check(read_one(FISQL_CODE_EXIT_VALUES + 1, 0x21, 0) == -1, "a position alone is refused");
    check(read_one(FISQL_CODE_EXIT_VALUES + 4, 0x2022, 0x2022) == -1, "positions ascend");
    check(read_one(FISQL_CODE_EXIT_VALUES + 0x400, 0, 0) == -1,
          "a code behind the values is refused");
    check(read_one(FISQL_CODE_INCIDENT, 0, 0) == -1, "an incident of no bytes is refused");
    const uint16_t incident[] = {FISQL_CODE_INCIDENT << 1 | 1, 0, 2, FISQL_INCIDENT_KINDS_COUNT, 0};
    struct event_cursor unknown = {incident, incident + 5, 0, 0, false};
    struct event of_it;
    check(event_next(&unknown, &of_it) == -1, "an incident of an unknown kind is refused");
    const uint16_t units[] = {
        (FISQL_CODE_ARGUMENTS + 31) << 1 | 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct event_cursor cursor = {units, units + 17, 0, 0, false};
    struct event event;
    check(event_next(&cursor, &event) == -1, "more than 30 arguments are refused");
    const uint16_t many[] = {
        FISQL_CODE_CHECKPOINT << 1 | 1, 0, 4 + 17, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    cursor = (struct event_cursor){many, many + 14, 0, 0, false};
    check(event_next(&cursor, &event) == -1, "more than 16 values of a checkpoint are refused");
    check(read_one(FISQL_CODE_CHECKPOINT, 0, 2) == -1, "and one without a point");
    uint16_t text[5 + 2052] = {FISQL_CODE_CHECKPOINT << 1 | 1, 0, 4 + 3 + 4097, 1, 0, 0x01ad, 0x10};
    cursor = (struct event_cursor){text, text + 5 + 2050, 0, 0, false};
    check(event_next(&cursor, &event) == -1, "and a text of more than 4096 bytes");
    text[2]--;
    text[5] = 0x00ad;
    cursor = (struct event_cursor){text, text + 5 + 2050, 0, 0, false};
    check(event_next(&cursor, &event) == 1 && event.values_bytes == 4099, "one of 4096 is read");
}

static void check_finish(void)
{
    enum { ENTERS = 10, BYTES = sizeof(struct fisql_chunk) + 64 };
    _Alignas(8) unsigned char bytes[BYTES] = {0};
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)bytes;
    chunk->magic = FISQL_CHUNK_MAGIC;
    chunk->version = FISQL_LOG_VERSION;
    chunk->kind = FISQL_CHUNK_EVENTS;
    uint16_t *units = (uint16_t *)(void *)(chunk + 1);
    for (int i = 0; i < ENTERS; i++) {
        units[2 * i] = (uint16_t)(i << 1 | 1);
        units[2 * i + 1] = 7;
    }
    uint64_t word = (sizeof *chunk / 2 + 2 * ENTERS) | (uint64_t)ENTERS << FISQL_WORD_CALLS_SHIFT;
    uint32_t length = fisql_chunk_finish(chunk, word, 5, 6, 0);
    check(length % 8 == 0 && length >= sizeof *chunk + 4 * ENTERS, "the length is padded to 8");
    check(chunk->calls == ENTERS && chunk->units == 2 * ENTERS, "the counts are the word's");
    check(log_chunk_is_sane(chunk) && log_chunk_is_sound(chunk), "a finished chunk is sound");
    unsigned noticed = 0;
    for (uint32_t at = 0; at < length; at++) {
        bytes[at] ^= 0x10;
        noticed +=
            chunk->length > sizeof bytes || !log_chunk_is_sane(chunk) || !log_chunk_is_sound(chunk);
        bytes[at] ^= 0x10;
    }
    check(noticed == length, "a changed bit in any of %u bytes is noticed", length);
}

/* Of "delta:1 bytes:1 text", with the code: 3. */
static unsigned units_of_fields(const char *fields)
{
    unsigned units = 1;
    for (const char *at = fields; *at != 0; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        const char *colon = memchr(at, ':', length);
        if (colon == NULL || strncmp(at, "point", 5) == 0)
            break;
        units += (unsigned)strtoul(colon + 1, NULL, 10);
        at += length;
    }
    return units;
}

static void check_list(void)
{
#define ROW(constant, code, added, type, units, fields, what)                                      \
    check(units_of_fields(fields) == (units), "units of " #constant ": as many as its fields "     \
                                              "have");
    FISQL_EVENTS(ROW)
#undef ROW
}

int main(void)
{
    check_list();
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        check_sample(&samples[i]);
    check_exit_and_unknown();
    check_leaf();
    check_unsound_values();
    check_finish();
    return check_status();
}
