/* fisql query: lists the queries, explains one, runs one, or runs them all. */
#include "base/shortage.h"
#include "base/parts.h"
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/run/database.h"
#include "cli/query/digest.h"
#include "cli/run/own_code.h"
#include "cli/run/whole_calls.h"
#include "cli/query/findings.h"
#include "cli/query/kept_blocks.h"
#include "cli/query/left_out.h"
#include "cli/query/query_fold.h"
#include "cli/query/query_help.h"
#include "cli/query/query_needs.h"
#include "cli/query/query_options.h"
#include "cli/query/query_run.h"
#include "cli/query/recording_limits.h"
#include "cli/query/query_set.h"
#include "cli/out/pager.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: fisql query [--list]               list the queries: what each answers\n"
    "       fisql query DB                     the run's digest, as `fisql digest`\n"
    "       fisql query NAME [DB] [OPTION...]  run one (DB: run.db)\n"
    "       fisql query NAME --help            explain one\n"
    "       fisql query --all [DB]             a page of findings from all of them\n"
    "       fisql query --file MY.sql [DB]     run a query of your own\n"
    "\n"
    "  -p, --param NAME=VALUE   set a parameter of the query (times as 10us, sizes as 4K)\n"
    "      --by MEASURE         as -p by=MEASURE: cpu, wall or wait for queries about time\n"
    "      --format FORMAT      table, csv, json or markdown (table)\n"
    "      --limit N            at most N rows, 0 for all (40 on a terminal, else all)\n"
    "      --sort COLUMN,...    sort by these columns: figures from the greatest on, names from A "
    "on\n"
    "      --reverse            with --sort: the other way round\n"
    "      --wide               names in full; on a terminal, keep all columns and cut nothing\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short).\n"
    "                           Without it csv and json have a column full_function beside\n"
    "                           function, and so for each that names functions\n"
    "      --explain            show the SQL, the parameters and SQLite's plan\n"
    "      --check              exit with status 1 if there are rows or the run is not complete\n"
    "      --suppressions FILE  leave out allocations whose stack matches (leak:PATTERN lines,\n"
    "                           as LeakSanitizer's)\n"
    "      --all-code           show functions of system headers and libraries as the program's\n"
    "                           own; else they count as part of the own code that called them\n"
    "      --all-blocks         also list blocks that the C library keeps for itself until the "
    "end\n"
    "      --all                run every query: a few rows of each that matters, worst first\n"
    "      --list               list the queries: what each answers\n"
    "      --names              print only the names of the queries\n"
    "      --query-file FILE    run the SQL in FILE; so does --file without a NAME, or with a\n"
    "                           file that ends in .sql\n"
    "\n"
    "Filters; `fisql query NAME --help` lists those that a query has. Names are exact or patterns\n"
    "(*, ?, [...]):\n"
    "\n"
    "      --function NAME      functions of this name\n"
    "      --file FILE          functions of this source file (path or last part of it)\n"
    "      --module NAME        functions of this module: of the map of `fisql modules`, else the\n"
    "                           program or library\n"
    "      --thread NAME        a thread, by name or tid\n"
    "      --since TIME         from this time since the run's start on: 1500ns, 10ms, 2.5s\n"
    "      --until TIME         up to this time\n"
    "\n"
    "On a terminal, output goes through $PAGER, and a table that is too wide leaves out columns "
    "and\n"
    "says which. In stacks, \" => \" separates functions; no name contains it.\n"
    "\n"
    "Invisible characters, and those that reorder others, are shown as \\x1b or <U+202E>. CSV in "
    "a\n"
    "file or a pipe has them as they are, JSON as \\u001b.\n"
    "\n"
    "Queries of your own in $XDG_CONFIG_HOME/fisql/queries/NAME.sql are listed with the others.\n"
    "\n"
    "Exit status: 0 done, 1 --check found rows, 2 could not be done.\n"
    "\n"
    "examples: fisql query hot-functions --limit 10\n"
    "          fisql query dead-code --format csv\n"
    "          fisql query not-freed --check\n"
    "          fisql query --all --format markdown\n";

