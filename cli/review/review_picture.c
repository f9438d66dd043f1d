/*
 * The picture of a review, as SVG: three panels, one below the other.
 *   Contexts: an icicle of the chosen functions and what they call, a context's width being its
 *     time; contexts are merged by function under the chosen one.
 *   Time: a lane for each thread; the slowest calls of the chosen functions where they were.
 *   Calls: callers and callees of each of the chosen functions, with the numbers of calls.
 */
#include "base/shortage.h"
#include "base/utf8.h"
#include "base/memory_text.h"
#include "cli/run/database.h"
#include "cli/review/review.h"
#include "cli/export/export.h"
#include "cli/out/output.h"
#include "cli/out/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1000, ROW = 18, LEVELS = 8, LANES_MAX = 12, NODES_MAX = 24 };

static const char head[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"%d\" "
                           "viewBox=\"0 0 1000 %d\" "
                           "font-family=\"sans-serif\" font-size=\"11\">\n"
                           "<rect width=\"1000\" height=\"%d\" fill=\"#ffffff\"/>\n";

/* Text in XML; cut to `most` bytes at a character's end. Want of memory is noted for the file. */
static void put_text(FILE *out, const char *text, size_t most)
{
    char plain[2048] = ""; /* more than is shown of any text */
    FILE *memory = fmemopen(plain, sizeof plain, "w");
    if (memory != NULL)
        export_plain_text(memory, text, "", '?');
    if (memory == NULL || fclose(memory) != 0) {
        shortage_note(ENOMEM);
        return;
    }
    plain[sizeof plain - 1] = '\0';
    size_t size = strlen(plain), kept = utf8_cut(plain, size, most);
    for (size_t i = 0; i < kept; i++) {
        if (plain[i] == '<' || plain[i] == '>' || plain[i] == '&')
            fputs(plain[i] == '<' ? "&lt;" : plain[i] == '>' ? "&gt;" : "&amp;", out);
        else
            fputc(plain[i], out);
    }
    fputs(kept < size ? "…" : "", out);
}

static void put_title(FILE *out, int y, const char *title)
{
    fprintf(out, "<text x=\"8\" y=\"%d\" font-size=\"14\" font-weight=\"bold\">%s</text>\n", y,
            title);
}

/* A box with a label, if there is room for one. */
static void put_box(FILE *out, double x, double y, double width, const char *colour,
                    const char *label)
{
    fprintf(out,
            "<g><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
            "stroke=\"#ffffff\" stroke-width=\"0.5\"/><title>",
            x, y, width, ROW - 2, colour);
    put_text(out, label, 300);
    fputs("</title>", out);
    if (width > 40) {
        fprintf(out, "<text x=\"%.2f\" y=\"%.1f\">", x + 3, y + ROW - 6);
        put_text(out, label, (size_t)(width / 6.2));
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

/* review_picture.sql */
extern const char review_picture_sql_calls[], review_picture_sql_callers[],
    review_picture_sql_callees[];

/* ---- contexts ---- */

struct context {
    uint32_t parent, function, child, sibling;
    int64_t total_ns;
    double x, width;
    int level;
};

static struct context *make_contexts(const struct review *review, uint32_t *count)
{
    const struct run_view *view = &review->view;
    struct context *contexts = calloc(view->frames_count + 1, sizeof *contexts);
    uint32_t *of = calloc(view->frames_count + 1, sizeof *of);
    *count = 1;
    for (size_t id = 1; contexts != NULL && of != NULL && id < view->frames_count; id++) {
        const struct run_frame *frame = &view->frames[id];
        uint32_t parent = frame->parent == 0 ? 0 : of[frame->parent];
        if (frame->function == 0 || (parent == 0 && !review->chosen[frame->function]))
            continue;
        if (parent != 0 && contexts[parent].function == frame->function) {
            of[id] = parent; /* recursion */
            continue;
        }
        uint32_t at = contexts[parent].child;
        while (at != 0 && contexts[at].function != frame->function)
            at = contexts[at].sibling;
        if (at == 0) {
            at = (*count)++;
            contexts[at] = (struct context){.parent = parent,
                                            .function = frame->function,
                                            .sibling = contexts[parent].child,
                                            .level = parent == 0 ? 0 : contexts[parent].level + 1};
            contexts[parent].child = at;
        }
        of[id] = at;
        run_add(&contexts[at].total_ns, frame->total_ns);
        if (parent == 0)
            run_add(&contexts[0].total_ns, frame->total_ns);
    }
    free(of);
    return contexts;
}

/* Parents come before their children, so one pass lays all out. */
static int put_contexts(const struct review *review, FILE *out, int y)
{
    static const char *const colours[] = {"#f4b183", "#ffd966", "#f8cbad", "#ffe699"};
    uint32_t count;
    int levels = 0;
    struct context *contexts = make_contexts(review, &count);
    double *used = contexts != NULL ? calloc(count, sizeof *used) : NULL;
    if (used == NULL) {
        free(contexts);
        return fail("out of memory");
    }
    contexts[0].width = WIDTH - 16;
    contexts[0].x = 8;
    for (uint32_t at = 1; at < count; at++) {
        struct context *context = &contexts[at];
        const struct context *parent = &contexts[context->parent];
        int64_t whole = parent->total_ns > 0 ? parent->total_ns : 1;
        context->width = parent->width * (double)context->total_ns / (double)whole;
        if (context->width > parent->width - used[context->parent])
            context->width = parent->width - used[context->parent];
        context->x = parent->x + used[context->parent];
        used[context->parent] += context->width;
        if (context->width < 0.5 || context->level >= LEVELS)
            continue;
        char label[600], time[32];
        output_time((double)context->total_ns, time, sizeof time);
        snprintf(label, sizeof label, "%.500s, %s", review->view.functions[context->function].name,
                 time);
        put_box(out, context->x, y + context->level * ROW, context->width,
                colours[(context->function + (unsigned)context->level) % 4], label);
        levels = context->level + 1 > levels ? context->level + 1 : levels;
    }
    free(used);
    free(contexts);
    return y + levels * ROW;
}

/* ---- time ---- */

static int put_timeline(const struct review *review, FILE *out, int y)
{
    const struct run_view *view = &review->view;
    int64_t start = INT64_MAX, end = 0;
    size_t lanes = view->threads_count < LANES_MAX ? view->threads_count : LANES_MAX;
    for (size_t i = 0; i < view->threads_count; i++) {
        start = view->threads[i].start_ns < start ? view->threads[i].start_ns : start;
        end = view->threads[i].end_ns > end ? view->threads[i].end_ns : end;
    }
    double scale = end > start ? (WIDTH - 136) / (double)(end - start) : 0;
    for (size_t i = 0; i < lanes; i++) {
        const struct run_thread *thread = &view->threads[i];
        fprintf(out, "<text x=\"8\" y=\"%d\">", y + (int)i * ROW + ROW - 6);
        put_text(out, thread->name, 17);
        fprintf(
            out,
            "</text><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"#eeeeee\"/>\n",
            128 + (double)(thread->start_ns - start) * scale, y + (int)i * ROW,
            (double)(thread->end_ns - thread->start_ns) * scale, ROW - 2);
    }
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(review->database, review_picture_sql_calls, -1, &row, NULL) != SQLITE_OK)
        return fail("the calls cannot be read: %s", sqlite3_errmsg(review->database));
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t function = sqlite3_column_int64(row, 0), thread = sqlite3_column_int64(row, 1);
        if (function <= 0 || (size_t)function >= view->functions_count || !review->chosen[function])
            continue;
        for (size_t i = 0; i < lanes; i++) {
            if (view->threads[i].id != thread)
                continue;
            char label[600], time[32];
            double width = (double)run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX) * scale;
            int64_t enter_ns = run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX);
            output_time(sqlite3_column_double(row, 3), time, sizeof time);
            snprintf(label, sizeof label, "%.450s, call %lld, %s", view->functions[function].name,
                     (long long)sqlite3_column_int64(row, 4), time);
            put_box(out, 128 + (double)(enter_ns - start) * scale, y + (int)i * ROW,
                    width > 1 ? width : 1, "#9dc3e6", label);
        }
    }
    if (database_rows_end(row, "the calls") != 0)
        return 2;
    return y + (int)lanes * ROW;
}

