/* fisql trace: the calls of a run one after another (cli/show/show_trace.h), or of a program that
 * runs (cli/live/live_trace.h). */
#include "cli/live/live_trace.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/commands.h"
#include "cli/out/say.h"
#include "cli/show/show_trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql trace [OPTION...] [DB]\n"
    "       fisql trace --follow [OPTION...] [PID|RUN.bin]\n"
    "\n"
    "Prints the calls of a run (DB: run.db) one after another, indented by depth: when a call was\n"
    "entered since the run's start, how long it took without the recording's own cost, its "
    "thread,\n"
    "the function with its arguments and its result (`fisql record --values`), the blocks that it\n"
    "allocated, what the program said then (*), calls made to fail (!), pauses (=), and where the\n"
    "recording itself took 100 us and more (~). Calls of all threads are sorted by time.\n"
    "\n" CUT_HELP "      --no-allocs          leave out the blocks allocated\n"
    "      --types              functions with the types of their results and parameters, where "
    "values\n"
    "                           were recorded (`fisql record --values`)\n"
    "      --limit N            at most N calls\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "      --wide               the same as --demangle full\n"
    "      --color WHEN         " COLOUR_HELP "\n"
    "      --follow             what a running program calls and says from now on, until its "
    "recording\n"
    "                           ends: PID is the program's or its recorder's, RUN.bin the log "
    "being\n"
    "                           written. A line beginning with < is the end of a call. If the "
    "program\n"
    "                           is faster than the output, calls are left out, and counted\n"
    "      --level N            with --follow: of what macros say, that up to level N\n"
    "      --no-calls           with --follow: messages and checkpoints alone\n"
    "\n"
    "On a terminal the output goes through $PAGER, except with --follow. With --follow, "
    "--function,\n"
    "--thread, --depth, --limit and --demangle choose what is shown.\n"
    "\n"
    "examples: fisql trace --function main --depth 3\n"
    "          fisql trace --within 2 --min-duration 1us\n"
    "          fisql trace --since 10us --until 1.5s --min-duration 1us\n"
    "          fisql trace --follow --function 'parse*' $(pgrep app)\n";

struct options {
    struct show_trace_request request;
    enum name_style style;
    bool follow, no_calls;
    int64_t level; /* 0 = all */
    const char *path;
};

/* ---- a program that runs ---- */

/* The run of a pid or of a log, in `runs`. Returns 0, or 2 after saying that there is none. */
static int find_run(struct live_runs *runs, const char *word, pid_t *pid, struct live_run **run)
{
    bool number = word != NULL && word[0] != 0 && word[strspn(word, "0123456789")] == 0;
    *run = NULL;
    if (number && live_pid_parse(word, pid) != 0)
        return 2;
    int status = live_runs_find(runs, *pid, number || word == NULL);
    if (status != 0)
        return status;
    if (!number && word != NULL) {
        *run = live_runs_of_log(runs, word);
        return *run != NULL
                   ? 0
                   : fail("%s: nobody is recording into it: `fisql load` and `fisql trace` "
                          "show a finished recording; `fisql ps` lists those that run",
                          word);
    }
    if (runs->count == 0)
        return fail("trace: no program is being recorded; start one with `fisql record`");
    if (runs->count > 1) {
        status = fail("trace: %zu programs are being recorded: give the PID of one", runs->count);
        live_runs_say(runs);
        return status;
    }
    *run = &runs->items[0];
    return 0;
}

static int follow(struct options *options)
{
    const struct call_cut *cut = &options->request.cut;
    struct live_runs runs = {0};
    struct live_run *run;
    pid_t pid = 0;
    if (options->request.types || cut->since_ns != 0 || cut->until_ns != INT64_MAX ||
        cut->within != 0 || cut->call != 0 || cut->min_duration_ns != 0)
        return fail("trace: --follow cannot be used with --types, --since, --until, --within, "
                    "--call or --min-duration");
    int status = find_run(&runs, options->path, &pid, &run);
    if (status == 0) {
        const struct live_trace_options asked = {
            .pid = pid != run->recorder ? pid : 0,
            .function = cut->function,
            .thread = cut->thread,
            .depth = cut->depth_max,
            .level = (unsigned)options->level,
            .no_calls = options->no_calls,
            .colour = options->request.colour == COLOUR_ALWAYS ||
                      (options->request.colour == COLOUR_AUTO && isatty(STDOUT_FILENO) &&
                       getenv("NO_COLOR") == NULL),
            .style = options->style,
            .limit = options->request.limit,
        };
        status = live_trace(run, &asked);
    }
    live_runs_release(&runs);
    return status;
}

enum { NO_ALLOCS = 256, TYPES, LIMIT, DEMANGLE, WIDE, COLOR, FOLLOW, LEVEL, NO_CALLS };

static int set_option(struct options *options, const struct args *args)
{
    char *end;
    switch (args->code) {
    case NO_ALLOCS:
        options->request.no_allocs = true;
        return 0;
    case TYPES:
        options->request.types = true;
        return 0;
    case COLOR:
        return colour_parse(args, &options->request.colour);
    case FOLLOW:
        options->follow = true;
        return 0;
    case NO_CALLS:
        options->no_calls = true;
        return 0;
    case LEVEL:
        return amount_count(args->value, &options->level) && options->level >= 1 &&
                       options->level <= (int64_t)FISQL_LEVEL_MAX
                   ? 0
                   : args_wrong(args, "a level from 1 to 5");
    case LIMIT:
        options->request.limit = strtol(args->value, &end, 10);
        return *end == '\0' && options->request.limit > 0 ? 0
                                                          : args_wrong(args, "a number of calls");
    case WIDE:
        options->style = NAMES_FULL;
        return 0;
    case DEMANGLE:
        return name_style_parse(args->value, &options->style)
                   ? 0
                   : args_wrong(args, "short, full or no");
    default:
        return call_cut_option(&options->request.cut, args);
    }
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct args_option known[] = {{"no-allocs", NO_ALLOCS, false},
                                               {"types", TYPES, false},
                                               {"limit", LIMIT, true},
                                               {"demangle", DEMANGLE, true},
                                               {"wide", WIDE, false},
                                               {"color", COLOR, true},
                                               {"follow", FOLLOW, false},
                                               {"level", LEVEL, true},
                                               {"no-calls", NO_CALLS, false},
                                               CUT_LONG_OPTIONS,
                                               {NULL, 0, false}};
    struct args args = {.command = "trace", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (!options->follow && (options->level != 0 || options->no_calls))
        return fail("trace: %s is for --follow", options->no_calls ? "--no-calls" : "--level");
    options->path = args_word(&args, options->follow ? NULL : "run.db");
    return args_end(&args);
}

int cmd_trace(int argc, char **argv)
{
    struct options options = {.request.cut = {.until_ns = INT64_MAX}, .style = NAMES_SHORT};
    struct cut_view cut;
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    if (options.follow)
        return follow(&options);
    status = cut_view_open(&cut, options.path, "a trace", &options.request.cut, options.style,
                           MEASURE_CPU);
    if (status == 0)
        status = show_trace(&cut, &options.request, stdout);
    cut_view_close(&cut);
    return status;
}
