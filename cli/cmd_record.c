/*
 * fisql record: runs a program with the collector and stays beside it.
 *
 * It makes the log and the live area, starts the program with the collector preloaded, passes
 * signals on, and waits until the program and every process of it that records have ended. Then it
 * appends what processes that died left in the live area, so that nothing is lost by a crash. It
 * ends as the program ended: with its exit status, or by its signal.
 */
#include "cli/live.h"
#include "cli/log_space.h"
#include "cli/log_totals.h"
#include "cli/program_file.h"
#include "cli/record_filter.h"
#include "cli/record_options.h"
#include "cli/signals.h"
#include "cli/unrecorded.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cmd_record(int argc, char **argv);

static pid_t program_pid; /* for the signal handler */

/* What the program inherits of our signals: as they were before we set ours. */
struct inherited {
    struct sigaction interrupt, quit, child;
    sigset_t mask;
};

__attribute__((format(printf, 1, 2))) static int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("fisql: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 2;
}

/* ---- the log ---- */

static int log_make(const char *path)
{
    struct stat status;
    uint32_t magic = 0;
    int log = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
    if (log < 0) {
        if (errno == ELOOP)
            fail("%s: is a symbolic link: give another file with -o", path);
        else
            fail("%s: %s: give another file with -o", path, strerror(errno));
        return -1;
    }
    const char *problem = NULL;
    if (fstat(log, &status) != 0)
        problem = strerror(errno);
    else if (S_ISREG(status.st_mode) && status.st_size > 0 &&
             (pread(log, &magic, sizeof magic, 0) != (ssize_t)sizeof magic ||
              magic != FISQL_CHUNK_MAGIC))
        problem = "exists and is not a fisql log: remove it, or give another file with -o";
    else if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        problem = "is not a regular file: give another file with -o";
    else if (S_ISREG(status.st_mode) && (ftruncate(log, 0) != 0 || fchmod(log, 0600) != 0))
        problem = strerror(errno);
    if (problem != NULL) {
        fail("%s: %s", path, problem);
        close(log);
        return -1;
    }
    char live[PATH_MAX];
    if ((size_t)snprintf(live, sizeof live, "%s.live", path) < sizeof live)
        unlink(live); /* of an older run without fisql record */
    return log;
}

/* ---- the program ---- */

/* The collector: beside the program, or where make install puts it. */
static bool collector_find(char *path, size_t size)
{
    static const char *const places[] = {"libfisql.so", "../lib/fisql/libfisql.so"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = 0;
        char *slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = 0;
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            char candidate[PATH_MAX + 32];
            snprintf(candidate, sizeof candidate, "%s/%s", self, places[i]);
            char full[PATH_MAX];
            if (access(candidate, R_OK) == 0 && realpath(candidate, full) != NULL &&
                (size_t)snprintf(path, size, "%s", full) < size)
                return true;
        }
    }
    snprintf(path, size, "%s/lib/fisql/libfisql.so", FISQL_PREFIX);
    return access(path, R_OK) == 0;
}

/* An ASan runtime wants to come first of all libraries. The collector tells it not to check that,
 * by __asan_default_options(), unless the program has that function itself. */
static int asan_options_set(const char *program)
{
    struct program_file file;
    char text[4096];
    const char *options = getenv("ASAN_OPTIONS");
    program_file_look(&file, program);
    if (!file.own_asan_options || file.is_static)
        return 0;
    if ((size_t)snprintf(text, sizeof text, "%s%sverify_asan_link_order=0",
                         options != NULL ? options : "",
                         options != NULL && *options ? ":" : "") >= sizeof text)
        return -1;
    return setenv("ASAN_OPTIONS", text, 1);
}

static int environment_set(const struct record_options *options, const char *collector,
                           const struct live *live, const char *log_path)
{
    char text[PATH_MAX + 4096];
    const char *preload = getenv("LD_PRELOAD");
    snprintf(text, sizeof text, "%s%s%s", collector, preload != NULL && *preload ? ":" : "",
             preload != NULL ? preload : "");
    int failed = setenv("LD_PRELOAD", text, 1);
    snprintf(text, sizeof text, "/proc/%d/fd/%d", (int)getpid(), live->memory);
    failed |= setenv("FISQL_LIVE", text, 1) | setenv("FISQL_LOG", log_path, 1);
    record_options_text(options, text, sizeof text);
    failed |= text[0] != 0 ? setenv("FISQL_OPTIONS", text, 1) : unsetenv("FISQL_OPTIONS");
    return failed;
}

static void pass_on(int number)
{
    int error = errno;
    if (program_pid > 0)
        kill(program_pid, number);
    errno = error;
}

/* Signals that a user or a supervisor sends to us are meant for the program. Those that a terminal
 * sends reach the program anyway, as a member of the same process group. */
