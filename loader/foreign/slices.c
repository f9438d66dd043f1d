/* Takes slices with their names: see slices.h. */
#include "loader/foreign/slices_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/must.h"

int slices_open(struct slices *slices, const char *folder, struct error *error)
{
    *slices = (struct slices){.store = {.file = -1, .sorted = true}, .first_ns = INT64_MAX};
    slices->last_ns = INT64_MIN;
    slices->folder = strdup(folder);
    return slices->folder != NULL ? 0 : error_set(error, "out of memory");
}

void slices_close(struct slices *slices)
{
    if (slices->folder == NULL)
        return;
    for (size_t i = 0; i < slices->names_count; i++)
        free(slices->names[i].arguments);
    if (slices->store.file >= 0)
        close(slices->store.file);
    free(slices->folder);
    free(slices->names);
    free(slices->processes);
    free(slices->tracks);
    free(slices->store.keys);
    free(slices->store.arena);
    free(slices->store.runs);
    text_pool_release(&slices->texts);
    intern_release(&slices->name_of);
    intern_release(&slices->process_of);
    intern_release(&slices->track_of);
    *slices = (struct slices){.store = {.file = -1}};
}

/* ---- names ---- */

const char *slices_text(struct slices *slices, const char *text, size_t bytes, struct error *error)
{
    char plain[SLICE_NAME_MAX];
    const void *nul = bytes > 0 ? memchr(text, 0, bytes) : NULL;
    size_t length = nul != NULL ? (size_t)((const char *)nul - text) : bytes;
    if (length > SLICE_NAME_MAX)
        length = SLICE_NAME_MAX;
    bool lines = length > 0 && memchr(text, '\n', length) != NULL;
    if (lines) {
        for (size_t i = 0; i < length; i++)
            plain[i] = text[i] == '\n' ? ' ' : text[i];
        text = plain;
    }
    size_t before = slices->texts.count;
    const char *kept = text_pool_add(&slices->texts, length > 0 ? text : "", length, error);
    if (kept != NULL && slices->texts.count > before)
        slices->texts_bytes += length + 1;
    if (slices->texts_bytes <= SLICES_NAMES_BYTES)
        return kept;
    error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u MB of different names",
                   SLICES_NAMES_BYTES >> 20);
    return NULL;
}

int slices_process(struct slices *slices, int64_t pid, uint32_t *process, struct error *error)
{
    if (intern_add(&slices->process_of, (uint64_t)pid, 0, process, error) != 0)
        return -1;
    if (*process < slices->processes_count)
        return 0;
    struct slices_process new = {.pid = pid};
    return array_add(&slices->processes, &slices->processes_count, &slices->processes_capacity, new,
                     error);
}

int slices_track(struct slices *slices, uint32_t process, uint32_t kind, uint64_t key, int64_t tid,
                 uint32_t *track, struct error *error)
{
    must(process < slices->processes_count);
    if (intern_add(&slices->track_of, intern_pack(process, kind), key, track, error) != 0)
        return -1;
    if (*track < slices->tracks_count)
        return 0;
    if (slices->tracks_count >= SLICES_TRACKS_MAX)
        return error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u tracks",
                              SLICES_TRACKS_MAX);
    /* Of a process the tracks get ascending numbers, which need not follow one another. */
    struct slices_track new = {
        .process = process, .thread = (uint32_t)slices->tracks_count, .tid = tid};
    return array_add(&slices->tracks, &slices->tracks_count, &slices->tracks_capacity, new, error);
}

int slices_name(struct slices *slices, enum fisql_point_kind kind, const char *text, uint32_t *name,
                struct error *error)
{
    if (intern_add(&slices->name_of, (uintptr_t)text, (uint64_t)kind, name, error) != 0)
        return -1;
    if (*name < slices->names_count)
        return 0;
    if (slices->names_count >= FISQL_POINT_MAX)
        return error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u different names",
                              FISQL_POINT_MAX);
    struct slices_name new = {.text = text, .kind = kind};
    return array_add(&slices->names, &slices->names_count, &slices->names_capacity, new, error);
}

/* ---- arguments ---- */

static uint32_t arguments_max(const struct slices_name *name)
{
    return fisql_point_is_plain(name->kind) && name->kind <= FISQL_POINT_EXTERNAL
               ? PUT_VALUES_MAX
               : FISQL_CHECKPOINT_VALUES_MAX;
}

