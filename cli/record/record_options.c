/* The options of `fisql record`: see record_options.h. */
#include "cli/record/record_options.h"

#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/record/record_expressions.h"
#include "cli/record/record_faults.h"
#include "formats/live.h"

#include "cli/record/rank.h"
#include "cli/record/summary.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROTATE_BYTES_MIN (1 << 20)
#define ROTATE_LOGS_MAX 1000

#define SHARED_HELP                                                                                \
    "  -o, --output FILE       the log to write (run.bin); of rank 3 of an MPI job run.3.bin\n"    \
    "  -q, --quiet             print neither what was written nor what takes long\n"               \
    "      --no-alloc          do not record allocations\n"                                        \
    "      --time full|sampled|none\n"                                                             \
    "                          time each call (full); some calls of short functions, all "         \
    "counted\n"                                                                                    \
    "                          exactly, totals estimated; or none: structure and counts only\n"    \
    "      --no-waits          read no threads' processor clocks: waiting counts as time\n"        \
    "      --no-compress       do not compress the log, even if there is time for it\n"            \
    "      --depth N           log the outermost N levels of calls; count deeper ones\n"           \
    "      --min-duration T    count calls that call nothing and end within T (100ns, 2us, 1ms)\n" \
    "                          instead of logging them: counts stay exact\n"                       \
    "      --only PATTERN      record only functions whose name or file matches (*, ?, [])\n"      \
    "      --exclude PATTERN   do not record functions whose name or file matches\n"               \
    "                          (both can be repeated, but not mixed)\n"                            \
    "      --threads PATTERN   record only threads whose name matches, or the first recorded\n"    \
    "                          function that they enter (can be repeated)\n"                       \
    "      --values[=PATTERN]  record arguments and results, too: of all functions, or of those\n" \
    "                          whose name or file matches (can be repeated). The program needs\n"  \
    "                          debug information (-g)\n"                                           \
    "      --value 'FUNCTION: EXPRESSION, ...'\n"                                                  \
    "                          also record these values at each call of FUNCTION, after its\n"     \
    "                          arguments: 'handle: request->method, count * 2', or registers\n"    \
    "                          (docs/any.md): 'handle: (char*)rdi' (can be repeated)\n"            \
    "      --at-exit[=N]       with --values: also what calls change behind their pointers, at\n"  \
    "                          most N bytes of each (64)\n"                                        \
    "      --no-results        with --values: arguments only\n"                                    \
    "      --string-max N      with --values: at most N bytes of a text (64)\n"                    \
    "      --values-wait T     with --values: a program that PROGRAM runs waits at its start, "    \
    "at\n"                                                                                         \
    "                          most T (10s), until its debug information is read; 0: never\n"      \
    "      --fault RULE        make calls fail: 'malloc nth=3 in parse_*: return 0 errno "         \
    "ENOMEM',\n"                                                                                   \
    "                          'read every=10: return -1 errno EINTR' (can be repeated; "          \
    "docs/faults.md)\n"                                                                            \
    "      --faults FILE       rules from a file, one a line\n"

