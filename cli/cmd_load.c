/* fisql load: makes the database of a log. */
#include "cli/commands.h"
#include "cli/live/live_find.h"
#include "cli/live/live_follow.h"
#include "cli/out/args.h"
#include "cli/out/cache_folder.h"
#include "cli/out/out_file.h"
#include "cli/query/query_file.h"
#include "cli/run/database.h"
#include "cli/run/ending.h"
#include "cli/out/say.h"
#include "cli/out/interrupts.h"
#include "cli/out/text.h"
#include "loader/loader.h"
#include "base/memory_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql load [OPTION...] [RUN.bin]\n"
    "\n"
    "Makes the SQLite database of a log (RUN.bin: run.bin). The database appears under its name\n"
    "when it is complete; a fisql database of that name is replaced. A folder of uftrace, a trace\n"
    "of Perfetto, and Chrome's JSON trace events (clang -ftime-trace, Bazel, Node, ...) are "
    "taken,\n"
    "too; packed by gzip, where they are files.\n"
    "\n"
    "  -o, --output FILE     the database (the log's name with .db instead of .bin, or behind it)\n"
    "      --calls=WHICH     which rows the table calls gets: all, long: of calls of 1 us and "
    "more,\n"
    "                        of the first and the last one of each context and of what did not\n"
    "                        return, or none. All sums are as exact; who asks for other calls\n"
    "                        later reads the log again (all)\n"
    "      --summary         as --calls=none\n"
    "      --index           index the calls by their functions' contexts: all calls of one "
    "function\n"
    "                        are then found at once\n"
    "      --sysroot DIR     look for the program and its libraries under DIR\n"
    "      --symbols DIR     look for separate debug files under DIR/.build-id; those of the\n"
    "                        system, and what debuginfod's client has fetched, are found without\n"
    "                        it. If DEBUGINFOD_URLS names servers, they are asked\n"
    "      --threads N       load with N threads (as many as there are cores)\n"
    "      --follow          load what a running program has written so far, and again every "
    "second\n"
    "                        until its recording ends, or Ctrl-C: each time in one transaction, "
    "so\n"
    "                        that the database can be read meanwhile\n"
    "  -q, --quiet           print only errors\n"
    "  -v, --verbose         print how long it took and what was loaded, in detail\n"
    "\n"
    "Exit status: 0 done, 1 done but something is missing (see the table losses), 2 not done.\n"
    "\n"
    "example: fisql load run.bin\n";

struct request {
    const char *log, *output;
    bool quiet, verbose, follow;
    struct load_options options;
};

struct progress_line {
    char stage[16];
    double stage_began_s;
};

static void show_progress(void *context, const struct load_progress *progress)
{
    struct progress_line *line = context;
    if (strcmp(line->stage, progress->stage) != 0) {
        snprintf(line->stage, sizeof line->stage, "%s", progress->stage);
        line->stage_began_s = progress->elapsed_s;
    }
    double spent_s = progress->elapsed_s - line->stage_began_s;
    double done = (double)progress->done_bytes, total = (double)progress->total_bytes;
    char speed[64] = "", left[32] = "";
    if (done > 0 && spent_s > 0.2) {
        snprintf(speed, sizeof speed, ", %.0f%%, %.0f MB/s", 100 * done / total,
                 done / spent_s / 1e6);
        if (total > done)
            snprintf(left, sizeof left, ", %.0f s left", spent_s * (total - done) / done);
    }
    say_progress("%s: %.1f M calls%s%s", progress->stage, (double)progress->calls / 1e6, speed,
                 left);
}

static bool calls_of(const char *word, enum load_calls *calls)
{
    static const char *const words[] = {
        [LOAD_CALLS_ALL] = "all", [LOAD_CALLS_LONG] = "long", [LOAD_CALLS_NONE] = "none"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            *calls = (enum load_calls)i;
            return true;
        }
    return false;
}