/* The position of a name's argument, less 1; UINT32_MAX: there are too many. */
static int argument_place(struct slices *slices, struct slices_name *name,
                          const struct slice_argument *argument, uint32_t *place,
                          struct error *error)
{
    uint32_t most = arguments_max(name);
    for (*place = 0; *place < name->arguments_count; ++*place)
        if (strlen(name->arguments[*place]) == argument->name_bytes &&
            memcmp(name->arguments[*place], argument->name, argument->name_bytes) == 0)
            return 0;
    const char *text = slices_text(slices, argument->name, argument->name_bytes, error);
    if (text == NULL)
        return -1;
    for (*place = 0; *place < name->arguments_count; ++*place)
        if (name->arguments[*place] == text) /* which is another than the argument's own */
            return 0;
    if (name->arguments_count == most) {
        *place = UINT32_MAX;
        return 0;
    }
    if (name->arguments == NULL)
        name->arguments = calloc(most, sizeof *name->arguments);
    if (name->arguments == NULL)
        return error_set(error, "out of memory");
    name->arguments[name->arguments_count++] = text;
    return 0;
}

static void put_argument(struct put_values *values, const struct slice_argument *argument)
{
    switch (argument->type) {
    case ARGUMENT_INTEGER:
        put_integer(values, (int64_t)argument->bits);
        break;
    case ARGUMENT_UNSIGNED:
        put_unsigned(values, argument->bits);
        break;
    case ARGUMENT_FLOAT:
        put_float(values, argument->real);
        break;
    case ARGUMENT_POINTER:
        put_pointer(values, argument->bits);
        break;
    case ARGUMENT_TEXT:
        put_text(values, argument->text, argument->text_bytes);
        break;
    }
}

int slices_arguments(struct slices *slices, uint32_t name, const struct slice_argument *arguments,
                     size_t count, struct put_values *values, struct error *error)
{
    const struct slice_argument *at[PUT_VALUES_MAX] = {NULL};
    uint32_t place, last = 0;
    put_values_clear(values);
    must(name < slices->names_count);
    for (size_t i = 0; i < count; i++) {
        if (argument_place(slices, &slices->names[name], &arguments[i], &place, error) != 0)
            return -1;
        if (place == UINT32_MAX) {
            slices->lost.arguments++;
            continue;
        }
        at[place] = &arguments[i];
        if (place >= last)
            last = place + 1;
    }
    for (uint32_t i = 0; i < last; i++)
        if (at[i] != NULL)
            put_argument(values, at[i]);
        else
            put_absent(values);
    return 0;
}

/* ---- slices ---- */

static bool comes_before(const struct slice_key *a, const struct slice_key *b)
{
    if (a->track != b->track)
        return a->track < b->track;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    return a->tie < b->tie;
}

int slices_add(struct slices *slices, const struct slice *slice, struct error *error)
{
    size_t values_bytes = slice->values != NULL ? slice->values->bytes : 0;
    size_t bytes = sizeof(struct slice_record) + (values_bytes + 7) / 8 * 8;
    bool whole = slice->kind == SLICE_WHOLE;
    must(slice->track < slices->tracks_count);
    must(slice->kind == SLICE_END || slice->name < slices->names_count);
    must(slice->start_ns >= -SLICE_TIME_MAX && slice->start_ns <= SLICE_TIME_MAX);
    must(!whole || (slice->end_ns >= slice->start_ns && slice->end_ns <= SLICE_TIME_MAX));
    if (slices->store.arena_used + bytes + slices->store.keys_count * sizeof(struct slice_key) >
            SLICES_BYTES &&
        slices_spill(slices, error) != 0)
        return -1;
    struct slice_key key = {.start_ns = slice->start_ns,
                            .tie = whole ? -slice->end_ns : INT64_MIN,
                            .track = slice->track,
                            .place = (uint32_t)(slices->store.arena_used / 8)};
    if (slices->store.keys_count > 0 &&
        comes_before(&key, &slices->store.keys[slices->store.keys_count - 1]))
        slices->store.sorted = false;
    if (array_reserve(&slices->store.arena, &slices->store.arena_capacity,
                      slices->store.arena_used + bytes, error) != 0 ||
        array_add(&slices->store.keys, &slices->store.keys_count, &slices->store.keys_capacity, key,
                  error) != 0)
        return -1;
    struct slice_record record = {.bytes = (uint32_t)bytes,
                                  .values_bytes = (uint32_t)values_bytes,
                                  .track = slice->track,
                                  .name = slice->name,
                                  .kind = (uint32_t)slice->kind,
                                  .start_ns = slice->start_ns,
                                  .end_ns = whole ? slice->end_ns : slice->start_ns};
    unsigned char *at = slices->store.arena + slices->store.arena_used;
    memcpy(at, &record, sizeof record);
    if (values_bytes > 0)
        memcpy(at + sizeof record, slice->values->data, values_bytes);
    if (bytes > sizeof record + values_bytes)
        memset(at + sizeof record + values_bytes, 0, bytes - sizeof record - values_bytes);
    slices->store.arena_used += bytes;
    slices->events++;
    if (record.start_ns < slices->first_ns)
        slices->first_ns = record.start_ns;
    if (record.end_ns > slices->last_ns)
        slices->last_ns = record.end_ns;
    return 0;
}
