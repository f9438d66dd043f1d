/*
 * The rows of calls: see call_rows.h.
 *
 * A record is built backwards, straight in the page (btree_direct.h): the values from the last
 * column to the first, each with one store of 8 bytes whose upper part the next one overwrites;
 * then the header, whose length depends on the number of columns alone because each serial type
 * takes one byte. Columns at the end that equal their DEFAULT are left out.
 */
#include "loader/calls/call_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "loader/calls/call_picture.h"
#include "loader/calls/callee_history.h"
#include "loader/calls/kept_rows.h"
#include "loader/calls/row_sums.h"
#include "loader/sqlite/btree_direct.h"
#include "loader/sqlite/sqlite_record.h"

#define COLUMNS_PLAIN 7
#define COLUMNS 10
#define RECORD_MAX (1 + COLUMNS + 9 * 8) /* bytes of the longest one */

/* Serial type and bytes of a non-negative integer, by its number of bits. */
static const struct width {
    uint8_t type, bytes;
} widths[65] = {
    {8, 0}, {9, 0}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {2, 2},
    {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3},
    {3, 3}, {3, 3}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {5, 6},
    {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6}, {5, 6},
    {5, 6}, {5, 6}, {5, 6}, {5, 6}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8},
    {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8}, {6, 8},
};

/* Puts a value in front of *at and returns its serial type. */
static inline uint64_t put_before(unsigned char **at, uint64_t value)
{
    const struct width *width = &widths[63 ^ (unsigned)__builtin_clzll(value << 1 | 1)];
    record_put_int(*at - 8, (int64_t)value);
    *at -= width->bytes;
    return width->type;
}

static inline uint64_t put_before_or_null(unsigned char **at, uint64_t value)
{
    return value == 0 ? 0 : put_before(at, value);
}

static inline uint64_t put_full_before(unsigned char **at, uint64_t value)
{
    record_put_int(*at - 8, (int64_t)value);
    *at -= 8;
    return 6;
}

/* The columns up to `distance`, and the header's first 8 bytes. */
static inline unsigned char *put_front(unsigned char *at, uint32_t thread, const struct row *row,
                                       uint64_t duration_type, uint64_t distance_type,
                                       unsigned more)
{
    uint64_t enter_type = put_before(&at, row->enter_ns);
    uint64_t depth_type = put_before(&at, row->depth);
    uint64_t frame_type = put_before(&at, row->frame);
    uint64_t thread_type = put_before(&at, thread);
    uint64_t header = 1 + COLUMNS_PLAIN + more;
    header |= thread_type << 16 | frame_type << 24 | depth_type << 32; /* the id is NULL: 0 */
    header |= enter_type << 40 | duration_type << 48 | distance_type << 56;
    memcpy(at - 8 - more, &header, 8);
    return at - 8 - more;
}

static inline unsigned char *put_row(unsigned char *at, uint32_t thread, const struct row *row)
{
    bool plain = row->descendants == 0 && row->children_ns == 0 && row->ended == 0;
    uint64_t types[3];
    if (!plain) {
        types[2] = put_before(&at, row->ended);
        types[1] = put_before(&at, row->children_ns);
        types[0] = put_before(&at, row->descendants);
    }
    uint64_t distance_type = put_before_or_null(&at, row->distance);
    uint64_t duration_type = row->weight != 0 ? put_before(&at, row->duration_ns) : 0; /* NULL */
    if (plain)
        return put_front(at, thread, row, duration_type, distance_type, 0);
    at = put_front(at, thread, row, duration_type, distance_type, 3);
    for (int i = 0; i < 3; i++)
        at[8 + i] = (unsigned char)types[i];
    return at;
}

