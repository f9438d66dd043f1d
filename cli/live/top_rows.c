/* The table of `fisql top`: see top_rows.h. */
#include "cli/live/top_rows.h"

#include "base/array.h"
#include "cli/out/shorten.h"
#include "cli/out/text.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS_MIN 16
#define NUMBERS_COLUMNS 44 /* before the names */
#define CALLS_COLUMNS 13   /* the same, of the first number alone */

static const struct {
    int letter;
    const char *word;
} sorts[] = {
#define TOP_SORT_ENTRY(constant, letter, word) {letter, word},
    TOP_SORTS(TOP_SORT_ENTRY)
#undef TOP_SORT_ENTRY
};

const char *top_sort_word(enum top_sort sort)
{
    return sorts[sort].word;
}

enum top_sort top_sort_of_letter(int letter)
{
    size_t at = 0;
    while (at < TOP_SORTS_COUNT && sorts[at].letter != letter)
        at++;
    return (enum top_sort)at;
}

enum top_sort top_sort_of_word(const char *word)
{
    size_t at = 0;
    while (at < TOP_SORTS_COUNT && strcmp(sorts[at].word, word) != 0)
        at++;
    return (enum top_sort)at;
}

/* A function: its sums in all processes. */
struct row {
    const char *name, *place; /* borrowed */
    struct live_sum sum;
    uint64_t all_calls;
};

struct rows {
    struct row *items;
    size_t count, capacity;
};

static int by_name(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->place, b->place);
}

static int by_number(uint64_t a, uint64_t b)
{
    return a > b ? -1 : a < b;
}

#define BY(name, field)                                                                            \
    static int name(const void *left, const void *right)                                           \
    {                                                                                              \
        const struct row *a = left, *b = right;                                                    \
        int order = by_number(a->sum.field, b->sum.field);                                         \
        order = order != 0 ? order : by_number(a->sum.calls, b->sum.calls);                        \
        return order != 0 ? order : by_name(left, right);                                          \
    }
BY(by_calls, calls)
BY(by_cpu, cpu_ns)
BY(by_waits, wait_ns)

static bool is_shown(const char *name, const char *filter)
{
    return filter == NULL || filter[0] == 0 || strstr(name, filter) != NULL ||
           fnmatch(filter, name, 0) == 0;
}

/* One row for each function that did something. */
static int rows_make(const struct live_sums *sums, const char *filter, struct rows *rows)
{
    size_t count =
        sums->names.count < sums->items_capacity ? sums->names.count : sums->items_capacity;
    for (size_t i = 0; i < count; i++) {
        const struct trace_function *function = &sums->names.functions[i];
        const struct live_sum *sum = &sums->items[i].last;
        if (function->name == NULL || (sum->calls | sum->cpu_ns | sum->wait_ns) == 0 ||
            !is_shown(function->name, filter))
            continue;
        const struct row row = {function->name, trace_function_place(function), *sum,
                                sums->items[i].all_calls};
        if (array_add(&rows->items, &rows->count, &rows->capacity, row, NULL) != 0)
            return -1;
    }
    if (rows->count == 0)
        return 0;
    array_sort(rows->items, rows->count, by_name);
    size_t kept = 0;
    for (size_t i = 1; i < rows->count; i++) {
        if (by_name(&rows->items[kept], &rows->items[i]) != 0) {
            rows->items[++kept] = rows->items[i];
            continue;
        }
        struct live_sum *to = &rows->items[kept].sum;
        const struct live_sum *from = &rows->items[i].sum;
        to->calls += from->calls;
        rows->items[kept].all_calls += rows->items[i].all_calls;
        to->cpu_ns += from->cpu_ns;
        to->wait_ns += from->wait_ns;
    }
    rows->count = kept + 1;
    return 0;
}

static void sort(struct rows *rows, enum top_sort by)
{
    if (by == TOP_SORT_CALLS)
        array_sort(rows->items, rows->count, by_calls);
    else if (by == TOP_SORT_CPU)
        array_sort(rows->items, rows->count, by_cpu);
    else if (by == TOP_SORT_WAITS)
        array_sort(rows->items, rows->count, by_waits);
}

