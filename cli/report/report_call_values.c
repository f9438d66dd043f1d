/* What was passed to the calls of the timeline and what they returned. See report_parts.h. */
#include "cli/report/report_parts.h"

#include <stdlib.h>

#include "cli/run/call_values.h"

enum { VALUES_BYTES_MAX = 300000, CALL_BYTES_MAX = 300 };

static int by_duration(const void *left, const void *right)
{
    const struct shown_call *a = left, *b = right;
    if (a->duration_ns != b->duration_ns)
        return a->duration_ns < b->duration_ns ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* [call, "(n=3) = 2"] */
static int write_call(struct report *report, struct call_values *values,
                      const struct shown_call *call)
{
    char *text = call_values_text(values, (uint32_t)call->function_id, call->id);
    if (text == NULL)
        return 2;
    json_open(&report->json, '[');
    json_integer(&report->json, call->id);
    json_text(&report->json, text, CALL_BYTES_MAX);
    json_close(&report->json, ']');
    sqlite3_free(text);
    return 0;
}

int report_call_values(struct report *report, struct shown_call *calls, size_t count)
{
    static const char *const columns[] = {"call_id", "text"};
    struct json *json = &report->json;
    /* nothing else of the view is used */
    const struct run_view view = {.database = report->database,
                                  .functions_count =
                                      (size_t)report->marks[MARK_FUNCTIONS].ids_max + 1};
    struct call_values values;
    int status = call_values_open(&values, &view);
    qsort(calls, count, sizeof *calls, by_duration);
    report_part_begin(json, "call_values", columns, sizeof columns / sizeof columns[0]);
    long begun = json->bytes, bytes_max = VALUES_BYTES_MAX / 100 * report->percent;
    int64_t left_out = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        if (!call_values_has(&values, (uint32_t)calls[i].function_id))
            continue;
        if (json->bytes - begun < bytes_max)
            status = write_call(report, &values, &calls[i]);
        else
            left_out++;
    }
    report_part_end(json, left_out);
    call_values_close(&values);
    return status;
}
