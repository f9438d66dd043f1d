/* The calls of a thread one after another: see call_cursor.h. */
#include "cli/run/call_cursor.h"

#include "base/array.h"
#include "cli/out/amount.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIP_MIN 200 /* rows; we step over fewer, and seek past more */

/* The last id within a call; the call's own if it has no row. */
static int64_t last_within(const struct run_view *view, int64_t id, int64_t last_id)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT descendants FROM calls WHERE id = %lld", (long long)id);
    return id + run_within(run_integer(view->database, sql, 0), 0, last_id - id);
}

int call_cursor_open(struct call_cursor *cursor, const struct run_view *view,
                     const struct run_thread *thread, const struct call_cut *cut,
                     const bool *wanted)
{
    *cursor = (struct call_cursor){.view = view, .thread = thread, .cut = cut, .wanted = wanted};
    cursor->skip_to = cut->within > 0 ? cut->within : thread->first_call;
    cursor->last_id = thread->first_call == 0 ? -1 : thread->last_call;
    if (cut->within > 0)
        cursor->last_id = last_within(view, cut->within, cursor->last_id);
    if (cut->call > 0 && cut->call <= cursor->last_id)
        cursor->last_id = last_within(view, cut->call, cursor->last_id);
    if (database_rows(view->database,
                      "SELECT id, frame_id, enter_ns, duration_ns, descendants, ended FROM calls"
                      " WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                      "the calls", &cursor->statement) != 0)
        return 2;
    sqlite3_bind_int64(cursor->statement, 1, cursor->skip_to);
    sqlite3_bind_int64(cursor->statement, 2, cursor->last_id);
    return 0;
}

void call_cursor_close(struct call_cursor *cursor)
{
    sqlite3_finalize(cursor->statement);
    free(cursor->open_until);
}

/* Leaves out the call at `id` with all within it. */
static void skip(struct call_cursor *cursor, int64_t id, int64_t descendants)
{
    cursor->skip_to = id + descendants + 1;
    if (descendants < SKIP_MIN)
        return;
    sqlite3_reset(cursor->statement);
    sqlite3_bind_int64(cursor->statement, 1, cursor->skip_to);
}

static int push(struct call_cursor *cursor, int64_t last_id)
{
    if (array_reserve(&cursor->open_until, &cursor->open_capacity, cursor->open_count + 1, NULL) !=
        0)
        return -1;
    cursor->open_until[cursor->open_count++] = last_id;
    return 0;
}

/* Reads a row, and skips calls that are not to be shown and have none within them. Returns whether
 * to show the call. The database may hold anything: a call is kept within the one around it by its
 * id, and within the possible times. */
static bool choose(struct call_cursor *cursor, struct shown_call *call, bool *end)
{
    const struct call_cut *cut = cursor->cut;
    sqlite3_stmt *row = cursor->statement;
    int64_t id = sqlite3_column_int64(row, 0), frame = sqlite3_column_int64(row, 1);
    int64_t last = cursor->thread->last_call;
    *call = (struct shown_call){.id = id, .frame = (uint32_t)frame};
    call->enter_ns = run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX);
    call->duration_ns = run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX - call->enter_ns);
    call->untimed = sqlite3_column_type(row, 3) == SQLITE_NULL;
    call->ended = sqlite3_column_int(row, 5);
    if (id < cursor->skip_to)
        return false;
    while (cursor->open_count > 0 && cursor->open_until[cursor->open_count - 1] < id)
        cursor->open_count--;
    if (cursor->open_count > 0)
        last = cursor->open_until[cursor->open_count - 1];
    call->descendants = run_within(sqlite3_column_int64(row, 4), 0, last - id);
    call->exit_ns = call->enter_ns + call->duration_ns;
    if (call->enter_ns >= cut->until_ns) {
        *end = true; /* later calls begin later still */
        return false;
    }
    bool known = frame > 0 && (size_t)frame < cursor->view->frames_count &&
                 cursor->view->frames[frame].function != 0;
    bool inside = cursor->open_count > 0 || cursor->wanted == NULL ||
                  (known && cursor->wanted[cursor->view->frames[frame].function]);
    bool deep = cut->depth_max > 0 && (int64_t)cursor->open_count >= cut->depth_max;
    bool aside = cut->call > 0 && id < cut->call && id + call->descendants < cut->call;
    if (call->untimed && known && (cut->timed || cut->min_duration_ns > 0))
        return false; /* calls within it may have times */
    if (!known || aside || call->duration_ns < cut->min_duration_ns ||
        (cut->since_ns > 0 && call->exit_ns <= cut->since_ns) || (inside && deep)) {
        skip(cursor, id, call->descendants);
        return false;
    }
    if (cut->call > 0 && id > cut->call)
        skip(cursor, id, call->descendants);
    return inside;
}

