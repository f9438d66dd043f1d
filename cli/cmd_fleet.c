/* fisql fleet: asks many runs. */
#include "cli/commands.h"
#include "cli/fleet/ask.h"
#include "cli/fleet/store.h"
#include "cli/out/args.h"
#include "cli/out/pager.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"
#include "cli/query/query_help.h"
#include "cli/query/query_options.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: fisql fleet [--list]            list what can be asked of many runs\n"
    "       fisql fleet NAME [FLEET] [OPTION...]  ask it (FLEET: fleet.db)\n"
    "       fisql fleet NAME --help         explain it\n"
    "\n"
    "Asks all runs that `fisql push` has put into FLEET, or those of a set: -p runs=SET. A set is "
    "a label,\n"
    "KEY=VALUE, or only its VALUE, or the first 6 digits and more of a run's id; * is all.\n"
    "\n"
    "      --url FLEET          the SQLite file of many runs, as FLEET (fleet.db)\n"
    "  -p, --param NAME=VALUE   set a parameter (times as 10us, sizes as 4K)\n"
    "      --format FORMAT      table, csv, json or markdown (table)\n"
    "      --limit N            at most N rows, 0 for all (40 on a terminal, else all)\n"
    "      --wide               on a terminal, keep all columns and cut nothing\n"
    "      --check              exit with status 1 if there are rows\n"
    "      --suppressions FILE  leave out rows with a function on their stack that matches\n"
    "                           (leak:PATTERN lines, as LeakSanitizer's)\n"
    "      --list               list what can be asked\n"
    "      --names              print only the names\n"
    "\n"
    "Exit status: 0 done, 1 --check found rows, 2 could not be done.\n"
    "\n"
    "examples: fisql fleet runs fleet.db\n"
    "          fisql fleet hot-functions -p runs=version=1.0 --limit 10\n"
    "          fisql fleet never-called --format csv\n";

enum { URL = 256, FORMAT, LIMIT, WIDE, CHECK, SUPPRESSIONS, LIST, NAMES };

struct options {
    struct query_request request;
    const char *name, *url;
    bool check, limit_given, wide, help, list, names;
};

static int set_option(struct options *options, const struct args *args)
{
    struct query_request *request = &options->request;
    switch (args->code) {
    case 'p':
        return query_option_param(request, args);
    case URL:
        options->url = args->value;
        return 0;
    case FORMAT:
        return query_option_format(request, args);
    case LIMIT:
        options->limit_given = true;
        return query_option_limit(request, args);
    case SUPPRESSIONS:
        request->suppressions = args->value;
        return 0;
    }
    options->wide |= args->code == WIDE;
    options->check |= args->code == CHECK;
    options->list |= args->code == LIST;
    options->names |= args->code == NAMES;
    options->help |= args->code == 'h';
    return 0;
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct args_option known[] = {{"url", URL, true},
                                               {"param", 'p', true},
                                               {"format", FORMAT, true},
                                               {"limit", LIMIT, true},
                                               {"wide", WIDE, false},
                                               {"check", CHECK, false},
                                               {"suppressions", SUPPRESSIONS, true},
                                               {"list", LIST, false},
                                               {"names", NAMES, false},
                                               {NULL, 0, false}};
    *options = (struct options){.request.limit = -1, .url = "fleet.db"};
    struct args args = {.command = "fleet", .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    if (args.status != ARGS_GO_ON)
        return args.status;
    options->name = args_word(&args, NULL);
    options->url = args_word(&args, options->url);
    return args_end(&args);
}

static int ask(struct options *options, const struct query_file *query)
{
    struct query_request *request = &options->request;
    struct store store;
    int status = store_open(&store, options->url, NULL, false), width = terminal_columns();
    bool people =
        width > 0 && (request->format == OUTPUT_TABLE || request->format == OUTPUT_MARKDOWN);
    bool cut = query_cut_for_terminal(request, people, options->limit_given);
    long rows = 0;
    request->width_max = people && !options->wide ? width : 0;
    request->say_left_out = true;
    if (status == 0 && people)
        pager_start();
    if (status == 0)
        status = ask_run(&store, request, query, stdout, &rows);
    if (status == 0 && cut)
        query_say_cut(rows);
    if (status == 0 && rows == 0 && request->format == OUTPUT_TABLE)
        note("%s: nothing found", query->name);
    store_close(&store);
    return status == 0 && options->check && rows > 0 ? 1 : status;
}

static int dispatch(struct options *options, const struct query_set *set)
{
    if (options->name == NULL && options->help) {
        fputs(usage, stdout);
        return 0;
    }
    if (options->names) {
        query_help_names(set);
        return 0;
    }
    if (options->name == NULL || options->list) {
        query_help_list(set, "fleet", "the runs in fleet.db");
        return 0;
    }
    const struct query_file *query = query_set_find(set, options->name);
    if (query == NULL)
        return query_set_fail_unknown(set, options->name);
    if (!options->help)
        return ask(options, query);
    query_help_explain(query, "fleet", options->request.format == OUTPUT_MARKDOWN, stdout);
    return 0;
}

int cmd_fleet(int argc, char **argv)
{
    struct options options;
    struct query_set set = {0};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    status = ask_load(&set);
    if (status == 0)
        status = dispatch(&options, &set);
    query_set_release(&set);
    return status;
}
