/* What the exports share: see export.h. */
#include "base/utf8.h"
#include "cli/run/database.h"
#include "cli/export/export.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/out/json.h"
#include "cli/out/text.h"

#include <stdlib.h>
#include <string.h>

/* export.sql */
extern const char export_sql_faults[], export_sql_recording[], export_sql_memory[],
    export_sql_allocs[], export_sql_gaps[];

bool export_has_thread(const struct export *export, const struct run_thread *thread)
{
    return thread->first_call != 0 && call_cut_has_thread(export->cut, thread);
}

/* Begins to read a thread's rows within the cut. Returns 0, or 2 after saying that `what` cannot be
 * read. */
static int rows_begin(const struct export *export, const char *sql, const char *what,
                      int64_t thread_id, sqlite3_stmt **row)
{
    if (sqlite3_prepare_v2(export->view->database, sql, -1, row, NULL) != SQLITE_OK)
        return fail("%s cannot be read: %s", what, sqlite3_errmsg(export->view->database));
    sqlite3_bind_int64(*row, 1, thread_id);
    sqlite3_bind_int64(*row, 2, export->cut->since_ns);
    sqlite3_bind_int64(*row, 3, export->cut->until_ns);
    return 0;
}

int export_faults_begin(const struct export *export, const struct run_thread *thread,
                        sqlite3_stmt **row)
{
    return rows_begin(export, export_sql_faults, "the faults", thread->id, row);
}

int export_memory_begin(const struct export *export, sqlite3_stmt **row)
{
    return rows_begin(export, export_sql_memory, "the live memory", 0, row);
}

/* ---- walking ---- */

static const char gaps_name[] = "the recording's gaps";

struct walk {
    const struct export *export;
    const struct export_sink *sink;
    struct shown_call *stack;
    size_t count, capacity;
    sqlite3_stmt *gaps; /* at the next one, if there are more */
    bool more_gaps;
};

static int leave(struct walk *walk)
{
    const struct shown_call *call = &walk->stack[--walk->count];
    if (walk->count > 0)
        run_add(&walk->stack[walk->count - 1].recording_ns, call->recording_ns);
    return walk->sink->leave(walk->sink->context, call);
}

/* Leaves the calls that do not contain call `id`. */
static int leave_others(struct walk *walk, int64_t id)
{
    int status = 0;
    while (status == 0 && walk->count > 0) {
        const struct shown_call *top = &walk->stack[walk->count - 1];
        if (top->id <= id && id <= top->id + top->descendants)
            break;
        status = leave(walk);
    }
    return status;
}

static int next_gap(struct walk *walk)
{
    int result = sqlite3_step(walk->gaps);
    walk->more_gaps = result == SQLITE_ROW;
    if (result == SQLITE_ROW || result == SQLITE_DONE)
        return 0;
    result = database_rows_end(walk->gaps, gaps_name);
    walk->gaps = NULL;
    return result;
}

/* A hostile database may have any row: the gap lies in its call and in the piece, or is none. */
static int show_gap(struct walk *walk)
{
    struct shown_call *call = &walk->stack[walk->count - 1];
    int64_t start_ns = run_within(sqlite3_column_int64(walk->gaps, 1), 0, RUN_NS_MAX);
    int64_t end_ns = start_ns + run_within(sqlite3_column_int64(walk->gaps, 2), 0, RUN_NS_MAX);
    start_ns = run_within(start_ns, call->enter_ns, call->exit_ns);
    end_ns = run_within(end_ns, start_ns, call->exit_ns);
    run_add(&call->recording_ns, end_ns - start_ns);
    return walk->sink->gap != NULL && end_ns > start_ns
               ? walk->sink->gap(walk->sink->context, start_ns, end_ns)
               : 0;
}

/* Shows the gaps that begin before `until_ns`. */
static int show_gaps(struct walk *walk, int64_t until_ns)
{
    int status = 0;
    while (status == 0 && walk->more_gaps && sqlite3_column_int64(walk->gaps, 1) < until_ns) {
        status = leave_others(walk, sqlite3_column_int64(walk->gaps, 0));
        if (status == 0 && walk->count > 0)
            status = show_gap(walk);
        if (status == 0)
            status = next_gap(walk);
    }
    return status;
}

