/* The parts of the reader of Perfetto's traces: perfetto.c reads packets, perfetto_state.c keeps what
 * sequences of packets and tracks are, perfetto_event.c makes slices of track events. */
#ifndef FISQL_LOADER_FOREIGN_PERFETTO_H
#define FISQL_LOADER_FOREIGN_PERFETTO_H

#include "loader/foreign/proto.h"
#include "loader/foreign/slices.h"

/* Field numbers: protos/perfetto/trace/ of https://github.com/google/perfetto. */
enum {
    TRACE_PACKET = 1,
    PACKET_CLOCKS = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLEARED = 41,
    PACKET_PROCESS = 43,
    PACKET_THREAD = 44,
    PACKET_COMPRESSED = 50,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    FLAGS_CLEARED = 1,
    EVENT_DELTA_US = 1,
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_ABSOLUTE_US = 16,
    EVENT_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    EVENT_COUNTER_DOUBLE = 44,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,
    LEGACY_NAME_IID = 1,
    LEGACY_PHASE = 2,
    LEGACY_DURATION_US = 3,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_STATIC_NAME = 10,
    COUNTER_INCREMENTAL = 5,
    COUNTER_MULTIPLIER = 4,
    PROCESS_PID = 1,
    PROCESS_COMMAND = 2,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    THREAD_REFERENCE_US = 6,
    INTERNED_EVENT_NAMES = 2,
    INTERNED_ANNOTATION_NAMES = 3,
    INTERNED_STRINGS = 29,
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_TEXT = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_JSON = 9,
    ANNOTATION_NAME = 10,
    ANNOTATION_DICTIONARY = 11,
    ANNOTATION_ARRAY = 12,
    ANNOTATION_TEXT_IID = 17,
    CLOCKS_CLOCK = 1,
    CLOCKS_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_TIME = 2,
    CLOCK_INCREMENTAL = 3,
    CLOCK_MULTIPLIER = 4,
    CLOCK_MONOTONIC = 3,
    CLOCK_BOOTTIME = 6,
    CLOCK_SEQUENCE_FIRST = 64, /* these belong to one sequence of packets */
    CLOCK_SEQUENCE_LAST = 127
};

/* A track as its descriptor has it. */
struct perfetto_track {
    uint64_t parent;
    const char *name; /* NULL = not known */
    int64_t pid, tid;
    bool has_process, has_thread, is_counter, incremental;
    bool described;
    double sum; /* of an incremental counter */
    int64_t multiplier;
    uint32_t slices; /* number of its slices' track + 1, 0 = none yet */
};

/* What the packets of one sequence have agreed on. */
struct perfetto_sequence {
    uint32_t generation; /* of its interned texts */
    uint64_t clock;      /* default one of its packets; 0 = the trace's */
    uint64_t track;      /* default one of its events */
    bool has_track;
    int64_t pid, tid; /* of an old ThreadDescriptor */
    bool has_thread;
    int64_t reference_us; /* what deltas add to */
};

/* A reading of a clock beside the trace's. */
struct perfetto_clock {
    uint64_t at;      /* the clock's own reading, which an incremental clock moves */
    int64_t trace_ns; /* the trace's clock then */
    uint64_t multiplier;
    bool incremental;
};

struct perfetto {
    struct slices slices;
    struct intern track_of, sequence_of, clock_of, text_of;
    struct perfetto_track *tracks;
    size_t tracks_count, tracks_capacity;
    struct perfetto_sequence *sequences;
    size_t sequences_count, sequences_capacity;
    struct perfetto_clock *clocks;
    size_t clocks_count, clocks_capacity;
    uint64_t primary_clock; /* the trace's; 0 = CLOCK_BOOTTIME, as long as no snapshot says so */
    const char **texts;     /* interned ones */
    size_t texts_count, texts_capacity;
    uint32_t generations;
    struct put_values values;
    uint64_t no_time, no_name, other_kinds, unsound;
};

/* ---- state ---- */

void perfetto_release(struct perfetto *perfetto);

MUST_CHECK int perfetto_track(struct perfetto *perfetto, uint64_t uuid,
                              struct perfetto_track **track, struct error *error);
MUST_CHECK int perfetto_sequence(struct perfetto *perfetto, uint64_t id, uint32_t *sequence,
                                 struct error *error);
/* Forgets a sequence's interned texts. */
void perfetto_clear(struct perfetto *perfetto, uint32_t sequence);

enum perfetto_text { TEXT_EVENT_NAME, TEXT_ANNOTATION_NAME, TEXT_VALUE };
MUST_CHECK int perfetto_intern(struct perfetto *perfetto, uint32_t sequence,
                               const struct proto_field *interned, struct error *error);
/* NULL = no such text. */
const char *perfetto_text(const struct perfetto *perfetto, uint32_t sequence,
                          enum perfetto_text kind, uint64_t iid);

MUST_CHECK int perfetto_describe_track(struct perfetto *perfetto, const struct proto_field *field,
                                       struct error *error);
/* An old ProcessDescriptor of a sequence, or a ThreadDescriptor. */
MUST_CHECK int perfetto_describe_thread(struct perfetto *perfetto, uint32_t sequence,
                                        const struct proto_field *field, bool is_thread,
                                        struct error *error);
MUST_CHECK int perfetto_take_clocks(struct perfetto *perfetto, uint32_t sequence,
                                    const struct proto_field *field, struct error *error);
/* The time of a packet in nanoseconds of the trace's clock. False: none that makes sense. */
bool perfetto_time(struct perfetto *perfetto, uint32_t sequence, uint64_t clock, uint64_t timestamp,
                   int64_t *ns);

/* The slices' track of a Perfetto track; its process and thread are those of the nearest parent that
 * has them. */
MUST_CHECK int perfetto_slices_track(struct perfetto *perfetto, uint64_t uuid, uint32_t *track,
                                     struct error *error);
/* The same of the thread of an old descriptor. */
MUST_CHECK int perfetto_thread_track(struct perfetto *perfetto, int64_t pid, int64_t tid,
                                     uint32_t *track, struct error *error);

/* ---- events ---- */

struct perfetto_packet {
    uint32_t sequence;
    bool has_time;
    int64_t ns;
};

MUST_CHECK int perfetto_take_event(struct perfetto *perfetto, const struct perfetto_packet *packet,
                                   const struct proto_field *field, struct error *error);

#endif
