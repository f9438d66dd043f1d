/* The tools digest, tree and call: what the commands show of a run, as text. */
#include "cli/mcp/tool_parts.h"

#include "cli/out/say.h"
#include "cli/query/digest.h"
#include "cli/run/database.h"
#include "cli/show/show_stack.h"
#include "cli/show/show_trace.h"
#include "cli/show/show_tree.h"

#include <string.h>

/* ---- digest ---- */

static const struct tool_parameter digest_parameters[] = {TOOL_DATABASE,
                                                          {NULL, TOOL_TEXT, false, NULL, NULL}};

static int run_digest(struct tool_call *call)
{
    int status = tool_open(call, "database");
    if (status == 0)
        status = digest_print(call->database, call->path, call->answer.stream);
    if (status == 0)
        database_say_state(call->database, call->path);
    return status;
}

const struct tool tool_digest = {
    .name = "digest",
    .title = "What matters of a run",
    .what = "Begin here. What matters of a recorded run on one screen: where processor time goes, "
            "where threads wait, what is allocated and not freed, errors, losses, dead code, and "
            "the worst findings with what each would save. Each part names the query that shows "
            "more: run it with the tool query.",
    .parameters = digest_parameters,
    .run = run_digest};

/* ---- tree ---- */

static const struct tool_parameter tree_parameters[] = {
    {"from", TOOL_TEXT, false, NULL, "begin at this function (*, ? and [...])"},
    {"depth", TOOL_INTEGER, false, NULL, "levels (8)"},
    {"min_percent", TOOL_NUMBER, false, NULL, "leave out what is less than P % of the whole (1)"},
    {"sort", TOOL_TEXT, false, "time|calls|bytes", "order, and what percentages are of (time)"},
    {"by", TOOL_TEXT, false, "cpu|wall|wait", "which time (cpu)"},
    {"all_code", TOOL_BOOLEAN, false, NULL,
     "functions of system headers and libraries, too; else they count as part of the own code "
     "that called them"},
    {"full_names", TOOL_BOOLEAN, false, NULL, "names with types"},
    TOOL_DATABASE,
    {NULL, TOOL_TEXT, false, NULL, NULL}};

static int run_tree(struct tool_call *call)
{
    static const char *const sorts[] = {"time", "calls", "bytes"};
    const char *sort = tool_text(call, "sort"), *by = tool_text(call, "by");
    int64_t depth = tool_integer(call, "depth", 8);
    struct show_tree_request request = {.from = tool_text(call, "from"),
                                        .style = tool_flag(call, "full_names") ? NAMES_FULL
                                                                               : NAMES_SHORT,
                                        .min_percent = tool_number(call, "min_percent", 1),
                                        .depth_max = depth < 1      ? 1
                                                     : depth > 1000 ? 1000
                                                                    : (long)depth,
                                        .all_code = tool_flag(call, "all_code"),
                                        .colour = COLOUR_NEVER};
    for (int i = 0; sort != NULL && i < 3; i++)
        if (strcmp(sorts[i], sort) == 0)
            request.sort = (enum show_tree_sort)i;
    if (by != NULL && !measure_parse(by, &request.measure))
        return fail("by: %s: wants one of %s", by, MEASURE_WORDS);
    if (!(request.min_percent >= 0 && request.min_percent <= 100))
        return fail("min_percent: wants a number from 0 to 100");
    int status = tool_open(call, "database");
    return status != 0 ? status
                       : show_tree(call->database, call->path, &request, call->answer.stream);
}

const struct tool tool_tree = {
    .name = "tree",
    .title = "The calling context tree",
    .what = "Each function under the one that called it, with total time (callees included), its "
            "share, self time, calls and the memory allocated within it.",
    .parameters = tree_parameters,
    .run = run_tree};

/* ---- call ---- */

static const struct tool_parameter call_parameters[] = {
    {"id", TOOL_INTEGER, true, NULL,
     "the call: queries name such ids in columns like slowest_call, and calls.id is one"},
    {"depth", TOOL_INTEGER, false, NULL, "levels of calls made by it (1)"},
    {"limit", TOOL_INTEGER, false, NULL, "calls made by it at most (50)"},
    TOOL_DATABASE,
    {NULL, TOOL_TEXT, false, NULL, NULL}};

static int put_callees(struct tool_call *call, int64_t id)
{
    int64_t depth = tool_integer(call, "depth", 1);
    long limit = tool_limit(call, 50);
    struct cut_view cut;
    struct show_trace_request request = {.cut = {.until_ns = INT64_MAX,
                                                 .within = id,
                                                 .depth_max = 1 + (depth < 1      ? 1
                                                                   : depth > 1000 ? 1000
                                                                                  : depth)},
                                         .limit = 1 + (limit < 1 ? 1 : limit),
                                         .colour = COLOUR_NEVER};
    int status = cut_view_of(&cut, call->database, call->path, "a call", &request.cut, NAMES_SHORT,
                             MEASURE_CPU);
    if (status == 0) {
        fputs("\nThe call and those that it made, + blocks that they allocated: entry since the "
              "run's start, duration, thread, function\n",
              call->answer.stream);
        status = show_trace(&cut, &request, call->answer.stream);
    }
    cut.database = NULL; /* remains the call's */
    cut_view_close(&cut);
    return status;
}

static int run_call(struct tool_call *call)
{
    int64_t id = tool_integer(call, "id", 0);
    int status = tool_open(call, "database");
    if (status == 0 && id < 1)
        status = fail("id: wants a number from 1 on");
    if (status == 0)
        status =
            show_stack(call->database, call->path, id, NAMES_SHORT, false, call->answer.stream);
    return status == 0 ? put_callees(call, id) : status;
}

const struct tool tool_call_of = {
    .name = "call",
    .title = "One call",
    .what = "One call of the run: its stack, outermost last, with arguments and results where "
            "they were recorded, when it was entered and how long it took; then the calls that it "
            "made and the blocks that these allocated.",
    .parameters = call_parameters,
    .run = run_call};