/* The record of an open call: the fields that its end will set have full width. */
static unsigned char *put_open_row(unsigned char *at, uint32_t thread, const struct row *row,
                                   uint32_t *duration_offset)
{
    put_full_before(&at, ENDED_OPEN);
    put_full_before(&at, 0);
    put_full_before(&at, 0);
    uint64_t distance_type = put_before_or_null(&at, row->distance);
    uint64_t duration_type = row->weight != 0 ? put_full_before(&at, 0) : 0;
    unsigned char *duration = at;
    at = put_front(at, thread, row, duration_type, distance_type, 3);
    memset(at + 8, 6, 3);
    *duration_offset = (uint32_t)(duration - at);
    return at;
}

/* Appends a row by its own length: append_run() needs room for the longest. window->open gets the
 * places of open calls. */
static int append(struct row_window *window, uint64_t id, struct error *error)
{
    unsigned char buffer[RECORD_MAX + 16];
    unsigned char *end = buffer + sizeof buffer;
    const struct row *row = row_window_row(window, id);
    struct open_rows *open = &window->open;
    struct open_row written;
    const unsigned char *record =
        row->done ? put_row(end, window->thread, row)
                  : put_open_row(end, window->thread, row, &written.duration_offset);
    if (btree_append(window->part, (int64_t)id, record, (uint32_t)(end - record), 0, &written.place,
                     error) != 0)
        return -1;
    if (row->done)
        return 0;
    if (array_reserve(&open->items, &open->capacity, open->count + 1, error) != 0)
        return -1;
    open->items[open->count++] = written;
    return 0;
}

/* Appends rows of ended calls while the page has room. Returns the first id that is left. */
static uint64_t append_run(struct row_window *window, uint64_t first_id, uint64_t end_id)
{
    struct btree_direct run;
    unsigned char *end, *record;
    uint64_t id = first_id;
    uint32_t thread = window->thread;
    if (!btree_direct_begin(&run, window->part, (int64_t)id))
        return id;
    struct row *row = row_window_row(window, id);
    for (; id < end_id; id++, row = row_window_next(window, row, 1)) {
        if (!row->done || (end = btree_direct_end(&run, RECORD_MAX + 8)) == NULL)
            break;
        record = put_row(end, thread, row);
        btree_direct_done(&run, record, (uint32_t)(end - record));
    }
    btree_direct_commit(&run, window->part);
    return id;
}

/* ---- batches ---- */

/* Completes the row that was written open last. */
static int patch(struct row_window *window, const struct row_end *end, struct error *error)
{
    unsigned char buffer[5 * 8];
    unsigned char *limit = buffer + sizeof buffer, *at = limit;
    put_full_before(&at, end->row.ended);
    put_full_before(&at, end->row.children_ns);
    put_full_before(&at, end->row.descendants);
    put_before_or_null(&at, end->row.distance);
    if (end->row.weight != 0)
        put_full_before(&at, end->row.duration_ns);
    must(window->open.count > 0);
    const struct open_row *row = &window->open.items[--window->open.count];
    return btree_patch(window->part, &row->place, row->duration_offset, at, (uint32_t)(limit - at),
                       error);
}

static int add_ends(struct row_window *window, const struct row_batch *batch, struct error *error)
{
    for (size_t i = 0; i < batch->counted_count; i++)
        if (row_sums_counted(&batch->counted[i], error) != 0)
            return -1;
    for (size_t i = 0; i < batch->ends_count; i++) {
        struct row_end *end = &batch->ends[i];
        callee_history_ended(window->history, end->row.duration_ns);
        if (call_picture_left(window->picture, &end->row, end->call_id, error) != 0 ||
            row_sums_left(&end->row, end->call_id, error) != 0)
            return -1;
    }
    return 0;
}

static int write_ends(struct row_window *window, const struct row_batch *batch, struct error *error)
{
    for (size_t i = 0; i < batch->ends_count && window->part != NULL; i++)
        if (patch(window, &batch->ends[i], error) != 0)
            return -1;
    return 0;
}

