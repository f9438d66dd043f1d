/* fisql diff: what changed between two runs. */
#include "base/shortage.h"
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/diff/compare.h"
#include "cli/diff/diff.h"
#include "cli/diff/diff_functions.h"
#include "cli/out/output.h"
#include "cli/out/say.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: fisql diff [OPTION...] A.db B.db\n"
    "\n"
    "Says what changed from run A to run B: functions that are new or gone, called more or less,\n"
    "slower or faster, allocating more or less; those whose own time differs most in total come\n"
    "first. Functions are matched by name and file, so the program may have been rebuilt. A "
    "function\n"
    "counts as slower or faster if there are at least 10 calls in each run, p < 0.001 by Welch's\n"
    "t-test, or by the rank-sum test on the histograms of durations, which outliers do not "
    "affect,\n"
    "and its mean time a call differs by at least --min-percent, by more than the hooks' cost may\n"
    "be off, and by more than the runs differ without a reason: three standard deviations of what\n"
    "the means of all functions differ by. What these two rules hide is counted below the table.\n"
    "\n"
    "      --tree               both calling context trees merged: + only in B, - only in A,\n"
    "                           ! another number of calls\n"
    "      --modules            the functions added up by module: those of the map of `fisql "
    "modules`\n"
    "                           (B's, else A's), else programs and libraries\n"
    "      --first-divergence   where the threads' sequences of calls first differ, with both\n"
    "                           stacks; with arguments and results recorded, also the first of\n"
    "                           these that differs (but for addresses): what led to the rest\n"
    "      --check BUDGET       exit with status 1 where the budget is broken; may be repeated:\n"
    "                           METRIC>LIMIT, METRIC<LIMIT, FUNCTION:METRIC>LIMIT. LIMIT: a "
    "number\n"
    "                           for B, or a change such as +10%, -5, +0. Metrics: calls cpu_ns\n"
    "                           wait_ns total_ns self_ns run_ns functions allocs alloc_bytes\n"
    "                           not_freed_blocks not_freed_bytes peak_bytes; of a function\n"
    "                           calls cpu_ns self_cpu_ns wait_ns total_ns self_ns mean_ns max_ns\n"
    "                           allocs alloc_bytes\n"
    "      --by MEASURE         " MEASURE_HELP ";\n"
    "                           of functions also calls or bytes: what comes first\n"
    "      --all                also list what did not change\n"
    "      --min-percent P      how much slower or faster counts (5); with --tree: leave out\n"
    "                           contexts with less of the whole (0)\n"
    "      --depth N            levels of the tree\n"
    "      --thread NAME        the thread to compare with --first-divergence (all, by their "
    "order)\n"
    "      --format FORMAT      table, csv, json or markdown (table)\n"
    "      --limit N            at most N functions\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "      --wide               names in full; on a terminal, keep all columns and cut nothing\n"
    "\n"
    "Exit status: 0 done, 1 a budget is broken, 2 could not be done.\n"
    "\n"
    "examples: fisql diff run.db run.db\n"
    "          fisql diff run.db run.db --check 'total_ns>+10%' --check 'allocs>+0'\n"
    "          fisql diff run.db run.db --first-divergence\n"
    "          fisql diff run.db run.db --modules\n";

enum { BUDGETS_MAX = 64 };

struct options {
    bool tree, divergence, modules, all, percent_given, wide, style_given;
    double min_percent;
    long depth_max, limit;
    const char *budgets[BUDGETS_MAX];
    int budgets_count;
    const char *thread, *paths[2];
    enum output_format format;
    enum name_style style;
    enum measure measure;
    const char *rank; /* a measure's word, calls or bytes */
};

static int set_number(const struct args *args, double least, double *number)
{
    char *end, wants[64];
    *number = strtod(args->value, &end);
    snprintf(wants, sizeof wants, "a number from %g on", least);
    return *args->value != '\0' && *end == '\0' && *number >= least && *number < 1e9
               ? 0
               : args_wrong(args, wants);
}

static int set_measure(struct options *options, const struct args *args)
{
    options->rank = args->value;
    if (measure_parse(args->value, &options->measure) || strcmp(args->value, "calls") == 0 ||
        strcmp(args->value, "bytes") == 0)
        return 0;
    return args_wrong(args, MEASURE_WORDS ", calls or bytes");
}

