/*
 * Finds the programs that are being recorded now: processes whose memory holds a live area. What a
 * process maps is read from /proc/PID/maps, of one's own processes (root: of all); how the area itself is
 * opened says live_open.h.
 */
#ifndef FISQL_CLI_LIVE_LIVE_FIND_H
#define FISQL_CLI_LIVE_LIVE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/live_source.h"

/* A run: one live area, and the process that has it. */
struct live_run {
    uint64_t inode;
    dev_t device;
    pid_t recorder; /* pid of fisql record; 0 = there is none */
    pid_t *pids;    /* of the processes that have it mapped, the recorder left out */
    size_t pids_count, pids_room;
    int file;     /* the area, for reading; -1 = it cannot be opened */
    int log_file; /* its log, for reading; -1 = it is not known, or not to be opened */
    char *name;
    char *problem;             /* why not, where that is known */
    char *log;                 /* path of its log, for people; NULL = not known */
    struct live_source source; /* where file >= 0 */
};

struct live_runs {
    struct live_run *items;
    size_t count, room;
};

/* Finds all of them, and notes on stderr if wanted which cannot be read; pid != 0: only the run that this process belongs to, or records. Says what is
 * wrong and returns 2 where a pid was given of which there is none, or that is not ours to ask. */
int live_runs_find(struct live_runs *runs, pid_t pid, bool say_closed);
void live_runs_release(struct live_runs *runs);

/* The run that is recorded into the log at this path; NULL = none of them is. */
struct live_run *live_runs_of_log(const struct live_runs *runs, const char *path);

/* Does a process of `pids` record, or will it? fisql record has one of its own, which does not. */
bool live_records(const struct live_run *run, pid_t pid);

/* Says on stderr which there are. */
void live_runs_say(const struct live_runs *runs);

/* The paths of the files whose code the processes of a run hold: *paths and each of them is freed by the
 * caller, in case of failure, too. 0, or 2 after saying what is wrong. */
int live_modules(struct live_run *run, char ***paths, size_t *count);

/* A process's number as a user gives it. 0, or 2 after saying that it is none. */
int live_pid_parse(const char *text, pid_t *pid);

/* The text of /proc/PID/comm, and its arguments; "?" where they cannot be read. */
void live_command(pid_t pid, char *text, size_t size);

#endif