/* A string has at most 4095 bytes in ISO C. */
#define SHARED_HELP_MORE                                                                           \
    "      --history N         when the program goes wrong, print each thread's last N calls "     \
    "(20,\n"                                                                                       \
    "                          and 5 of each other thread; 1 to 10000)\n"                          \
    "      --on-assert WHAT    what a failed FISQL_ASSERT does when it is reported: abort,\n"      \
    "                          continue, or stop (SIGSTOP, for a debugger)\n"                      \
    "      --locks[=all]       also record locks: waits and holders, how long locks are held, "    \
    "in\n"                                                                                         \
    "                          which order they are taken, how they are misused "                  \
    "(docs/locks.md);\n"                                                                           \
    "                          all: each acquisition\n"                                            \
    "      --level F[,V]       of the macros of fisql_trace.h, record scopes, checkpoints and "    \
    "messages\n"                                                                                   \
    "                          up to level F, and values up to level V: 0 to 5 (5; V is F)\n"      \
    "      --say               print what the macros of fisql_trace.h say (messages, "             \
    "checkpoints,\n"                                                                               \
    "                          values) on standard error at once, with the thread's name\n"        \
    "      --summary-at WHEN   print a thread's profile in ten lines: thread-exit, "               \
    "when\n"                                                                                       \
    "                          it ends; exit, of all threads at the end; a signal (USR1, HUP)\n"   \
    "                          that fisql record gets, of all threads so far (can be repeated)\n"  \
    "      --plugin FILE.so    each process loads it (docs/tracing.md)\n"                          \
    "      --budget N%         leave out by itself, while it runs, the functions whose hooks "     \
    "cost\n"                                                                                       \
    "                          most for what they tell, until recording costs less than N% of "    \
    "the\n"                                                                                        \
    "                          program's own processor time (of programs as they are, x86-64)\n"   \
    "      --start-off         start with recording off; SIGUSR2 or fisql_start() switches it\n"   \
    "      --ring SIZE         flight recorder: keep only the last SIZE bytes of each thread\n"    \
    "                          (512K, 4M), written at exit, crash, SIGUSR2 or fisql_dump()\n"      \
    "      --rotate SIZE,COUNT begin a new log when this one is longer than SIZE (1G), and keep\n" \
    "                          the last COUNT logs before it, FILE.1, FILE.2, ... (10), each to\n" \
    "                          be loaded alone (docs/recording.md)\n"                              \
    "      --as-is             patch programs in memory even if they call the hooks\n"             \
    "      --no-patch          do not record programs without hooks as they are (docs/any.md)\n"   \
    "      --libs PATTERN      also record these system libraries (z, libz.so.1, *), never libc\n" \
    "      --library-calls[=PATTERN]\n"                                                            \
    "                          also record calls of functions (named so) in libraries that are\n"  \
    "                          not recorded themselves: read, memcpy, inflate (docs/any.md)\n"     \
    "      --reference         then run PROGRAM once more, without recording, to measure\n"        \
    "                          what recording cost and take it out of all times. PROGRAM does\n"   \
    "                          twice what it does; the second run prints nothing and reads the\n"  \
    "                          same file as standard input, or none\n"

static const char help[] =
    "usage: fisql record [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "       fisql record -p PID [--for T] [OPTION...]\n"
    "\n"
    "Runs PROGRAM and records every function call and every heap allocation in all its threads\n"
    "and child processes: by the hooks of a build with `fisql cc`, or else as it is "
    "(docs/any.md).\n"
    "Input, output, signals and exit status stay the program's own.\n"
    "\n"
    "  -p, --pid PID           record this process, which runs already, as it is; Ctrl-C leaves "
    "it\n"
    "      --for T             with -p: leave it after this time (500ms, 10s)\n" SHARED_HELP;
static const char help_more[] =
    SHARED_HELP_MORE "\n"
                     "example: fisql record -o sort.bin ./sort numbers.txt\n";

static const char run_help[] =
    "usage: fisql run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs PROGRAM, as it is or built with `fisql cc`, and says what matters of the run: `fisql\n"
    "record`, then `fisql load`, `fisql digest` on standard error, and `fisql report` into a page\n"
    "beside the log. Input, output, signals and exit status stay the program's own.\n"
    "\n"
    "      --open              then show the run in the browser (`fisql serve`), until Ctrl-C or "
    "ten\n"
    "                          minutes in which nobody looks\n" SHARED_HELP;
static const char run_help_more[] =
    SHARED_HELP_MORE "\n"
                     "Beside the log run.bin come the database run.db and the page run.html.\n"
                     "\n"
                     "example: fisql run ./sort numbers.txt\n";

