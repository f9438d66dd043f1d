/* fisql faults: makes each call that can fail fail once, and says how the program took it. */
#include "base/shortage.h"
#include "cli/cmd_record.h"
#include "cli/commands.h"
#include "cli/faults/campaign.h"
#include "cli/faults/folder.h"
#include "cli/faults/experiments.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/record/fault_names.h"
#include "cli/run/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_USUAL                                                                                \
    "malloc,calloc,realloc,posix_memalign,aligned_alloc,operator new,operator new[],open,openat,"  \
    "creat,read,pread,write,pwrite,fsync,fdatasync,ftruncate,rename,unlink,mkdir,opendir,pipe,"    \
    "mmap,socket,bind,listen,connect,accept,send,recv,fork,pthread_create,fopen,fdopen,fread,"     \
    "fwrite,fgets,fputs,fflush,fclose"
#define KEEP_USUAL (256 << 20)

static const char help[] =
    "usage: fisql faults [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "       fisql faults --again ID [--gdb] [-o FILE]\n"
    "\n"
    "Makes each call of PROGRAM that can fail, such as malloc or read, fail once, and lists what "
    "came\n"
    "of it: a crash, a hang, a leak, a wrong free, or success with other output. PROGRAM, built "
    "with\n"
    "`fisql cc`, runs once for each calling context of these calls. Contexts grow with the "
    "program,\n"
    "not with its running time.\n"
    "\n"
    "Each run starts in a folder of its own with links to everything in the current folder, and "
    "so\n"
    "for the folders above and within it: relative paths lead where they lead here. It has a "
    "$TMPDIR\n"
    "of its own and reads the same standard input. Its standard output and the files that it makes "
    "in\n"
    "these folders are compared with those of a run without faults. What it leaves running is "
    "killed.\n"
    "\n"
    "  -o, --output FILE    the database (faults.db): the run without faults, and the table\n"
    "                       experiments. Logs of failures lie in FILE.d. The same command goes on\n"
    "                       with a campaign that was stopped\n"
    "  -j, --jobs N         N runs at a time (1)\n"
    "      --calls LIST     the calls that fail, such as malloc,open (allocations, files, "
    "sockets,\n"
    "                       processes; all are in the manual)\n"
    "      --per WHAT       a run for each context, site or call (context)\n"
    "      --sample N       only the first N runs; runs near each other share few callers\n"
    "      --timeout TIME   a run that takes longer hangs (ten times the run without faults, 2s "
    "at\n"
    "                       least)\n"
    "      --expect-exit N  the exit status that reports an error (any but that without faults)\n"
    "      --copy           runs get a copy of the current folder: for programs that write to\n"
    "                       existing files\n"
    "      --keep SIZE      keep logs of failures up to SIZE together (256M)\n"
    "      --again ID       run this experiment once more, into again.bin\n"
    "      --gdb            under gdb, stopped where the call is about to fail\n"
    "\n"
    "`fisql query fault-outcomes FILE --check` ends with status 1 if a run went wrong.\n"
    "\n"
    "Exit status: 0 done, 2 not done, 128 and a signal's number when stopped by that.\n"
    "\n"
    "example: fisql faults --calls malloc,fopen ./sort numbers.txt\n";

enum { CALLS = 256, PER, SAMPLE, TIMEOUT, EXPECT, COPY, KEEP, AGAIN, GDB };

struct request {
    struct campaign campaign;
    int64_t again;
    bool gdb;
};

/* ---- recording ---- */

static int record(const char *log, const char *const *rules, size_t rules_count, char **program,
                  int *status)
{
    static const char *const first_words[] = {"record", "-q", "--no-compress", "-o"};
    size_t words = 0, used = 0;
    int first = 0, result;
    struct record_options options;
    struct recorded recorded = {.status = 0};
    while (program[words] != NULL)
        words++;
    const char **arguments = calloc(2 * rules_count + words + 8, sizeof *arguments);
    if (arguments == NULL)
        return fail("out of memory");
    for (; used < sizeof first_words / sizeof first_words[0]; used++)
        arguments[used] = first_words[used];
    arguments[used++] = log;
    for (size_t i = 0; i < rules_count; i++) {
        arguments[used++] = "--fault";
        arguments[used++] = rules[i];
    }
    arguments[used++] = "--";
    for (size_t i = 0; i < words; i++)
        arguments[used++] = program[i];
    char **argv = (char **)(uintptr_t)arguments;
    result = record_options_parse(&options, (int)used, argv, &first);
    if (result == ARGS_GO_ON)
        result = record_program(&options, argv + first, &recorded);
    if (result == 0)
        *status = recorded.status;
    record_options_release(&options);
    free(arguments);
    return result;
}

