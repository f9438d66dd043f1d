/* Printing: see answer.h. */
#include "cli/whatif/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/out/json.h"
#include "cli/out/output.h"
#include "cli/out/text.h"

#define PATH_SHARE_MIN 0.005 /* of the run: what takes less of a path is not shown */

double answer_error(const struct answer *answer, double saved_ns, double hooks_ns)
{
    double off = answer->recorded_ns > 0
                     ? fabs(answer->replayed_ns - answer->recorded_ns) / answer->recorded_ns
                     : 0;
    return fabs(saved_ns) * (off < 1 ? off : 1) + answer->graph->cost_share * hooks_ns;
}

/* A line of the critical path. */
struct path_line {
    const char *what, *name;
    double before_ns, after_ns;
};

struct path_lines {
    struct path_line *items;
    size_t count, capacity;
};

static double at(const double *values, size_t index)
{
    return values != NULL ? values[index] : 0;
}

static void add_line(struct path_lines *lines, const char *what, const char *name, double before_ns,
                     double after_ns)
{
    struct path_line line = {what, name, before_ns, after_ns};
    if (before_ns > 0 || after_ns > 0)
        (void)!array_add(&lines->items, &lines->count, &lines->capacity, line, NULL);
}

static int by_time(const void *left, const void *right)
{
    const struct path_line *a = left, *b = right;
    if (a->before_ns != b->before_ns)
        return a->before_ns > b->before_ns ? -1 : 1;
    if (a->after_ns != b->after_ns)
        return a->after_ns > b->after_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static struct path_lines path_lines_of(const struct answer *answer)
{
    const struct graph *graph = answer->graph;
    const struct replay_path *before = &answer->before, *after = &answer->after;
    struct path_lines lines = {.count = 0};
    for (uint32_t i = 0; i < graph->classes_count; i++)
        add_line(&lines, "function", graph_class_name(graph, i), at(before->run_ns, i),
                 at(after->run_ns, i));
    for (uint32_t i = 0; i < graph->classes_count; i++)
        add_line(&lines, "wait", graph_class_name(graph, i), at(before->sleep_ns, i),
                 at(after->sleep_ns, i));
    for (uint32_t i = 0; i < graph->locks_count; i++)
        add_line(&lines, "lock", graph->locks[i].name, at(before->lock_ns, i),
                 at(after->lock_ns, i));
    add_line(&lines, "wake-up", "", before->wake_ns, after->wake_ns);
    add_line(&lines, "processor", "", before->queue_ns, after->queue_ns);
    add_line(&lines, "start", "", before->start_ns, after->start_ns);
    array_sort(lines.items, lines.count, by_time);
    return lines;
}

static void print_what(const struct path_line *line)
{
    static const char *const words[][2] = {{"wait", "waiting in "},
                                           {"lock", "handing over lock "},
                                           {"wake-up", "from an event until its thread runs"},
                                           {"processor", "waiting for a processor"},
                                           {"start", "before the first thread ran"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], line->what) == 0)
            fputs(words[i][1], stdout);
    text_put(stdout, line->name);
    putchar('\n');
}

static void print_time(double ns, double whole_ns)
{
    char text[32];
    output_time(ns, text, sizeof text);
    printf("%10s %5.1f %%", text, whole_ns > 0 ? 100 * ns / whole_ns : 0);
}

static void print_path(const struct answer *answer)
{
    struct path_lines lines = path_lines_of(answer);
    bool changed = answer->after.run_ns != NULL;
    double end_ns = changed ? answer->changes[answer->changes_count - 1].predicted_ns : 0;
    puts(changed ? "\nThe critical path before and after, all changes together:"
                 : "\nThe critical path:");
    for (size_t i = 0; i < lines.count; i++) {
        const struct path_line *line = &lines.items[i];
        if (line->before_ns < PATH_SHARE_MIN * answer->run_ns &&
            line->after_ns < PATH_SHARE_MIN * answer->run_ns)
            continue;
        print_time(line->before_ns, answer->run_ns);
        if (changed)
            print_time(line->after_ns, end_ns);
        fputs("  ", stdout);
        print_what(line);
    }
    free(lines.items);
}

