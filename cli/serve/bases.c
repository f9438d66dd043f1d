/* Databases and their connections: see bases.h. */
#include "cli/serve/bases.h"

#include "base/must.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/serve/follow.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What opening says, it says with variables of the whole program. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* Guards what changes in every base, and how many connections are open. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t given, ended; /* one came back, or was closed; a long statement ended */
    int open;                    /* idle and taken ones */
    int taken_long;              /* bases_begin_long() */
    struct base *bases;
    int bases_count;
} connections = {.lock = PTHREAD_MUTEX_INITIALIZER,
                 .given = PTHREAD_COND_INITIALIZER,
                 .ended = PTHREAD_COND_INITIALIZER};

enum { TRIM_BYTES = 24 << 20 };

static sqlite3 *open_one(const char *path)
{
    pthread_mutex_lock(&opening);
    sqlite3 *database = database_open_sparing(path);
    pthread_mutex_unlock(&opening);
    if (database != NULL)
        sqlite3_exec(database, "PRAGMA cache_size = -2048", NULL, NULL, NULL);
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
    pthread_mutex_init(&base->schema.lock, NULL);
    base->version = 1;
    sqlite3 *database = open_one(base->path);
    if (database == NULL)
        return 2;
    if (stat(base->path, &base->file) != 0) {
        sqlite3_close(database);
        return fail("%s: %s", path, strerror(errno));
    }
    sqlite3_close(database);
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
    connections.bases = server->bases;
    connections.bases_count = server->bases_count;
    return status;
}

static void close_idle_one(struct base *base)
{
    must(base->idle_count > 0 && connections.open > 0);
    sqlite3_close(base->idle[--base->idle_count]);
    connections.open--;
}

static void close_idle(struct base *base)
{
    while (base->idle_count > 0)
        close_idle_one(base);
}

void bases_close(struct server *server)
{
    for (int i = 0; i < server->bases_count; i++) {
        follow_end(&server->bases[i].loader);
        close_idle(&server->bases[i]);
        free(server->bases[i].path);
        free(server->bases[i].schema.text);
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

/* Makes room for one more by closing an idle one of another database. Is there room? */
static bool make_room(void)
{
    for (int i = 0; i < connections.bases_count && connections.open >= CONNECTIONS; i++)
        if (connections.bases[i].idle_count > 0)
            close_idle_one(&connections.bases[i]);
    return connections.open < CONNECTIONS;
}

static void forget_one(void)
{
    pthread_mutex_lock(&connections.lock);
    connections.open--;
    pthread_cond_signal(&connections.given);
    pthread_mutex_unlock(&connections.lock);
}

sqlite3 *base_take(struct base *base, const char **problem)
{
    sqlite3 *database = NULL;
    pthread_mutex_lock(&connections.lock);
    *problem = look(base) ? NULL : "the database is gone: it was moved or deleted";
    while (*problem == NULL && base->idle_count == 0 && !make_room())
        pthread_cond_wait(&connections.given, &connections.lock);
    if (*problem == NULL && base->idle_count > 0)
        database = base->idle[--base->idle_count];
    else if (*problem == NULL)
        connections.open++;
    pthread_mutex_unlock(&connections.lock);
    if (database != NULL || *problem != NULL)
        return database;
    database = open_one(base->path);
    if (database == NULL) {
        *problem = "the database cannot be opened: fisql serve's terminal says why";
        forget_one();
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
    sqlite3_progress_handler(database, 0, NULL, NULL);
    sqlite3_db_release_memory(database);
#ifdef __GLIBC__
    if (sqlite3_memory_highwater(1) > TRIM_BYTES) /* the C library would keep what it used */
        malloc_trim(0);
#endif
    pthread_mutex_lock(&connections.lock);
    bool keep = is_current(base, database);
    if (keep)
        base->idle[base->idle_count++] = database;
    pthread_cond_signal(&connections.given);
    pthread_mutex_unlock(&connections.lock);
    if (keep)
        return;
    sqlite3_close(database);
    forget_one();
}

void bases_begin_long(void)
{
    pthread_mutex_lock(&connections.lock);
    while (connections.taken_long >= CONNECTIONS - 1)
        pthread_cond_wait(&connections.ended, &connections.lock);
    connections.taken_long++;
    pthread_mutex_unlock(&connections.lock);
}

void bases_end_long(void)
{
    pthread_mutex_lock(&connections.lock);
    must(connections.taken_long > 0);
    connections.taken_long--;
    pthread_cond_signal(&connections.ended);
    pthread_mutex_unlock(&connections.lock);
}

int64_t base_version(struct base *base)
{
    pthread_mutex_lock(&connections.lock);
    int64_t version = look(base) ? base->version : 0;
    pthread_mutex_unlock(&connections.lock);
    return version;
}

bool base_is_live(struct base *base)
{
    pthread_mutex_lock(&connections.lock);
    bool live = follow_runs(&base->loader);
    pthread_mutex_unlock(&connections.lock);
    return live;
}