/* ---- once more ---- */

/* Runs the program under gdb. Only the program gets the libraries that fisql record preloads. */
static char **under_gdb(char **program)
{
    static const char *const words[] = {
        "/bin/sh", "-c",
        "libraries=$LD_PRELOAD; unset LD_PRELOAD; exec gdb -q -iex 'set startup-with-shell off'"
        " -iex 'set breakpoint pending on' -ex \"set environment LD_PRELOAD $libraries\""
        " -ex 'break fisql_fault_strikes' --args \"$@\"",
        "gdb"};
    size_t count = 0, used = 0;
    while (program[count] != NULL)
        count++;
    char **all = calloc(count + sizeof words / sizeof words[0] + 1, sizeof *all);
    if (all == NULL)
        return NULL;
    for (; used < sizeof words / sizeof words[0]; used++)
        all[used] = (char *)(uintptr_t)words[used];
    memcpy(all + used, program, count * sizeof *all);
    return all;
}

/* Repeats an experiment, as a process of its own, in a folder that resembles the experiment's. */
static _Noreturn void repeat(const struct request *request, const struct mirror *mirror,
                             const char *folder, const char *rule, const char *log, char **program)
{
    char input[PATH_MAX], work[PATH_MAX];
    int status = 0;
    snprintf(input, sizeof input, "%s/input", folder);
    snprintf(work, sizeof work, "%s/again.work", folder);
    int file = request->gdb ? -1 : open(input, O_RDONLY | O_CLOEXEC);
    if (file < 0 && !request->gdb)
        file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file >= 0)
        dup2(file, STDIN_FILENO);
    if (mirror_enter(mirror, work) != 0)
        _exit(2);
    char **words = request->gdb ? under_gdb(program) : program;
    const char *const rules[] = {rule};
    if (words == NULL || record(log, rules, 1, words, &status) != 0)
        _exit(2);
    record_end_as(status);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

static int run_again(const struct request *request, const char *source, const char *rule,
                     char **program, bool copy)
{
    char here[PATH_MAX - 16], full_path[PATH_MAX], folder[PATH_MAX - 16], log[PATH_MAX],
        work[PATH_MAX];
    struct mirror mirror = {.items = NULL};
    if (getcwd(here, sizeof here) == NULL)
        return fail("the current folder: %s", strerror(errno));
    if (folder_full_path(request->campaign.path, full_path) != 0)
        return 2;
    snprintf(folder, sizeof folder, "%.*s.d", PATH_MAX - FOLDER_PATH_SPARE, full_path);
    snprintf(log, sizeof log, "%s/again.bin", here);
    snprintf(work, sizeof work, "%s/again.work", folder);
    mkdir(folder, 0700);
    folder_remove(work);
    int status = mirror_list(&mirror, source, full_path, copy, program);
    if (status == 0)
        status = mirror_make(&mirror, work);
    signal(SIGINT, SIG_IGN); /* meant for the program, or for gdb */
    signal(SIGQUIT, SIG_IGN);
    pid_t pid = status == 0 ? fork() : -1;
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        repeat(request, &mirror, folder, rule, log, program);
    }
    int ended = 0;
    if (pid < 0 || waitpid(pid, &ended, 0) != pid)
        status = fail("experiment %" PRId64 ": cannot be run again", request->again);
    mirror_release(&mirror);
    folder_remove(work);
    rmdir(folder);
    if (status == 0)
        note("experiment %" PRId64 ", %s: its log is again.bin", request->again, rule);
    return status != 0 ? status : record_end_as(ended);
}

static int again(const struct request *request)
{
    sqlite3 *database = experiments_open(request->campaign.path);
    if (database == NULL)
        return 2;
    char **program = experiments_program(database);
    char *rule = experiments_rule(database, request->again),
         *source = experiments_value(database, "folder"),
         *copy = experiments_value(database, "copy");
    sqlite3_close(database);
    int status = 2;
    if (program != NULL && rule == NULL && shortage_noted() == 0)
        fail("%s: has no experiment %" PRId64, request->campaign.path, request->again);
    else if (program != NULL && source != NULL)
        status = run_again(request, source, rule, program, copy != NULL && strcmp(copy, "1") == 0);
    experiments_program_release(program);
    free(rule);
    free(source);
    free(copy);
    return status;
}

/* ---- requests ---- */

