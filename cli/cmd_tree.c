/* fisql tree: the calling context tree in the terminal (cli/show/show_tree.h). */
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/commands.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
#include "cli/show/show_tree.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: fisql tree [OPTION...] [DB]\n"
    "\n"
    "Prints the calling context tree of a run (DB: run.db): each function under the one that "
    "called\n"
    "it, with its total processor time (with callees), its self time, its calls, and the memory\n"
    "allocated within it. The hooks' cost is taken out of the times; recursion is folded.\n"
    "\n"
    "(paused T) behind a function is wall time between FISQL_PAUSE and FISQL_RESUME: it is part of "
    "the\n"
    "total, not of the self time. A time with ~ is less than its error, which comes from the "
    "hooks'\n"
    "cost. A self time with > counts from where the log of record --ring begins.\n"
    "\n"
    "      --from FUNCTION      begin at this function (*, ? and [...]): its contexts are merged\n"
    "      --by-value FUNCTION.PARAMETER\n"
    "                           begin at the outermost calls of this function, sorted by the "
    "value\n"
    "                           of an argument, or by FUNCTION.result (record --values). Reads\n"
    "                           all calls within them; shows no memory\n"
    "      --depth N            show N levels\n"
    "      --min-percent P      leave out contexts with less than P % of the whole (1)\n"
    "      --sort BY            time, calls or bytes: order, and what the percentages are of "
    "(time)\n"
    "      --by MEASURE         " MEASURE_HELP "\n"
    "      --color WHEN         " COLOUR_HELP ":\n"
    "                           contexts with much of the whole are red, with some yellow\n"
    "      --all-code           show functions of system headers and libraries, too; else they\n"
    "                           count as part of the own code that called them\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "      --wide               the same as --demangle full\n"
    "\n"
    "example: fisql tree --depth 4\n";

static int parse(struct show_tree_request *request, const char **path, int argc, char **argv)
{
    enum { FROM = 256, DEPTH, MIN_PERCENT, SORT, BY, DEMANGLE, WIDE, ALL_CODE, BY_VALUE, COLOR };
    static const struct args_option known[] = {{"from", FROM, true},
                                               {"depth", DEPTH, true},
                                               {"min-percent", MIN_PERCENT, true},
                                               {"sort", SORT, true},
                                               {"by", BY, true},
                                               {"demangle", DEMANGLE, true},
                                               {"all-code", ALL_CODE, false},
                                               {"by-value", BY_VALUE, true},
                                               {"wide", WIDE, false},
                                               {"color", COLOR, true},
                                               {NULL, 0, false}};
    static const char *const sorts[] = {"time", "calls", "bytes"};
    struct args args = {.command = "tree", .help = help, .options = known};
    char *end = NULL;
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        switch (args.code) {
        case FROM:
            request->from = args.value;
            break;
        case BY_VALUE:
            request->by_value = args.value;
            break;
        case ALL_CODE:
            request->all_code = true;
            break;
        case DEPTH:
            request->depth_max = strtol(args.value, &end, 10);
            if (*end != '\0' || request->depth_max <= 0)
                return args_wrong(&args, "a number from 1 on");
            break;
        case MIN_PERCENT:
            request->min_percent = strtod(args.value, &end);
            if (*end != '\0' || !(request->min_percent >= 0 && request->min_percent <= 100))
                return args_wrong(&args, "a number from 0 to 100");
            break;
        case SORT:
            for (request->sort = 0;
                 request->sort < 3 && strcmp(sorts[request->sort], args.value) != 0;)
                request->sort++;
            if (request->sort == 3)
                return args_wrong(&args, "time, calls or bytes");
            break;
        case BY:
            if (!measure_parse(args.value, &request->measure))
                return args_wrong(&args, MEASURE_WORDS);
            break;
        case WIDE:
            request->style = NAMES_FULL;
            break;
        case COLOR:
            if (colour_parse(&args, &request->colour) != 0)
                return 2;
            break;
        case DEMANGLE:
            if (!name_style_parse(args.value, &request->style))
                return args_wrong(&args, "short, full or no");
            break;
        }
    }
    *path = args_word(&args, "run.db");
    if (args.status == ARGS_GO_ON && request->by_value != NULL &&
        (request->from != NULL || request->sort == TREE_BY_BYTES))
        return fail("--by-value: begins at its function and knows nothing of memory: leave out %s",
                    request->from != NULL ? "--from" : "--sort bytes");
    return args_end(&args);
}

int cmd_tree(int argc, char **argv)
{
    struct show_tree_request request = {.style = NAMES_SHORT, .min_percent = 1};
    const char *path = NULL;
    int status = parse(&request, &path, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    sqlite3 *database = database_open(path);
    status = 2;
    if (database != NULL &&
        (request.by_value == NULL || whole_calls_open(&database, path, "--by-value", 0, 0)))
        status = show_tree(database, path, &request, stdout);
    sqlite3_close(database);
    return status;
}
