/*
 * The events of a log: the units of an EVENTS chunk (formats/log.h) after its snapshot.
 *
 * The first unit of an event says what the event is. If bit 0 is clear, it is an exit of the
 * innermost open call, and bits 1..15 are the ticks since the event before. If bit 0 is set, bits
 * 1..15 are a code of the list FISQL_EVENTS, and the units of its fields follow.
 *
 * The number after a field's name is its length in units, the low unit first. A delta is in ticks
 * since the event before (or tick_start); TIME precedes a delta that does not fit. An allocation's
 * slot names a dictionary entry whose function is 0 and whose site is the place that called malloc
 * or the like. A short address (2 units) is signed and counts 16-byte steps from the header's
 * heap_base: address = heap_base + 16 * value.
 *
 * An ALLOC comes after the allocation and a FREE before it happens, so between threads the order of
 * ticks is the order of events. A REALLOC frees `old` at its tick and allocates `new` `elapsed`
 * ticks later. Its own tick does not advance by elapsed: the next event's delta counts from the
 * realloc's start. old = 0 never occurs (that is an ALLOC). The log has no new size or address of a
 * failed realloc.
 *
 * A GAP comes before an event that ended more than gap_ticks without an event (and before that
 * event's TIME). It does not advance the clock. gap is the ticks from the event before to the one
 * that follows, reading the ticks from then until the collector read the thread's clocks (at most
 * 2^32 - 1). cpu is the thread's CLOCK_THREAD_CPUTIME_ID in ns. waits and preemptions are its
 * voluntary and involuntary switches, the faults those without and with I/O (getrusage: ru_nvcsw,
 * ru_nivcsw, ru_minflt, ru_majflt). All of these are totals since the thread's start, the last four
 * modulo 2^32.
 *
 * The payload of an INCIDENT begins with its kind (FISQL_INCIDENT_KINDS), 1 byte. Then come the
 * number of the signal, 1 byte (0 = none); flags, 1 byte (FISQL_INCIDENT_ADDRESS, ...); the address
 * that could not be reached, 8 bytes; the address of the code, 8 bytes; with FISQL_INCIDENT_CALLER
 * the address in the innermost open function that the code's call returns to, 8 bytes; and text in
 * UTF-8. Kind 0 continues, from its second byte, the text of the thread's incident before it. Kind
 * 8 has, from its second byte, the values that registers and the function's variables held and that
 * may be addresses of blocks, 8 bytes each.
 *
 * The payload of an OBJECT is its kind, 1 byte (enum fisql_object_kind); the address of the code
 * that reported it and the object's address, 8 bytes each, the low byte first; then, by its kind, a
 * number (the count, or a state that is a number), 8 bytes, signed; or the state's text of up to 63
 * bytes; or nothing.
 *
 * Values (record --values) describe themselves. ARGUMENTS holds the function's parameters in their
 * order, the first 30. A value is a tag of one byte and the bytes that the tag asks for:
 *
 *   0x00 to 0x9f   an integer: tag - 0x20 (-32 to 127)
 *   0xa1 0xa2 0xa3 an integer of 2, 4, 8 bytes, signed
 *   0xa4           an integer of 8 bytes, unsigned: above 2^63 - 1
 *   0xa5 0xa6 0xa7 a pointer of 6, of 8 bytes; NULL
 *   0xa8 to 0xab   a float of 4, 8, 10 (x87's), 16 bytes (IEEE quad)
 *   0xac           length:1 bytes: a struct by value
 *   0xad 0xae      length:2 bytes: a whole text; the first bytes of a longer one
 *   0xb0           nothing: we did not know where the value was
 *   0xb1           nothing: we could not read its address
 *   0xb2           nothing: there was no room for it
 *   0xc0 to 0xff   a whole text of tag - 0xc0 bytes (0 to 63)
 *
 * Any other tag, or a length beyond the event's bytes, is damage. Numbers have the low byte first.
 */
#ifndef FISQL_FORMATS_EVENTS_H
#define FISQL_FORMATS_EVENTS_H

#include <stdint.h>

/* A call takes two units or more: so a chunk's number of calls has 15 bits in the log's word (formats/live.h). */

/* The log's version. Readers refuse a newer one: raise it with each change that they cannot
 * skip, such as a new event. */
#define FISQL_LOG_VERSION 7u

#define FISQL_SLOTS_MAX 0x2000u

/* The events by their codes. We make the codes, the readers' tables, the words of dump and
 * docs/log-format.md from this list. If a code names a slot, a kind or a number of bytes, that
 * is added to it. `units` counts the first units of the event, up to its first field without a
 * length. X(constant, code, what is added, type, units, fields, what) */
