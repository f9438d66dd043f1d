/* The tool diff: what changed between two runs. */
#include "cli/mcp/tool_parts.h"

#include "base/memory_text.h"
#include "cli/diff/compare.h"
#include "cli/diff/diff_functions.h"
#include "cli/out/json.h"
#include "cli/out/say.h"

#include <stdlib.h>
#include <string.h>

static const struct tool_parameter parameters[] = {
    {"before", TOOL_TEXT, true, NULL, "run A: a path as the tool runs lists it"},
    {"after", TOOL_TEXT, true, NULL, "run B"},
    {"by", TOOL_TEXT, false, "cpu|wall|wait|calls|bytes", "what comes first (cpu)"},
    {"min_percent", TOOL_NUMBER, false, NULL, "how much slower or faster counts (5)"},
    {"all", TOOL_BOOLEAN, false, NULL, "also what did not change"},
    {"modules", TOOL_BOOLEAN, false, NULL, "the functions added up by module"},
    {"limit", TOOL_INTEGER, false, NULL, "rows at most (50); those left out are counted"},
    {NULL, TOOL_TEXT, false, NULL, NULL}};

/* The head of the answer; NULL without memory. */
static char *head_of(const struct diff_functions_request *request)
{
    char *text = NULL;
    size_t size = 0;
    const char *name, *unit, *separator = "";
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return NULL;
    fputs("\"before\":", out);
    json_string(out, request->paths[0], strlen(request->paths[0]));
    fputs(",\"after\":", out);
    json_string(out, request->paths[1], strlen(request->paths[1]));
    fputs(",\"units\":{", out);
    for (int i = 0; (name = diff_functions_unit(request, i, &unit)) != NULL; i++) {
        if (unit == NULL)
            continue;
        fprintf(out, "%s\"%s\":\"%s\"", separator, name, unit);
        separator = ",";
    }
    fputs("}", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int put_rows(struct tool_call *call, const struct diff_functions_request *asked,
                    const char *head)
{
    const struct ask_limits limits = tool_limits(call, head, tool_limit(call, 50));
    struct output_bounds bounds = {.bytes_max = limits.bytes_max, .in_string = limits.in_string};
    struct ask_answer answer = {.end = ASK_DONE};
    char *rows = NULL;
    size_t size = 0;
    long all = 0;
    FILE *out = memory_text_open(&rows, &size);
    if (out == NULL)
        return fail("out of memory");
    struct diff_functions_request request = *asked;
    request.limit = limits.rows_max;
    request.cell_width_max = limits.cell_width_max;
    request.bounds = &bounds;
    int status = diff_functions(call->database, &request, out, &all);
    if (fclose(out) != 0)
        status = fail("out of memory");
    answer.rows = bounds.rows_written;
    answer.rows_left_out = all - bounds.rows_written;
    answer.cells_shortened = bounds.cells_shortened;
    if (status == 0)
        tool_put_rows(call, head, rows, &answer);
    free(rows);
    return status;
}

static int run(struct tool_call *call)
{
    char after[PATH_MAX];
    const char *by = tool_text(call, "by");
    int status = tool_open(call, "before");
    if (status == 0)
        status = tool_path(call, "after", after);
    if (status == 0)
        status = compare_attach(call->database, call->path, after, NAMES_SHORT);
    if (status != 0)
        return status;
    struct diff_functions_request request = {.paths = {call->path, after},
                                             .modules = tool_flag(call, "modules"),
                                             .all = tool_flag(call, "all"),
                                             .min_percent = tool_number(call, "min_percent", 5),
                                             .rank = by != NULL ? by : "cpu",
                                             .format = OUTPUT_JSON};
    if (!(request.min_percent >= 0 && request.min_percent < 1e9))
        return fail("min_percent: wants a number from 0 on");
    char *head = head_of(&request);
    status = head != NULL ? put_rows(call, &request, head) : fail("out of memory");
    free(head);
    return status;
}

const struct tool tool_diff = {
    .name = "diff",
    .title = "What changed between two runs",
    .what = "Functions that are new or gone, called more or less, slower or faster by statistical "
            "tests, allocating more or less, from run A (before) to run B (after); those whose "
            "own time differs most come first. _a and _b are the values in the two runs. The "
            "program may have been rebuilt.",
    .parameters = parameters,
    .run = run};
