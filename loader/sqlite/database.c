/* Making the database file: see database.h. */
#include "loader/sqlite/database.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "loader/sqlite/insert.h"
#include "base/unfinished.h"
#include "base/parts.h"

#define APPLICATION_ID 0x4653514cu

extern const char database_sql_indexes[];

/* The application id in SQLite's header at offset 68; -1 = the file is no SQLite database. */
static int64_t application_id(int file)
{
    unsigned char header[72];
    if (pread(file, header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header, "SQLite format 3", 16) != 0)
        return -1;
    return (int64_t)header[68] << 24 | header[69] << 16 | header[70] << 8 | header[71];
}

/* Has another process a transaction open? SQLite locks these bytes of the file then. We do not ask
 * SQLite: it would undo changes by any journal beside the file, whoever put it there. */
static bool in_use(int file)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512};
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int check_target(const char *path, struct error *error)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT ? 0
                               : error_set_file(error, ERROR_SYSTEM, path, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set_file(error, ERROR_USAGE, path,
                              "is not a regular file: give another output with -o");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set_file(error, ERROR_USAGE, path, "%s: give another output with -o",
                              strerror(errno));
    int64_t id = status.st_size == 0 ? APPLICATION_ID : application_id(file);
    bool used = in_use(file);
    close(file);
    if (id != APPLICATION_ID)
        return error_set_file(error, ERROR_USAGE, path,
                              "exists and is not a fisql database: remove it, or give another "
                              "output with -o");
    if (used)
        return error_set_file(error, ERROR_USAGE, path,
                              "is in use by another process: close it there, or give another "
                              "output with -o");
    return 0;
}

/* Is the maker of the temporary gone? The name ends in its pid. */
static bool maker_is_gone(const char *name)
{
    char *end;
    long pid = strtol(strrchr(name, '-') + 1, &end, 10);
    return *end == '\0' && pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Opens a regular file; does not wait for anything else that somebody put there. */
static int open_left(int folder, const char *name)
{
    struct stat status;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}

/* Looks at the temporaries of other loads of the target. Removes those of killed loads: their
 * process is gone and nobody locks them (in another container the same pid is another process).
 * Returns whether a load writes one; other: its name. */
static bool other_load(DIR *folder, const char *target, char *other, size_t size)
{
    const char *name = last_part(target);
    size_t length = strlen(name);
    bool found = false;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, name, length) != 0 ||
            strncmp(entry->d_name + length, ".loading-", 9) != 0)
            continue;
        int file = open_left(dirfd(folder), entry->d_name);
        if (file < 0)
            continue;
        bool locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!locked && maker_is_gone(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
        if (locked)
            snprintf(other, size, "%s", entry->d_name);
        found |= locked;
        close(file);
    }
    return found;
}

static DIR *open_folder(const char *target)
{
    char folder[4096];
    const char *slash = strrchr(target, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - target + 1) : 1,
             slash != NULL ? target : ".");
    return opendir(folder);
}

/* Loads that begin at once look at each other's temporaries one after the other. A longer lock on
 * the folder is not a load's: we do not wait for it. */
static void lock_folder(DIR *folder)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int i = 0; i < 200 && flock(dirfd(folder), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
         i++)
        nanosleep(&moment, NULL);
}

/* Makes the temporary, unless another load makes the same database: the second one would silently
 * replace the first one's. */
static int make_temporary(struct database *database, const char *log, struct error *error)
{
    char other[NAME_MAX + 1];
    const char *target = database->target;
    DIR *folder = open_folder(target);
    int status = 0;
    if (folder != NULL)
        lock_folder(folder);
    if (other_load(folder, target, other, sizeof other))
        status = error_set_file(
            error, ERROR_USAGE, target,
            "another `fisql load` makes it just now (%s): wait for it to end, or give "
            "another output with -o",
            other);
    if (status == 0)
        database->lock = unfinished_open(database->temporary, &log, 1);
    if (status == 0 && (database->lock < 0 || flock(database->lock, LOCK_EX | LOCK_NB) != 0))
        status = error_set_file(error, ERROR_SYSTEM, target, "cannot be made: %s", strerror(errno));
    if (folder != NULL)
        closedir(folder); /* and its lock */
    return status;
}

/* SQLite opens the temporary more than once: no file beside it may look like SQLite's own. */
static int check_beside(const char *temporary, struct error *error)
{
    struct beside beside;
    beside_look(temporary, &beside);
    return beside.kind == BESIDE_NOTHING
               ? 0
               : error_set_file(
                     error, ERROR_USAGE, beside.path,
                     "lies beside the database that is being made: remove it, and see who can "
                     "write in this folder");
}