/* ---- calls ---- */

/* One side of a function: up to five callers or callees, as boxes with lines to the function's. */
static int put_neighbours(const struct review *review, FILE *out, uint32_t function, bool callers,
                          int y, int *most)
{
    sqlite3_stmt *row = NULL;
    const char *sql = callers ? review_picture_sql_callers : review_picture_sql_callees;
    if (sqlite3_prepare_v2(review->database, sql, -1, &row, NULL) != SQLITE_OK)
        return fail("the call graph cannot be read: %s", sqlite3_errmsg(review->database));
    if (sqlite3_bind_int64(row, 1, function) != SQLITE_OK)
        return database_rows_short(row);
    for (int i = 0; sqlite3_step(row) == SQLITE_ROW; i++) {
        char label[600];
        int x = callers ? 8 : 702;
        const char *name = database_shown(row, 0);
        snprintf(label, sizeof label, "%.500s", name != NULL ? name : "?");
        put_box(out, x, y + i * ROW, 290, "#e2f0d9", label);
        fprintf(out, "<path d=\"M %d %d L %d %d\" stroke=\"#777777\" fill=\"none\"/>\n",
                callers ? 298 : 645, callers ? y + i * ROW + 8 : y + 8, callers ? 355 : 702,
                callers ? y + 8 : y + i * ROW + 8);
        fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"9\">%" PRId64 "</text>\n",
                callers ? 302 : 655, y + i * ROW + (i == 0 ? 5 : 12),
                (int64_t)sqlite3_column_int64(row, 1));
        *most = i + 1 > *most ? i + 1 : *most;
    }
    return database_rows_end(row, "the call graph");
}