enum {
    OPTION_NO_ALLOC = 256,
    OPTION_NO_TIME,
    OPTION_TIME,
    OPTION_NO_WAITS,
    OPTION_NO_COMPRESS,
    OPTION_DEPTH,
    OPTION_MIN_DURATION,
    OPTION_ONLY,
    OPTION_EXCLUDE,
    OPTION_LEVEL,
    OPTION_SAY,
    OPTION_THREADS,
    OPTION_SUMMARY_AT,
    OPTION_START_OFF,
    OPTION_RING,
    OPTION_ROTATE,
    OPTION_VALUES,
    OPTION_VALUE,
    OPTION_NO_RESULTS,
    OPTION_STRING_MAX,
    OPTION_VALUES_WAIT,
    OPTION_AT_EXIT,
    OPTION_FAULT,
    OPTION_FAULTS,
    OPTION_HISTORY,
    OPTION_ON_ASSERT,
    OPTION_LOCKS,
    OPTION_REFERENCE,
    OPTION_NO_PATCH,
    OPTION_AS_IS,
    OPTION_LIBS,
    OPTION_LIBRARY_CALLS,
    OPTION_PLUGIN,
    OPTION_BUDGET,
    OPTION_FOR,
    OPTION_OPEN
};

static const struct args_option options_known[] = {
    {"output", 'o', true},
    {"pid", 'p', true},
    {"for", OPTION_FOR, true},
    {"open", OPTION_OPEN, false},
    {"quiet", 'q', false},
    {"no-alloc", OPTION_NO_ALLOC, false},
    {"no-time", OPTION_NO_TIME, false}, /* --time none, as it was called before */
    {"time", OPTION_TIME, true},
    {"no-waits", OPTION_NO_WAITS, false},
    {"no-compress", OPTION_NO_COMPRESS, false},
    {"depth", OPTION_DEPTH, true},
    {"min-duration", OPTION_MIN_DURATION, true},
    {"only", OPTION_ONLY, true},
    {"exclude", OPTION_EXCLUDE, true},
    {"values", OPTION_VALUES, ARGS_OPTIONAL},
    {"value", OPTION_VALUE, true},
    {"at-exit", OPTION_AT_EXIT, ARGS_OPTIONAL},
    {"no-results", OPTION_NO_RESULTS, false},
    {"string-max", OPTION_STRING_MAX, true},
    {"values-wait", OPTION_VALUES_WAIT, true},
    {"fault", OPTION_FAULT, true},
    {"faults", OPTION_FAULTS, true},
    {"history", OPTION_HISTORY, true},
    {"on-assert", OPTION_ON_ASSERT, true},
    {"locks", OPTION_LOCKS, ARGS_OPTIONAL},
    {"level", OPTION_LEVEL, true},
    {"say", OPTION_SAY, false},
    {"threads", OPTION_THREADS, true},
    {"summary-at", OPTION_SUMMARY_AT, true},
    {"start-off", OPTION_START_OFF, false},
    {"ring", OPTION_RING, true},
    {"rotate", OPTION_ROTATE, true},
    {"reference", OPTION_REFERENCE, false},
    {"no-patch", OPTION_NO_PATCH, false},
    {"as-is", OPTION_AS_IS, false},
    {"libs", OPTION_LIBS, true},
    {"library-calls", OPTION_LIBRARY_CALLS, ARGS_OPTIONAL},
    {"plugin", OPTION_PLUGIN, true},
    {"budget", OPTION_BUDGET, true},
    {NULL, 0, false}};

static int add_values(struct record_values *values, const char *pattern)
{
    values->wanted = values->functions = true;
    if (pattern == NULL)
        return 0;
    if (pattern[0] == 0)
        return fail("--values=: wants a function's name or file; without the = it means all");
    return record_patterns_add(&values->patterns, pattern);
}

static int add_pattern(struct record_options *options, bool only, const char *pattern)
{
    if (options->patterns.count > 0 && options->only != only)
        return fail("--only and --exclude: use one or the other");
    options->only = only;
    return record_patterns_add(&options->patterns, pattern);
}

static int add_library_calls(struct record_options *options, const char *pattern)
{
    options->libs.calls = true;
    if (pattern == NULL)
        return 0;
    if (pattern[0] == 0)
        return fail("--library-calls=: wants a function's name; without the = it means all");
    return record_patterns_add(&options->libs.called, pattern);
}

static int set_plugin(struct record_options *options, const char *path)
{
    if (options->libs.plugin != NULL)
        return fail("--plugin: give one; a plugin can load others itself");
    options->libs.plugin = path;
    return 0;
}

