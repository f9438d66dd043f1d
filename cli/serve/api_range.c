/*
 * What ran in a range of time: its calls by context, for a flame graph of the range, and by
 * function.
 *
 * A call that lies within the range spent there what its row says. One that was open at the range's
 * begin or end spent there its part of the range less that of its direct callees: such calls form a
 * stack, as calls nest, and each row that goes by takes its part from the innermost one if that is
 * its caller. Waits count by as much of them as lies in the range.
 */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"
#include "cli/serve/by_time.h"
#include "cli/serve/function_names.h"

#include "base/array.h"
#include "base/intern.h"
#include "cli/run/run_view.h"

#include <stdlib.h>

/* api_range.sql */
extern const char api_range_sql_threads[], api_range_sql_around[], api_range_sql_rows[],
    api_range_sql_gaps[], api_range_sql_blocks_ends[], api_range_sql_blocks[],
    api_range_sql_frame[];

enum {
    CALLS_MAX = 10000000, /* some seconds */
    FRAMES_MAX = 5000,    /* answered, with their callers */
    FRAMES_WITH_CALLERS_MAX = 100000
};

/* What a context did in the range. */
struct context {
    int64_t calls, self_ns, wait_ns, preempted_ns, blocks, bytes;
    int64_t parent_id, function_id;
};

/* A call that was open at an end of the range. */
struct open_call {
    int64_t id, last_id;
    uint32_t context;
};

struct range {
    struct quick *quick;
    struct {
        sqlite3_stmt *at, *around, *rows, *gaps;
    } ask;
    int64_t from_ns, to_ns, thread;
    int64_t entered;
    struct intern frames;     /* indexes of contexts */
    struct context *contexts; /* owned */
    size_t contexts_capacity;
    struct open_call *open; /* owned */
    size_t open_count, open_capacity;
    struct intern functions; /* indexes of sums */
    struct context *sums;    /* by function; owned */
    size_t sums_capacity;
    bool short_of_memory;
};

static int64_t overlap(const struct range *range, int64_t start_ns, int64_t length_ns)
{
    int64_t start = run_within(start_ns, range->from_ns, range->to_ns);
    int64_t end = run_within(start_ns + length_ns, range->from_ns, range->to_ns);
    return end - start;
}

/* The item of the key in the table; NULL: no memory. Its address changes with the next one. */
static struct context *item_of(struct range *range, struct intern *keys, struct context **items,
                               size_t *capacity, int64_t key)
{
    uint32_t index;
    if (intern_add(keys, (uint64_t)key, 0, &index, NULL) != 0 ||
        array_reach(items, capacity, index, NULL) != 0) {
        range->short_of_memory = true;
        return NULL;
    }
    return &(*items)[index];
}

static struct context *context_of(struct range *range, int64_t frame_id)
{
    return item_of(range, &range->frames, &range->contexts, &range->contexts_capacity, frame_id);
}

/* ---- calls ---- */

/* Notes one that goes on beyond an end of the range. */
static void open_call(struct range *range, int64_t id, int64_t descendants, uint32_t context)
{
    int64_t last_id = id;
    run_add(&last_id, descendants);
    if (array_add(&range->open, &range->open_count, &range->open_capacity,
                  ((struct open_call){id, last_id, context}), NULL) != 0)
        range->short_of_memory = true;
}

/* A row of calls; they come in the order of their ids. */
static void take_call(struct range *range, sqlite3_stmt *row, bool entered)
{
    int64_t id = sqlite3_column_int64(row, 0), parent_id = sqlite3_column_int64(row, 1);
    int64_t enter_ns = run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX);
    int64_t duration_ns = run_within(sqlite3_column_int64(row, 4), 0, RUN_NS_MAX);
    bool within = enter_ns >= range->from_ns && enter_ns + duration_ns <= range->to_ns;
    int64_t here_ns = overlap(range, enter_ns, duration_ns);
    struct context *context = context_of(range, sqlite3_column_int64(row, 2));
    if (context == NULL)
        return;
    uint32_t index = (uint32_t)(context - range->contexts);
    context->calls += entered;
    if (within)
        run_add(&context->self_ns,
                duration_ns - run_within(sqlite3_column_int64(row, 5), 0, RUN_NS_MAX));
    else
        run_add(&context->self_ns, here_ns);
    while (range->open_count > 0 && range->open[range->open_count - 1].last_id < id)
        range->open_count--;
    const struct open_call *around =
        range->open_count > 0 ? &range->open[range->open_count - 1] : NULL;
    if (around != NULL && around->id == parent_id)
        run_add(&range->contexts[around->context].self_ns, -here_ns);
    if (!within)
        open_call(range, id, run_within(sqlite3_column_int64(row, 6), 0, RUN_CALL_ID_MAX), index);
}

