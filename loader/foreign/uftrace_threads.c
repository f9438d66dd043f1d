/*
 * The records of a folder of uftrace, a file a thread: see uftrace.h. A record has two words: the
 * time, and the type (2 bits), whether arguments follow (1), a mark (3, always 5), the depth (10), and
 * the address (48). Arguments are padded to 4 bytes each, all together to 8.
 */
#include "loader/foreign/uftrace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "loader/foreign/put_values.h"

#define RECORD_MARK 5u
#define DEPTHS 1024u
#define NULL_TEXT 0xffffffffu /* in place of a text's bytes */
#define ARGUMENT_BYTES_MAX 65540u

enum record_type { RECORD_ENTRY, RECORD_EXIT, RECORD_LOST, RECORD_EVENT };

struct record {
    uint64_t time_ns, address;
    enum record_type type;
    bool more;
    uint32_t depth;
};

struct reading {
    struct uftrace *uftrace;
    struct foreign_input input;
    int32_t tid, pid;
    uint32_t image;          /* that the thread is in; UINT32_MAX = in none yet */
    uint64_t until_ns;       /* when the next image of its pid begins */
    uint16_t depths[DEPTHS]; /* of the open calls */
    uint32_t open;
    uint64_t last_ns;
    struct put_values values;
};

static struct record read_record(const unsigned char *at)
{
    uint64_t words[2];
    memcpy(words, at, sizeof words);
    return (struct record){.time_ns = words[0],
                           .type = (enum record_type)(words[1] & 3),
                           .more = (words[1] >> 2 & 1) != 0,
                           .depth = (uint32_t)(words[1] >> 6) & (DEPTHS - 1),
                           .address = words[1] >> 16};
}

static bool is_record(const struct reading *reading, const unsigned char *at)
{
    uint64_t words[2];
    memcpy(words, at, sizeof words);
    return (words[1] >> 3 & 7) == RECORD_MARK && words[0] >= reading->last_ns &&
           words[0] <= INT64_MAX / 8;
}

/* ---- images ---- */

/* The image of the pid at a time: the last one that had begun, else its first. */
static uint32_t image_at(struct reading *reading, uint64_t ns)
{
    const struct uftrace *uftrace = reading->uftrace;
    uint32_t found = UINT32_MAX;
    if (reading->image != UINT32_MAX && ns < reading->until_ns)
        return reading->image;
    reading->until_ns = UINT64_MAX;
    const struct uftrace_number *number = uftrace_number(uftrace, reading->pid);
    for (uint32_t i = number != NULL ? number->first : 0; i != 0; i = uftrace->images[i - 1].next) {
        const struct uftrace_image *image = &uftrace->images[i - 1];
        if (found == UINT32_MAX || image->start_ns <= ns)
            found = i - 1;
        else if (image->start_ns < reading->until_ns)
            reading->until_ns = image->start_ns;
    }
    return found;
}

static int begin_image(struct reading *reading, uint32_t index, struct error *error)
{
    struct uftrace *uftrace = reading->uftrace;
    struct log_writer *writer = uftrace->job->writer;
    struct log_place place = uftrace_place(uftrace, index);
    if (reading->image != UINT32_MAX && log_thread_end(writer, error) != 0)
        return -1;
    reading->image = index;
    reading->open = 0;
    place.tid = (uint32_t)reading->tid;
    place.thread = uftrace->images[index].threads++;
    log_facts_begin(writer, FISQL_CHUNK_THREAD, &place, 0);
    return log_facts_end(writer, error) != 0 ? -1 : log_thread_begin(writer, &place, error);
}

/* ---- arguments ---- */

static void put_arg(struct put_values *values, const struct uftrace_arg *arg,
                    const unsigned char *at, uint32_t bytes)
{
    uint64_t bits = 0;
    if (bytes <= 8)
        memcpy(&bits, at, bytes);
    uint32_t above = bytes > 0 && bytes < 8 ? 64 - 8 * bytes : 0;
    switch (arg->form) {
    case UFTRACE_SIGNED:
        put_integer(values, (int64_t)(bits << above) >> above);
        break;
    case UFTRACE_UNSIGNED:
        put_unsigned(values, bits);
        break;
    case UFTRACE_POINTER:
        put_pointer(values, bits);
        break;
    case UFTRACE_FLOAT:
        put_data(values, at, bytes, false);
        break;
    case UFTRACE_STRUCT:
        put_data(values, at, bytes, true);
        break;
    case UFTRACE_TEXT:
        if (bytes == 4 && bits == NULL_TEXT)
            put_pointer(values, 0);
        else
            put_text(values, (const char *)at, strnlen((const char *)at, bytes));
        break;
    }
}