static void signals_set(struct inherited *inherited)
{
    static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct sigaction old;
        if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(passed[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &ignore, &inherited->interrupt);
    sigaction(SIGQUIT, &ignore, &inherited->quit);
    sigaction(SIGCHLD, &normal, &inherited->child);
    sigset_t child; /* blocked, so that sigtimedwait() sees it */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &inherited->mask);
}

/* Starts the program. A failed exec comes back through a pipe, so that it is told from a program
 * that ends with the same status. Returns the pid, or -1 with errno. */
static pid_t program_start(char **argv, const struct inherited *inherited)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        sigaction(SIGINT, &inherited->interrupt, NULL);
        sigaction(SIGQUIT, &inherited->quit, NULL);
        sigaction(SIGCHLD, &inherited->child, NULL);
        signals_child();
        sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
        execvp(argv[0], argv);
        int error = errno;
        ssize_t written = write(report[1], &error, sizeof error);
        _exit(written < 0 ? 126 : 127);
    }
    int error = errno;
    close(report[1]);
    if (pid > 0) {
        ssize_t got;
        while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
            ;
        if (got == (ssize_t)sizeof error) {
            waitpid(pid, NULL, 0);
            pid = -1;
        }
    }
    close(report[0]);
    errno = error;
    return pid;
}

static void end_append(const struct live *live, pid_t pid, int status)
{
    char signal_text[16];
    uint64_t key = live_process_key(live, pid);
    if (key == 0 || !WIFSIGNALED(status))
        return; /* the collector has told how it ended */
    snprintf(signal_text, sizeof signal_text, "%d", WTERMSIG(status));
    const char *const pairs[][2] = {{"how", "signal"},
                                    {"signal", signal_text},
                                    {"core", WCOREDUMP(status) ? "1" : "0"},
                                    {NULL, NULL}};
    live_append_facts(live, FISQL_CHUNK_END, key, pid, pairs);
}

/* Has a process forked a child that may yet come to record? One that lives and takes no slot within
 * a second will not. */
static bool forks_awaited(const struct live *live, int *patience)
{
    siginfo_t info;
    bool children = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    return children && __atomic_load_n(&live->area->forks_pending, __ATOMIC_ACQUIRE) != 0 &&
           (*patience)-- > 0;
}

/* Waits for the program and then for the processes that it left behind, as long as they record.
 * Returns the program's wait status. */
static int program_wait(struct live *live, struct log_space *space, pid_t pid, bool quiet)
{
    int program_status = 0;
    bool ended = false, told = quiet;
    int patience = 50; /* of 20 ms each */
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        int status;
        pid_t gone = waitpid(-1, &status, WNOHANG);
        if (gone > 0) {
            end_append(live, gone, status);
            if (gone == pid) {
                program_status = status;
                ended = true;
            }
            continue;
        }
        if (gone < 0 && errno == ECHILD && !ended)
            break; /* cannot happen: the program is our child */
        live_collect(live);
        if (live->area->slots_used > live->area->slots / 2)
            live_salvage(live);
        /* In this order: a child takes its slot before it ceases to be awaited. */
        if (ended && !forks_awaited(live, &patience) && !live_busy(live))
            break;
        if (ended && !told && live_busy(live)) {
            told = true;
            struct timespec moment = {0, 100000000};
            sigtimedwait(&child, NULL, &moment);
            if (live_busy(live))
                fputs("fisql: the program has ended; waiting for the processes that it left "
                      "running\n",
                      stderr);
            continue;
        }
        bool grown = log_space_keep(space);
        struct timespec timeout = {0, ended ? 20000000 : grown ? 50000000 : 250000000};
        sigtimedwait(&child, NULL, &timeout);
    }
    return program_status;
}

/* ---- the whole ---- */

static void run_append(const struct live *live, const struct record_options *options, char **argv)
{
    char command[16384] = "", started[24], options_text[PATH_MAX + 4096], folder[PATH_MAX];
    char host[256] = "";
    size_t used = 0;
    for (char **word = argv; *word != NULL && used < sizeof command; word++)
        used +=
            (size_t)snprintf(command + used, sizeof command - used, "%s%s", used ? " " : "", *word);
    snprintf(started, sizeof started, "%lld", (long long)time(NULL));
    record_options_text(options, options_text, sizeof options_text);
    gethostname(host, sizeof host - 1);
    if (getcwd(folder, sizeof folder) == NULL)
        folder[0] = 0;
    const char *const pairs[][2] = {
        {"command", command}, {"version", FISQL_VERSION}, {"folder", folder}, {"started", started},
        {"host", host},       {"options", options_text},  {NULL, NULL}};
    live_append_facts(live, FISQL_CHUNK_RUN, 0, getpid(), pairs);
}

