/*
 * The first point at which two runs part: both threads' calls are read side by side in the order of
 * their entries and compared by depth and function (name and file). Memory: a stack for each.
 */
#include "base/array.h"
#include "cli/run/call_cursor.h"
#include "cli/run/database.h"
#include "cli/diff/diff.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const char *path;
    sqlite3 *database;
    struct run_view view;
    struct call_cursor cursor;
    struct shown_call call;
    int got;                 /* 1 = call is the next one, 0 = the thread has no more */
    struct shown_call *open; /* the stack */
    size_t open_count, open_capacity;
};

static const struct call_cut whole = {.until_ns = INT64_MAX};

static int side_open(struct side *side, const char *path, enum name_style style)
{
    side->path = path;
    side->database = database_open(path);
    if (side->database == NULL || !run_has_calls(side->database, path, "finding where runs part"))
        return 2;
    return run_view_open(&side->view, side->database, style, MEASURE_CPU);
}

static void side_close(struct side *side)
{
    run_view_release(&side->view);
    free(side->open);
    sqlite3_close(side->database);
}

static const struct run_function *function_of(const struct side *side,
                                              const struct shown_call *call)
{
    return &side->view.functions[side->view.frames[call->frame].function];
}

static const char *file_name(const struct run_function *function)
{
    const char *path = function->file != NULL ? function->file : "";
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool same_call(const struct side *a, const struct side *b)
{
    if (a->call.depth != b->call.depth)
        return false;
    const struct run_function *left = function_of(a, &a->call), *right = function_of(b, &b->call);
    return strcmp(run_full_name(left), run_full_name(right)) == 0 &&
           strcmp(file_name(left), file_name(right)) == 0;
}

/* Takes the next call, the one before it having been put on the stack. */
static int advance(struct side *side)
{
    side->got = call_cursor_next(&side->cursor, &side->call);
    while (side->got == 1 && side->open_count > side->call.depth)
        side->open_count--;
    return side->got < 0 ? 2 : 0;
}

static int keep(struct side *side)
{
    if (array_reserve(&side->open, &side->open_capacity, side->open_count + 1, NULL) != 0)
        return fail("out of memory");
    side->open[side->open_count++] = side->call;
    return 0;
}

static void print_call(const struct side *side, const struct shown_call *call)
{
    const struct run_function *function = function_of(side, call);
    char place[256], at[64];
    run_place(function, place, sizeof place);
    output_time((double)call->enter_ns, at, sizeof at);
    text_put(stdout, function->name);
    fputs(" (", stdout);
    text_put(stdout, place);
    printf("), call %" PRId64 ", at %s\n", call->id, at);
}

enum { STACK_SHOWN = 40 };

static void print_side(const struct side *side)
{
    fputs("  ", stdout);
    text_put(stdout, side->path);
    if (side->got == 1) {
        fputs(": calls ", stdout);
        print_call(side, &side->call);
    } else {
        puts(": makes no more calls");
    }
    size_t from = side->open_count > STACK_SHOWN ? side->open_count - STACK_SHOWN : 0;
    for (size_t i = side->open_count; i-- > from;) {
        fputs("      in ", stdout);
        print_call(side, &side->open[i]);
    }
    if (from > 0)
        printf("      and %zu calls around these\n", from);
}

/* Compares two threads. */
static int compare_threads(struct side sides[2], const struct run_thread *const threads[2],
                           bool *found)
{
    int64_t number = 0;
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++) {
        sides[i].open_count = 0;
        status = call_cursor_open(&sides[i].cursor, &sides[i].view, threads[i], &whole, NULL);
        if (status == 0)
            status = advance(&sides[i]);
    }
    while (status == 0 && sides[0].got == 1 && sides[1].got == 1 &&
           same_call(&sides[0], &sides[1])) {
        number++;
        for (int i = 0; i < 2 && status == 0; i++)
            if ((status = keep(&sides[i])) == 0)
                status = advance(&sides[i]);
    }
    if (status == 0) {
        fputs("thread ", stdout);
        text_put(stdout, threads[0]->name);
        if (sides[0].got == 0 && sides[1].got == 0) {
            printf(": the same %" PRId64 " calls\n", number);
        } else {
            *found = true;
            printf(": the first %" PRId64 " calls are the same, then\n", number);
            print_side(&sides[0]);
            print_side(&sides[1]);
        }
    }
    call_cursor_close(&sides[0].cursor);
    call_cursor_close(&sides[1].cursor);
    return status;
}

/* The next thread from index `at` on that is asked for and has calls; the count where none is. */
static size_t next_thread(const struct side *side, size_t at, const char *thread)
{
    const struct call_cut cut = {.until_ns = INT64_MAX, .thread = thread};
    while (at < side->view.threads_count && (side->view.threads[at].first_call == 0 ||
                                             !call_cut_has_thread(&cut, &side->view.threads[at])))
        at++;
    return at;
}

static int compare_all(struct side sides[2], const char *thread, bool *found)
{
    size_t at[2] = {0, 0}, pairs = 0;
    int status = 0;
    for (;; pairs++) {
        bool more[2];
        for (int i = 0; i < 2; i++) {
            at[i] = next_thread(&sides[i], at[i], thread);
            more[i] = at[i] < sides[i].view.threads_count;
        }
        if (!more[0] || !more[1]) {
            for (int i = 0; i < 2; i++) {
                if (!more[i])
                    continue;
                *found = true;
                fputs("thread ", stdout);
                text_put(stdout, sides[i].view.threads[at[i]].name);
                fputs(": only in ", stdout);
                text_put(stdout, sides[i].path);
                fputc('\n', stdout);
            }
            break;
        }
        const struct run_thread *threads[2] = {&sides[0].view.threads[at[0]++],
                                               &sides[1].view.threads[at[1]++]};
        if ((status = compare_threads(sides, threads, found)) != 0)
            break;
    }
    if (status == 0 && pairs == 0 && thread != NULL)
        return fail("--thread %s: not in both runs: see `fisql info`", thread);
    return status;
}

int diff_divergence(const char *a_path, const char *b_path, const char *thread,
                    enum name_style style, bool *found)
{
    struct side sides[2] = {{.path = NULL}, {.path = NULL}};
    *found = false;
    int status = side_open(&sides[0], a_path, style);
    if (status == 0)
        status = side_open(&sides[1], b_path, style);
    if (status == 0)
        status = compare_all(sides, thread, found);
    side_close(&sides[0]);
    side_close(&sides[1]);
    return status;
}