static int check_calls(const char *calls)
{
    char *list = strdup(calls), *rest = list;
    int result = list != NULL ? 0 : fail("out of memory");
    for (char *name; result == 0 && (name = strsep(&rest, ",")) != NULL;) {
        size_t count;
        const char *const *names = fault_target_names(&count);
        bool known = false;
        name += strspn(name, " ");
        for (size_t i = 0; i < count; i++)
            known = known || strcmp(names[i], name) == 0;
        if (*name != 0 && !known)
            result = fail_nearest("--calls: no call of this name can be made to fail", name, names,
                                  count);
    }
    free(list);
    return result;
}

static bool one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

static int set_option(struct request *request, const struct args *args)
{
    static const char *const pers[] = {"context", "site", "call", NULL};
    struct campaign *campaign = &request->campaign;
    int64_t number;
    switch (args->code) {
    case 'o':
        campaign->path = args->value;
        return 0;
    case 'j':
        return amount_count(args->value, &campaign->jobs) && campaign->jobs > 0 &&
                       campaign->jobs <= CAMPAIGN_JOBS_MAX
                   ? 0
                   : args_wrong(args, "a number from 1 to 64");
    case CALLS:
        campaign->calls = args->value;
        return check_calls(args->value);
    case PER:
        campaign->per = args->value;
        return one_of(args->value, pers) ? 0 : args_wrong(args, "context, site or call");
    case SAMPLE:
        return amount_count(args->value, &campaign->sample) && campaign->sample > 0
                   ? 0
                   : args_wrong(args, "a number from 1 on");
    case TIMEOUT:
        return amount_time(args->value, &campaign->timeout_ns) && campaign->timeout_ns > 0
                   ? 0
                   : args_wrong(args, "a time such as 10s");
    case EXPECT:
        if (!amount_count(args->value, &number) || number > 255)
            return args_wrong(args, "an exit status, from 0 to 255");
        campaign->expected_exit = (int)number;
        return 0;
    case COPY:
        campaign->copy = true;
        return 0;
    case KEEP:
        return amount_size(args->value, &campaign->keep_bytes)
                   ? 0
                   : args_wrong(args, "a size such as 64M");
    case GDB:
        request->gdb = true;
        return 0;
    default:
        return amount_count(args->value, &request->again) && request->again > 0
                   ? 0
                   : args_wrong(args, "the id of an experiment");
    }
}

/* Prints how many experiments had each outcome, and those that went wrong. */
static int tell(const char *path)
{
    sqlite3 *database = experiments_open(path);
    char counts[512] = "", command[] = "query", query[] = "fault-outcomes", end[] = "--";
    size_t used = 0;
    if (database == NULL)
        return 2;
    sqlite3_stmt *row =
        database_ask(database, "SELECT count(*), coalesce(outcome, 'not run') FROM experiments"
                               " GROUP BY outcome ORDER BY outcome IS NULL, 1 DESC, 2");
    while (used < sizeof counts && database_row(row))
        used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%lld %s",
                                 used > 0 ? ", " : "", (long long)sqlite3_column_int64(row, 0),
                                 (const char *)sqlite3_column_text(row, 1));
    sqlite3_finalize(row);
    sqlite3_close(database);
    note("%s: %s", path, counts);
    char *path_word = strdup(path);
    char *arguments[] = {command, query, end, path_word, NULL};
    int status = path_word != NULL ? cmd_query(4, arguments) : 2;
    free(path_word);
    return status;
}

int cmd_faults(int argc, char **argv)
{
    static const struct args_option known[] = {
        {"output", 'o', true},  {"jobs", 'j', true},           {"calls", CALLS, true},
        {"per", PER, true},     {"sample", SAMPLE, true},      {"timeout", TIMEOUT, true},
        {"again", AGAIN, true}, {"expect-exit", EXPECT, true}, {"copy", COPY, false},
        {"keep", KEEP, true},   {"gdb", GDB, false},           {NULL, 0, false}};
    struct args args = {
        .command = "faults", .help = help, .options = known, .program_follows = true};
    static struct request request = {.campaign = {.path = "faults.db",
                                                  .calls = CALLS_USUAL,
                                                  .per = "context",
                                                  .jobs = 1,
                                                  .keep_bytes = KEEP_USUAL,
                                                  .expected_exit = -1,
                                                  .record = record}};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(&request, &args) != 0)
            return 2;
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (request.again > 0)
        return again(&request);
    if (args_words(&args) == 0)
        return fail("faults: no program given; see `fisql faults --help`");
    request.campaign.program = argv + args.at;
    int status = campaign_run(&request.campaign);
    return status == 0 ? tell(request.campaign.path) : status;
}