/* A name as people see it, cut to the columns. */
static void put_cut(const char *text, enum text_kind kind, int columns)
{
    char *shown = text_shown(text, strlen(text));
    if (shown != NULL)
        text_bound(shown);
    char *cut = shown != NULL && columns > 0 ? shorten(shown, kind, columns) : NULL;
    const char *put = cut != NULL ? cut : shown;
    if (put != NULL)
        fputs(put, stdout);
    free(cut);
    free(shown);
}

/* Has the terminal no room for all numbers beside a name? */
static bool is_narrow(int columns)
{
    return columns > 0 && columns < NUMBERS_COLUMNS + NAME_COLUMNS_MIN;
}

static void put_row(const struct row *row, double seconds, int columns)
{
    int left = columns - (is_narrow(columns) ? CALLS_COLUMNS : NUMBERS_COLUMNS);
    printf("%11.0f", (double)row->sum.calls / seconds);
    if (!is_narrow(columns))
        printf(" %9.1f %9.1f %11" PRIu64, (double)row->sum.cpu_ns / 1e6 / seconds,
               (double)row->sum.wait_ns / 1e6 / seconds, row->all_calls);
    fputs("  ", stdout);
    put_cut(row->name, TEXT_FUNCTION, columns > 0 ? left : 0);
    if (row->place[0] != 0 &&
        (columns == 0 || text_width(row->name) + 2 + text_width(row->place) <= left)) {
        fputs("  ", stdout);
        put_cut(row->place, TEXT_PLACE, 0);
    }
    putchar('\n');
}

static double per_second(uint64_t amount, double seconds)
{
    return (double)amount / seconds;
}

int top_rows_print(const struct live_sums *sums, const struct top_rows_options *options)
{
    struct rows rows = {0};
    uint64_t cpu_ns = 0, wait_ns = 0;
    int lines = 2;
    double seconds =
        sums->end_ns > sums->begin_ns ? (double)(sums->end_ns - sums->begin_ns) / 1e9 : 1;
    if (rows_make(sums, options->filter, &rows) != 0) {
        free(rows.items);
        return -1;
    }
    sort(&rows, options->sort);
    for (size_t i = 0; i < sums->items_capacity; i++) {
        cpu_ns += sums->items[i].last.cpu_ns;
        wait_ns += sums->items[i].last.wait_ns;
    }
    char head[256], of[128] = "";
    if (options->filter != NULL && options->filter[0] != 0)
        snprintf(of, sizeof of, ", of %.100s", options->filter);
    snprintf(head, sizeof head,
             "by %s%s: %" PRIu32 " thread%s, %.2f s, %.0f calls/s, CPU %.1f, waits %.1f ms/s",
             top_sort_word(options->sort), of, sums->running, sums->running == 1 ? "" : "s",
             seconds, per_second(sums->last.calls, seconds), per_second(cpu_ns, seconds) / 1e6,
             per_second(wait_ns, seconds) / 1e6);
    put_cut(head, TEXT_WORDS, options->columns);
    putchar('\n');
    if (sums->last.left_out > 0) {
        snprintf(head, sizeof head,
                 "%" PRIu64 " calls are in no row: the program is faster than fisql top",
                 sums->last.left_out);
        put_cut(head, TEXT_WORDS, options->columns);
        putchar('\n');
        lines++;
    }
    if (is_narrow(options->columns))
        printf("%11s  %s\n", "calls/s", "function");
    else
        printf("%11s %9s %9s %11s  %s\n", "calls/s", "CPU ms/s", "waits", "calls", "function");
    for (size_t i = 0; i < rows.count && (options->rows_max == 0 || i < options->rows_max); i++) {
        put_row(&rows.items[i], seconds, options->columns);
        lines++;
    }
    free(rows.items);
    return lines;
}