static void print_changes(const struct answer *answer)
{
    puts("\n  it takes   it saves          give or take  if");
    for (size_t i = 0; i < answer->changes_count; i++) {
        const struct answer_change *change = &answer->changes[i];
        char takes[32], error[32];
        output_time(change->predicted_ns, takes, sizeof takes);
        output_time(change->error_ns, error, sizeof error);
        printf("%10s ", takes);
        print_time(change->saved_ns, answer->run_ns);
        printf("  %12s  ", error);
        text_put(stdout, change->text != NULL ? change->text : "all together");
        if (change->told != NULL) {
            fputs("\n                                           (", stdout);
            text_put(stdout, change->told);
            putchar(')');
        }
        putchar('\n');
    }
}

static void print_rank(const struct answer *answer)
{
    const struct graph *graph = answer->graph;
    static const char *const kinds[] = {"", "lock ", "waits in "};
    puts("\nHow much of the run it would save if it were faster by");
    puts("      10 %       50 %      100 %          give or take  own time  what");
    for (size_t i = 0; i < answer->rank.count; i++) {
        const struct rank_row *row = &answer->rank.rows[i];
        char texts[5][32];
        for (int level = 0; level < RANK_LEVELS; level++)
            output_time(row->saved_ns[level], texts[level], sizeof texts[level]);
        double saved_ns = row->saved_ns[RANK_LEVELS - 1];
        output_time(answer_error(answer, saved_ns, row->change_ns), texts[3], sizeof texts[3]);
        output_time((double)row->own_ns, texts[4], sizeof texts[4]);
        printf("%10s %10s %10s %5.1f %% %13s %9s  %s", texts[0], texts[1], texts[2],
               answer->run_ns > 0 ? 100 * saved_ns / answer->run_ns : 0, texts[3], texts[4],
               kinds[row->kind]);
        text_put(stdout, row->kind == RANK_LOCK ? graph->locks[row->index].name
                                                : graph_class_name(graph, row->index));
        putchar('\n');
    }
    if (answer->rank.count == 0)
        puts("(nothing took time)");
}

static void print_doubt(int64_t count, int64_t ns, const char *words)
{
    char time[32];
    output_time((double)ns, time, sizeof time);
    if (count > 0)
        printf("- %" PRId64 " wait%s, %s together, %s\n", count, count == 1 ? "" : "s", time,
               words);
}

static long long forced_of(const struct answer *answer)
{
    long long forced = 0;
    for (size_t i = 0; i < answer->changes_count; i++)
        forced += answer->changes[i].forced;
    return forced;
}

static void print_doubts(const struct answer *answer)
{
    const struct graph_doubts *doubts = &answer->graph->doubts;
    char replayed[32], recorded[32];
    output_time(answer->replayed_ns, replayed, sizeof replayed);
    output_time(answer->recorded_ns, recorded, sizeof recorded);
    printf(
        "\nHow sure this is:\n- replayed as it was, with the hooks, the run takes %s; it took %s\n",
        replayed, recorded);
    print_doubt(doubts->inferred, doubts->inferred_ns,
                "were ended by a thread that is inferred from what threads did then");
    print_doubt(doubts->unknown, doubts->unknown_ns,
                "were ended by a thread that is not known: they keep their length");
    print_doubt(doubts->kept, doubts->kept_ns,
                "are for input, a sleep or the like: they keep their length");
    if (doubts->queues > 0)
        printf("- %" PRId64
               " condition%s taken for a queue's: what is taken out was put in before\n",
               doubts->queues, doubts->queues == 1 ? " is" : "s are");
    if (!doubts->locks_recorded && answer->graph->view->threads_count > 1)
        puts("- who waited for whom was not recorded: `fisql record --locks=all` does it");
    if (doubts->locks_partly > 0)
        printf("- of %" PRId64
               " lock%s not every acquisition was recorded: threads take turns as they "
               "did (`fisql record --locks=all` records all)\n",
               doubts->locks_partly, doubts->locks_partly == 1 ? "" : "s");
    if (doubts->user_locks > 0)
        printf("- what threads waited for at %" PRId64
               " lock%s of the program's own counts as work\n",
               doubts->user_locks, doubts->user_locks == 1 ? "" : "s");
    if (forced_of(answer) > 0)
        printf("- %lld wait%s did not fit the new order of things, and were cut short\n",
               forced_of(answer), forced_of(answer) == 1 ? "" : "s");
}

