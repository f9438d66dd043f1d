/*
 * Chrome's JSON trace events, an array of them or an object with such an array: what Chrome, clang's
 * -ftime-trace, Bazel, Node and many others write. The format is
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * yajl calls us for each key and value; we keep one event at a time. Times are decimal microseconds
 * and become nanoseconds exactly. An array may lack its end, as the format allows.
 */
#include "loader/foreign/foreign_parts.h"

bool chrome_is(const char *path, const unsigned char *head, size_t bytes)
{
    size_t at = bytes >= 3 && head[0] == 0xef && head[1] == 0xbb && head[2] == 0xbf ? 3 : 0;
    (void)path;
    while (at < bytes &&
           (head[at] == ' ' || head[at] == '\t' || head[at] == '\r' || head[at] == '\n'))
        at++;
    return at < bytes && (head[at] == '{' || head[at] == '[');
}

#if __has_include(<yajl/yajl_parse.h>)
#include "loader/foreign/chrome_event.h"
#include "loader/foreign/yajl_library.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (256u << 10)
#define QUIET_BYTES (64u << 20) /* without a key or value: one of them is longer than that */
#define LEVELS_MAX 1000u

struct chrome {
    struct chrome_events events;
    struct error *error;
    uint32_t level;        /* of nesting */
    uint32_t events_level; /* of the array of events; 0 = not in it */
    uint32_t skipped;      /* level of what lies open and is skipped; 0 = nothing is */
    enum { TOP_NONE, TOP_ARRAY, TOP_OBJECT } top;
    bool wanted;     /* the key before is traceEvents */
    bool any_events; /* an array of them was there */
    bool called;     /* by yajl, for the present piece */
    bool too_deep;
};

static bool in_event(const struct chrome *chrome)
{
    return chrome->events_level != 0 && chrome->level > chrome->events_level;
}

static int open_level(struct chrome *chrome)
{
    chrome->called = true;
    chrome->too_deep = ++chrome->level > LEVELS_MAX;
    return !chrome->too_deep;
}

static int on_map(void *context)
{
    struct chrome *chrome = context;
    if (chrome->level == 0)
        chrome->top = TOP_OBJECT;
    if (in_event(chrome))
        chrome_event_nest(&chrome->events, false);
    else if (chrome->events_level != 0)
        chrome_event_begin(&chrome->events);
    return open_level(chrome);
}

static int on_map_end(void *context)
{
    struct chrome *chrome = context;
    chrome->called = true;
    chrome->level--;
    if (in_event(chrome))
        chrome_event_unnest(&chrome->events);
    else if (chrome->events_level != 0 && chrome->level == chrome->events_level)
        return chrome_event_end(&chrome->events, chrome->error) == 0;
    return 1;
}

static int on_array(void *context)
{
    struct chrome *chrome = context;
    bool events = chrome->level == 0 || (chrome->level == 1 && chrome->wanted);
    if (chrome->level == 0)
        chrome->top = TOP_ARRAY;
    if (in_event(chrome))
        chrome_event_nest(&chrome->events, true);
    int go_on = open_level(chrome);
    if (events) {
        chrome->events_level = chrome->level;
        chrome->any_events = true;
    }
    chrome->wanted = false;
    return go_on;
}

static int on_array_end(void *context)
{
    struct chrome *chrome = context;
    chrome->called = true;
    if (chrome->level == chrome->events_level)
        chrome->events_level = 0;
    chrome->level--;
    if (in_event(chrome))
        chrome_event_unnest(&chrome->events);
    return 1;
}

static int on_key(void *context, const unsigned char *key, size_t bytes)
{
    struct chrome *chrome = context;
    chrome->called = true;
    if (in_event(chrome))
        chrome_event_key(&chrome->events, (const char *)key, bytes);
    else
        chrome->wanted =
            chrome->top == TOP_OBJECT && bytes == 11 && memcmp(key, "traceEvents", 11) == 0;
    return 1;
}

static int on_value(struct chrome *chrome, enum chrome_value type, const char *text, size_t bytes)
{
    chrome->called = true;
    if (in_event(chrome))
        chrome_event_value(&chrome->events, type, text, bytes);
    return 1;
}

static int on_null(void *context)
{
    return on_value(context, CHROME_NULL, "", 0);
}

static int on_boolean(void *context, int value)
{
    return on_value(context, CHROME_BOOL, value != 0 ? "1" : "0", 1);
}

