/*
 * The first point at which two runs part: both threads' calls are read side by side in the order of
 * their entries and compared by depth and function (name and file). Memory: a stack for each.
 *
 * If arguments and results were recorded, also the first of them that differs. Arguments are
 * compared when a call begins, results when it ends, so what is found first comes before what it
 * leads to. Addresses differ from run to run, so any two of them are the same.
 */
#include "base/array.h"
#include "base/parts.h"
#include "cli/run/call_cursor.h"
#include "cli/run/call_values.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
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
    struct call_values values;
    struct call_cursor cursor;
    struct shown_call call;
    int got;                 /* 1 = call is the next one, 0 = the thread has no more */
    struct shown_call *open; /* the stack */
    size_t open_count, open_capacity;
    struct shown_call
        *valued; /* the stack of the first call with another value, that call at its end */
    size_t valued_count;
    size_t before_count; /* open_count before the next call was taken */
};

static const struct call_cut whole = {.until_ns = INT64_MAX};

static int side_open(struct side *side, const char *path, enum name_style style)
{
    side->path = path;
    side->database = database_open(path);
    static const char what[] = "finding where runs part";
    if (side->database == NULL || !whole_calls_open(&side->database, path, what, 0, 0) ||
        !run_has_calls(side->database, path, what))
        return 2;
    int status = run_view_open(&side->view, side->database, style, MEASURE_CPU);
    return status != 0 ? status : call_values_open(&side->values, &side->view);
}

static void side_close(struct side *side)
{
    if (side->values.first != NULL)
        call_values_close(&side->values);
    run_view_release(&side->view);
    free(side->open);
    free(side->valued);
    sqlite3_close(side->database);
}

static const struct run_function *function_of(const struct side *side,
                                              const struct shown_call *call)
{
    return &side->view.functions[side->view.frames[call->frame].function];
}

static const char *file_name(const struct run_function *function)
{
    return function->file != NULL ? last_part(function->file) : "";
}

static bool same_call(const struct side *a, const struct side *b)
{
    if (a->call.depth != b->call.depth)
        return false;
    const struct run_function *left = function_of(a, &a->call), *right = function_of(b, &b->call);
    return strcmp(run_full_name(left), run_full_name(right)) == 0 &&
           strcmp(file_name(left), file_name(right)) == 0;
}

/* Takes the next call, after the one before it was put on the stack. */
static int advance(struct side *side)
{
    side->before_count = side->open_count;
    side->got = call_cursor_next(&side->cursor, &side->call);
    while (side->got == 1 && side->open_count > side->call.depth)
        side->open_count--;
    return side->got < 0 ? 2 : 0;
}

/* ---- values ---- */

/* Goes behind a number in hexadecimal, "0x1f", from its 0 on. */
static const char *behind_address(const char *text)
{
    return text + 2 + strspn(text + 2, "0123456789abcdef");
}