static int parse(struct request *request, int argc, char **argv)
{
    enum { SUMMARY = 256, CALLS, INDEX, SYSROOT, SYMBOLS, THREADS, FOLLOW };
    static const struct args_option known[] = {{"output", 'o', true},
                                               {"quiet", 'q', false},
                                               {"verbose", 'v', false},
                                               {"summary", SUMMARY, false},
                                               {"index", INDEX, false},
                                               {"sysroot", SYSROOT, true},
                                               {"symbols", SYMBOLS, true},
                                               {"threads", THREADS, true},
                                               {"follow", FOLLOW, false},
                                               {"calls", CALLS, true},
                                               {NULL, 0, false}};
    struct args args = {.command = "load", .help = help, .options = known};
    char *end;
    *request = (struct request){.log = "run.bin"};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        switch (args.code) {
        case 'o':
            request->output = args.value;
            break;
        case 'q':
            request->quiet = true;
            break;
        case 'v':
            request->verbose = true;
            break;
        case SUMMARY:
            request->options.calls = LOAD_CALLS_NONE;
            break;
        case CALLS:
            if (!calls_of(args.value, &request->options.calls))
                return args_wrong(&args, "all, long or none");
            break;
        case INDEX:
            request->options.index = true;
            break;
        case FOLLOW:
            request->follow = true;
            break;
        case SYSROOT:
            request->options.sysroot = args.value;
            break;
        case SYMBOLS:
            request->options.symbols_dir = args.value;
            break;
        case THREADS:
            request->options.threads = (unsigned)strtoul(args.value, &end, 10);
            if (*end != 0 || request->options.threads == 0 || request->options.threads > 64)
                return args_wrong(&args, "a number from 1 to 64");
            break;
        }
    }
    request->log = args_word(&args, request->log);
    return args_end(&args);
}

/* What a message says, behind the file that it is about. */
static const char *said_of(const char *message)
{
    const char *colon = strstr(message, ": ");
    return colon != NULL ? colon + 2 : message;
}

/* How many messages from `from` to before `to` say the same of other files. */
static size_t same_of_others(const struct load_report *report, size_t of, size_t from, size_t to)
{
    const char *message = report->messages[of], *text = said_of(message);
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        count += strcmp(said_of(report->messages[i]), text) == 0 &&
                 strcmp(report->messages[i], message) != 0;
    return count;
}

#define MESSAGES_SAID 20
#define MESSAGES_LOOKED 1000u /* each is compared with all: a damaged log has 100,000 */
#define ALIKE_LEAST 3         /* so many alike are one */

static void say_messages(const struct load_report *report, bool all)
{
    bool many = !all && report->messages_count > MESSAGES_LOOKED;
    size_t count = many ? MESSAGES_LOOKED : report->messages_count;
    size_t said = 0, left = report->messages_count - count;
    for (size_t i = 0; i < count; i++) {
        const char *message = report->messages[i], *text = said_of(message);
        size_t others = !all && text != message ? same_of_others(report, i, i + 1, count) : 0;
        size_t before = !all && text != message ? same_of_others(report, i, 0, i) : 0;
        if (before + 1 + others >= ALIKE_LEAST && before > 0)
            continue;
        if (!all && said == MESSAGES_SAID) {
            left++;
            continue;
        }
        said++;
        if (1 + others >= ALIKE_LEAST)
            note("%.*s and %zu more (--verbose names them): %s", (int)(text - message - 2), message,
                 others, text);
        else
            note("%s", message);
    }
    if (left > 0)
        note("and %zu more messages; --verbose shows them", left);
}

/* Says which processes a signal ended, and where they were. */
static void say_crashes(const char *path)
{
    enum { MOST = 3 };
    sqlite3 *database = database_open(path);
    int64_t id = 0;
    for (int i = 0; database != NULL && i < MOST; i++) {
        char ending[ENDING_TEXT_BYTES];
        id = ending_next_killed(database, id);
        if (id == 0)
            break;
        ending_text(database, id, ending, sizeof ending);
        note("%s: %s", path, ending);
    }
    sqlite3_close(database);
}

