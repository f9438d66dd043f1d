/* Options of queries: see query_options.h. */
#include "cli/query/query_options.h"

#include "cli/out/say.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const long terminal_rows = 40;

int query_option_param(struct query_request *request, const struct args *args)
{
    if (request->settings_count == QUERY_SETTINGS_MAX)
        return fail("-p %s: too many parameters", args->value);
    request->settings[request->settings_count++] = args->value;
    return 0;
}

int query_option_format(struct query_request *request, const struct args *args)
{
    return output_format_parse(args->value, &request->format)
               ? 0
               : args_wrong(args, "table, csv, json or markdown");
}

int query_option_limit(struct query_request *request, const struct args *args)
{
    char *end;
    request->limit = strtol(args->value, &end, 10);
    if (*args->value == '\0' || *end != '\0' || request->limit < 0)
        return args_wrong(args, "a number of rows, 0 for all");
    if (request->limit == 0)
        request->limit = LONG_MAX;
    return 0;
}

bool query_cut_for_terminal(struct query_request *request, bool terminal, bool limit_given)
{
    bool cut = terminal && request->format == OUTPUT_TABLE && !limit_given;
    if (cut) {
        request->limit = terminal_rows;
        request->count_all = true;
    }
    return cut;
}

void query_say_cut(long rows)
{
    if (rows > terminal_rows)
        printf("\n%ld of %ld rows; --limit 0 gives all.\n", terminal_rows, rows);
}