static void losses_append(struct live *live, const char *path)
{
    const struct fisql_live_area *area = live->area;
    if (area->lost_chunks == 0)
        return;
    char chunks[24], calls[24], bytes[24], error[24];
    snprintf(chunks, sizeof chunks, "%llu", (unsigned long long)area->lost_chunks);
    snprintf(calls, sizeof calls, "%llu", (unsigned long long)area->lost_calls);
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)area->lost_bytes);
    snprintf(error, sizeof error, "%llu", (unsigned long long)area->lost_errno);
    const char *const pairs[][2] = {
        {"reason", "write failed"}, {"chunks", chunks}, {"calls", calls}, {"bytes", bytes},
        {"errno", error},           {"thread", "all"},  {NULL, NULL}};
    live_tell(live, FISQL_CHUNK_LOSS, getpid(), pairs);
    fail("%s: %s calls (%s chunks) could not be written: %s", path, calls, chunks,
         strerror((int)area->lost_errno));
}

static void say_result(const struct live *live, int log, const struct record_options *options,
                       const char *program)
{
    struct log_totals totals = {0};
    bool none = live->area->process_next == 1; /* no process came to record */
    if (none || !options->quiet)
        log_totals(log, live->area->run_id, &totals);
    if (none && !totals.processes) {
        fail("%s: nothing was recorded: %s", program, unrecorded_reason(program));
        return;
    }
    if (options->quiet)
        return;
    fprintf(stderr, "fisql: %s: %llu calls, %.1f MB written", options->log,
            (unsigned long long)totals.calls, (double)totals.bytes / 1e6);
    if (live->salvaged_chunks != 0)
        fprintf(stderr, " (%llu calls saved from processes that ended without writing them)",
                (unsigned long long)live->salvaged_calls);
    fputc('\n', stderr);
}

/* Ends as the program ended. */
static int end_as(int status)
{
    if (WIFSIGNALED(status)) {
        struct rlimit none = {0, 0};
        sigset_t all;
        int number = WTERMSIG(status);
        fflush(NULL);
        setrlimit(RLIMIT_CORE, &none);
        signal(number, SIG_DFL);
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(number);
        return 128 + number;
    }
    return WEXITSTATUS(status);
}

/* Can the program be run at all? Asked before an older log is overwritten. Returns 0 or errno. */
static int program_check(const char *program)
{
    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0 ? 0 : errno;
    const char *path = getenv("PATH");
    int error = ENOENT;
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; at != NULL;) {
        const char *end = strchrnul(at, ':');
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "",
                 program);
        if (access(candidate, X_OK) == 0)
            return 0;
        if (errno == EACCES)
            error = errno;
        at = *end != 0 ? end + 1 : NULL;
    }
    return error;
}

/* Records; *status gets the program's wait status. Returns 0, or 2 if it could not be run. */
static int record(const struct record_options *options, char **argv, const char *collector,
                  int *status)
{
    struct live live;
    char path[PATH_MAX];
    int error = program_check(argv[0]);
    if (error != 0)
        return fail("%s: cannot be run: %s", argv[0], strerror(error));
    int log = log_make(options->log);
    if (log < 0)
        return 2;
    if (realpath(options->log, path) == NULL)
        return fail("%s: %s", options->log, strerror(errno));
    if (live_make(&live, log, !options->start_off, options->ring_chunks) != 0)
        return fail("the live area cannot be made: %s", strerror(errno));
    if (live.area->slots < LIVE_SLOTS && !options->quiet)
        fprintf(stderr,
                "fisql: a limit on the size of files (ulimit -f) leaves room for %u thread%s: what "
                "others have not yet written when they are killed is lost\n",
                live.area->slots, live.area->slots == 1 ? "" : "s");
    if (environment_set(options, collector, &live, path) != 0 || asan_options_set(argv[0]) != 0)
        return fail("the environment cannot be set: %s", strerror(errno));
    run_append(&live, options, argv);
    live_reserve(&live);
    struct log_space space;
    log_space_begin(&space, log);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct inherited inherited;
    signals_set(&inherited);
    program_pid = program_start(argv, &inherited);
    if (program_pid < 0) {
        error = errno;
        unlink(options->log);
        return fail("%s: cannot be run: %s", argv[0], strerror(error));
    }
    *status = program_wait(&live, &space, program_pid, options->quiet);
    live_salvage(&live);
    losses_append(&live, options->log);
    unrecorded_append(&live, options->log, options->quiet);
    log_space_end(&space);
    say_result(&live, log, options, argv[0]);
    live_release(&live);
    close(log);
    return 0;
}

int cmd_record(int argc, char **argv)
{
    struct record_options options;
    char collector[PATH_MAX + 64];
    int first = record_options_parse(&options, argc, argv);
    if (first <= 0)
        return first == 0 ? 0 : 2;
    if (!collector_find(collector, sizeof collector))
        return fail("libfisql.so: not found beside fisql nor in %s/lib/fisql: run make, or make "
                    "install",
                    FISQL_PREFIX);
    int status = 0, result = 2;
    if (record_filter_make(&options, argv[first]) == 0)
        result = record(&options, argv + first, collector, &status);
    record_options_release(&options);
    return result == 0 ? end_as(status) : result;
}
