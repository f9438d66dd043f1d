/*
 * Exports of calling contexts: folded stacks, and pprof's profile.
 *
 * Folded: a line for each context, outermost first, `a;b;c N`, N being its own weight. Source:
 * https://github.com/brendangregg/FlameGraph.
 * pprof: a gzipped protobuf, https://github.com/google/pprof/blob/main/proto/profile.proto: a
 * sample for each context with calls, own time and bytes; a location is a function with a line: of
 * the call to the next one, or of its definition for the innermost.
 */
#include "base/array.h"
#include "base/intern.h"
#include "cli/export/export.h"
#include "cli/export/protobuf.h"
#include "cli/out/say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- folded ---- */

static const int64_t *weights_of(const struct export *export, const struct export_frames *frames)
{
    return export->weight == WEIGHT_TIME    ? frames->self_ns
           : export->weight == WEIGHT_CALLS ? frames->calls
                                            : frames->bytes;
}

/* The frames from the root to this one, in *path, which grows. */
static uint32_t path_of(const struct run_view *view, uint32_t frame, uint32_t **path,
                        size_t *capacity)
{
    uint32_t length = view->frames[frame].depth + 1;
    if (array_reserve(path, capacity, length, NULL) != 0)
        return 0;
    for (uint32_t i = length; i-- > 0; frame = view->frames[frame].parent)
        (*path)[i] = frame;
    return length;
}

int export_folded(const struct export *export)
{
    const struct run_view *view = export->view;
    struct export_frames frames = {.calls = NULL};
    uint32_t *path = NULL;
    size_t capacity = 0;
    int status = export_frames_read(export, &frames);
    const int64_t *weights = weights_of(export, &frames);
    for (uint32_t id = 1; status == 0 && id < view->frames_count; id++) {
        if (view->frames[id].function == 0 || weights[id] <= 0)
            continue;
        uint32_t length = path_of(view, id, &path, &capacity);
        if (length == 0)
            status = fail("out of memory");
        for (uint32_t i = 0; i < length; i++) {
            if (i > 0)
                fputc(';', export->out);
            /* The last blank separates the number, the semicolons the functions. */
            export_plain_text(export->out, view->functions[view->frames[path[i]].function].name,
                              ";", ':');
        }
        fprintf(export->out, " %" PRId64 "\n", weights[id]);
    }
    free(path);
    export_frames_release(&frames);
    return status;
}

/* ---- pprof ---- */

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_DEFAULT_TYPE = 14,
};

struct profile {
    const struct export *export;
    gzFile out;
    int64_t strings;
    struct message part, inner, framed;
    struct intern locations; /* (function, line): ids are one more than the index */
    bool failed;
};

/* Writes a field of the profile that holds `part`. */
static void put_field(struct profile *profile, uint32_t field, const struct message *part)
{
    message_clear(&profile->framed);
    message_put(&profile->framed, field, part);
    profile->failed |= profile->framed.failed;
    if (gzwrite(profile->out, profile->framed.bytes, (unsigned)profile->framed.count) <= 0)
        profile->failed = true;
}

static int64_t put_string(struct profile *profile, const char *text)
{
    message_clear(&profile->framed);
    message_text(&profile->framed, PROFILE_STRING, text);
    if (gzwrite(profile->out, profile->framed.bytes, (unsigned)profile->framed.count) <= 0)
        profile->failed = true;
    return profile->strings++;
}

/* Returns the number of the type's string. */
static int64_t put_value_type(struct profile *profile, const char *type, const char *unit)
{
    int64_t type_id = put_string(profile, type), unit_id = put_string(profile, unit);
    message_clear(&profile->part);
    message_int(&profile->part, 1, (uint64_t)type_id);
    message_int(&profile->part, 2, (uint64_t)unit_id);
    put_field(profile, PROFILE_SAMPLE_TYPE, &profile->part);
    return type_id;
}

/* What viewers open the profile on. */
static void put_default_type(struct profile *profile, int64_t type_id)
{
    message_clear(&profile->part);
    message_int(&profile->part, PROFILE_DEFAULT_TYPE, (uint64_t)type_id);
    if (gzwrite(profile->out, profile->part.bytes, (unsigned)profile->part.count) <= 0)
        profile->failed = true;
}