enum action { ACTION_RUN, ACTION_EXPLAIN, ACTION_HELP, ACTION_ALL, ACTION_LIST, ACTION_NAMES };

struct options {
    struct query_request request;
    enum action action;
    bool check, limit_given, wide, style_given, all_code, path_given;
    const char *name, *database_path, *query_file;
};

enum option_code {
    OPTION_FORMAT = 256,
    OPTION_BY,
    OPTION_LIMIT,
    OPTION_DEMANGLE,
    OPTION_EXPLAIN,
    OPTION_CHECK,
    OPTION_SUPPRESSIONS,
    OPTION_ALL_BLOCKS,
    OPTION_ALL,
    OPTION_LIST,
    OPTION_NAMES,
    OPTION_QUERY_FILE,
    OPTION_WIDE,
    OPTION_SORT,
    OPTION_REVERSE,
    OPTION_ALL_CODE,
    OPTION_FILTERS /* the filters' options follow, in the order of enum filter */
};

static const struct args_option options_known[] = {
    {"param", 'p', true},
    {"format", OPTION_FORMAT, true},
    {"by", OPTION_BY, true},
    {"limit", OPTION_LIMIT, true},
    {"demangle", OPTION_DEMANGLE, true},
    {"explain", OPTION_EXPLAIN, false},
    {"check", OPTION_CHECK, false},
    {"suppressions", OPTION_SUPPRESSIONS, true},
    {"all-blocks", OPTION_ALL_BLOCKS, false},
    {"all", OPTION_ALL, false},
    {"list", OPTION_LIST, false},
    {"names", OPTION_NAMES, false},
    {"wide", OPTION_WIDE, false},
    {"sort", OPTION_SORT, true},
    {"reverse", OPTION_REVERSE, false},
    {"all-code", OPTION_ALL_CODE, false},
    {"query-file", OPTION_QUERY_FILE, true},
    {"function", OPTION_FILTERS + FILTER_FUNCTION, true},
    {"file", OPTION_FILTERS + FILTER_FILE, true},
    {"module", OPTION_FILTERS + FILTER_MODULE, true},
    {"thread", OPTION_FILTERS + FILTER_THREAD, true},
    {"since", OPTION_FILTERS + FILTER_SINCE, true},
    {"until", OPTION_FILTERS + FILTER_UNTIL, true},
    {NULL, 0, false}};

static int set_option(struct options *options, const struct args *args)
{
    struct query_request *request = &options->request;
    const char *value = args->value;
    switch (args->code) {
    case 'p':
        return query_option_param(request, args);
    case OPTION_BY:
        request->by = value;
        return 0;
    case 'h':
        options->action = ACTION_HELP;
        return 0;
    case OPTION_FORMAT:
        return query_option_format(request, args);
    case OPTION_LIMIT:
        options->limit_given = true;
        return query_option_limit(request, args);
    case OPTION_DEMANGLE:
        options->style_given = true;
        return name_style_parse(value, &request->names) ? 0 : args_wrong(args, "short, full or no");
    case OPTION_EXPLAIN:
        options->action = ACTION_EXPLAIN;
        return 0;
    case OPTION_CHECK:
        options->check = true;
        return 0;
    case OPTION_SUPPRESSIONS:
        request->suppressions = value;
        return 0;
    case OPTION_ALL_BLOCKS:
        request->all_blocks = true;
        return 0;
    case OPTION_ALL:
        options->action = ACTION_ALL;
        return 0;
    case OPTION_LIST:
        options->action = ACTION_LIST;
        return 0;
    case OPTION_NAMES:
        options->action = ACTION_NAMES;
        return 0;
    case OPTION_WIDE:
        options->wide = true;
        return 0;
    case OPTION_SORT:
        request->filters.sort = value;
        return 0;
    case OPTION_REVERSE:
        request->filters.reverse = true;
        return 0;
    case OPTION_ALL_CODE:
        options->all_code = true;
        return 0;
    case OPTION_QUERY_FILE:
        options->query_file = value;
        return 0;
    default:
        request->filters.values[args->code - OPTION_FILTERS] = value;
        return 0;
    }
}