void answer_print(const struct answer *answer)
{
    char run[32];
    output_time(answer->run_ns, run, sizeof run);
    printf("The run takes %s without the hooks, on %.0f processor%s.\n", run, answer->processors,
           answer->processors == 1 ? "" : "s");
    if (answer->changes_count > 0)
        print_changes(answer);
    else
        print_rank(answer);
    print_path(answer);
    print_doubts(answer);
}

/* ---- JSON ---- */

#define TEXT_MAX 4096

static void put_ns(struct json *json, const char *key, double ns)
{
    json_key(json, key);
    json_integer(json, llround(ns));
}

static void put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text, TEXT_MAX);
}

static void put_change(struct json *json, const struct answer *answer,
                       const struct answer_change *change)
{
    json_open(json, '{');
    put_text(json, "change", change->text);
    put_ns(json, "run_ns", answer->run_ns);
    put_ns(json, "predicted_ns", change->predicted_ns);
    put_ns(json, "saved_ns", change->saved_ns);
    put_ns(json, "error_ns", change->error_ns);
    put_text(json, "note", change->told);
    json_close(json, '}');
}

static void put_path(struct json *json, const struct answer *answer)
{
    struct path_lines lines = path_lines_of(answer);
    json_key(json, "path");
    json_open(json, '[');
    for (size_t i = 0; i < lines.count; i++) {
        json_open(json, '{');
        put_text(json, "what", lines.items[i].what);
        put_text(json, "name", lines.items[i].name);
        put_ns(json, "before_ns", lines.items[i].before_ns);
        if (answer->after.run_ns != NULL)
            put_ns(json, "after_ns", lines.items[i].after_ns);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(lines.items);
}

static void put_rank(struct json *json, const struct answer *answer)
{
    static const char *const kinds[] = {"function", "lock", "wait"};
    json_key(json, "ranking");
    json_open(json, '[');
    for (size_t i = 0; i < answer->rank.count; i++) {
        const struct rank_row *row = &answer->rank.rows[i];
        double saved_ns = row->saved_ns[RANK_LEVELS - 1];
        json_open(json, '{');
        put_text(json, "what", kinds[row->kind]);
        put_text(json, "name",
                 row->kind == RANK_LOCK ? answer->graph->locks[row->index].name
                                        : graph_class_name(answer->graph, row->index));
        put_ns(json, "own_ns", (double)row->own_ns);
        put_ns(json, "saved_tenth_ns", row->saved_ns[0]);
        put_ns(json, "saved_half_ns", row->saved_ns[1]);
        put_ns(json, "saved_ns", saved_ns);
        put_ns(json, "error_ns", answer_error(answer, saved_ns, row->change_ns));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_doubts(struct json *json, const struct answer *answer)
{
    const struct graph_doubts *doubts = &answer->graph->doubts;
    json_key(json, "doubts");
    json_open(json, '{');
    put_ns(json, "inferred_ns", (double)doubts->inferred_ns);
    put_ns(json, "unknown_ns", (double)doubts->unknown_ns);
    put_ns(json, "kept_ns", (double)doubts->kept_ns);
    json_key(json, "locks_recorded");
    json_raw(json, doubts->locks_recorded ? "true" : "false");
    json_key(json, "queues");
    json_integer(json, doubts->queues);
    json_key(json, "locks_partly");
    json_integer(json, doubts->locks_partly);
    json_key(json, "user_locks");
    json_integer(json, doubts->user_locks);
    json_key(json, "forced");
    json_integer(json, forced_of(answer));
    json_close(json, '}');
}

void answer_print_json(const struct answer *answer)
{
    struct json json = {.out = stdout};
    json_open(&json, '{');
    put_ns(&json, "run_ns", answer->run_ns);
    put_ns(&json, "recorded_ns", answer->recorded_ns);
    put_ns(&json, "replayed_ns", answer->replayed_ns);
    put_ns(&json, "processors", answer->processors);
    if (answer->changes_count > 0) {
        json_key(&json, "changes");
        json_open(&json, '[');
        for (size_t i = 0; i < answer->changes_count; i++)
            put_change(&json, answer, &answer->changes[i]);
        json_close(&json, ']');
    } else {
        put_rank(&json, answer);
    }
    put_path(&json, answer);
    put_doubts(&json, answer);
    json_close(&json, '}');
    putchar('\n');
}