/* Reads the values behind a record into reading->values, by position. 1; 0: they are not sound; -1. */
static int read_args(struct reading *reading, const struct uftrace_args *args, struct error *error)
{
    struct foreign_input *input = &reading->input;
    uint32_t taken = 0, next = 1;
    put_values_clear(&reading->values);
    for (uint32_t i = 0; i < args->count; i++) {
        const struct uftrace_arg *arg = &args->items[i];
        uint32_t bytes = arg->bytes, head = 0;
        if (foreign_input_fill(input, taken + 2 + ARGUMENT_BYTES_MAX, error) != 0)
            return -1;
        const unsigned char *at = foreign_input_at(input) + taken;
        size_t left = input->count - taken;
        if (arg->form == UFTRACE_TEXT) {
            if (left < 2)
                return 0;
            head = 2;
            bytes = (uint32_t)at[0] | (uint32_t)at[1] << 8;
        }
        uint32_t padded = (taken + head + bytes + 3) / 4 * 4 - taken;
        if (left < padded)
            return 0;
        while (arg->position > next++)
            put_absent(&reading->values);
        put_arg(&reading->values, arg, at + head, bytes);
        taken += padded;
    }
    uint32_t all = (taken + 7) / 8 * 8;
    foreign_input_skip(input, all < input->count ? all : input->count);
    return 1;
}

/* Passes over what is not known, to the next place where a record may lie. */
static int resume(struct reading *reading, struct error *error)
{
    struct foreign_input *input = &reading->input;
    for (;;) {
        if (foreign_input_fill(input, 16, error) != 0)
            return -1;
        if (input->count < 16 || is_record(reading, foreign_input_at(input)))
            return 0;
        foreign_input_skip(input, 8);
        reading->uftrace->damaged_bytes += 8;
    }
}

/* The values of a call, or of its end; none where their form is not known. */
static int take_args(struct reading *reading, const struct record *record,
                     const struct uftrace_args *args, struct error *error)
{
    put_values_clear(&reading->values);
    if (!record->more)
        return 0;
    int got = args != NULL ? read_args(reading, args, error) : 0;
    if (got != 0)
        return got < 0 ? -1 : 0;
    uint64_t damaged = reading->uftrace->damaged_bytes;
    reading->uftrace->lost_arguments++;
    put_values_clear(&reading->values);
    int result = resume(reading, error);
    reading->uftrace->damaged_bytes = damaged; /* these are counted as arguments */
    return result;
}

/* ---- records ---- */

/* Ends the calls at this depth and deeper, which have no exit of their own (longjmp, say). */
static int unwind_to(struct reading *reading, uint64_t ns, uint32_t depth, struct error *error)
{
    uint32_t before = reading->open;
    while (reading->open > 0 && reading->depths[reading->open - 1] >= depth)
        reading->open--;
    return before == reading->open
               ? 0
               : log_unwind(reading->uftrace->job->writer, ns, before - reading->open, error);
}

static int take_entry(struct reading *reading, const struct record *record, struct error *error)
{
    struct uftrace *uftrace = reading->uftrace;
    struct log_writer *writer = uftrace->job->writer;
    struct uftrace_session *session = &uftrace->sessions[uftrace->images[reading->image].session];
    uint32_t function;
    if (uftrace_function_at(uftrace, session, record->address, &function, error) != 0 ||
        unwind_to(reading, record->time_ns, record->depth, error) != 0 ||
        log_enter(writer, record->time_ns, uftrace->functions[function].point, error) != 0 ||
        take_args(reading, record, uftrace->functions[function].args, error) != 0)
        return -1;
    log_arguments(writer, reading->values.data, reading->values.bytes);
    reading->depths[reading->open++] = (uint16_t)record->depth;
    return 0;
}

static int take_exit(struct reading *reading, const struct record *record, struct error *error)
{
    struct uftrace *uftrace = reading->uftrace;
    struct log_writer *writer = uftrace->job->writer;
    struct uftrace_session *session = &uftrace->sessions[uftrace->images[reading->image].session];
    uint32_t function;
    if (uftrace_function_at(uftrace, session, record->address, &function, error) != 0 ||
        unwind_to(reading, record->time_ns, record->depth + 1, error) != 0 ||
        take_args(reading, record, uftrace->functions[function].result, error) != 0)
        return -1;
    /* A forked child leaves calls that its parent entered. */
    if (reading->open == 0 || reading->depths[reading->open - 1] != record->depth)
        return 0;
    reading->open--;
    if (log_exit(writer, record->time_ns, error) != 0)
        return -1;
    log_result(writer, reading->values.data, reading->values.bytes);
    return 0;
}