/* --file names a source file to filter by. It names the query itself if it ends like SQL, or if
 * there is no other query to filter. */
static void decide_file(struct options *options, int names_count)
{
    const char **file = &options->request.filters.values[FILTER_FILE];
    if (*file != NULL && options->query_file == NULL && options->action != ACTION_ALL &&
        (names_count == 0 || has_ending(*file, ".sql"))) {
        options->query_file = *file;
        *file = NULL;
    }
}

static int parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){.request.limit = -1, .database_path = "run.db"};
    struct args args = {.command = "query", .options = options_known};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    if (args.status != ARGS_GO_ON)
        return args.status;
    decide_file(options, args_words(&args));
    if (options->wide && !options->style_given)
        options->request.names = NAMES_FULL;
    options->request.full_columns = !options->style_given;
    if (options->query_file == NULL && options->action != ACTION_ALL)
        options->name = args_word(&args, NULL);
    const char *path = args_word(&args, NULL);
    options->path_given = path != NULL;
    if (path != NULL)
        options->database_path = path;
    if (options->request.filters.reverse && options->request.filters.sort == NULL)
        return fail("query: --reverse: turns round what --sort COLUMN sorts by");
    if (options->request.filters.sort != NULL && options->action == ACTION_ALL)
        return fail("query: --sort: sorts the rows of one query, not of --all");
    return args_end(&args);
}

/* ---- actions ---- */

/* On a terminal that people read: says how complete the recording is (*losses becomes the number of
 * losses), starts the pager and fits tables to the width. Returns whether it is one. */
static bool begin_output(struct options *options, sqlite3 *database, long long *losses)
{
    struct query_request *request = &options->request;
    int width = terminal_columns();
    if (width == 0 || request->format == OUTPUT_CSV || request->format == OUTPUT_JSON)
        return false;
    request->width_max = options->wide ? 0 : width;
    *losses = database_say_state(database, options->database_path);
    pager_start();
    return true;
}

static int run_one(struct options *options, const struct query_file *query, sqlite3 *database)
{
    struct query_request *request = &options->request;
    long long losses = 0;
    bool terminal = begin_output(options, database, &losses);
    bool cut = query_cut_for_terminal(request, terminal, options->limit_given);
    request->say_left_out = true;
    long rows = 0;
    int status = query_run(request, database, query, stdout, &rows);
    if (status == 0 && cut)
        query_say_cut(rows);
    const char *lacks = rows == 0 ? query_lacks(query, database) : NULL;
    if (lacks == NULL)
        lacks = query_lacks_part(query, database);
    if (status == 0 && lacks != NULL)
        note("%s: %s", query->name, lacks);
    else if (status == 0 && rows == 0 && request->format == OUTPUT_TABLE)
        note("%s: nothing found", query->name);
    if (status == 0)
        kept_blocks_say(request, query, database);
    if (status == 0 && (request->format == OUTPUT_TABLE || request->format == OUTPUT_MARKDOWN))
        left_out_say(request, query, database);
    if (status == 0 && rows > 0)
        query_limits_say(request, query, database);
    if (!terminal)
        losses = database_say_state(database, options->database_path);
    if (status == 0 && options->check && (rows > 0 || losses > 0))
        status = 1;
    return status;
}

static int run_all(struct options *options, const struct query_set *set, sqlite3 *database)
{
    long found = 0;
    if (options->request.format != OUTPUT_TABLE && options->request.format != OUTPUT_MARKDOWN)
        return fail("--all: is for people: --format table or markdown; run single queries for "
                    "csv and json");
    long long losses = 0;
    bool terminal = begin_output(options, database, &losses);
    int status = findings_print(&options->request, set, database, options->database_path, &found);
    if (!terminal)
        losses = database_say_state(database, options->database_path);
    return status == 0 && options->check && (found > 0 || losses > 0) ? 1 : status;
}