static int execute(sqlite3 *database, const char *path, const char *sql, struct error *error)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return error_set_file(error, ERROR_SYSTEM, path, "%s", insert_problem(database));
}

/* Takes the indexes out of the schema and keeps their SQL; not those of frames: tables_frames.c
 * fills them page by page. */
static int put_off_indexes(struct database *database, sqlite3 *connection, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    char *drops = NULL;
    int status = sqlite3_prepare_v2(connection, database_sql_indexes, -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        const char *indexes = (const char *)sqlite3_column_text(statement, 0);
        const char *dropped = (const char *)sqlite3_column_text(statement, 1);
        database->indexes = indexes != NULL ? strdup(indexes) : NULL;
        drops = dropped != NULL ? strdup(dropped) : NULL;
        status = database->indexes != NULL && drops != NULL ? SQLITE_OK : SQLITE_NOMEM;
    }
    int result = status == SQLITE_OK ? 0
                                     : error_set_file(error, ERROR_SYSTEM, database->target, "%s",
                                                      sqlite3_errstr(status));
    sqlite3_finalize(statement);
    if (result == 0)
        result = execute(connection, database->target, drops, error);
    free(drops);
    return result;
}

int database_index(const struct database *database, sqlite3 *connection, struct error *error)
{
    return execute(connection, database->target, database->indexes, error);
}

int database_index_calls(const struct database *database, sqlite3 *connection, unsigned threads,
                         struct error *error)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "PRAGMA temp_store = FILE; PRAGMA cache_size = -2000; PRAGMA threads = %u;"
             "CREATE INDEX calls_frame ON calls(frame_id)",
             threads);
    return execute(connection, database->target, sql, error);
}

int database_create(struct database *database, const char *target, const char *log,
                    const char *schema, struct error *error)
{
    sqlite3 *connection = NULL;
    *database = (struct database){.lock = -1};
    if (check_target(target, error) != 0)
        return -1;
    database->target = strdup(target);
    if (asprintf(&database->temporary, "%s.loading-%d", target, (int)getpid()) < 0)
        database->temporary = NULL;
    if (database->target == NULL || database->temporary == NULL)
        return error_set(error, "out of memory");
    if (make_temporary(database, log, error) != 0 || check_beside(database->temporary, error) != 0)
        return -1;
    if (sqlite3_open_v2(database->temporary, &connection, SQLITE_OPEN_READWRITE, NULL) !=
        SQLITE_OK) {
        error_set_file(error, ERROR_SYSTEM, target, "%s", insert_problem(connection));
        sqlite3_close(connection);
        return -1;
    }
    int result = execute(connection, target,
                         "PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                         "PRAGMA secure_delete=OFF; BEGIN",
                         error);
    if (result == 0)
        result = execute(connection, target, schema, error);
    if (result == 0)
        result = put_off_indexes(database, connection, error);
    if (result == 0)
        result = execute(connection, target, "COMMIT", error);
    if (sqlite3_close(connection) != SQLITE_OK && result == 0)
        result = error_set_file(error, ERROR_SYSTEM, target, "cannot be closed");
    return result;
}

int database_open_temporary(const struct database *database, sqlite3 **out, struct error *error)
{
    if (check_beside(database->temporary, error) != 0)
        return -1;
    /* One thread at a time uses it: binding a value needs no lock. */
    if (sqlite3_open_v2(database->temporary, out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return error_set_file(error, ERROR_SYSTEM, database->target, "%s", insert_problem(*out));
    return execute(
        *out, database->target,
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA secure_delete=OFF;"
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY",
        error);
}

int database_publish(struct database *database, struct error *error)
{
    int problem = write_out_end(&database->write_out);
    if (problem != 0 || fsync(database->lock) != 0)
        return error_set_file(error, ERROR_SYSTEM, database->target, "%s",
                              strerror(problem != 0 ? problem : errno));
    if (unfinished_publish(database->temporary, database->target) != 0)
        return error_set_file(error, ERROR_SYSTEM, database->target, "%s", strerror(errno));
    beside_remove(database->target); /* of the database that had the name */
    free(database->temporary);
    database->temporary = NULL;
    return 0;
}

void database_release(struct database *database)
{
    (void)write_out_end(&database->write_out);
    if (database->temporary != NULL && database->lock >= 0)
        unfinished_remove(database->temporary);
    if (database->lock >= 0)
        close(database->lock);
    free(database->temporary);
    free(database->indexes);
    free(database->target);
    *database = (struct database){.lock = -1};
}