/* Are the texts the same except for addresses? */
static bool same_text(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (strncmp(a, "0x", 2) == 0 && strncmp(b, "0x", 2) == 0) {
            a = behind_address(a);
            b = behind_address(b);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

static bool has_addresses(const struct value_parameter *parameter)
{
    static const char *const kinds[] = {"pointer", "function", "struct"};
    for (size_t i = 0; parameter->kind != NULL && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(parameter->kind, kinds[i]) == 0)
            return true;
    return false;
}

static bool same_value(const struct shown_value *a, const struct shown_value *b)
{
    const char *left = a->text != NULL ? a->text : "?", *right = b->text != NULL ? b->text : "?";
    if (strcmp(left, "?") == 0 || strcmp(right, "?") == 0)
        return true; /* not known */
    /* what cannot be read as a text appears as its address; a text begins with a quote */
    bool addresses = has_addresses(a->parameter) ||
                     (*left == '0' && *right == '0' && a->parameter->kind != NULL &&
                      strcmp(a->parameter->kind, "text") == 0);
    return addresses ? same_text(left, right) : strcmp(left, right) == 0;
}

/* Compares the arguments, or the results, of two calls of one function: *same. */
static int compare_values(struct side sides[2], const struct shown_call *const calls[2],
                          bool results, bool *same)
{
    *same = true;
    for (int i = 0; i < 2; i++) {
        uint32_t function = sides[i].view.frames[calls[i]->frame].function;
        if (!call_values_has(&sides[i].values, function))
            return 0;
        if (call_values_read(&sides[i].values, function, calls[i]->id) != 0)
            return 2;
    }
    const struct call_values *a = &sides[0].values, *b = &sides[1].values;
    for (size_t i = 0; i < a->shown_count; i++)
        for (size_t k = 0; k < b->shown_count; k++) {
            int64_t position = a->shown[i].parameter->position;
            if (position == b->shown[k].parameter->position &&
                shown_value_is_outcome(&a->shown[i]) == results &&
                !same_value(&a->shown[i], &b->shown[k]))
                *same = false;
        }
    return 0;
}

/* Notes the call, within the first `around` calls of the stack, as the first with another value. */
static int note_valued(struct side *side, size_t around, struct shown_call call)
{
    side->valued = calloc(around + 1, sizeof *side->valued);
    if (side->valued == NULL)
        return fail("out of memory");
    if (around > 0)
        memcpy(side->valued, side->open, around * sizeof *side->valued);
    side->valued[around] = call;
    side->valued_count = around + 1;
    return 0;
}

static int compare_at(struct side sides[2], size_t around, const struct shown_call *const calls[2],
                      bool results)
{
    bool same;
    int status = compare_values(sides, calls, results, &same);
    for (int i = 0; i < 2 && status == 0 && !same; i++)
        status = note_valued(&sides[i], around, *calls[i]);
    return status;
}

/* Compares the results of the open calls that end before the next ones begin, innermost first, then
 * the arguments of the next ones, until a value differs. Both stacks have the same calls. */
static int compare_next_values(struct side sides[2], bool begin)
{
    size_t depth = sides[0].got == 1 ? sides[0].call.depth : 0;
    if (sides[1].got == 1 && sides[1].call.depth > depth)
        depth = sides[1].call.depth;
    int status = 0;
    for (size_t at = sides[0].before_count;
         at-- > depth && status == 0 && sides[0].valued == NULL;) {
        const struct shown_call *const calls[2] = {&sides[0].open[at], &sides[1].open[at]};
        status = compare_at(sides, at, calls, true);
    }
    if (status == 0 && begin && sides[0].valued == NULL) {
        const struct shown_call *const calls[2] = {&sides[0].call, &sides[1].call};
        status = compare_at(sides, depth, calls, false);
    }
    return status;
}

static int keep(struct side *side)
{
    if (array_reserve(&side->open, &side->open_capacity, side->open_count + 1, NULL) != 0)
        return fail("out of memory");
    side->open[side->open_count++] = side->call;
    return 0;
}

static void print_call(struct side *side, const struct shown_call *call)
{
    uint32_t id = side->view.frames[call->frame].function;
    char *values =
        call_values_has(&side->values, id) ? call_values_text(&side->values, id, call->id) : NULL;
    const struct run_function *function = function_of(side, call);
    char place[256], at[64];
    run_place(function, place, sizeof place);
    output_time((double)call->enter_ns, at, sizeof at);
    text_put(stdout, function->name);
    text_put(stdout, values != NULL ? values : "");
    sqlite3_free(values);
    fputs(" (", stdout);
    text_put(stdout, place);
    printf("), call %" PRId64 ", at %s\n", call->id, at);
}

enum { STACK_SHOWN = 40 };

static void print_stack(struct side *side, const struct shown_call *calls, size_t count)
{
    size_t from = count > STACK_SHOWN ? count - STACK_SHOWN : 0;
    for (size_t i = count; i-- > from;) {
        fputs("      in ", stdout);
        print_call(side, &calls[i]);
    }
    if (from > 0)
        printf("      and %zu calls around these\n", from);
}

/* Prints the first call with another value, if there is one. */
static void print_values(struct side sides[2])
{
    if (sides[0].valued == NULL)
        return;
    puts("  and of these the first with another argument or result:");
    for (int i = 0; i < 2; i++) {
        size_t around = sides[i].valued_count - 1;
        fputs("  ", stdout);
        text_put(stdout, sides[i].path);
        fputs(": ", stdout);
        print_call(&sides[i], &sides[i].valued[around]);
        print_stack(&sides[i], sides[i].valued, around);
    }
}

static void print_side(struct side *side)
{
    fputs("  ", stdout);
    text_put(stdout, side->path);
    if (side->got == 1) {
        fputs(": calls ", stdout);
        print_call(side, &side->call);
    } else {
        puts(": makes no more calls");
    }
    print_stack(side, side->open, side->open_count);
}

/* Compares two threads. */
static int compare_threads(struct side sides[2], const struct run_thread *const threads[2],
                           bool *found)
{
    int64_t number = 0;
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++) {
        sides[i].open_count = 0;
        free(sides[i].valued);
        sides[i].valued = NULL;
        status = call_cursor_open(&sides[i].cursor, &sides[i].view, threads[i], &whole, NULL);
        if (status == 0)
            status = advance(&sides[i]);
    }
    while (status == 0) {
        bool same = sides[0].got == 1 && sides[1].got == 1 && same_call(&sides[0], &sides[1]);
        status = compare_next_values(sides, same);
        if (!same)
            break;
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
        *found |= sides[0].valued != NULL;
        print_values(sides);
    }
    call_cursor_close(&sides[0].cursor);
    call_cursor_close(&sides[1].cursor);
    return status;
}

/* The next thread from index `at` on that is wanted and has calls; the count if there is none. */
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