/* An event's data: two bytes with its length, then as many. */
static int skip_event(struct reading *reading, const struct record *record, struct error *error)
{
    struct foreign_input *input = &reading->input;
    if (!record->more)
        return 0;
    if (foreign_input_fill(input, ARGUMENT_BYTES_MAX + 8, error) != 0)
        return -1;
    if (input->count < 2)
        return 0;
    const unsigned char *at = foreign_input_at(input);
    size_t bytes = ((size_t)(at[0] | at[1] << 8) + 2 + 7) / 8 * 8;
    foreign_input_skip(input, bytes < input->count ? bytes : input->count);
    return 0;
}

static int take_record(struct reading *reading, const struct record *record, struct error *error)
{
    uint32_t image = image_at(reading, record->time_ns);
    if (image != reading->image && begin_image(reading, image, error) != 0)
        return -1;
    reading->last_ns = record->time_ns;
    switch (record->type) {
    case RECORD_ENTRY:
        return take_entry(reading, record, error);
    case RECORD_EXIT:
        return take_exit(reading, record, error);
    case RECORD_LOST:
        reading->uftrace->lost_records += record->address > 0 ? record->address : 1;
        return 0;
    case RECORD_EVENT:
        break;
    }
    return skip_event(reading, record, error);
}

static int read_thread(struct reading *reading, struct error *error)
{
    struct foreign_input *input = &reading->input;
    for (;;) {
        if (foreign_input_fill(input, 16, error) != 0)
            return -1;
        if (input->count < 16)
            break;
        if (!is_record(reading, foreign_input_at(input))) {
            if (resume(reading, error) != 0)
                return -1;
            continue;
        }
        struct record record = read_record(foreign_input_at(input));
        foreign_input_skip(input, 16);
        if (take_record(reading, &record, error) != 0)
            return -1;
    }
    reading->uftrace->damaged_bytes += input->count;
    return reading->image == UINT32_MAX ? 0 : log_thread_end(reading->uftrace->job->writer, error);
}

/* ---- all threads ---- */

/* TID.dat; -1: another file. */
static int32_t tid_of(const char *name)
{
    char *end;
    unsigned long tid = strtoul(name, &end, 10);
    return name[0] >= '0' && name[0] <= '9' && strcmp(end, ".dat") == 0 && tid <= INT32_MAX
               ? (int32_t)tid
               : -1;
}

static int by_tid(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int list_threads(const struct uftrace *uftrace, int32_t **tids, size_t *count,
                        struct error *error)
{
    size_t capacity = 0;
    DIR *folder = opendir(uftrace->job->path);
    int result = 0;
    *tids = NULL;
    *count = 0;
    if (folder == NULL)
        return error_set_file(error, ERROR_SYSTEM, uftrace->job->path, "%s", strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        int32_t tid = tid_of(entry->d_name);
        if (tid >= 0)
            result = array_add(tids, count, &capacity, tid, error);
    }
    closedir(folder);
    array_sort(*tids, *count, by_tid);
    return result;
}

/* The process of a thread: as task.txt says; else that of its own number. */
static int32_t pid_of(const struct uftrace *uftrace, int32_t tid)
{
    const struct uftrace_number *number = uftrace_number(uftrace, tid);
    return number != NULL && number->pid != 0 ? number->pid : tid;
}

static int write_thread(struct uftrace *uftrace, struct reading *reading, int32_t tid,
                        struct error *error)
{
    char path[PATH_MAX];
    *reading = (struct reading){
        .uftrace = uftrace, .tid = tid, .pid = pid_of(uftrace, tid), .image = UINT32_MAX};
    if (image_at(reading, 0) == UINT32_MAX)
        reading->pid = uftrace->images[0].pid;
    snprintf(path, sizeof path, "%s/%d.dat", uftrace->job->path, tid);
    int result = foreign_input_open(&reading->input, path, error);
    reading->input.progress = uftrace->job->progress;
    reading->input.progress_context = uftrace->job->progress_context;
    if (result == 0)
        result = read_thread(reading, error);
    foreign_input_close(&reading->input);
    return result;
}

int uftrace_write_threads(struct uftrace *uftrace, struct error *error)
{
    int32_t *tids;
    size_t count;
    struct reading *reading = malloc(sizeof *reading);
    int result = reading == NULL ? error_set(error, "out of memory")
                                 : list_threads(uftrace, &tids, &count, error);
    for (size_t i = 0; reading != NULL && result == 0 && i < count; i++)
        result = write_thread(uftrace, reading, tids[i], error);
    if (reading != NULL)
        free(tids);
    free(reading);
    return result;
}
