/*
 * fisql report: one HTML page to look at a run with. The page (page/) is compiled in as two halves;
 * between them goes the run's data as JSON (report.h). The file gets its name when it is complete.
 */
#include "base/shortage.h"
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/diff/compare.h"
#include "cli/run/database.h"
#include "cli/out/out_file.h"
#include "cli/report/report.h"
#include "cli/out/say.h"
#include "page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: fisql report [DB] [-o FILE]\n"
    "       fisql report --diff A.db B.db [-o FILE]\n"
    "\n"
    "Writes one HTML page that needs no network and nothing beside it: a first screen with what\n"
    "matters most, flame graph, timeline with live memory, functions with callers and callees,\n"
    "call graph, memory by stack, findings. It opens at once whatever the run's size: it holds\n"
    "at most some 5 MB and says what it left out.\n"
    "\n"
    "  -o, --output FILE      the page (report.html); - is standard output\n"
    "      --diff             two runs side by side, worse in red, better in green\n"
    "      --format FORMAT    html, or json: only the data that the page draws (html)\n"
    "      --calls N          calls in the timeline, the longest ones (40000, at most 60000)\n"
    "      --demangle STYLE   short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "Exit status: 0 done, 1 done but the recording is not complete, 2 could not be done.\n"
    "\n"
    "examples: fisql report run.db -o report.html\n"
    "          fisql report --diff run.db run.db -o diff.html\n";

struct options {
    const char *paths[2]; /* of the databases; one without --diff */
    const char *output_path;
    bool diff, data_alone;
    enum name_style names;
    long calls_max;
    bool terminal; /* progress is shown */
};

enum { OPTION_CALLS = 256, OPTION_DEMANGLE, OPTION_DIFF, OPTION_FORMAT };
enum { STEPS_A_TICK = 20000000 }; /* SQLite's, some tenths of a second */
enum { DIFF_PERCENT = 38 };       /* of the budgets for each of two runs */
enum { CALLS_DEFAULT = 40000, CALLS_MOST = 60000 };

static int set_option(struct options *options, const struct args *args)
{
    char *end, wants[64];
    switch (args->code) {
    case 'o':
        options->output_path = args->value;
        return 0;
    case OPTION_CALLS:
        options->calls_max = strtol(args->value, &end, 10);
        snprintf(wants, sizeof wants, "a number from 0 to %d", CALLS_MOST);
        return *args->value != '\0' && *end == '\0' && options->calls_max >= 0 &&
                       options->calls_max <= CALLS_MOST
                   ? 0
                   : args_wrong(args, wants);
    case OPTION_DIFF:
        options->diff = true;
        return 0;
    case OPTION_FORMAT:
        options->data_alone = strcmp(args->value, "json") == 0;
        return options->data_alone || strcmp(args->value, "html") == 0
                   ? 0
                   : args_wrong(args, "html or json");
    default:
        return name_style_parse(args->value, &options->names)
                   ? 0
                   : args_wrong(args, "short, full or no");
    }
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct args_option known[] = {{"output", 'o', true},
                                               {"calls", OPTION_CALLS, true},
                                               {"diff", OPTION_DIFF, false},
                                               {"format", OPTION_FORMAT, true},
                                               {"demangle", OPTION_DEMANGLE, true},
                                               {NULL, 0, false}};
    struct args args = {.command = "report", .help = usage, .options = known};
    *options = (struct options){
        .paths = {"run.db"}, .output_path = "report.html", .calls_max = CALLS_DEFAULT};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    options->paths[0] = args_word(&args, options->paths[0]);
    if (options->diff)
        options->paths[1] = args_word(&args, NULL);
    if (args.status == ARGS_GO_ON && options->diff && options->paths[1] == NULL)
        return fail("report: --diff: wants two databases: fisql report --diff A.db B.db");
    return args_end(&args);
}

static int write_page(const struct options *options, sqlite3 *const *databases, FILE *out)
{
    struct report reports[2];
    int count = options->diff ? 2 : 1, status = 0;
    if (!options->data_alone)
        fputs(report_page_head, out);
    for (int i = 0; i < count; i++) {
        reports[i] = (struct report){.database = databases[i],
                                     .path = options->paths[i],
                                     .json = {.out = out},
                                     .names = options->names,
                                     .calls_max = options->calls_max / count,
                                     .percent = options->diff ? DIFF_PERCENT : 100};
        if (status == 0)
            status = report_open(&reports[i]);
    }
    if (status == 0)
        status =
            options->diff ? report_write_diff(&reports[0], &reports[1]) : report_write(&reports[0]);
    if (options->terminal)
        say_progress_end();
    for (int i = 0; i < count; i++)
        report_close(&reports[i]);
    fputs(options->data_alone ? "\n" : report_page_tail, out);
    return status;
}

/* SQLite calls this now and then while it works. */
static int show_progress(void *context)
{
    const struct timespec *begun = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    say_progress("collecting the report: %.1f s", (double)(now.tv_sec - begun->tv_sec) +
                                                      (double)(now.tv_nsec - begun->tv_nsec) / 1e9);
    return 0;
}

static int write_to(const struct options *options, sqlite3 *const *databases)
{
    struct out_file out;
    errno = 0;
    if (out_file_open(&out, options->output_path, options->paths, options->diff ? 2 : 1) != 0)
        return 2;
    bool file = out.path != NULL;
    int status = out_file_close(&out, write_page(options, databases, out.stream));
    if (status == 0 && file && !options->data_alone)
        note("%s: written; open it with a browser", options->output_path);
    return status;
}

/* Returns how many losses the recording has; prints them if a path is given (comparing has done
 * so). */
static long long losses(sqlite3 *database, const char *path)
{
    if (path != NULL)
        return database_say_state(database, path);
    sqlite3_stmt *statement = database_ask(database, "SELECT count(*) FROM main.losses");
    long long count = database_row(statement) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return count;
}

int cmd_report(int argc, char **argv)
{
    struct options options;
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    status = 0;
    if (report_page_tail[0] == '\0' && !options.data_alone)
        return fail("report: the page is missing: this fisql was built without npm, which brings "
                    "the page's drawing libraries: install npm (apt-get install npm), then run "
                    "`make` again in fisql's source; everything else works");
    sqlite3 *databases[2] = {NULL, NULL};
    int count = options.diff ? 2 : 1;
    for (int i = 0; i < count && status == 0; i++) {
        databases[i] = options.diff && i == 0
                           ? compare_open(options.paths[0], options.paths[1], NAMES_FULL)
                           : database_open(options.paths[i]);
        status = databases[i] != NULL ? 0 : 2;
        if (status == 0)
            database_hold(databases[i]);
    }
    struct timespec begun;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    options.terminal = isatty(STDERR_FILENO) == 1;
    for (int i = 0; i < count && options.terminal && status == 0; i++)
        sqlite3_progress_handler(databases[i], STEPS_A_TICK, show_progress, &begun);
    if (status == 0)
        status = write_to(&options, databases);
    for (int i = 0; i < count; i++) {
        if (status != 2 && losses(databases[i], options.diff ? NULL : options.paths[i]) > 0)
            status = 1;
        sqlite3_close(databases[i]);
    }
    return shortage_noted() != 0 ? 2 : status;
}