enum code {
    TREE = 256,
    MODULES,
    BY,
    DIVERGENCE,
    CHECK,
    ALL,
    PERCENT,
    DEPTH,
    THREAD,
    FORMAT,
    LIMIT,
    DEMANGLE,
    WIDE
};

static int set_option(struct options *options, const struct args *args)
{
    double number = 0;
    int status = 0;
    switch (args->code) {
    case TREE:
        options->tree = true;
        return 0;
    case MODULES:
        options->modules = true;
        return 0;
    case DIVERGENCE:
        options->divergence = true;
        return 0;
    case ALL:
        options->all = true;
        return 0;
    case BY:
        return set_measure(options, args);
    case CHECK:
        if (options->budgets_count == BUDGETS_MAX)
            return fail("--check: at most %d budgets", BUDGETS_MAX);
        options->budgets[options->budgets_count++] = args->value;
        return 0;
    case PERCENT:
        options->percent_given = true;
        return set_number(args, 0, &options->min_percent);
    case DEPTH:
        status = set_number(args, 1, &number);
        options->depth_max = (long)number;
        return status;
    case LIMIT:
        status = set_number(args, 1, &number);
        options->limit = (long)number;
        return status;
    case THREAD:
        options->thread = args->value;
        return 0;
    case FORMAT:
        return output_format_parse(args->value, &options->format)
                   ? 0
                   : args_wrong(args, "table, csv, json or markdown");
    case WIDE:
        options->wide = true;
        return 0;
    case DEMANGLE:
        options->style_given = true;
        return name_style_parse(args->value, &options->style)
                   ? 0
                   : args_wrong(args, "short, full or no");
    }
    return 0;
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct args_option known[] = {{"tree", TREE, false},
                                               {"modules", MODULES, false},
                                               {"first-divergence", DIVERGENCE, false},
                                               {"check", CHECK, true},
                                               {"all", ALL, false},
                                               {"by", BY, true},
                                               {"min-percent", PERCENT, true},
                                               {"depth", DEPTH, true},
                                               {"thread", THREAD, true},
                                               {"format", FORMAT, true},
                                               {"limit", LIMIT, true},
                                               {"demangle", DEMANGLE, true},
                                               {"wide", WIDE, false},
                                               {NULL, 0, false}};
    struct args args = {.command = "diff", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    if (options->wide && !options->style_given)
        options->style = NAMES_FULL;
    if (args.status == ARGS_GO_ON && args_words(&args) != 2)
        return fail("diff: wants two databases, A.db and B.db; see `fisql diff --help`");
    options->paths[0] = args_word(&args, NULL);
    options->paths[1] = args_word(&args, NULL);
    return args_end(&args);
}

static int print_functions(const struct options *options, sqlite3 *database)
{
    const struct diff_functions_request request = {
        .paths = {options->paths[0], options->paths[1]},
        .modules = options->modules,
        .all = options->all,
        .wide = options->wide,
        .min_percent = options->percent_given ? options->min_percent : 5,
        .rank = options->rank != NULL ? options->rank : "cpu",
        .format = options->format,
        .limit = options->limit > 0 ? options->limit : -1};
    long rows = 0;
    return diff_functions(database, &request, stdout, &rows);
}

int cmd_diff(int argc, char **argv)
{
    struct options options = {.format = OUTPUT_TABLE, .style = NAMES_SHORT};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    if (options.divergence) {
        bool found;
        return diff_divergence(options.paths[0], options.paths[1], options.thread, options.style,
                               &found);
    }
    if (options.tree) {
        if (options.rank != NULL && strcmp(options.rank, measure_word(options.measure)) != 0)
            return fail("diff: --tree goes with --by " MEASURE_WORDS);
        const struct diff_tree_options tree = {options.min_percent, options.depth_max,
                                               options.style, options.measure, options.all};
        return diff_tree(options.paths[0], options.paths[1], &tree);
    }
    sqlite3 *database = compare_open(options.paths[0], options.paths[1], options.style);
    if (database == NULL)
        return 2;
    status = 0;
    for (int i = 0; i < options.budgets_count; i++) {
        int kept = diff_check(database, options.budgets[i]);
        status = kept > status ? kept : status;
    }
    if (options.budgets_count == 0)
        status = print_functions(&options, database);
    sqlite3_close(database);
    return shortage_noted() != 0 ? 2 : status;
}