static int put_graph(const struct review *review, FILE *out, int y)
{
    int shown = 0;
    for (uint32_t id = 1; id < review->view.functions_count && shown < NODES_MAX; id++) {
        int most = 1;
        if (!review->chosen[id])
            continue;
        put_box(out, 355, y, 290, "#f4b183", review->view.functions[id].name);
        if (put_neighbours(review, out, id, true, y, &most) != 0 ||
            put_neighbours(review, out, id, false, y, &most) != 0)
            return 2;
        y += most * ROW + 8;
        shown++;
    }
    return y;
}

/* The panels; the height is known afterwards. */
static int put_panels(const struct review *review, FILE *out, int *height)
{
    put_title(out, 20, "Contexts: time of the functions and what they call");
    int y = put_contexts(review, out, 28);
    if (y == 2)
        return 2;
    put_title(out, y + 24, "Time: the slowest calls, by thread");
    y = put_timeline(review, out, y + 32);
    if (y == 2)
        return 2;
    put_title(out, y + 24, "Calls: by whom, and of whom");
    y = put_graph(review, out, y + 32);
    *height = y + 8;
    return y == 2 ? 2 : 0;
}

int review_picture(const struct review *review, FILE *out)
{
    char *panels = NULL;
    size_t size = 0;
    int height = 0;
    FILE *memory = memory_text_open(&panels, &size);
    if (memory == NULL)
        return fail("out of memory");
    int status = put_panels(review, memory, &height);
    if (fclose(memory) != 0 && status == 0)
        status = fail("out of memory");
    if (status == 0) {
        fprintf(out, head, height, height, height);
        fwrite(panels, 1, size, out);
        fputs("</svg>\n", out);
    }
    free(panels);
    return status;
}