/* Writes those that are kept. */
static int write_kept(struct row_window *window, uint64_t first_id, uint64_t end_id,
                      uint64_t whole_id, struct error *error)
{
    struct kept_rows *kept = window->kept;
    struct row *row = row_window_row(window, first_id);
    kept->whole_id = whole_id;
    if (window->part == NULL)
        return 0;
    for (uint64_t id = first_id; id < end_id; id++, row = row_window_next(window, row, 1)) {
        unsigned char *wanted = &kept->wanted[id & window->mask];
        bool is_wanted = *wanted != 0;
        *wanted = 0;
        if (!kept_rows_skip(kept, window->thread, id, row, is_wanted) &&
            (kept_rows_keep(kept, id, row, error) != 0 || append(window, id, error) != 0))
            return -1;
    }
    return 0;
}

static int write_rows(struct row_window *window, uint64_t first_id, uint64_t end_id,
                      uint64_t whole_id, struct error *error)
{
    if (window->kept != NULL)
        return write_kept(window, first_id, end_id, whole_id, error);
    for (uint64_t id = first_id; id < end_id && window->part != NULL; id++) {
        id = append_run(window, id, end_id);
        if (id < end_id && append(window, id, error) != 0)
            return -1;
    }
    return 0;
}

static void count_written(const struct row_window *window, const struct row_batch *batch)
{
    __atomic_fetch_add(window->progress_calls, batch->end_id - batch->first_id, __ATOMIC_RELAXED);
}

#define ROWS_AT_ONCE 64u /* they are still in the first cache when they are written */

/* Both steps by one thread. */
static int finish_batch(struct row_window *window, const struct row_batch *batch,
                        struct error *error)
{
    if (add_ends(window, batch, error) != 0 || write_ends(window, batch, error) != 0)
        return -1;
    for (uint64_t id = batch->first_id, end; id < batch->end_id; id = end) {
        end = batch->end_id - id > ROWS_AT_ONCE ? id + ROWS_AT_ONCE : batch->end_id;
        if (row_sums_add(window, id, end, batch->end_id, error) != 0 ||
            write_rows(window, id, end, batch->whole_id, error) != 0)
            return -1;
    }
    count_written(window, batch);
    return 0;
}

static int add_batch(struct row_window *window, const struct row_batch *batch, struct error *error)
{
    return add_ends(window, batch, error) != 0
               ? -1
               : row_sums_add(window, batch->first_id, batch->end_id, batch->end_id, error);
}

static int write_batch(struct row_window *window, const struct row_batch *batch,
                       struct error *error)
{
    if (write_ends(window, batch, error) != 0 ||
        write_rows(window, batch->first_id, batch->end_id, batch->whole_id, error) != 0)
        return -1;
    count_written(window, batch);
    return 0;
}

/* ---- steps ---- */

static struct row_batch *batch_at(struct row_window *window, uint32_t number)
{
    return &window->batches[(window->batch_first + number) % BATCHES_MAX];
}

static bool has_step(const struct row_window *window, enum batch_step step)
{
    return window->done[step] < window->batches_count && !window->busy[step];
}

static bool has_work(const struct row_window *window)
{
    return has_step(window, BATCH_ADD) || has_step(window, BATCH_WRITE);
}

/* Frees what the rows of a batch hold that was not added up: their places are used again. */
static void drop_batch(const struct row_window *window, const struct row_batch *batch)
{
    for (size_t i = 0; i < batch->ends_count; i++) {
        free(batch->ends[i].row.off);
        batch->ends[i].row.off = NULL;
    }
    for (uint64_t id = batch->first_id; id < batch->end_id; id++) {
        struct row *row = row_window_row(window, id);
        free(row->off);
        row->off = NULL;
    }
}