static void say_result(const struct request *request, const struct load_report *report,
                       const char *output)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = memory_text_open(&text, &size);
    if (line == NULL)
        return;
    fprintf(line, "%s: %llu calls", output, (unsigned long long)report->calls);
    if (report->counted_calls > 0)
        fprintf(line, " and %llu counted ones", (unsigned long long)report->counted_calls);
    fprintf(line, ", %llu allocations, %llu thread%s", (unsigned long long)report->allocs,
            (unsigned long long)report->threads, report->threads == 1 ? "" : "s");
    if (report->lost_calls > 0)
        fprintf(line, "; %llu calls are missing", (unsigned long long)report->lost_calls);
    if (report->ring_calls > 0)
        fprintf(line, "; the ring dropped %llu earlier ones",
                (unsigned long long)report->ring_calls);
    if (report->earlier_calls > 0)
        fprintf(line, "; earlier logs have the first %llu calls of these threads",
                (unsigned long long)report->earlier_calls);
    if (report->continued)
        fputs("; the run goes on in a later log", line);
    if (report->live)
        fputs("; it is being recorded still", line);
    if (request->verbose)
        fprintf(line, " (%.2f s, %.1f M calls/s)", report->elapsed_s,
                report->elapsed_s > 0 ? (double)report->calls / 1e6 / report->elapsed_s : 0);
    if (fclose(line) == 0)
        note("%s", text);
    free(text);
}

/* Hooks in functions of system headers make C++ many times slower, and say little. */
static void say_system_calls(const struct load_report *report)
{
    const uint64_t share_min_percent = 20;
    uint64_t all = report->calls + report->counted_calls;
    uint64_t percent = all > 0 ? report->system_calls * 100 / all : 0;
    if (percent >= share_min_percent)
        note("%llu %% of the calls are of system headers' functions (std::...): rebuild with "
             "`fisql cc` without --system-headers, which leaves them out",
             (unsigned long long)percent);
}

struct loading {
    struct request *request;
    const char *output; /* its name for people */
    struct progress_line line;
    bool terminal;
    bool loaded; /* once */
};

/* A server may be slow: says what fisql waits for. */
static void say_asking(void *context, const char *path)
{
    const struct loading *loading = context;
    if (loading->terminal)
        say_progress_end();
    if (!loading->request->quiet && !loading->loaded)
        note("asking debuginfod for symbols of %s", path);
}

/* Loads the log into the database. The last time, says how it went. */
static int load_once(void *context, const char *database, bool last)
{
    struct loading *loading = context;
    struct request *request = loading->request;
    struct load_report report;
    struct error error;
    struct live_runs runs;
    struct live_run *run =
        live_runs_find(&runs, 0, false) == 0 ? live_runs_of_log(&runs, request->log) : NULL;
    request->options.live = run != NULL ? &run->source : NULL;
    int status = fisql_load(request->log, database, &request->options, &report, &error);
    live_runs_release(&runs);
    loading->loaded = true;
    if (loading->terminal)
        say_progress_end();
    if (status == 2) {
        fail("%s", error.text);
    } else if (!request->quiet && last) {
        say_messages(&report, request->verbose);
        if (report.processes > 0)
            say_crashes(database);
        say_result(request, &report, loading->output);
        say_system_calls(&report);
    }
    load_report_release(&report);
    /* The database is whole although what it holds could not be said. */
    return status == 0 && database_status(0) != 0 ? 1 : status;
}

int cmd_load(int argc, char **argv)
{
    struct request request;
    char path[PATH_MAX], cache[PATH_MAX];
    int status = parse(&request, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    out_file_beside(request.log, ".db", path, sizeof path);
    const char *output = request.output != NULL ? request.output : path;
    interrupts_remove_unfinished();
    struct loading loading = {
        .request = &request, .output = output, .terminal = isatty(STDERR_FILENO) && !request.quiet};
    struct query_views views;
    if (query_views_make(&views) != 0) {
        query_views_release(&views);
        return fail("%s: out of memory for the queries' views", output);
    }
    request.options.views = views.items;
    request.options.views_count = views.count;
    request.options.cache_dir = cache_folder(cache, sizeof cache);
    request.options.progress = loading.terminal ? show_progress : NULL;
    request.options.progress_context = &loading.line;
    request.options.asking = say_asking;
    request.options.asking_context = &loading;
    status = request.follow ? live_follow(request.log, output, load_once, &loading)
                            : load_once(&loading, output, true);
    query_views_release(&views);
    return status;
}
