/*
 * Trace events of Chrome's JSON, one after another, as slices. The reader of the JSON says what an
 * event holds: its keys, each with a value or with what nests in it. The names of nested values are
 * joined: {"args":{"data":{"url":"x"},"list":[7]}} has the arguments data.url and list.0.
 */
#ifndef FISQL_LOADER_FOREIGN_CHROME_EVENT_H
#define FISQL_LOADER_FOREIGN_CHROME_EVENT_H

#include "loader/foreign/slices.h"

enum chrome_value { CHROME_NULL, CHROME_BOOL, CHROME_NUMBER, CHROME_TEXT };

#define CHROME_ARGUMENTS_MAX 64u  /* of an event that are looked at */
#define CHROME_NESTING_MAX 8u     /* what nests deeper is left out */
#define CHROME_TEXTS_BYTES 16384u /* of an event */
#define CHROME_PATH_BYTES 256u    /* of an argument's name */

/* What a key of an event means to us. */
enum chrome_key {
    CHROME_OTHER,
    CHROME_NAME,
    CHROME_CATEGORY,
    CHROME_PHASE,
    CHROME_TIME,
    CHROME_DURATION,
    CHROME_PROCESS,
    CHROME_THREAD,
    CHROME_ID,
    CHROME_SCOPE,
    CHROME_ARGS,
    CHROME_KEYS
};

struct chrome_event {
    char phase;
    bool has_time, has_duration, has_id;
    int64_t start_ns, duration_ns;
    int64_t pid, tid;
    const char *pid_text, *tid_text; /* where they are texts; NULL = numbers */
    uint64_t id;
    const char *name, *category;
    size_t name_bytes, category_bytes;
    struct slice_argument arguments[CHROME_ARGUMENTS_MAX];
    size_t arguments_count;
    char texts[CHROME_TEXTS_BYTES];
    size_t texts_used;
};

struct chrome_events {
    struct slices slices;
    struct chrome_event event;
    enum chrome_key key; /* of the event, which the next value belongs to */
    char path[CHROME_PATH_BYTES];
    struct chrome_nest {
        size_t path_bytes; /* of the path around it */
        uint32_t next;     /* an array's next number */
        bool is_array;
    } nests[CHROME_NESTING_MAX]; /* args itself is the first */
    uint32_t nesting, too_deep;  /* levels that are open, and those that are left out */
    size_t path_bytes;
    struct put_values values;
    uint64_t no_time, other_kinds;
};

MUST_CHECK int chrome_events_open(struct chrome_events *events, const char *folder,
                                  struct error *error);
void chrome_events_close(struct chrome_events *events);

void chrome_event_begin(struct chrome_events *events);
void chrome_event_key(struct chrome_events *events, const char *key, size_t bytes);
void chrome_event_value(struct chrome_events *events, enum chrome_value type, const char *text,
                        size_t bytes);
void chrome_event_nest(struct chrome_events *events, bool is_array);
void chrome_event_unnest(struct chrome_events *events);
MUST_CHECK int chrome_event_end(struct chrome_events *events, struct error *error);

MUST_CHECK int chrome_events_write(struct chrome_events *events, struct log_writer *writer,
                                   struct error *error);

/* Decimal microseconds as nanoseconds, rounded to the nearest. False: no such number, or one beyond
 * SLICE_TIME_MAX. */
bool chrome_time(const char *text, size_t bytes, int64_t *ns);

#endif