static int enter(struct walk *walk, const struct shown_call *call)
{
    int status = show_gaps(walk, call->began_ns);
    if (status == 0)
        status = leave_others(walk, call->id);
    if (status != 0)
        return status;
    if (array_reserve(&walk->stack, &walk->capacity, walk->count + 1, NULL) != 0)
        return fail("out of memory");
    walk->stack[walk->count] = *call;
    walk->stack[walk->count++].recording_ns = 0;
    return walk->sink->enter(walk->sink->context, call);
}

int export_walk(const struct export *export, const struct run_thread *thread,
                const struct export_sink *sink)
{
    struct call_cursor cursor;
    struct shown_call call;
    struct walk walk = {.export = export, .sink = sink};
    int got = 0;
    int status = call_cursor_open(&cursor, export->view, thread, export->cut, export->wanted);
    if (status == 0)
        status = rows_begin(export, export_sql_recording, gaps_name, thread->id, &walk.gaps);
    if (status == 0)
        status = next_gap(&walk);
    while (status == 0 && (got = call_cursor_next(&cursor, &call)) == 1) {
        status = enter(&walk, &call);
        if (ferror(export->out))
            break; /* the caller sees it */
    }
    if (status == 0)
        status = got < 0 ? 2 : show_gaps(&walk, INT64_MAX);
    while (status == 0 && walk.count > 0)
        status = leave(&walk);
    call_cursor_close(&cursor);
    sqlite3_finalize(walk.gaps);
    free(walk.stack);
    return status;
}

int64_t export_time_ns(const struct shown_call *call)
{
    int64_t time_ns = call->exit_ns - call->enter_ns;
    return time_ns > call->recording_ns ? time_ns - call->recording_ns : 0;
}

int64_t export_paused_ns(const struct export *export, const struct call_pauses *pauses,
                         const struct shown_call *call)
{
    return call_pauses_within(pauses, call->id, call->id + call->descendants,
                              call->began_ns + call->duration_ns, export->cut->since_ns,
                              export->cut->until_ns);
}

/* ---- sums over frames ---- */

struct frame_sums {
    const struct export *export;
    struct export_frames *frames;
    struct call_pauses pauses;
    int64_t *children_ns; /* of the open calls, by depth */
    size_t capacity;
};

static int sum_enter(void *context, const struct shown_call *call)
{
    struct frame_sums *sums = context;
    size_t needed = (size_t)call->depth + 2;
    if (array_reserve(&sums->children_ns, &sums->capacity, needed, NULL) != 0)
        return fail("out of memory");
    /* The room is there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    sums->children_ns[call->depth + 1] = 0;
    sums->frames->calls[call->frame]++;
    return 0;
}

static int sum_leave(void *context, const struct shown_call *call)
{
    struct frame_sums *sums = context;
    int64_t time_ns = export_time_ns(call);
    run_add(&sums->frames->self_ns[call->frame],
            time_ns - sums->children_ns[call->depth + 1] -
                export_paused_ns(sums->export, &sums->pauses, call));
    if (call->depth > 0)
        run_add(&sums->children_ns[call->depth], time_ns);
    return 0;
}

/* Adds up by context what a statement gives of each thread within the piece. Its parameters: ?1 is
 * the thread, ?2 and ?3 are the instants; its first column is the context. Other cuts leave out
 * single calls, and a context's sum cannot be divided without reading its calls: so with those cuts
 * a context counts if it is there. */
static int sum_rows(const struct export *export, struct export_frames *frames, const char *sql,
                    const char *what,
                    void (*add)(const struct export *export, struct export_frames *frames,
                                int64_t frame, sqlite3_stmt *row))
{
    sqlite3_stmt *row = NULL;
    int status = rows_begin(export, sql, what, 0, &row);
    if (status != 0)
        return status;
    for (size_t i = 0; i < export->view->threads_count; i++) {
        const struct run_thread *thread = &export->view->threads[i];
        if (!export_has_thread(export, thread))
            continue;
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 1, thread->id);
        while (sqlite3_step(row) == SQLITE_ROW) {
            int64_t frame = sqlite3_column_int64(row, 0);
            if (frame > 0 && (size_t)frame < export->view->frames_count && frames->calls[frame] > 0)
                add(export, frames, frame, row);
        }
        if (sqlite3_reset(row) != SQLITE_OK) { /* sqlite3_finalize() would not tell any more */
            database_failed(export->view->database);
            status = 2;
            break;
        }
    }
    int ended = database_rows_end(row, what);
    return status != 0 ? status : ended;
}