/* Takes the next step of a window that has work. Releases the held lock meanwhile. */
static void take_step(struct row_window *window, enum batch_step wanted)
{
    struct helpers *helpers = window->helpers;
    enum batch_step step = has_step(window, wanted) ? wanted : BATCH_ADD + BATCH_WRITE - wanted;
    const struct row_batch *batch = batch_at(window, window->done[step]);
    struct error error = {.kind = ERROR_SYSTEM};
    bool failed = window->failed;
    window->busy[step] = true;
    pthread_mutex_unlock(&helpers->lock);
    if (!failed)
        failed = (step == BATCH_ADD ? add_batch(window, batch, &error)
                                    : write_batch(window, batch, &error)) != 0;
    if (failed && step == BATCH_ADD)
        drop_batch(window, batch);
    pthread_mutex_lock(&helpers->lock);
    window->busy[step] = false;
    must(window->done[step] < window->batches_count);
    window->done[step]++;
    if (failed && !window->failed)
        window->error = error;
    window->failed = window->failed || failed;
    while (window->done[BATCH_ADD] > 0 && window->done[BATCH_WRITE] > 0) {
        window->done[BATCH_ADD]--;
        window->done[BATCH_WRITE]--;
        window->batch_first = (window->batch_first + 1) % BATCHES_MAX;
        window->batches_count--;
    }
    helpers_tell(helpers);
}

void row_windows_help(struct helpers *helpers)
{
    pthread_mutex_lock(&helpers->lock);
    helpers->idle++;
    while (helpers->decoding > 0) {
        struct row_window *window = helpers->windows;
        if (helpers_run_errand(helpers))
            continue;
        while (window != NULL && !has_work(window))
            window = window->next;
        if (window != NULL)
            take_step(window, BATCH_ADD);
        else
            helpers_wait(helpers);
    }
    helpers->idle--;
    pthread_mutex_unlock(&helpers->lock);
}

/* Takes steps, or waits for helpers, until at most `left` batches are left. */
static void finish_down_to(struct row_window *window, uint32_t left)
{
    while (window->batches_count > left)
        if (has_work(window))
            take_step(window, BATCH_WRITE);
        else
            helpers_wait(window->helpers);
}

/* Queues the full batch if a helper is idle, else finishes it here. */
static int hand_over(struct row_window *window, struct error *error)
{
    struct helpers *helpers = window->helpers;
    pthread_mutex_lock(&helpers->lock);
    bool queued = helpers->idle > 0;
    finish_down_to(window, queued ? BATCHES_MAX - 1 : 0);
    bool failed = window->failed;
    if (queued) {
        must(window->batches_count < BATCHES_MAX);
        struct row_batch *last = batch_at(window, window->batches_count);
        struct row_batch empty = *last; /* its memory is used again */
        *last = window->filling;
        window->filling = empty;
        window->batches_count++;
        helpers_tell(helpers);
    }
    if (failed)
        *error = window->error;
    pthread_mutex_unlock(&helpers->lock);
    return failed || (!queued && finish_batch(window, &window->filling, error) != 0) ? -1 : 0;
}

/* ---- the window ---- */

_Static_assert(((BATCHES_MAX + 2) & (BATCHES_MAX + 1)) == 0, "the ring is a power of two");

int row_window_init(struct row_window *window, struct helpers *helpers, struct kept_rows *kept,
                    struct callee_history *history, struct call_picture *picture,
                    uint64_t *progress_calls, struct error *error)
{
    /* With helpers, the rows of queued batches stay in the ring. */
    uint64_t ring = WINDOW_ROWS + (helpers != NULL ? BATCHES_MAX * WINDOW_ROWS / 2 : 0);
    *window = (struct row_window){.mask = ring - 1,
                                  .progress_calls = progress_calls,
                                  .history = history,
                                  .picture = picture,
                                  .kept = kept,
                                  .helpers = helpers};
    window->rows = calloc(ring, sizeof *window->rows);
    if (window->rows == NULL)
        return error_set(error, "out of memory");
    window->rows_end = window->rows + ring;
    if (kept != NULL && kept_rows_begin(kept, ring, error) != 0)
        return -1;
    if (helpers != NULL) {
        pthread_mutex_lock(&helpers->lock);
        window->next = helpers->windows;
        helpers->windows = window;
        pthread_mutex_unlock(&helpers->lock);
    }
    return 0;
}

