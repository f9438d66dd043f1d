/* Databases and their connections: see bases.h. */
#include "cli/serve/bases.h"

#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/serve/follow.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What opening says, it says with variables of the whole program. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static sqlite3 *open_one(const char *path)
{
    pthread_mutex_lock(&opening);
    sqlite3 *database = database_open_sparing(path);
    pthread_mutex_unlock(&opening);
    if (database != NULL)
        sqlite3_exec(database, "PRAGMA cache_size = -4096", NULL, NULL, NULL);
    return database;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int base_begin(struct base *base, const char *given)
{
    char made[PATH_MAX];
    const char *path = given;
    if (database_is_log(given)) {
        base->loader = follow_begin(given, made, sizeof made);
        path = made;
    }
    if (base->loader < 0)
        return 2;
    base->path = realpath(path, NULL);
    if (base->path == NULL)
        return fail("%s: %s: make a database with `fisql load run.bin -o %s`", path,
                    strerror(errno), path);
    const char *slash = strrchr(base->path, '/');
    base->name = slash != NULL ? slash + 1 : base->path;
    pthread_mutex_init(&base->lock, NULL);
    pthread_cond_init(&base->given, NULL);
    base->version = 1;
    sqlite3 *database = open_one(base->path);
    if (database == NULL)
        return 2;
    if (stat(base->path, &base->file) != 0) {
        sqlite3_close(database);
        return fail("%s: %s", path, strerror(errno));
    }
    base->idle[base->idle_count++] = database;
    return 0;
}

int bases_open(struct server *server, const char *const *paths, int count)
{
    server->bases = calloc((size_t)count, sizeof *server->bases);
    if (server->bases == NULL)
        return fail("serve: out of memory");
    int status = 0;
    for (int i = 0; i < count && status == 0; i++) {
        server->bases_count++;
        status = base_begin(&server->bases[i], paths[i]);
    }
    return status;
}

static void close_idle(struct base *base)
{
    while (base->idle_count > 0)
        sqlite3_close(base->idle[--base->idle_count]);
}

void bases_close(struct server *server)
{
    for (int i = 0; i < server->bases_count; i++) {
        follow_end(&server->bases[i].loader);
        close_idle(&server->bases[i]);
        free(server->bases[i].path);
    }
    free(server->bases);
    server->bases = NULL;
    server->bases_count = 0;
}

/* Notices, under the lock, that another file took its place. False: there is none. */
static bool look(struct base *base)
{
    struct stat now;
    if (stat(base->path, &now) != 0)
        return false;
    bool other = !same_file(&now, &base->file);
    if (other)
        close_idle(base);
    /* a log that is loaded anew replaces the file's pages, which connections notice */
    if (other || now.st_size != base->file.st_size ||
        now.st_mtim.tv_sec != base->file.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != base->file.st_mtim.tv_nsec)
        base->version++;
    base->file = now;
    return true;
}

sqlite3 *base_take(struct base *base, const char **problem)
{
    pthread_mutex_lock(&base->lock);
    while (base->taken >= BASE_CONNECTIONS)
        pthread_cond_wait(&base->given, &base->lock);
    *problem = look(base) ? NULL : "the database is gone: it was moved or deleted";
    sqlite3 *database =
        *problem == NULL && base->idle_count > 0 ? base->idle[--base->idle_count] : NULL;
    base->taken += *problem == NULL;
    pthread_mutex_unlock(&base->lock);
    if (database != NULL || *problem != NULL)
        return database;
    database = open_one(base->path);
    if (database == NULL) {
        *problem = "the database cannot be opened: fisql serve's terminal says why";
        base_give(base, NULL);
    }
    return database;
}

/* Does the connection still read the file of that name? */
static bool is_current(struct base *base, sqlite3 *database)
{
    struct stat now;
    int moved = 0;
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved == 0 && stat(base->path, &now) == 0 && same_file(&now, &base->file);
}

void base_give(struct base *base, sqlite3 *database)
{
    if (database != NULL)
        sqlite3_progress_handler(database, 0, NULL, NULL);
    pthread_mutex_lock(&base->lock);
    base->taken--;
    bool keep =
        database != NULL && base->idle_count < BASE_CONNECTIONS && is_current(base, database);
    if (keep)
        base->idle[base->idle_count++] = database;
    pthread_cond_signal(&base->given);
    pthread_mutex_unlock(&base->lock);
    if (!keep)
        sqlite3_close(database);
}

int64_t base_version(struct base *base)
{
    pthread_mutex_lock(&base->lock);
    int64_t version = look(base) ? base->version : 0;
    pthread_mutex_unlock(&base->lock);
    return version;
}

bool base_is_live(struct base *base)
{
    pthread_mutex_lock(&base->lock);
    bool live = follow_runs(&base->loader);
    pthread_mutex_unlock(&base->lock);
    return live;
}
