/* Opening a run's database for reading: see database.h. */
#include "cli/database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define APPLICATION_ID 0x4653514c
#define SCHEMA_VERSION 1

static long long pragma(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    long long value = -1;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

sqlite3 *database_open(const char *path)
{
    struct stat status;
    sqlite3 *database = NULL;
    if (stat(path, &status) != 0) {
        fprintf(stderr, "fisql: %s: %s: make it with `fisql load run.bin`\n", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        fprintf(stderr, "fisql: %s: is not a file: give a database that `fisql load` made\n", path);
        return NULL;
    }
    int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL);
    if (result == SQLITE_OK) {
        long long application = pragma(database, "PRAGMA application_id");
        long long version = pragma(database, "PRAGMA user_version");
        if (application == APPLICATION_ID && version == SCHEMA_VERSION)
            return database;
        if (application == APPLICATION_ID)
            fprintf(stderr,
                    "fisql: %s: has schema version %lld, this fisql reads %d: load the log again\n",
                    path, version, SCHEMA_VERSION);
        else
            fprintf(stderr, "fisql: %s: is not a fisql database: make one with `fisql load`\n", path);
    } else {
        fprintf(stderr, "fisql: %s: cannot be opened: %s\n", path, sqlite3_errmsg(database));
    }
    sqlite3_close(database);
    return NULL;
}

void database_say_losses(sqlite3 *database, const char *path)
{
    long long losses = pragma(database, "SELECT count(*) FROM losses");
    if (losses > 0)
        fprintf(stderr,
                "fisql: %s: the recording is not complete (%lld entries in the table losses)\n",
                path, losses);
}