static int set_on_assert(struct record_options *options, const struct args *args)
{
    static const char *const words[] = {[FISQL_ON_ASSERT_ABORT] = "abort",
                                        [FISQL_ON_ASSERT_CONTINUE] = "continue",
                                        [FISQL_ON_ASSERT_STOP] = "stop"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(args->value, words[i]) == 0) {
            options->incidents.on_assert = i;
            return 0;
        }
    return args_wrong(args, "abort, continue or stop");
}

/* "3" or "3,1". */
static bool read_levels(const char *text, struct record_levels *levels)
{
    bool both = text[0] != 0 && text[1] == ',';
    const char *values = both ? text + 2 : text;
    if (text[0] < '0' || text[0] > '0' + (int)FISQL_LEVEL_MAX || values[0] < '0' ||
        values[0] > '0' + (int)FISQL_LEVEL_MAX || values[1] != 0)
        return false;
    *levels = (struct record_levels){(uint8_t)(text[0] - '0'), (uint8_t)(values[0] - '0')};
    return true;
}

/* Reads a number from 1 to `most`. Returns 0, or 2 after saying that it is none. */
static int set_number(const struct args *args, int64_t most, uint32_t *number)
{
    int64_t given;
    char words[64];
    snprintf(words, sizeof words, "a number from 1 to %lld", (long long)most);
    if (!amount_count(args->value, &given) || given == 0 || given > most)
        return args_wrong(args, words);
    *number = (uint32_t)given;
    return 0;
}

/* "1G,10" */
static int set_rotate(struct record_kept *kept, const struct args *args)
{
    char size[32];
    int64_t bytes, logs;
    const char *comma = strchr(args->value, ',');
    size_t length = comma != NULL ? (size_t)(comma - args->value) : sizeof size;
    if (length < sizeof size) {
        memcpy(size, args->value, length);
        size[length] = 0;
    }
    if (length >= sizeof size || !amount_size(size, &bytes) || bytes < ROTATE_BYTES_MIN ||
        !amount_count(comma + 1, &logs) || logs == 0 || logs > ROTATE_LOGS_MAX)
        return args_wrong(args, "a size from 1M on, a comma and a number of logs from 1 to 1000: "
                                "1G,10");
    kept->log_bytes = (uint64_t)bytes;
    kept->logs = (uint32_t)logs;
    return 0;
}

static int set_at_exit(struct record_values *values, const struct args *args)
{
    values->exit_bytes = FISQL_RECIPE_BYTES_MAX;
    return args->value != NULL ? set_number(args, FISQL_RECIPE_BYTES_MAX, &values->exit_bytes) : 0;
}

static int set_values_wait(struct record_values *values, const struct args *args)
{
    int64_t number;
    if (!amount_time(args->value, &number) || number > 3600000000000)
        return args_wrong(args, "a time such as 500ms or 10s, at most 3600s, or 0");
    values->wait_ms = (uint32_t)((number + 999999) / 1000000);
    values->wait_given = true;
    return 0;
}

static int set_time(struct record_options *options, const struct args *args)
{
    static const char *const words[] = {[RECORD_TIME_FULL] = "full",
                                        [RECORD_TIME_SAMPLED] = "sampled",
                                        [RECORD_TIME_NONE] = "none"};
    const char *word = args->value != NULL ? args->value : "none"; /* --no-time */
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            options->time = i;
            return 0;
        }
    return args_wrong(args, "full, sampled or none");
}

static int set_locks(struct record_options *options, const struct args *args)
{
    if (args->value != NULL && strcmp(args->value, "all") != 0)
        return args_wrong(args, "nothing, or all");
    options->locks = args->value != NULL ? 2 : 1;
    return 0;
}

