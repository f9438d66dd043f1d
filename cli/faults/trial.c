/* One run of the program within a campaign: see trial.h. */
#include "cli/faults/trial.h"

#include "cli/faults/folder.h"
#include "cli/faults/processes.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 50000000 /* how often we look at the log's length */
#define LINGER_LOOK_NS 500000000
#define LINGER_NS 1000000000 /* for processes left running */
#define SALVAGE_NS                                                                                 \
    20000000000 /* for `fisql record` to write the log of a program that was killed */

char *trial_path(const struct trial_place *place, const char *name, const char *ending, char *path)
{
    if (snprintf(path, PATH_MAX, "%s/%s%s", place->folder, name, ending) >= PATH_MAX)
        path[0] = 0; /* the campaign has made sure that there is room */
    return path;
}

void trial_clean(const struct trial_place *place, const char *name, bool keep_log)
{
    static const char *const ends[] = {".db", ".bin", ".out", ".err"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (!keep_log || i == 0)
            unlink(trial_path(place, name, ends[i], path));
    folder_remove(trial_path(place, name, ".work", path));
    folder_remove(trial_path(place, name, ".tmp", path));
}

/* ---- the recorder ---- */

static int put_file(const char *path, int flags, int as)
{
    int file = open(path, flags | O_CLOEXEC, 0600);
    return file < 0 ? -1 : dup2(file, as);
}

/* Sets up what the program finds: its streams, its folder, a folder for temporary files. */
static int settle(const struct trial *trial)
{
    const struct trial_place *place = trial->place;
    const struct rlimit none = {0, 0};
    char path[PATH_MAX];
    setrlimit(RLIMIT_CORE, &none);
    if (put_file(trial_path(place, trial->name, ".err", path),
                 O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDERR_FILENO) < 0 ||
        put_file(trial_path(place, trial->name, ".out", path),
                 O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDOUT_FILENO) < 0 ||
        put_file(trial_path(place, "input", "", path), O_RDONLY, STDIN_FILENO) < 0)
        return fail("%s: %s", path, strerror(errno));
    trial_path(place, trial->name, ".tmp", path);
    if (mkdir(path, 0700) != 0 || setenv("TMPDIR", path, 1) != 0)
        return fail("%s: %s", path, strerror(errno));
    trial_path(place, trial->name, ".work", path);
    return mirror_make(place->mirror, path) == 0 ? mirror_enter(place->mirror, path) : 2;
}

static _Noreturn void recorder(const struct trial *trial, struct trial_end *end)
{
    char log[PATH_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    if (settle(trial) != 0)
        _exit(2);
    sigprocmask(SIG_SETMASK, &trial->place->signals, NULL);
    int result =
        trial->place->record(trial_path(trial->place, trial->name, ".bin", log), trial->rules,
                             trial->rules_count, trial->place->program, &end->status);
    end->ran = result == 0;
    _exit(result);
}

/* ---- the supervisor ---- */

static int64_t log_bytes(const struct trial *trial)
{
    char path[PATH_MAX];
    struct stat status;
    return stat(trial_path(trial->place, trial->name, ".bin", path), &status) == 0 ? status.st_size
                                                                                   : 0;
}

/* Waits at most so long for SIGCHLD or SIGTERM. Returns which came; 0 = none. */
static int next_signal(int64_t wait_ns)
{
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    const struct timespec timeout = {wait_ns / 1000000000, wait_ns % 1000000000};
    int number = sigtimedwait(&awaited, NULL, &timeout);
    return number > 0 ? number : 0;
}

/* Ends the program, but lets `fisql record` write what it did. */
static void cut_short(const struct trial *trial, pid_t recorder_pid, int64_t now,
                      struct trial_end *end)
{
    bool too_long = now > trial->timeout_ns;
    if (!end->timed_out && !end->log_grew) {
        end->timed_out = too_long;
        end->log_grew = !too_long;
        end->hung = processes_any(recorder_pid);
    }
    processes_kill(getpid(), recorder_pid);
    if (now > trial->timeout_ns + SALVAGE_NS)
        kill(recorder_pid, SIGKILL);
}

/* Did the program end a while ago? `fisql record` waits for what it left running, perhaps for
 * ever. */
static bool lingers(pid_t recorder_pid, int64_t now, int64_t *looked, int64_t *ended)
{
    if (now - *looked < LINGER_LOOK_NS)
        return false;
    *looked = now;
    if (processes_any(recorder_pid))
        *ended = 0;
    else if (*ended == 0)
        *ended = now;
    return *ended != 0 && now - *ended >= LINGER_NS;
}

/* Waits until `fisql record` has ended. Returns false if a signal asked us to stop. */
static bool watch(const struct trial *trial, pid_t recorder_pid, struct trial_end *end)
{
    int64_t began = clock_ns(), looked = 0, ended = 0;
    for (;;) {
        pid_t pid;
        int status;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            if (pid == recorder_pid) {
                end->elapsed_ns = clock_ns() - began;
                return true;
            }
        int64_t taken = clock_ns() - began, left = trial->timeout_ns - taken;
        if (left <= 0 || log_bytes(trial) > trial->log_max_bytes)
            cut_short(trial, recorder_pid, taken, end);
        else if (lingers(recorder_pid, taken, &looked, &ended))
            processes_kill(getpid(), recorder_pid);
        if (next_signal(left > 0 && left < LOOK_NS ? left : LOOK_NS) == SIGTERM)
            return false;
    }
}

static _Noreturn void supervise(const struct trial *trial, judge_function *judge, void *context)
{
    struct trial_end *end =
        mmap(NULL, sizeof *end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (end == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        _exit(fail("the system does not let processes be supervised: %s", strerror(errno)));
    trial_clean(trial->place, trial->name, false);
    pid_t pid = fork();
    if (pid == 0)
        recorder(trial, end);
    if (pid < 0)
        _exit(fail("a process cannot be made: %s", strerror(errno)));
    bool whole = watch(trial, pid, end);
    processes_end();
    if (!whole) {
        trial_clean(trial->place, trial->name, false);
        _exit(TRIAL_STOPPED);
    }
    _exit(judge(context, trial, end));
}

pid_t trial_start(const struct trial *trial, judge_function *judge, void *context)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0); /* a terminal's Ctrl-C is for the campaign */
        supervise(trial, judge, context);
    }
    if (pid < 0)
        fail("a process cannot be made: %s", strerror(errno));
    return pid;
}
