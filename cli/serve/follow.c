/* Serving a log: see follow.h. */
#include "cli/serve/follow.h"

#include "cli/out/out_file.h"
#include "cli/out/say.h"
#include "cli/serve/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 50, END_MS = 2000 };

static int start(const char *log, pid_t *pid)
{
    char command[] = "fisql", load[] = "load", follow[] = "--follow", quiet[] = "-q", end[] = "--";
    char *argv[] = {command, load, follow, quiet, end, (char *)(uintptr_t)log, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (result == 0) /* its output is not the address that we print */
        result = posix_spawn_file_actions_adddup2(&actions, 2, 1);
    if (result == 0)
        result = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* Waits for it without blocking. Returns whether it has ended; *status is then its exit status. */
static bool has_ended(pid_t pid, int *status)
{
    int how;
    if (waitpid(pid, &how, WNOHANG) != pid)
        return false;
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 2;
    return true;
}

static bool is_new(const char *path, bool was_there, const struct stat *before)
{
    struct stat now;
    return stat(path, &now) == 0 && now.st_size > 0 &&
           (!was_there || now.st_ino != before->st_ino || now.st_dev != before->st_dev);
}

pid_t follow_begin(const char *log, char *database, size_t size)
{
    struct stat before;
    pid_t pid;
    int status = 0;
    out_file_beside(log, ".db", database, size);
    bool was_there = stat(database, &before) == 0;
    int problem = start(log, &pid);
    if (problem != 0)
        return -fail("%s: fisql load cannot be started: %s", log, strerror(problem));
    while (!is_new(database, was_there, &before)) {
        if (has_ended(pid, &status)) {
            if (status <= 1) /* it lost something, and has said what */
                return 0;
            return -fail("%s: cannot be loaded, so it cannot be served", log);
        }
        poll(NULL, 0, TICK_MS);
    }
    return pid;
}

bool follow_runs(pid_t *pid)
{
    int status;
    if (*pid > 0 && has_ended(*pid, &status))
        *pid = 0;
    return *pid > 0;
}

void follow_end(pid_t *pid)
{
    if (!follow_runs(pid))
        return;
    kill(*pid, SIGTERM);
    int64_t until_ms = server_now_ms() + END_MS;
    while (follow_runs(pid) && server_now_ms() < until_ms)
        poll(NULL, 0, TICK_MS);
}