/* Options without a value that switch one thing on. False: the code is another's. */
static bool set_switch(struct record_options *options, int code)
{
    bool *const of_code[] = {
        [OPTION_NO_ALLOC - OPTION_NO_ALLOC] = &options->no_alloc,
        [OPTION_NO_WAITS - OPTION_NO_ALLOC] = &options->no_waits,
        [OPTION_NO_COMPRESS - OPTION_NO_ALLOC] = &options->no_compress,
        [OPTION_START_OFF - OPTION_NO_ALLOC] = &options->start_off,
        [OPTION_REFERENCE - OPTION_NO_ALLOC] = &options->reference,
        [OPTION_SAY - OPTION_NO_ALLOC] = &options->summary.say,
        [OPTION_OPEN - OPTION_NO_ALLOC] = &options->summary.open,
        [OPTION_NO_RESULTS - OPTION_NO_ALLOC] = &options->values.no_results,
    };
    int at = code - OPTION_NO_ALLOC;
    if (at < 0 || at >= (int)(sizeof of_code / sizeof of_code[0]) || of_code[at] == NULL)
        return false;
    *of_code[at] = true;
    return true;
}

static int set_budget(const struct args *args, double *part)
{
    char *end;
    double percent = strtod(args->value, &end);
    bool is_number = args->value[0] >= '0' && args->value[0] <= '9' &&
                     strspn(args->value, "0123456789.") == (size_t)(end - args->value);
    if (!is_number || strcmp(end, "%") != 0 || percent < 0.1 || percent > 10000)
        return args_wrong(args, "a percentage such as 5% or 0.5%, from 0.1% to 10000%");
    *part = percent / 100;
    return 0;
}

static int set_attach(struct record_attach *attach, const struct args *args)
{
    int64_t number;
    if (args->code == OPTION_FOR) {
        if (!amount_time(args->value, &number) || number == 0)
            return args_wrong(args, "a time such as 500ms or 10s");
        attach->for_ns = (uint64_t)number;
        return 0;
    }
    if (!amount_count(args->value, &number) || number == 0 || number > INT32_MAX)
        return args_wrong(args, "the number of a process");
    attach->pid = (int32_t)number;
    return 0;
}

static int set_min_duration(const struct args *args, uint64_t *duration_ns)
{
    int64_t number;
    if (!amount_time(args->value, &number) || number == 0 || number > 3600000000000)
        return args_wrong(args, "a time such as 100ns, 2us or 1ms, at most 3600s");
    *duration_ns = (uint64_t)number;
    return 0;
}

static int set_option(struct record_options *options, const struct args *args)
{
    const char *value = args->value;
    int64_t number = 0;
    if (set_switch(options, args->code))
        return 0;
    switch (args->code) {
    case 'o':
        options->log = value;
        return 0;
    case 'q':
        options->quiet = options->values.quiet = true;
        return 0;
    case 'p':
    case OPTION_FOR:
        return set_attach(&options->attach, args);
    case OPTION_NO_PATCH:
    case OPTION_AS_IS:
        options->as_is = args->code == OPTION_AS_IS ? 2 : 0;
        return 0;
    case OPTION_PLUGIN:
        return set_plugin(options, value);
    case OPTION_BUDGET:
        return set_budget(args, &options->libs.budget);
    case OPTION_LIBS:
        return record_patterns_add(&options->libs.patched, value);
    case OPTION_LIBRARY_CALLS:
        return add_library_calls(options, value);
    case OPTION_THREADS:
        if (value[0] == 0 || strchr(value, '\n') != NULL)
            return args_wrong(args, "the name of a thread, or of the function it begins with");
        return record_patterns_add(&options->threads.patterns, value);
    case OPTION_SUMMARY_AT:
        return summary_parse(&options->summary, value)
                   ? 0
                   : args_wrong(args, "thread-exit, exit, or a signal for fisql record: HUP, USR1, "
                                      "USR2, ALRM, URG or WINCH");
    case OPTION_DEPTH:
        return set_number(args, 1000000, &options->depth);
    case OPTION_MIN_DURATION:
        return set_min_duration(args, &options->min_duration_ns);
    case OPTION_RING:
        if (!amount_size(value, &number) || number == 0 || number > 1 << 30)
            return args_wrong(args, "a size such as 512K or 4M, at most 1G");
        options->kept.ring_chunks =
            (uint32_t)((number + FISQL_LIVE_CHUNK_BYTES - 1) / FISQL_LIVE_CHUNK_BYTES);
        return 0;
    case OPTION_ROTATE:
        return set_rotate(&options->kept, args);
    case OPTION_LEVEL:
        return read_levels(value, &options->levels)
                   ? 0
                   : args_wrong(args, "a level from 0 to 5, or two of them: 3 or 3,1");
    case OPTION_VALUES:
        return add_values(&options->values, value);
    case OPTION_VALUE:
        return record_expressions_add(&options->values, value);
    case OPTION_STRING_MAX:
        return set_number(args, 500, &options->values.string_max);
    case OPTION_AT_EXIT:
        return set_at_exit(&options->values, args);
    case OPTION_VALUES_WAIT:
        return set_values_wait(&options->values, args);
    case OPTION_HISTORY:
        return set_number(args, 10000, &options->incidents.history);
    case OPTION_ON_ASSERT:
        return set_on_assert(options, args);
    case OPTION_NO_TIME:
    case OPTION_TIME:
        return set_time(options, args);
    case OPTION_LOCKS:
        return set_locks(options, args);
    case OPTION_FAULT:
        return record_faults_add(&options->faults, value);
    case OPTION_FAULTS:
        return record_faults_read(&options->faults, value);
    default:
        return add_pattern(options, args->code == OPTION_ONLY, value);
    }
}