static void add_bytes(const struct export *export, struct export_frames *frames, int64_t frame,
                      sqlite3_stmt *row)
{
    (void)export;
    run_add(&frames->bytes[frame], sqlite3_column_int64(row, 1));
}

static void add_gaps(const struct export *export, struct export_frames *frames, int64_t frame,
                     sqlite3_stmt *row)
{
    int64_t *self = &frames->self_ns[frame];
    int64_t wait = run_within(sqlite3_column_int64(row, 1), 0, RUN_NS_MAX);
    int64_t off = wait + run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX);
    if (export->measure == MEASURE_WAIT)
        run_add(self, wait);
    else
        *self = *self > off ? *self - off : 0;
}

/* Sums the bytes allocated in the piece, by the instant of the allocation, and the time waited or
 * off the processor, by the start of the gap. */
static int sum_piece(const struct export *export, struct export_frames *frames)
{
    int status = sum_rows(export, frames, export_sql_allocs, "the allocations", add_bytes);
    if (status != 0 || export->measure == MEASURE_WALL)
        return status;
    for (size_t id = 1; export->measure == MEASURE_WAIT && id < export->view->frames_count; id++)
        frames->self_ns[id] = 0;
    return sum_rows(export, frames, export_sql_gaps, "the gaps", add_gaps);
}

int export_frames_read(const struct export *export, struct export_frames *frames)
{
    const struct run_view *view = export->view;
    size_t count = view->frames_count + 1;
    frames->calls = calloc(count, sizeof *frames->calls);
    frames->self_ns = calloc(count, sizeof *frames->self_ns);
    frames->bytes = calloc(count, sizeof *frames->bytes);
    if (frames->calls == NULL || frames->self_ns == NULL || frames->bytes == NULL)
        return fail("out of memory");
    for (size_t id = 1; !call_cut_any(export->cut) && id < view->frames_count; id++) {
        frames->calls[id] = view->frames[id].calls;
        frames->self_ns[id] = view->frames[id].self_ns;
        frames->bytes[id] = view->frames[id].alloc_bytes;
    }
    if (!call_cut_any(export->cut))
        return 0;
    struct frame_sums sums = {.export = export, .frames = frames};
    const struct export_sink sink = {sum_enter, sum_leave, NULL, &sums};
    int status = call_pauses_open(&sums.pauses, view->database);
    for (size_t i = 0; status == 0 && i < view->threads_count; i++)
        if (export_has_thread(export, &view->threads[i]))
            status = export_walk(export, &view->threads[i], &sink);
    call_pauses_close(&sums.pauses);
    free(sums.children_ns);
    return status != 0 ? status : sum_piece(export, frames);
}

void export_frames_release(struct export_frames *frames)
{
    free(frames->calls);
    free(frames->self_ns);
    free(frames->bytes);
}

/* ---- text ---- */

void export_json_text(FILE *out, const char *text)
{
    json_string(out, text, strlen(text));
}

void export_plain_text(FILE *out, const char *text, const char *others, char instead)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        int length = utf8_length(at);
        uint32_t character = length > 0 ? utf8_character(at, length) : 0;
        if (length > 1 && text_is_hidden(character))
            fprintf(out, "(U+%04X)", character);
        else if (length > 1)
            fwrite(at, 1, (size_t)length, out);
        else
            fputc(length == 0 || text_is_hidden(character) || strchr(others, *at) != NULL ? instead
                                                                                          : *at,
                  out);
        at += length == 0 ? 1 : length;
    }
}
