/*
 * Exports of single calls as JSON: Chrome's trace events and speedscope's evented profiles.
 *
 * Chrome: one complete event (ph X) a call, in microseconds with three decimals, and counters (C)
 * for live memory. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 * Speedscope: https://www.speedscope.app/file-format-schema.json; times count from the first call
 * shown, because they become doubles.
 */
#include "base/shortage.h"
#include "cli/run/database.h"
#include "cli/export/export.h"
#include "cli/out/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct json_walk {
    const struct export *export;
    const struct run_thread *thread;
    int64_t base_ns;
    bool first; /* no event is written yet */
};

static void separate(struct json_walk *walk)
{
    fputs(walk->first ? "\n" : ",\n", walk->export->out);
    walk->first = false;
}

/* ---- Chrome ---- */

static void put_us(FILE *out, int64_t ns)
{
    fprintf(out, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

/* Arguments by name or number; the result, which reading puts first; errno, which it puts last. */
static int chrome_values(const struct json_walk *walk, const struct shown_call *call)
{
    struct call_values *values = walk->export->values;
    FILE *out = walk->export->out;
    int status =
        call_values_read(values, walk->export->view->frames[call->frame].function, call->id);
    const char *before = ",\"arguments\":{";
    for (size_t i = 0; status == 0 && i < values->shown_count; i++) {
        char name[256];
        bool result = shown_value_is_outcome(&values->shown[i]);
        call_values_name(&values->shown[i], name, sizeof name);
        fputs(result && *before == ',' && before[1] == 0 ? "}," : result ? "," : before, out);
        export_json_text(out, name);
        fputc(':', out);
        export_json_text(out, values->shown[i].text != NULL ? values->shown[i].text : "?");
        before = !result ? "," : values->shown[i].parameter->position == SHOWN_ERRNO ? "" : before;
    }
    fputs(*before == ',' && before[1] == 0 ? "}" : "", out);
    return status;
}

/* Begins a complete event of the thread; its name and arguments follow. */
static void chrome_span(const struct json_walk *walk, int64_t start_ns, int64_t end_ns)
{
    FILE *out = walk->export->out;
    fprintf(out, ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":", walk->thread->pid,
            walk->thread->tid);
    put_us(out, start_ns);
    fputs(",\"dur\":", out);
    put_us(out, end_ns - start_ns);
}

static int chrome_enter(void *context, const struct shown_call *call)
{
    struct json_walk *walk = context;
    const struct run_view *view = walk->export->view;
    FILE *out = walk->export->out;
    separate(walk);
    fputs("{\"ph\":\"X\",\"name\":", out);
    export_json_text(out, view->functions[view->frames[call->frame].function].name);
    chrome_span(walk, call->enter_ns, call->exit_ns);
    fprintf(out, ",\"args\":{\"call\":%" PRId64, call->id);
    int status = chrome_values(walk, call);
    fputs("}}", out);
    return status;
}

static int chrome_leave(void *context, const struct shown_call *call)
{
    (void)context;
    (void)call;
    return 0;
}

static int chrome_gap(void *context, int64_t start_ns, int64_t end_ns)
{
    struct json_walk *walk = context;
    separate(walk);
    fputs("{\"ph\":\"X\",\"cat\":\"fisql\",\"name\":\"" EXPORT_GAP_NAME "\"", walk->export->out);
    chrome_span(walk, start_ns, end_ns);
    fputc('}', walk->export->out);
    return 0;
}

static int chrome_memory(struct json_walk *walk)
{
    const struct export *export = walk->export;
    sqlite3_stmt *row = NULL;
    if (export->view->threads_count == 0)
        return 0;
    int status = export_memory_begin(export, &row);
    if (status != 0)
        return status;
    while (sqlite3_step(row) == SQLITE_ROW) {
        separate(walk);
        fprintf(export->out, "{\"ph\":\"C\",\"name\":\"live memory\",\"pid\":%" PRId64 ",\"ts\":",
                export->view->threads[0].pid);
        put_us(export->out, sqlite3_column_int64(row, 0));
        fprintf(export->out, ",\"args\":{\"bytes\":%" PRId64 "}}",
                (int64_t)sqlite3_column_int64(row, 1));
    }
    return database_rows_end(row, "the live memory");
}

/* Faults of a thread, as instants. */
static int chrome_faults(struct json_walk *walk)
{
    const struct export *export = walk->export;
    sqlite3_stmt *row = NULL;
    if (export_faults_begin(export, walk->thread, &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        separate(walk);
        fprintf(export->out,
                "{\"ph\":\"i\",\"s\":\"t\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":",
                walk->thread->pid, walk->thread->tid);
        put_us(export->out, sqlite3_column_int64(row, 0));
        fputs(",\"name\":", export->out);
        export_json_text(export->out, (const char *)sqlite3_column_text(row, 1));
        fputc('}', export->out);
    }
    return database_rows_end(row, "the faults");
}

int export_chrome(const struct export *export)
{
    struct json_walk walk = {.export = export, .first = true};
    const struct export_sink sink = {chrome_enter, chrome_leave, chrome_gap, &walk};
    int status = 0;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", export->out);
    for (size_t i = 0; status == 0 && i < export->view->threads_count; i++) {
        walk.thread = &export->view->threads[i];
        if (!export_has_thread(export, walk.thread))
            continue;
        separate(&walk);
        fprintf(export->out,
                "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                ",\"args\":{\"name\":",
                walk.thread->pid, walk.thread->tid);
        export_json_text(export->out, walk.thread->name);
        fputs("}}", export->out);
        status = export_walk(export, walk.thread, &sink);
        if (status == 0)
            status = chrome_faults(&walk);
    }
    if (status == 0)
        status = chrome_memory(&walk);
    fputs("\n]}\n", export->out);
    return status;
}

/* ---- speedscope ---- */

static void speedscope_event(struct json_walk *walk, size_t frame, char type, int64_t at_ns)
{
    separate(walk);
    fprintf(walk->export->out, "{\"type\":\"%c\",\"frame\":%zu,\"at\":%" PRId64 "}", type, frame,
            at_ns - walk->base_ns);
}

static size_t speedscope_frame(const struct json_walk *walk, const struct shown_call *call)
{
    return walk->export->view->frames[call->frame].function - 1;
}

static int speedscope_enter(void *context, const struct shown_call *call)
{
    speedscope_event(context, speedscope_frame(context, call), 'O', call->enter_ns);
    return 0;
}

static int speedscope_leave(void *context, const struct shown_call *call)
{
    speedscope_event(context, speedscope_frame(context, call), 'C', call->exit_ns);
    return 0;
}

/* Its frame comes behind those of the functions. */
static int speedscope_gap(void *context, int64_t start_ns, int64_t end_ns)
{
    struct json_walk *walk = context;
    size_t frame = walk->export->view->functions_count - 1;
    speedscope_event(walk, frame, 'O', start_ns);
    speedscope_event(walk, frame, 'C', end_ns);
    return 0;
}

static void speedscope_frames(const struct export *export)
{
    const struct run_view *view = export->view;
    fputs("\"shared\":{\"frames\":[", export->out);
    for (size_t id = 1; id < view->functions_count; id++) {
        const struct run_function *function = &view->functions[id];
        fputs(id > 1 ? ",\n{\"name\":" : "\n{\"name\":", export->out);
        export_json_text(export->out, function->name != NULL ? function->name : "?");
        if (function->file != NULL) {
            fputs(",\"file\":", export->out);
            export_json_text(export->out, function->file);
            if (function->line > 0)
                fprintf(export->out, ",\"line\":%" PRId64, function->line);
        }
        fputc('}', export->out);
    }
    fputs(view->functions_count > 1 ? ",\n" : "\n", export->out);
    fputs("{\"name\":\"" EXPORT_GAP_NAME "\"}\n]}", export->out);
}

/* The thread's name; where several have it, with the thread's id in the system. */
static void put_thread_name(const struct export *export, const struct run_thread *thread)
{
    const struct run_view *view = export->view;
    int same = 0;
    char *text = NULL;
    for (size_t i = 0; i < view->threads_count; i++)
        same += strcmp(view->threads[i].name, thread->name) == 0;
    if (same > 1 && asprintf(&text, "%s (%" PRId64 ")", thread->name, thread->tid) < 0) {
        shortage_note(ENOMEM);
        text = NULL;
    }
    export_json_text(export->out, text != NULL ? text : thread->name);
    free(text);
}

int export_speedscope(const struct export *export)
{
    const struct run_view *view = export->view;
    struct json_walk walk = {.export = export, .base_ns = INT64_MAX};
    const struct export_sink sink = {speedscope_enter, speedscope_leave, speedscope_gap, &walk};
    bool first = true;
    int status = 0;
    int64_t end_ns = 0;
    for (size_t i = 0; i < view->threads_count; i++) {
        if (!export_has_thread(export, &view->threads[i]))
            continue;
        if (view->threads[i].start_ns < walk.base_ns)
            walk.base_ns = view->threads[i].start_ns;
        if (view->threads[i].end_ns > end_ns)
            end_ns = view->threads[i].end_ns;
    }
    if (walk.base_ns < export->cut->since_ns)
        walk.base_ns = export->cut->since_ns;
    if (end_ns > export->cut->until_ns)
        end_ns = export->cut->until_ns;
    if (end_ns < walk.base_ns)
        end_ns = walk.base_ns;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
          "\"exporter\":\"fisql\",\"name\":",
          export->out);
    export_json_text(export->out, view->command != NULL ? view->command : "run");
    fputs(",\n", export->out);
    speedscope_frames(export);
    fputs(",\n\"profiles\":[", export->out);
    for (size_t i = 0; status == 0 && i < view->threads_count; i++) {
        walk.thread = &view->threads[i];
        if (!export_has_thread(export, walk.thread))
            continue;
        fputs(first ? "\n{\"type\":\"evented\",\"name\":" : ",\n{\"type\":\"evented\",\"name\":",
              export->out);
        first = false;
        put_thread_name(export, walk.thread);
        fprintf(export->out,
                ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%" PRId64 ",\"events\":[",
                end_ns - walk.base_ns);
        walk.first = true;
        status = export_walk(export, walk.thread, &sink);
        fputs("\n]}", export->out);
    }
    fputs("\n]}\n", export->out);
    return status;
}