#define FISQL_EVENTS(X)                                                                            \
    X(ENTER, 0x0000, "slot", ENTER, 2, "delta:1", "a call of dictionary entry *slot*")             \
    X(DEFINE_NEAR, 0x2000, "slot", DEFINE, 5, "function:2 site:2",                                 \
      "the slot means this pair from now on; both signed, relative to base_address")               \
    X(DEFINE_FAR, 0x4000, "slot", DEFINE, 9, "function:4 site:4", "the same, absolute")            \
    X(TIME, 0x6000, "", TIME, 5, "ticks:4", "time passes")                                         \
    X(ENTER_FULL, 0x6001, "", ENTER_FULL, 10, "delta:1 function:4 site:4",                         \
      "a call without the dictionary")                                                             \
    X(UNWIND, 0x6002, "", UNWIND, 4, "delta:1 calls:2",                                            \
      "the innermost calls ended at once (longjmp, exception)")                                    \
    X(MISMATCH, 0x6003, "", MISMATCH, 10, "delta:1 function:4 site:4",                             \
      "an exit that matches no open call; nothing is closed")                                      \
    X(NOTE, 0x6004, "", NOTE, 3, "delta:1 bytes:1 text", "text in UTF-8, padded to a unit")        \
    X(COUNTED, 0x6005, "", COUNTED, 8, "slot:1 calls:2 ticks:4",                                   \
      "calls of the slot from the innermost open call that were counted, not logged "              \
      "(min-duration, depth limit), and the sum of their own time, without callees")               \
    X(PAUSE, 0x6006, "", PAUSE, 2, "delta:1", "recording goes off; nothing follows in the chunk")  \
    X(GAP, 0x6007, "", GAP, 19,                                                                    \
      "gap:4 reading:2 cpu:4 waits:2 preemptions:2 minor_faults:2 major_faults:2",                 \
      "the event that follows ends a long gap between events: what the thread did")                \
    X(HELD, 0x6008, "", HELD, 5, "ticks:4",                                                        \
      "since the event before, writing the chunk, the program's callbacks or patching kept the "   \
      "thread off the processor so long; with the top bit set: these two ran so long on it")       \
    X(FAULT, 0x6009, "", FAULT, 7, "delta:1 rule:1 site:4",                                        \
      "record --fault made a call fail, by a rule (from 0): the innermost open call, which "       \
      "came from site, or a call of the C library that it made there")                             \
    X(INCIDENT, 0x600a, "", INCIDENT, 3, "delta:1 bytes:1 payload",                                \
      "the program went wrong: see below; padded to a unit")                                       \
    X(LOCK, 0x600b, "", LOCK, 3, "delta:1 bytes:1 record",                                         \
      "record --locks: struct fisql_lock_record, the zeros at its end left out, padded to a "      \
      "unit")                                                                                      \
    X(CHECKPOINT, 0x600c, "", CHECKPOINT, 3, "delta:1 bytes:1 point:2 values",                     \
      "what a macro of fisql_trace.h left: its number (POINTS) and up to 16 values; bytes: of "    \
      "point and values, padded to a unit")                                                        \
    X(PAUSED, 0x600d, "", PAUSED, 2, "delta:1",                                                    \
      "from here on the innermost open call waits for something that is not its own work")         \
    X(RESUMED, 0x600e, "", RESUMED, 2, "delta:1", "to here")                                       \
    X(OBJECT, 0x600f, "", OBJECT, 3, "delta:1 bytes:1 payload",                                    \
      "what the program says of one of its objects (fisql.h): see below; padded to a unit")        \
    X(ALLOC, 0x6010, "kind", ALLOC, 6, "delta:1 slot:1 size:1 address:2", "a block was allocated") \
    X(ALLOC_FULL, 0x6030, "kind", ALLOC, 11, "delta:1 slot:1 size:4 address:4", "the same")        \
    X(FREE, 0x6050, "kind", FREE, 5, "delta:1 slot:1 address:2", "a block is freed")               \
    X(FREE_FULL, 0x6070, "kind", FREE, 7, "delta:1 slot:1 address:4", "the same")                  \
    X(REALLOC, 0x6090, "", REALLOC, 19, "delta:1 slot:1 elapsed:4 size:4 old:4 new:4",             \
      "a realloc succeeded")                                                                       \
    X(ARGUMENTS, 0x6100, "bytes", ARGUMENTS, 1, "values",                                          \
      "of the call that the event right before entered; bytes < 0x400, padded to a unit")          \
    X(RESULT, 0x6500, "bytes", RESULT, 1, "value errno",                                           \
      "of the call that the exit right before ended, also padded; errno, an integer, as the "      \
      "call left it: where the value is -1 or NULL, and errno is not 0")                           \
    X(ARGUMENTS_SHORT, 0x6900, "byte", ARGUMENTS, 1, "", "as ARGUMENTS with this one byte")        \
    X(RESULT_SHORT, 0x6a00, "byte", RESULT, 1, "", "as RESULT with this one byte")                 \
    X(EXIT_VALUES, 0x6b00, "bytes", EXIT_VALUES, 1, "values",                                      \
      "what expressions gave at the end of the call that the exit right before ended, before its " \
      "RESULT: the position of each among the call's values, an integer, and the value; padded")   \
    X(COUNTED_SHORT, 0x7000, "slot", COUNTED, 3, "calls:1 ticks:1",                                \
      "as COUNTED, of a slot below 0x800")                                                         \
    X(LEAF, 0x7800, "slot", ENTER, 2, "zero:1",                                                    \
      "a call of an entry below 0x800 that calls nothing, without times: enter and exit")