static void take_gaps(struct range *range, int64_t first, int64_t last)
{
    sqlite3_stmt *gaps = range->ask.gaps;
    sqlite3_bind_int64(gaps, 1, first);
    sqlite3_bind_int64(gaps, 2, last);
    sqlite3_bind_int64(gaps, 3, range->from_ns);
    sqlite3_bind_int64(gaps, 4, range->to_ns);
    while (quick_row(range->quick, gaps)) {
        int64_t start_ns = run_within(sqlite3_column_int64(gaps, 1), 0, RUN_NS_MAX);
        int64_t wall_ns = run_within(sqlite3_column_int64(gaps, 2), 0, RUN_NS_MAX);
        double part = wall_ns > 0 ? (double)overlap(range, start_ns, wall_ns) / (double)wall_ns : 0;
        struct context *context = context_of(range, sqlite3_column_int64(gaps, 0));
        if (context == NULL)
            break;
        int64_t wait_ns = run_within(sqlite3_column_int64(gaps, 3), 0, RUN_NS_MAX);
        int64_t preempted_ns = run_within(sqlite3_column_int64(gaps, 4), 0, RUN_NS_MAX);
        run_add(&context->wait_ns, (int64_t)((double)wait_ns * part));
        run_add(&context->preempted_ns, (int64_t)((double)preempted_ns * part));
    }
    sqlite3_reset(gaps);
}

/* The calls of a thread, its first and its last of the range. */
static void take_thread(struct range *range, int64_t first_of_thread, int64_t first, int64_t last)
{
    sqlite3_stmt *around = range->ask.around, *rows = range->ask.rows;
    range->open_count = 0;
    sqlite3_bind_int64(around, 1, first - 1);
    sqlite3_bind_int64(around, 2, first_of_thread);
    sqlite3_bind_int64(around, 3, range->from_ns);
    while (!range->short_of_memory && quick_row(range->quick, around)) {
        take_call(range, around, false);
        take_gaps(range, sqlite3_column_int64(around, 0), sqlite3_column_int64(around, 0));
    }
    sqlite3_reset(around);
    sqlite3_bind_int64(rows, 1, first);
    sqlite3_bind_int64(rows, 2, last);
    while (!range->short_of_memory && quick_row(range->quick, rows))
        take_call(range, rows, true);
    sqlite3_reset(rows);
    take_gaps(range, first, last);
}

/* Counts the calls of the threads, or takes them. */
static void go_through(struct range *range, bool take)
{
    sqlite3_stmt *threads = quick_prepare(range->quick, api_range_sql_threads);
    if (threads != NULL)
        sqlite3_bind_int64(threads, 1, range->thread);
    while (quick_goes_on(range->quick) && quick_row(range->quick, threads)) {
        int64_t least = run_call_id(threads, 1), most = run_call_id(threads, 2);
        int64_t first = by_time_first(range->quick, range->ask.at, least, most, range->from_ns);
        int64_t last =
            by_time_first(range->quick, range->ask.at, least, most, range->to_ns + 1) - 1;
        if (take)
            take_thread(range, least, first, last);
        else if (last >= first)
            run_add(&range->entered, last - first + 1);
    }
    sqlite3_finalize(threads);
}

static void prepare(struct range *range)
{
    range->ask.at = by_time_calls(range->quick);
    range->ask.around = quick_prepare(range->quick, api_range_sql_around);
    range->ask.rows = quick_prepare(range->quick, api_range_sql_rows);
    range->ask.gaps = quick_prepare(range->quick, api_range_sql_gaps);
}

