/* fisql top: what a running program does now, by function. */
#include "cli/commands.h"
#include "cli/live/live_find.h"
#include "cli/live/live_top.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/say.h"

static const char help[] =
    "usage: fisql top [OPTION...] [PID]\n"
    "\n"
    "Shows once a second what the functions of a program that is being recorded did in that\n"
    "second: calls, processor time and waits of their own, without callees, of all threads. PID "
    "is\n"
    "the program's or its recorder's; without it, the only recorded program is asked. The program\n"
    "does nothing for it: its chunks are read, from the live area and from the log if there is\n"
    "one (`fisql record --ring 4M` writes none). If it is faster than that, fisql top says how\n"
    "many calls are in no row. Calls that are only counted (--depth, --min-duration) are in none.\n"
    "\n"
    "      --sort BY            calls, cpu, waits or name (cpu)\n"
    "      --filter PATTERN     only functions whose name matches, or has this part\n"
    "      --once               one table, after the first second\n"
    "  -n, --tables N           N tables, then end; without a terminal as lines of text\n"
    "      --every T            a table each T (1s; 100ms to 1h)\n"
    "      --rows N             at most N functions\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "On a terminal, with neither --once nor --tables, these keys are read:\n"
    "\n"
    "  c t w n                  sort by calls, processor time, waits, name\n"
    "  /                        which functions: Enter takes the text, Escape leaves it\n"
    "  s                        the threads' stacks, as `fisql stacks` shows them\n"
    "  r                        record the next 5 s to a log of its own, top-HHMMSS.bin\n"
    "  q                        quit\n"
    "\n"
    "Only the program's user and root can ask it.\n"
    "\n"
    "example: fisql top --once --rows 5 $(pgrep app)\n";

#define TABLES_MAX 1000000
#define ROWS_MAX 1000000
#define EVERY_NS_MIN 100000000
#define EVERY_NS_MAX INT64_C(3600000000000)

enum { SORT = 256, FILTER, ONCE, EVERY, ROWS, DEMANGLE };

static int set_option(struct live_top_options *options, const struct args *args)
{
    switch (args->code) {
    case SORT:
        options->sort = top_sort_of_word(args->value);
        return options->sort != TOP_SORTS_COUNT ? 0 : args_wrong(args, "calls, cpu, waits or name");
    case FILTER:
        options->filter = args->value;
        return 0;
    case ONCE:
        options->tables = 1;
        return 0;
    case 'n':
        if (!amount_count(args->value, &options->tables) || options->tables == 0 ||
            options->tables > TABLES_MAX)
            return args_wrong(args, "a number from 1 to 1000000");
        return 0;
    case EVERY:
        if (!amount_time(args->value, &options->every_ns) || options->every_ns < EVERY_NS_MIN ||
            options->every_ns > EVERY_NS_MAX)
            return args_wrong(args, "a time such as 500ms or 2s, from 100ms to 3600s");
        return 0;
    case ROWS:
        if (!amount_count(args->value, &options->rows) || options->rows == 0 ||
            options->rows > ROWS_MAX)
            return args_wrong(args, "a number from 1 to 1000000");
        return 0;
    default:
        return name_style_parse(args->value, &options->style)
                   ? 0
                   : args_wrong(args, "short, full or no");
    }
}

static int parse(struct live_top_options *options, pid_t *pid, int argc, char **argv)
{
    static const struct args_option known[] = {
        {"sort", SORT, true},         {"filter", FILTER, true}, {"once", ONCE, false},
        {"tables", 'n', true},        {"every", EVERY, true},   {"rows", ROWS, true},
        {"demangle", DEMANGLE, true}, {NULL, 0, false}};
    struct args args = {.command = "top", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (args_words(&args) > 0 && live_pid_parse(args_word(&args, ""), pid) != 0)
        return 2;
    return args_end(&args);
}

int cmd_top(int argc, char **argv)
{
    struct live_top_options options = {
        .style = NAMES_SHORT, .sort = TOP_SORT_CPU, .every_ns = 1000000000};
    struct live_runs runs;
    pid_t pid = 0;
    int status = parse(&options, &pid, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    status = live_runs_find(&runs, pid, true);
    if (status == 0 && runs.count == 0)
        status = fail("top: no program is being recorded; start one with `fisql record`");
    if (status == 0 && runs.count > 1) {
        status = fail("top: %zu programs are being recorded: give the PID of one", runs.count);
        live_runs_say(&runs);
    }
    if (status == 0) {
        options.pid = pid != runs.items[0].recorder ? pid : 0;
        status = live_top(&runs.items[0], &options);
    }
    live_runs_release(&runs);
    return status;
}
