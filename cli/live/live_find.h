/*
 * Finds the programs that are being recorded: processes that map a live area. Reads /proc/PID/maps
 * of our own processes (as root: of all); live_open.h says how an area is opened.
 */
#ifndef FISQL_CLI_LIVE_LIVE_FIND_H
#define FISQL_CLI_LIVE_LIVE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/live_source.h"

/* A run: one live area and its processes. */
struct live_run {
    uint64_t inode;
    dev_t device;
    pid_t recorder; /* pid of fisql record; 0 = there is none */
    pid_t *pids;    /* processes that map it, without the recorder */
    size_t pids_count, pids_room;
    int file;           /* the area, for reading; -1 = we cannot open it */
    int log_file;       /* its log, for reading; -1 = not known, or we cannot open it */
    uint32_t log_epoch; /* the area's before it was opened */
    char *name;
    char *problem;             /* the reason, if we know it */
    char *log;                 /* path of its log, for messages; NULL = not known */
    struct live_source source; /* if file >= 0 */
};

struct live_runs {
    struct live_run *items;
    size_t count, room;
};

/* Finds all runs; with pid != 0 only the run to which this process belongs, or which it records.
 * say_closed: notes on stderr which runs cannot be read. Says what is wrong and returns 2 if no run
 * has the pid, or if we may not ask it. */
int live_runs_find(struct live_runs *runs, pid_t pid, bool say_closed);
void live_runs_release(struct live_runs *runs);

/* Opens the log that has replaced run->log_file since this was opened (record --rotate). Returns the
 * open file, for the caller to put into run->log_file, or -1: none has, or it cannot be opened. */
int live_run_next_log(struct live_run *run);

/* The run whose log has this path; NULL = none. */
struct live_run *live_runs_of_log(const struct live_runs *runs, const char *path);

/* Does a process of `pids` record, or will it? A child of fisql record does not. */
bool live_records(const struct live_run *run, pid_t pid);

/* Does a process still record into the run's area? */
bool live_run_is_recorded(const struct live_run *run);

/* Lists their processes on stderr. */
void live_runs_say(const struct live_runs *runs);

/* The paths of the files whose code the run's processes map. The caller frees *paths and each path,
 * after a failure, too. 0, or 2 after saying what is wrong. */
int live_modules(struct live_run *run, char ***paths, size_t *count);

/* Reads a pid. 0, or 2 after saying that it is none. */
int live_pid_parse(const char *text, pid_t *pid);

/* The command line of a process, from /proc/PID/cmdline; "?" if we cannot read it. */
void live_command(pid_t pid, char *text, size_t size);

#endif