static void release(struct range *range)
{
    sqlite3_finalize(range->ask.at);
    sqlite3_finalize(range->ask.around);
    sqlite3_finalize(range->ask.rows);
    sqlite3_finalize(range->ask.gaps);
    intern_release(&range->frames);
    intern_release(&range->functions);
    free(range->contexts);
    free(range->open);
    free(range->sums);
}

/* ---- blocks ---- */

static void take_blocks(struct range *range)
{
    sqlite3_stmt *ends = quick_prepare(range->quick, api_range_sql_blocks_ends);
    sqlite3_stmt *at = by_time_blocks(range->quick);
    sqlite3_stmt *blocks = quick_prepare(range->quick, api_range_sql_blocks);
    if (range->quick->problem == NULL && quick_row(range->quick, ends)) {
        int64_t least = run_call_id(ends, 0), most = run_call_id(ends, 1);
        sqlite3_bind_int64(blocks, 1, by_time_first(range->quick, at, least, most, range->from_ns));
        sqlite3_bind_int64(blocks, 2,
                           by_time_first(range->quick, at, least, most, range->to_ns + 1) - 1);
        sqlite3_bind_int64(blocks, 3, range->thread);
        while (quick_row(range->quick, blocks)) {
            struct context *context = context_of(range, sqlite3_column_int64(blocks, 0));
            if (context == NULL)
                break;
            run_add(&context->blocks, sqlite3_column_int64(blocks, 1));
            run_add(&context->bytes, sqlite3_column_int64(blocks, 2));
        }
    }
    sqlite3_finalize(ends);
    sqlite3_finalize(at);
    sqlite3_finalize(blocks);
}

/* ---- contexts and functions ---- */

/* Reads what the context is; false: the database has no such row. */
static bool look_up(struct range *range, sqlite3_stmt *frame, uint32_t index)
{
    sqlite3_bind_int64(frame, 1, (int64_t)range->frames.keys[index].a);
    bool found = quick_row(range->quick, frame);
    if (found) {
        range->contexts[index].parent_id = sqlite3_column_int64(frame, 0);
        range->contexts[index].function_id = sqlite3_column_int64(frame, 1);
    }
    sqlite3_reset(frame);
    return found;
}

static void add_to_function(struct range *range, const struct context *context)
{
    struct context *sum = item_of(range, &range->functions, &range->sums, &range->sums_capacity,
                                  context->function_id);
    if (sum == NULL)
        return;
    run_add(&sum->calls, context->calls);
    run_add(&sum->self_ns, context->self_ns);
    run_add(&sum->wait_ns, context->wait_ns);
    run_add(&sum->preempted_ns, context->preempted_ns);
    run_add(&sum->blocks, context->blocks);
    run_add(&sum->bytes, context->bytes);
}

/* Finds each context's function, and its callers up to the outermost one. */
static void complete(struct range *range)
{
    sqlite3_stmt *frame = quick_prepare(range->quick, api_range_sql_frame);
    uint32_t count = range->frames.count;
    for (uint32_t i = 0; range->quick->problem == NULL && i < range->frames.count; i++) {
        if (!look_up(range, frame, i))
            continue;
        int64_t id = (int64_t)range->frames.keys[i].a, parent_id = range->contexts[i].parent_id;
        const struct context copy = range->contexts[i];
        if (i < count)
            add_to_function(range, &copy);
        /* parents have smaller ids; of a damaged database we follow no others */
        if (parent_id > 0 && parent_id < id &&
            range->frames.count < FRAMES_WITH_CALLERS_MAX + count)
            context_of(range, parent_id);
        if (range->short_of_memory)
            break;
    }
    sqlite3_finalize(frame);
}

/* ---- the answer ---- */

static void write_number(struct json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_integer(json, value);
}