#define FISQL_HELD_RAN ((uint64_t)1 << 63) /* in HELD's ticks */
enum fisql_code {
#define FISQL_CODE_ENUM(constant, code, added, type, units, fields, what)                          \
    FISQL_CODE_##constant = (code),
    FISQL_EVENTS(FISQL_CODE_ENUM)
#undef FISQL_CODE_ENUM
};
enum fisql_code_units {
#define FISQL_UNITS_ENUM(constant, code, added, type, units, fields, what)                         \
    FISQL_UNITS_##constant = (units),
    FISQL_EVENTS(FISQL_UNITS_ENUM)
#undef FISQL_UNITS_ENUM
};

/* What an event does to its thread's clock. */
enum fisql_event_clock {
    FISQL_CLOCK_STILL,   /* nothing: its ticks, if any, are not the clock's */
    FISQL_CLOCK_MOVES,   /* moves it; the event that follows happens later still */
    FISQL_CLOCK_INSTANT, /* moves it to the instant at which the event happened */
};

/* What an event is, whichever code it has. Readers switch over all types. ARGUMENTS, RESULT and
 * EXIT_VALUES come last: they belong to the event right before them. X(type, word of fisql dump, clock) */
#define FISQL_EVENT_TYPES(X)                                                                       \
    X(EXIT, "exit", INSTANT)                                                                       \
    X(ENTER, "enter", INSTANT)                                                                     \
    X(DEFINE, "define", STILL)                                                                     \
    X(TIME, "time", MOVES)                                                                         \
    X(ENTER_FULL, "enter", INSTANT)                                                                \
    X(UNWIND, "unwind", INSTANT)                                                                   \
    X(MISMATCH, "mismatched-exit", INSTANT)                                                        \
    X(NOTE, "note", INSTANT)                                                                       \
    X(COUNTED, "counted", STILL)                                                                   \
    X(PAUSE, "pause", INSTANT)                                                                     \
    X(GAP, "gap", STILL)                                                                           \
    X(HELD, "held", STILL)                                                                         \
    X(FAULT, "fault", INSTANT)                                                                     \
    X(INCIDENT, "incident", INSTANT)                                                               \
    X(LOCK, "lock", INSTANT)                                                                       \
    X(CHECKPOINT, "checkpoint", INSTANT)                                                           \
    X(PAUSED, "a pause begins", INSTANT)                                                           \
    X(RESUMED, "a pause ends", INSTANT)                                                            \
    X(OBJECT, "object", INSTANT)                                                                   \
    X(ALLOC, "alloc", INSTANT)                                                                     \
    X(FREE, "free", INSTANT)                                                                       \
    X(REALLOC, "realloc", INSTANT)                                                                 \
    X(ARGUMENTS, "arguments", STILL)                                                               \
    X(RESULT, "result", STILL)                                                                     \
    X(EXIT_VALUES, "values at the exit", STILL)
#define FISQL_VALUES_BYTES_MAX 0x3ffu /* of one event */
#define FISQL_COUNTED_SLOTS 0x800u    /* of LEAF, too */

#define FISQL_CHECKPOINT_VALUES_MAX 16u
#define FISQL_CHECKPOINT_BYTES_MAX 0x8000u /* point and values */
#define FISQL_CHECKPOINT_TEXT_MAX 4096u    /* of one value */

/* A scope that FISQL_FUNCTION recorded as a call has its point's number in place of a function's
 * address. No address of code is that high. */
#define FISQL_POINT_ADDRESS 0xf150000000000000u
#define FISQL_POINT_MAX 0xffffffu
static inline int fisql_is_point(uint64_t function)
{
    return function >> 32 == FISQL_POINT_ADDRESS >> 32;
}

/* The tags of values: see above. */
#define FISQL_VALUE_INTEGER_BASE 0x20 /* tag - this */
#define FISQL_VALUE_INTEGER_LAST 0x9fu
#define FISQL_VALUE_INTEGER_2 0xa1u
#define FISQL_VALUE_INTEGER_4 0xa2u
#define FISQL_VALUE_INTEGER_8 0xa3u
#define FISQL_VALUE_UNSIGNED_8 0xa4u
#define FISQL_VALUE_POINTER_6 0xa5u
#define FISQL_VALUE_POINTER_8 0xa6u
#define FISQL_VALUE_NULL 0xa7u
#define FISQL_VALUE_FLOAT_4 0xa8u
#define FISQL_VALUE_FLOAT_8 0xa9u
#define FISQL_VALUE_FLOAT_10 0xaau
#define FISQL_VALUE_FLOAT_16 0xabu
#define FISQL_VALUE_BYTES 0xacu
#define FISQL_VALUE_TEXT 0xadu
#define FISQL_VALUE_TEXT_CUT 0xaeu
#define FISQL_VALUE_ABSENT 0xb0u
#define FISQL_VALUE_UNREADABLE 0xb1u
#define FISQL_VALUE_NO_ROOM 0xb2u
#define FISQL_VALUE_TEXT_SHORT 0xc0u

#endif