static void put_functions(struct profile *profile)
{
    const struct run_view *view = profile->export->view;
    for (size_t id = 1; id < view->functions_count; id++) {
        const struct run_function *function = &view->functions[id];
        if (function->name == NULL)
            continue;
        int64_t name = put_string(profile, function->name);
        int64_t file = function->file != NULL ? put_string(profile, function->file) : 0;
        message_clear(&profile->part);
        message_int(&profile->part, 1, id);
        message_int(&profile->part, 2, (uint64_t)name);
        message_int(&profile->part, 3, (uint64_t)name);
        message_int(&profile->part, 4, (uint64_t)file);
        message_int(&profile->part, 5, (uint64_t)function->line);
        put_field(profile, PROFILE_FUNCTION, &profile->part);
    }
}

/* The id of a location, which is written if it is new. */
static uint32_t location_of(struct profile *profile, uint32_t function, int64_t line)
{
    uint32_t known = profile->locations.count, id;
    profile->failed |= intern_add(&profile->locations, function, (uint64_t)line, &id, NULL) != 0;
    if (profile->failed)
        return 1;
    if (id++ < known)
        return id;
    struct message location = {.bytes = NULL};
    message_int(&location, 1, id);
    message_clear(&profile->inner);
    message_int(&profile->inner, 1, function);
    message_int(&profile->inner, 2, (uint64_t)line);
    message_put(&location, 4, &profile->inner);
    put_field(profile, PROFILE_LOCATION, &location);
    message_release(&location);
    return id;
}

static void put_sample(struct profile *profile, uint32_t frame, const struct export_frames *frames)
{
    const struct run_view *view = profile->export->view;
    struct message ids = {.bytes = NULL}, values = {.bytes = NULL}, sample = {.bytes = NULL};
    int64_t line = view->functions[view->frames[frame].function].line;
    for (uint32_t at = frame; at != 0; at = view->frames[at].parent) {
        message_varint(&ids, location_of(profile, view->frames[at].function, line));
        line = view->frames[at].site_line;
    }
    message_varint(&values, (uint64_t)frames->calls[frame]);
    message_varint(&values, (uint64_t)frames->self_ns[frame]);
    message_varint(&values, (uint64_t)frames->bytes[frame]);
    message_put(&sample, 1, &ids);
    message_put(&sample, 2, &values);
    put_field(profile, PROFILE_SAMPLE, &sample);
    message_release(&ids);
    message_release(&values);
    message_release(&sample);
}

static void put_run(struct profile *profile)
{
    sqlite3 *database = profile->export->view->database;
    message_clear(&profile->part);
    message_int(&profile->part, PROFILE_TIME_NANOS,
                (uint64_t)run_integer(
                    database, "SELECT value * 1000000000 FROM run WHERE key = 'started'", 0));
    message_int(
        &profile->part, PROFILE_DURATION_NANOS,
        (uint64_t)run_integer(database, "SELECT max(end_ns) - min(start_ns) FROM threads", 0));
    if (gzwrite(profile->out, profile->part.bytes, (unsigned)profile->part.count) <= 0)
        profile->failed = true;
}

int export_pprof(const struct export *export)
{
    struct profile profile = {.export = export};
    struct export_frames frames = {.calls = NULL};
    int status = export_frames_read(export, &frames);
    fflush(export->out);
    int file = dup(fileno(export->out));
    profile.out = status == 0 && file >= 0 ? gzdopen(file, "wb6") : NULL;
    if (profile.out == NULL && status == 0)
        status = fail("out of memory");
    if (status == 0) {
        put_string(&profile, "");
        put_value_type(&profile, "calls", "count");
        int64_t time = put_value_type(&profile, "time", "nanoseconds");
        put_value_type(&profile, "allocated", "bytes");
        put_default_type(&profile, time);
        put_functions(&profile);
        for (uint32_t id = 1; id < export->view->frames_count && !profile.failed; id++)
            if (export->view->frames[id].function != 0 &&
                (frames.calls[id] > 0 || frames.self_ns[id] > 0 || frames.bytes[id] > 0))
                put_sample(&profile, id, &frames);
        put_run(&profile);
        if (gzclose(profile.out) != Z_OK || profile.failed)
            status = fail("the profile cannot be written: is the disk full?");
    }
    intern_release(&profile.locations);
    message_release(&profile.part);
    message_release(&profile.inner);
    message_release(&profile.framed);
    export_frames_release(&frames);
    return status;
}