/* Folds the database into own code, unless the question is about all of it. */
static int fold(const struct options *options, const struct query_file *query, sqlite3 *database)
{
    bool folded = false;
    if (options->all_code)
        return 0;
    int status = query_fold(database, query, &options->request, &folded);
    if (status == 0 && folded && options->request.format == OUTPUT_TABLE)
        note("functions of system headers count as part of their callers: --all-code shows them");
    return status;
}

/* Runs or explains a query, or runs them all. */
static int with_database(struct options *options, const struct query_set *set,
                         const struct query_file *query)
{
    bool explain = options->action == ACTION_EXPLAIN && query != NULL;
    if (explain && access(options->database_path, F_OK) != 0)
        return query_explain(&options->request, NULL, query, stdout);
    sqlite3 *database = database_open(options->database_path);
    if (database == NULL)
        return 2;
    int status = filters_check(&options->request.filters, database);
    if (status == 0 && options->action == ACTION_RUN && query_needs_word(query, "calls") &&
        whole_calls_possible(database) &&
        !whole_calls_open(&database, options->database_path, query->name, 0, 0))
        status = 2;
    if (status == 0)
        status = fold(options, query, database);
    if (status == 0 && explain)
        status = query_explain(&options->request, database, query, stdout);
    else if (status == 0 && options->action == ACTION_ALL)
        status = run_all(options, set, database);
    else if (status == 0)
        status = run_one(options, query, database);
    sqlite3_close(database);
    return status;
}

/* Does the name mean a database, to print its digest? That also refuses files that are not ours. */
static bool is_database(const struct query_set *set, const char *name)
{
    return query_set_find(set, name) == NULL &&
           (has_ending(name, ".db") || has_ending(name, ".bin") ||
            (access(name, F_OK) == 0 && strchr(name, '/') != NULL));
}

static int with_query(struct options *options, const struct query_set *set,
                      const struct query_file *query)
{
    if (options->action != ACTION_HELP)
        return with_database(options, set, query);
    query_help_explain(query, "query", options->request.format == OUTPUT_MARKDOWN, stdout);
    return 0;
}

static int dispatch(struct options *options, const struct query_set *set)
{
    if (options->action == ACTION_LIST) {
        query_help_list(set, "query", "run.db");
        return 0;
    }
    if (options->action == ACTION_NAMES) {
        query_help_names(set);
        return 0;
    }
    if (options->action == ACTION_ALL)
        return with_database(options, set, NULL);
    if (options->query_file != NULL) {
        struct query_file query;
        int status = query_set_read_file(&query, options->query_file, options->query_file);
        if (status == 0)
            status = with_query(options, set, &query);
        query_file_release(&query);
        return status;
    }
    if (options->name == NULL) {
        if (options->action == ACTION_HELP)
            fputs(usage, stdout);
        else if (options->action == ACTION_EXPLAIN)
            return fail("--explain: wants a query's name; `fisql query` lists them");
        else
            query_help_list(set, "query", "run.db");
        return 0;
    }
    if (is_database(set, options->name) && options->path_given) {
        /* The database may also come first. */
        const char *path = options->name;
        options->name = options->database_path;
        options->database_path = path;
    } else if (options->action == ACTION_RUN && is_database(set, options->name)) {
        return digest_of_file(options->name);
    }
    const struct query_file *query = query_set_find(set, options->name);
    return query != NULL ? with_query(options, set, query)
                         : query_set_fail_unknown(set, options->name);
}

int cmd_query(int argc, char **argv)
{
    struct options options;
    struct query_set set = {0};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    status = query_set_load(&set);
    if (status == 0)
        status = dispatch(&options, &set);
    if (status != 2 && shortage_noted() != 0)
        status = fail("query: the answer may not be right: %s", strerror(shortage_noted()));
    query_set_release(&set);
    return status;
}