static int on_number(void *context, const char *text, size_t bytes)
{
    return on_value(context, CHROME_NUMBER, text, bytes);
}

static int on_string(void *context, const unsigned char *text, size_t bytes)
{
    return on_value(context, CHROME_TEXT, (const char *)text, bytes);
}

/* Why yajl stopped before `bytes` bytes of the piece. */
static int stopped(const struct chrome *chrome, const struct foreign_input *input, uint64_t offset,
                   yajl_status status, struct error *error)
{
    if (chrome->too_deep)
        return foreign_input_damage(input, offset, "nests too deeply", error);
    return status == yajl_status_client_canceled
               ? -1
               : foreign_input_damage(input, offset, "is no sound JSON", error);
}

static int parse(struct chrome *chrome, yajl_handle handle, struct foreign_input *input,
                 struct error *error)
{
    uint64_t quiet_bytes = 0;
    for (;;) {
        if (foreign_input_fill(input, PIECE_BYTES, error) != 0)
            return -1;
        size_t bytes = input->count < PIECE_BYTES ? input->count : PIECE_BYTES;
        if (bytes == 0)
            return 0;
        chrome->called = false;
        yajl_status status = yajl_library.parse(handle, foreign_input_at(input), bytes);
        if (status != yajl_status_ok)
            return stopped(chrome, input, input->offset + yajl_library.consumed(handle), status,
                           error);
        quiet_bytes = chrome->called ? 0 : quiet_bytes + bytes;
        if (quiet_bytes > QUIET_BYTES)
            return foreign_input_damage(input, input->offset, "has a text that is too long", error);
        foreign_input_skip(input, bytes);
    }
}

/* At the end of the file: the format lets an array end without its bracket. */
static int check_end(const struct chrome *chrome, yajl_handle handle,
                     const struct foreign_input *input, struct log_writer *writer,
                     struct error *error)
{
    bool whole = yajl_library.complete(handle) == yajl_status_ok;
    if (chrome->top == TOP_NONE || !chrome->any_events)
        return error_set_file(error, ERROR_USAGE, input->path,
                              "is JSON without trace events: no array, and no object with "
                              "traceEvents");
    if (whole || (chrome->top == TOP_ARRAY && chrome->level == 1))
        return 0;
    return log_writer_loss(writer, "truncated", UINT64_MAX,
                           "the JSON ends before its last event does", error);
}

static int read_all(struct chrome *chrome, const struct foreign_job *job,
                    struct foreign_input *input, struct error *error)
{
    static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_string,
                                             .yajl_start_map = on_map,
                                             .yajl_map_key = on_key,
                                             .yajl_end_map = on_map_end,
                                             .yajl_start_array = on_array,
                                             .yajl_end_array = on_array_end};
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    yajl_handle handle = yajl_library.alloc(&callbacks, NULL, chrome);
    if (handle == NULL)
        return error_set(error, "out of memory");
    yajl_library.config(handle, yajl_dont_validate_strings, 1);
    int result = foreign_input_fill(input, sizeof mark, error);
    if (result == 0 && input->count >= sizeof mark &&
        memcmp(foreign_input_at(input), mark, sizeof mark) == 0)
        foreign_input_skip(input, sizeof mark);
    if (result == 0)
        result = parse(chrome, handle, input, error);
    if (result == 0)
        result = check_end(chrome, handle, input, job->writer, error);
    yajl_library.free(handle);
    return result;
}

int chrome_read(const struct foreign_job *job, struct error *error)
{
    struct foreign_input input = {.path = job->path};
    struct chrome *chrome = calloc(1, sizeof *chrome);
    if (chrome == NULL)
        return error_set(error, "out of memory");
    chrome->error = error;
    int result = yajl_library_open(error);
    if (result == 0)
        result = chrome_events_open(&chrome->events, job->folder, error);
    if (result == 0)
        result = foreign_input_open(&input, job->path, error);
    input.progress = job->progress;
    input.progress_context = job->progress_context;
    if (result == 0)
        result = read_all(chrome, job, &input, error);
    foreign_input_close(&input);
    if (result == 0)
        result = chrome_events_write(&chrome->events, job->writer, error);
    chrome_events_close(&chrome->events);
    free(chrome);
    return result;
}
#else
int chrome_read(const struct foreign_job *job, struct error *error)
{
    return error_set_file(error, ERROR_UNSUPPORTED, job->path,
                          "is JSON, and this fisql was built without yajl's headers: build it with "
                          "libyajl-dev (Debian) or yajl-devel");
}
#endif
