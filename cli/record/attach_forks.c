/*
 * See attach_forks.h. A thread's time on the processor (/proc/PID/task/TID/schedstat) is counted when it
 * is put aside, and some hundred times a second. So the first change may count what it ran before; by the
 * second one it has run since. A dozen instructions lead from the lock to the handler: PASSED_NS is far
 * more. A thread that sleeps in a system call is not on that way.
 */
#include "cli/record/attach_forks.h"

#include "base/array.h"
#include "base/error.h"
#include "cli/record/process_stat.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASSED_NS 20000u
#define UNCOUNTED_MS 100u /* for a kernel that does not count the time */

struct passing {
    pid_t tid;
    uint64_t ran_ns;
    bool changed; /* since the list was made */
    bool passed;
};

struct threads {
    struct passing *items;
    size_t count, capacity;
};

static uint64_t ran_ns(pid_t tid)
{
    struct process_times times;
    process_times_read(tid, &times);
    return times.ran_ns;
}

static bool threads_list(struct threads *threads, pid_t pid, pid_t stopped)
{
    char path[64];
    struct error ignored;
    bool whole = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    for (const struct dirent *entry;
         folder != NULL && whole && (entry = readdir(folder)) != NULL;) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || tid == stopped)
            continue;
        whole =
            array_reserve(&threads->items, &threads->capacity, threads->count + 1, &ignored) == 0;
        if (whole)
            threads->items[threads->count++] = (struct passing){.tid = tid, .ran_ns = ran_ns(tid)};
    }
    if (folder != NULL)
        closedir(folder);
    return whole;
}

static bool has_passed(struct passing *thread, unsigned waited_ms)
{
    struct process_stat stat;
    if (thread->passed || !process_stat_read(thread->tid, &stat) ||
        strchr("RD", stat.state) == NULL)
        return true; /* it sleeps, is stopped by the user, or is gone */
    uint64_t now_ns = ran_ns(thread->tid);
    if (now_ns == 0)
        return waited_ms >= UNCOUNTED_MS;
    if (thread->changed)
        return now_ns >= thread->ran_ns + PASSED_NS;
    if (now_ns != thread->ran_ns) {
        thread->ran_ns = now_ns;
        thread->changed = true;
    }
    return false;
}

bool attach_forks_passed(pid_t pid, pid_t stopped, unsigned timeout_ms)
{
    struct threads threads = {.items = NULL};
    bool all = false, listed = threads_list(&threads, pid, stopped);
    for (unsigned waited_ms = 0; listed && !all && waited_ms < timeout_ms; waited_ms++) {
        all = true;
        for (size_t i = 0; i < threads.count; i++)
            all &= threads.items[i].passed = has_passed(&threads.items[i], waited_ms);
        if (!all)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    free(threads.items);
    return all;
}
