/* Following a recording: see live_follow.h. */
#include "cli/live/live_follow.h"

#include "cli/live/live_end.h"
#include "cli/live/live_find.h"
#include "cli/out/say.h"
#include "cli/run/distrust.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS 500 /* we wait so long for readers of an older state */
#define NICENESS 5  /* of loads beside the program: a quarter of a core that both want */

/* Is somebody recording into the log? */
static bool is_recorded(const char *log)
{
    struct live_runs runs;
    if (live_runs_find(&runs, 0, false) != 0)
        return false;
    bool found = live_runs_of_log(&runs, log) != NULL;
    live_runs_release(&runs);
    return found;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Copies all pages of the fresh database over the readers' in one transaction. */
static int replace(sqlite3 *database, const char *fresh, const char *name)
{
    sqlite3 *from = NULL;
    int result = sqlite3_open_v2(fresh, &from, SQLITE_OPEN_READONLY, NULL);
    unlink(fresh); /* our connection keeps it */
    sqlite3_backup *copy =
        result == SQLITE_OK ? sqlite3_backup_init(database, "main", from, "main") : NULL;
    if (copy != NULL) {
        do { /* another process is writing: no reader of ours */
            result = sqlite3_backup_step(copy, -1);
            if (result == SQLITE_BUSY || result == SQLITE_LOCKED)
                sqlite3_sleep(20);
        } while (result == SQLITE_BUSY || result == SQLITE_LOCKED);
        sqlite3_backup_finish(copy);
    }
    sqlite3_close(from);
    /* A backup does not checkpoint. If a reader prevents it, the next one does. */
    sqlite3_exec(database, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    if (result == SQLITE_DONE)
        return 0;
    return fail("%s: %s", name,
                result == SQLITE_OK ? sqlite3_errmsg(database) : sqlite3_errstr(result));
}

/* Is the WAL empty, with all its pages in the database? A reader of an older state prevents that:
 * then another state would make the WAL larger by the whole database, and so on without end. */
static bool is_settled(sqlite3 *database)
{
    return sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
           SQLITE_OK;
}

/* Waits until the next load is due, the recording ends, or we are to end. */
static void pause_between(const char *log, double took_s)
{
    double until_s = now_s() + (took_s > 0.5 ? took_s : 1 - took_s);
    const struct timespec moment = {0, 200000000};
    while (!live_end_asked && now_s() < until_s && is_recorded(log))
        nanosleep(&moment, NULL);
}

static int open_for_readers(const char *path, sqlite3 **database)
{
    if (!distrust_beside(path, false)) /* nobody else writes to it */
        return 2;
    if (sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(*database, BUSY_MS) == SQLITE_OK &&
        sqlite3_exec(*database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF", NULL, NULL,
                     NULL) == SQLITE_OK)
        return 0;
    return fail("%s: %s", path, sqlite3_errmsg(*database));
}

struct following {
    const char *database;
    char fresh[PATH_MAX];
    sqlite3 *target; /* NULL = nothing is loaded yet */
    live_load *load;
    void *context;
    bool last;
    int status;
};

static void load_state(struct following *state)
{
    unlink(state->fresh);
    bool first = state->target == NULL;
    state->status =
        state->load(state->context, first ? state->database : state->fresh, state->last);
    if (state->status == 2)
        return;
    int replaced = first ? open_for_readers(state->database, &state->target)
                         : replace(state->target, state->fresh, state->database);
    state->status = replaced != 0 ? replaced : state->status;
}

/* A thread passes its priority on to the threads that it starts. */
static void *load_behind(void *state)
{
    setpriority(PRIO_PROCESS, 0, NICENESS);
    load_state(state);
    return NULL;
}

/* While the program runs, it has priority. */
static void load_next(struct following *state)
{
    pthread_t thread;
    if (!state->last && pthread_create(&thread, NULL, load_behind, state) == 0)
        pthread_join(thread, NULL);
    else
        load_state(state);
}

int live_follow(const char *log, const char *database, live_load *load, void *context)
{
    struct following state = {.database = database, .load = load, .context = context};
    if ((size_t)snprintf(state.fresh, sizeof state.fresh, "%s.follow", database) >=
        sizeof state.fresh)
        return fail("%s: its path is too long", database);
    live_catch_end();
    while (!state.last && state.status != 2) {
        double begun_s = now_s();
        state.last = live_end_asked || !is_recorded(log);
        if (!state.last && state.target != NULL && !is_settled(state.target)) {
            pause_between(log, 0);
            continue;
        }
        load_next(&state);
        if (!state.last && state.status != 2)
            pause_between(log, now_s() - begun_s);
    }
    if (state.target != NULL) /* one file again, unless a reader has it open */
        sqlite3_exec(state.target, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE",
                     NULL, NULL, NULL);
    sqlite3_close(state.target);
    return state.status;
}