int call_cursor_next(struct call_cursor *cursor, struct shown_call *call)
{
    int result;
    bool end = false;
    while (!end && (result = sqlite3_step(cursor->statement)) == SQLITE_ROW) {
        if (!choose(cursor, call, &end))
            continue;
        call->depth = (uint32_t)cursor->open_count;
        call->began_ns = call->enter_ns;
        if (call->enter_ns < cursor->cut->since_ns)
            call->enter_ns = cursor->cut->since_ns;
        if (call->exit_ns > cursor->cut->until_ns)
            call->exit_ns = cursor->cut->until_ns;
        if (push(cursor, call->id + call->descendants) == 0)
            return 1;
        fail("out of memory");
        return -1;
    }
    if (end || result == SQLITE_DONE)
        return 0;
    fail("the calls cannot be read: %s", sqlite3_errmsg(cursor->view->database));
    return -1;
}

int call_cut_functions(const struct call_cut *cut, const char *option, const struct run_view *view,
                       bool **wanted)
{
    *wanted = NULL;
    if (cut->function == NULL)
        return 0;
    bool any = false;
    *wanted = calloc(view->functions_count + 1, sizeof **wanted);
    const char **names = calloc(view->functions_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; *wanted != NULL && names != NULL && i < view->functions_count; i++) {
        const char *name = view->functions[i].name;
        if (name == NULL)
            continue;
        names[count++] = name;
        (*wanted)[i] = run_function_is(&view->functions[i], cut->function);
        any |= (*wanted)[i];
    }
    if (any) {
        free(names);
        return 0;
    }
    char words[512];
    snprintf(words, sizeof words, "%s %.400s: there is no such function", option, cut->function);
    if (names == NULL || nearest_name(cut->function, names, count) == NULL) {
        free(names);
        return fail("%s; `fisql query call-counts` lists those that were called", words);
    }
    fail_nearest(words, cut->function, names, names != NULL ? count : 0);
    free(names);
    return 2;
}

bool call_cut_has_thread(const struct call_cut *cut, const struct run_thread *thread)
{
    char tid[24];
    snprintf(tid, sizeof tid, "%lld", (long long)thread->tid);
    if ((cut->within > 0 && !run_thread_has(thread, cut->within)) ||
        (cut->call > 0 && !run_thread_has(thread, cut->call)))
        return false;
    return cut->thread == NULL || strcmp(cut->thread, thread->name) == 0 ||
           strcmp(cut->thread, tid) == 0 || fnmatch(cut->thread, thread->name, 0) == 0;
}

static int check_call(const char *option, int64_t id, const struct run_view *view)
{
    int64_t last = 0;
    for (size_t i = 0; i < view->threads_count; i++) {
        if (id == 0 || run_thread_has(&view->threads[i], id))
            return 0;
        if (view->threads[i].last_call > last)
            last = view->threads[i].last_call;
    }
    return fail("%s %lld: there is no such call: their ids are 1 to %lld", option, (long long)id,
                (long long)last);
}

int call_cut_check_thread(const struct call_cut *cut, const struct run_view *view)
{
    if (check_call("--within", cut->within, view) != 0 ||
        check_call("--call", cut->call, view) != 0)
        return 2;
    if (cut->thread == NULL)
        return 0;
    const char **names = calloc(view->threads_count + 1, sizeof *names);
    for (size_t i = 0; i < view->threads_count; i++) {
        if (call_cut_has_thread(cut, &view->threads[i])) {
            free(names);
            return 0;
        }
        if (names != NULL)
            names[i] = view->threads[i].name;
    }
    const char *nearest =
        names != NULL ? nearest_name(cut->thread, names, view->threads_count) : NULL;
    free(names);
    if (nearest != NULL)
        return fail("--thread %s: there is no such thread; did you mean %s?", cut->thread, nearest);
    return fail("--thread %s: there is no such thread: see `fisql info`", cut->thread);
}

bool call_cut_any(const struct call_cut *cut)
{
    return cut->since_ns > 0 || cut->until_ns != INT64_MAX || cut->min_duration_ns > 0 ||
           cut->depth_max > 0 || cut->function != NULL || cut->thread != NULL || cut->within > 0 ||
           cut->call > 0;
}

static int set_id(const struct args *args, int64_t *id)
{
    char *end;
    *id = strtoll(args->value, &end, 10);
    return *end == '\0' && *args->value != '\0' && *id > 0 && *id <= RUN_CALL_ID_MAX
               ? 0
               : args_wrong(args, "a call's id");
}

static int set_time(const struct args *args, int64_t *ns)
{
    return amount_time(args->value, ns) ? 0 : args_wrong(args, "a time such as 1500ns, 10us, 2.5s");
}

int call_cut_option(struct call_cut *cut, const struct args *args)
{
    const char *value = args->value;
    char *end;
    switch (args->code) {
    case CUT_SINCE:
        return set_time(args, &cut->since_ns);
    case CUT_UNTIL:
        return set_time(args, &cut->until_ns);
    case CUT_MIN_DURATION:
        return set_time(args, &cut->min_duration_ns);
    case CUT_WITHIN:
        return set_id(args, &cut->within);
    case CUT_CALL:
        return set_id(args, &cut->call);
    case CUT_FUNCTION:
        cut->function = value;
        return 0;
    case CUT_THREAD:
        cut->thread = value;
        return 0;
    default:
        cut->depth_max = strtol(value, &end, 10);
        if (*end != '\0' || *value == '\0' || cut->depth_max <= 0)
            return args_wrong(args, "a number from 1 on");
        return 0;
    }
}