static int rotate_check(const struct record_options *options, bool run)
{
    if (options->kept.log_bytes == 0)
        return 0;
    if (run)
        return fail("--rotate makes several logs: use `fisql record`, and load each log alone");
    if (options->kept.ring_chunks != 0)
        return fail("--ring keeps the last calls alone, and --rotate all of the last logs: use one "
                    "or the other");
    if (options->summary.at_thread_exit)
        return fail("--summary-at thread-exit looks for ends of threads in the log: leave out "
                    "--rotate");
    return 0;
}

/* Gives each rank of a job its own log. */
static int name_rank(struct record_options *options)
{
    static char path[PATH_MAX];
    const char *rank, *ranks;
    if (!rank_read(&rank, &ranks))
        return ARGS_GO_ON;
    int status = rank_path(options->log, rank, path, sizeof path);
    options->log = path;
    return status == 0 ? ARGS_GO_ON : status;
}

/* What cannot be taken back from a process, or needs its start, is refused. */
static int attach_check(struct record_options *options, bool run, bool program)
{
    const struct {
        bool given;
        const char *name;
    } refused[] = {{options->faults.rules_count > 0, "--fault"},
                   {options->locks != 0, "--locks"},
                   {options->libs.calls, "--library-calls"},
                   {options->libs.plugin != NULL, "--plugin"},
                   {options->reference, "--reference"},
                   {options->start_off, "--start-off"},
                   {options->kept.ring_chunks != 0, "--ring"},
                   {options->kept.log_bytes != 0, "--rotate"},
                   {options->libs.budget > 0, "--budget"},
                   {options->as_is == 0, "--no-patch"},
                   {options->threads.patterns.count > 0, "--threads"}};
    if (options->attach.pid == 0)
        return fail("--for says how long -p records: give the process, too");
    if (run)
        return fail("run: -p is for `fisql record`; then use `fisql load`");
    if (program)
        return fail("record: -p PID records a process that runs already: leave the program out");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return fail("-p: a process that runs already cannot be recorded with %s",
                        refused[i].name);
    if (options->time != RECORD_TIME_FULL && options->min_duration_ns != 0)
        return fail("--min-duration needs each call's time: leave out --time");
    options->no_alloc = true;
    return ARGS_GO_ON;
}

