/*
 * Reads the events of a chunk, one after another: the mirror image of the collector's encoding
 * (formats/log.h, "Units"). All readers of events use it, so the rules are in one place.
 *
 * Nothing is trusted: an event that reaches over the end of its chunk, names a slot beyond the
 * dictionary or has an unknown code ends the reading with -1. The caller checks that a dictionary
 * slot was defined, that there is a call to end, and that values follow an enter or an exit.
 */
#ifndef FISQL_LOADER_LOG_EVENTS_H
#define FISQL_LOADER_LOG_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "formats/log.h"

enum event_type {
#define EVENT_ENUM(type, word, clock) EVENT_##type,
    FISQL_EVENT_TYPES(EVENT_ENUM)
#undef EVENT_ENUM
};

#define EVENT_ARGUMENTS_MAX 30u /* values of one event */

/* A GAP: a reading of the thread's clocks (formats/log.h). */
struct event_gap {
    uint64_t ticks, cpu_ns; /* ticks: from the event before it to the one that follows it */
    uint32_t reading;       /* ticks from then until the clocks were read */
    uint32_t waits, preemptions, minor_faults, major_faults;
};

/* An INCIDENT without its text. */
struct event_incident {
    uint32_t kind;   /* enum fisql_incident_kind; of _MORE and _POINTERS all else is 0 */
    uint32_t signal; /* 0 = none */
    uint32_t flags;  /* FISQL_INCIDENT_ADDRESS, ... */
    uint64_t address, code, caller;
};

struct event {
    enum event_type type;
    uint32_t slot;        /* ENTER, DEFINE, COUNTED, ALLOC, FREE, REALLOC */
    uint64_t ticks;       /* since the event before; COUNTED: the calls' time; the clock stays */
    struct event_gap gap; /* GAP */
    uint64_t function;    /* DEFINE, ENTER_FULL, MISMATCH: absolute */
    uint64_t site;        /* DEFINE, ENTER_FULL, MISMATCH, FAULT, OBJECT: absolute */
    uint32_t calls;       /* UNWIND, COUNTED */
    uint32_t rule;        /* FAULT: from 0 */
    uint32_t point;       /* CHECKPOINT: its number */
    uint32_t alloc_kind;  /* ALLOC, FREE: enum fisql_alloc_kind */
    uint64_t address;     /* ALLOC, FREE, REALLOC, OBJECT */
    uint64_t size;        /* ALLOC, REALLOC: bytes */
    uint64_t old;         /* REALLOC */
    uint64_t elapsed;     /* REALLOC: ticks from its start to its end; HELD: its ticks */
    struct event_incident incident; /* INCIDENT */
    uint32_t object_kind;           /* OBJECT: enum fisql_object_kind */
    int64_t number;                 /* OBJECT, where it holds one */
    const char *text; /* NOTE, INCIDENT, OBJECT: not terminated; LOCK: for event_lock() */
    uint32_t text_bytes;
    /* ARGUMENTS, RESULT, CHECKPOINT: up to 30 values, one, up to 16; sound, for value_read() */
    const unsigned char *values;
    uint32_t values_bytes;
};

/* The units that are still to be read. */
struct event_cursor {
    const uint16_t *at;
    const uint16_t *end;
    uint64_t base_address; /* of the chunk's header */
    uint64_t heap_base;
    bool in_leaf; /* a LEAF gave its enter; its exit is next */
};

/* The cursor at a chunk's first event. The chunk's header must have been checked
 * (log_chunk_is_sane); the chunk is borrowed. */
struct event_cursor events_begin(const struct fisql_chunk *chunk);

/* Reads any event; a LEAF as an enter and an exit, both without ticks. 1: *event holds it (only the fields of its type are set); 0: the end; -1: the
 * units break the rules. */
int event_next(struct event_cursor *cursor, struct event *event);

static inline enum fisql_event_clock event_clock(enum event_type type)
{
    static const uint8_t clocks[] = {
#define EVENT_CLOCK(type, word, clock) FISQL_CLOCK_##clock,
        FISQL_EVENT_TYPES(EVENT_CLOCK)
#undef EVENT_CLOCK
    };
    return (enum fisql_event_clock)clocks[type];
}

/* The record of a LOCK; it is sound, as event_next() gave it. */
void event_lock(const struct event *event, struct fisql_lock_record *record);

static inline uint64_t event_unit(const uint16_t *at)
{
    return *at;
}

static inline uint32_t event_units2(const uint16_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t event_units4(const uint16_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

#endif