static void write_functions(struct range *range)
{
    struct json *json = &range->quick->answer.json;
    json_key(json, "functions");
    json_open(json, '[');
    for (uint32_t i = 0; i < range->functions.count; i++) {
        const struct context *sum = &range->sums[i];
        json_open(json, '{');
        write_number(json, "function_id", (int64_t)range->functions.keys[i].a);
        write_number(json, "calls", sum->calls);
        write_number(json, "self_ns", sum->self_ns);
        write_number(json, "wait_ns", sum->wait_ns);
        write_number(json, "preempted_ns", sum->preempted_ns);
        write_number(json, "blocks", sum->blocks);
        write_number(json, "bytes", sum->bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static _Thread_local const struct range *sorted; /* qsort gives no context */

static int by_self(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int64_t a_ns = sorted->contexts[a].self_ns, b_ns = sorted->contexts[b].self_ns;
    return a_ns != b_ns ? (a_ns < b_ns) - (a_ns > b_ns) : (a > b) - (a < b);
}

/* Marks in `kept` the contexts with most time, and all their callers. Returns how many others did
 * something. */
static int64_t choose(struct range *range, const uint32_t *order, bool *kept)
{
    int64_t left_out = 0;
    for (uint32_t i = 0; i < range->frames.count; i++) {
        const struct context *one = &range->contexts[order[i]];
        if (i >= FRAMES_MAX) {
            left_out += !kept[order[i]] && (one->calls > 0 || one->self_ns > 0);
            continue;
        }
        for (uint32_t at = order[i]; at != INTERN_NONE && !kept[at];) {
            kept[at] = true;
            int64_t parent_id = range->contexts[at].parent_id;
            bool sound = parent_id > 0 && parent_id < (int64_t)range->frames.keys[at].a;
            at = sound ? intern_find(&range->frames, (uint64_t)parent_id, 0) : INTERN_NONE;
        }
    }
    return left_out;
}

static void write_frames(struct range *range)
{
    struct json *json = &range->quick->answer.json;
    size_t count = range->frames.count;
    uint32_t *order = calloc(count + 1, sizeof *order);
    bool *kept = calloc(count + 1, sizeof *kept);
    int64_t left_out = 0;
    if (order == NULL || kept == NULL) {
        range->short_of_memory = true;
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sorted = range;
    array_sort(order, count, by_self);
    if (count > 0)
        left_out = choose(range, order, kept);
    json_key(json, "frames");
    json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct context *one = &range->contexts[i];
        if (!kept[i] || one->function_id == 0)
            continue;
        const int64_t columns[] = {(int64_t)range->frames.keys[i].a,
                                   one->parent_id,
                                   one->function_id,
                                   one->calls,
                                   one->self_ns,
                                   one->wait_ns,
                                   one->preempted_ns,
                                   one->blocks,
                                   one->bytes};
        json_open(json, '[');
        for (size_t column = 0; column < sizeof columns / sizeof columns[0]; column++)
            json_integer(json, columns[column]);
        json_close(json, ']');
        item_of(range, &range->functions, &range->sums, &range->sums_capacity, one->function_id);
    }
    json_close(json, ']');
    write_number(json, "left_out", left_out);
    free(order);
    free(kept);
}

static void write_range(struct range *range)
{
    struct json *json = &range->quick->answer.json;
    json_open(json, '{');
    write_number(json, "entered", range->entered);
    if (range->entered > CALLS_MAX) {
        json_key(json, "functions");
        json_null(json);
        json_key(json, "frames");
        json_null(json);
    } else if (range->quick->problem == NULL) {
        write_functions(range);
        write_frames(range);
        function_names_write(range->quick, "names", &range->functions);
    }
    json_close(json, '}');
}

enum MHD_Result api_range(struct request *request)
{
    struct quick quick;
    struct range range = {.quick = &quick};
    if (!request_integer(request, "from", 0, RUN_NS_MAX, 0, &range.from_ns) ||
        !request_integer(request, "to", 0, RUN_NS_MAX, 0, &range.to_ns) ||
        !request_integer(request, "thread", 1, INT64_MAX, 0, &range.thread))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "from, to, thread: want numbers");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    if (range.to_ns < range.from_ns)
        range.to_ns = range.from_ns;
    prepare(&range);
    go_through(&range, false);
    if (quick.problem == NULL && range.entered <= CALLS_MAX) {
        go_through(&range, true);
        take_blocks(&range);
        complete(&range);
    }
    write_range(&range);
    if (range.short_of_memory)
        quick.problem = "out of memory";
    release(&range);
    return quick_end(&quick);
}
#else
extern const int api_range_is_not_built_in; /* ISO C forbids an empty file */
#endif