void row_window_stop(struct row_window *window)
{
    struct helpers *helpers = window->helpers;
    if (helpers == NULL)
        return;
    pthread_mutex_lock(&helpers->lock);
    while (window->busy[BATCH_ADD] || window->busy[BATCH_WRITE])
        helpers_wait(helpers);
    window->batches_count = window->done[BATCH_ADD] = window->done[BATCH_WRITE] = 0;
    pthread_mutex_unlock(&helpers->lock);
}

/* Of a failed load. */
static void release_batch(struct row_batch *batch)
{
    for (size_t i = 0; i < batch->ends_count; i++)
        free(batch->ends[i].row.off);
    free(batch->ends);
    free(batch->counted);
}

void row_window_release(struct row_window *window)
{
    for (uint32_t i = 0; i < BATCHES_MAX; i++)
        release_batch(&window->batches[i]);
    release_batch(&window->filling);
    for (uint64_t i = 0; window->rows != NULL && i <= window->mask; i++)
        free(window->rows[i].off);
    free(window->open.items);
    free(window->rows);
    *window = (struct row_window){.rows = NULL};
}

void row_window_begin(struct row_window *window, uint32_t thread, uint32_t threads_begun,
                      uint64_t first_id, struct btree_part *part)
{
    window->thread = thread;
    window->threads_begun = threads_begun;
    window->start_id = window->next_id = first_id;
    window->part = part;
    window->open.count = 0;
    callee_history_clear(window->history);
}

struct row_end *row_window_end(struct row_window *window, struct error *error)
{
    struct row_batch *batch = &window->filling;
    if (array_reserve(&batch->ends, &batch->ends_capacity, batch->ends_count + 1, error) != 0)
        return NULL;
    struct row_end *end = &batch->ends[batch->ends_count++];
    end->row.off = NULL;
    return end;
}

int row_window_counted(struct row_window *window, const struct counted_calls *calls,
                       struct error *error)
{
    struct row_batch *batch = &window->filling;
    if (array_reserve(&batch->counted, &batch->counted_capacity, batch->counted_count + 1, error) !=
        0)
        return -1;
    batch->counted[batch->counted_count++] = *calls;
    return 0;
}

bool row_window_want(struct row_window *window, uint64_t id)
{
    unsigned char *wanted = &window->kept->wanted[id & window->mask];
    if (id < window->start_id || *wanted != 0)
        return false;
    *wanted = 1;
    return true;
}

/* whole_id: from it on all rows are written. */
static int flush(struct row_window *window, uint64_t kept, uint64_t whole_id, struct error *error)
{
    uint64_t waiting = window->next_id - window->start_id;
    must(window->next_id >= window->start_id && waiting <= WINDOW_ROWS);
    struct row_batch *batch = &window->filling;
    batch->first_id = window->start_id;
    batch->end_id = window->start_id + (waiting > kept ? waiting - kept : 0);
    batch->whole_id = whole_id;
    window->start_id = batch->end_id;
    int result =
        window->helpers != NULL ? hand_over(window, error) : finish_batch(window, batch, error);
    batch->ends_count = batch->counted_count = 0;
    return result;
}

int row_window_flush(struct row_window *window, uint64_t kept, struct error *error)
{
    return flush(window, kept, UINT64_MAX, error);
}

int row_window_finish(struct row_window *window, struct error *error)
{
    uint64_t whole_id =
        window->next_id > KEPT_AT_THREADS_END ? window->next_id - KEPT_AT_THREADS_END : 0;
    bool failed = flush(window, 0, whole_id, error) != 0;
    if (!failed && window->helpers != NULL) {
        pthread_mutex_lock(&window->helpers->lock);
        finish_down_to(window, 0);
        failed = window->failed;
        if (failed)
            *error = window->error;
        pthread_mutex_unlock(&window->helpers->lock);
    }
    return failed ? -1 : callee_history_finish(window->history, error);
}