int record_options_parse(struct record_options *options, int argc, char **argv, int *program)
{
    bool run = strcmp(argv[0], "run") == 0;
    struct args args = {.command = argv[0],
                        .help = run ? run_help : help,
                        .help_more = run ? run_help_more : help_more,
                        .options = options_known,
                        .program_follows = true};
    *options = (struct record_options){.log = "run.bin",
                                       .as_is = 1,
                                       .levels = {FISQL_LEVEL_MAX, FISQL_LEVEL_MAX},
                                       .values = {.wait_ms = RECORD_VALUES_WAIT_MS}};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(options, &args) != 0)
            return 2;
    *program = args.at;
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (options->summary.open && !run)
        return fail("record: --open is for `fisql run`; else use `fisql serve` of the log");
    if (options->attach.pid != 0 || options->attach.for_ns != 0)
        return attach_check(options, run, args_words(&args) > 0);
    if (args_words(&args) == 0)
        return fail("%s: no program given; see `fisql %s --help`", argv[0], argv[0]);
    if (options->time != RECORD_TIME_FULL && options->min_duration_ns != 0)
        return fail("--min-duration needs each call's time: leave out --time");
    if (!options->values.wanted && (options->values.no_results || options->values.string_max != 0 ||
                                    options->values.wait_given || options->values.exit_bytes != 0))
        return fail("--at-exit, --no-results, --string-max and --values-wait say how --values and "
                    "--value record: give one, too");
    if (options->values.exit_bytes != 0 &&
        record_expressions_add_changes(&options->values, options->values.exit_bytes) != 0)
        return 2;
    if (options->values.wanted && (options->depth != 0 || options->min_duration_ns != 0))
        return fail("--values needs each call: leave out --depth and --min-duration");
    options->values.system_calls = options->libs.calls && !options->values.wanted &&
                                   options->depth == 0 && options->min_duration_ns == 0;
    if (options->reference &&
        (options->time == RECORD_TIME_NONE || options->start_off || options->depth != 0 ||
         options->min_duration_ns != 0 || options->kept.ring_chunks != 0))
        return fail("--reference compares whole runs: leave out --time none, --start-off, --depth, "
                    "--min-duration and --ring");
    return rotate_check(options, run) != 0 ? 2 : name_rank(options);
}

void record_options_text(const struct record_options *options, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
#define ADD(option, format, ...)                                                                   \
    used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s" format ",",          \
                             fisql_option(FISQL_OPTION_##option), ##__VA_ARGS__)
    if (options->no_alloc)
        ADD(NO_ALLOC, "");
    if (options->time == RECORD_TIME_NONE)
        ADD(NO_TIME, "");
    if (options->time == RECORD_TIME_SAMPLED)
        ADD(SAMPLED, "");
    if (options->no_waits)
        ADD(NO_WAITS, "");
    if (options->start_off)
        ADD(START_OFF, "");
    if (options->depth != 0)
        ADD(DEPTH, "%u", options->depth);
    if (options->min_duration_ns != 0)
        ADD(MIN_DURATION, "%llu", (unsigned long long)options->min_duration_ns);
    if (options->kept.ring_chunks != 0)
        ADD(RING, "%u", options->kept.ring_chunks);
    if (options->filter != NULL)
        ADD(FILTER, "");
    if (options->values.recipes != NULL)
        ADD(VALUES, "");
    if (options->values.recipes != NULL && options->values.wait_ms != 0)
        ADD(VALUES_WAIT, "%u", options->values.wait_ms);
    if (options->faults.area != NULL)
        ADD(FAULTS, "");
    if (options->incidents.on_assert != FISQL_ON_ASSERT_ABORT)
        ADD(ON_ASSERT, "%u", options->incidents.on_assert);
    if (options->as_is != 0)
        ADD(AS_IS, "%u", options->as_is);
    if (options->libs.calls)
        ADD(LIBRARY_CALLS, "");
    if (options->threads.patterns.count != 0)
        ADD(THREADS, "");
    if (options->summary.say)
        ADD(SAY, "");
    if (options->libs.plugin != NULL)
        ADD(PLUGIN, "");
    if (options->kept.log_bytes != 0)
        ADD(ROTATE, "");
    if (options->locks != 0)
        ADD(LOCKS, "%u", options->locks);
#undef ADD
    if (used > 0 && used < size)
        text[used - 1] = 0;
}

void record_options_release(struct record_options *options)
{
    expressions_release(&options->values.expressions);
    record_faults_release(&options->faults);
    free(options->values.patterns.items);
    free(options->values.image);
    free(options->values.recipes);
    free(options->patterns.items);
    free(options->libs.patched.items);
    free(options->libs.called.items);
    free(options->filter);
    free(options->threads.patterns.items);
    free(options->threads.text);
}
