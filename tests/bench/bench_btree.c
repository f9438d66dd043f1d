/*
 * Rows a second of the b-tree writer: rows like those of `calls`, on one thread and on two, and for
 * comparison a prepared INSERT of the same rows with the fastest pragmas.
 *
 *   bench_btree FOLDER [ROWS]
 */
#include "loader/sqlite/btree.h"
#include "loader/sqlite/sqlite_record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

enum { COLUMNS = 9, THREADS_MAX = 2 };

struct job {
    struct btree_file *file;
    struct btree_part *part;
    int64_t first, last;
    int status;
    struct error error;
};

static const char schema[] =
    "PRAGMA page_size = 16384; PRAGMA synchronous = off; PRAGMA journal_mode = off;"
    "CREATE TABLE t(id INTEGER PRIMARY KEY, thread, frame, depth, enter, duration, parent,"
    "               descendants, children);";

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void make_row(int64_t id, int64_t values[COLUMNS - 1])
{
    values[0] = 1;
    values[1] = 1 + id % 700;
    values[2] = id % 23;
    values[3] = 1000000000 + id * 47;
    values[4] = id % 13 * 40;
    values[5] = id % 11;
    values[6] = id % 7 == 0 ? 300 : 0;
    values[7] = id % 7 == 0 ? 20000 : 0;
}

static void *write_part(void *argument)
{
    struct job *job = argument;
    struct record record;
    int64_t values[COLUMNS - 1];
    job->status = btree_part_begin(job->file, &job->part, &job->error);
    for (int64_t id = job->first; job->status == 0 && id <= job->last; id++) {
        make_row(id, values);
        record_begin(&record, COLUMNS);
        record_null(&record);
        for (int i = 0; i < COLUMNS - 1; i++)
            record_int(&record, values[i]);
        job->status = btree_append(job->part, id, record_data(&record), record_bytes(&record), 0,
                                   NULL, &job->error);
    }
    if (job->status == 0)
        job->status = btree_part_end(job->part, &job->error);
    return NULL;
}

static int make_database(const char *path, sqlite3 **database)
{
    unlink(path);
    if (sqlite3_open(path, database) == SQLITE_OK &&
        sqlite3_exec(*database, schema, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(*database));
    return -1;
}

static int bench_parts(const char *path, int64_t rows, int threads)
{
    struct job jobs[THREADS_MAX];
    struct btree_part *parts[THREADS_MAX];
    pthread_t handles[THREADS_MAX];
    struct btree_file *file = NULL;
    struct error error;
    struct stat status;
    sqlite3 *database;
    if (make_database(path, &database) < 0)
        return -1;
    sqlite3_close(database);
    double start = now_s();
    if (btree_open(path, &file, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    for (int i = 0; i < threads; i++) {
        jobs[i] = (struct job){
            .file = file, .first = rows * i / threads + 1, .last = rows * (i + 1) / threads};
        pthread_create(&handles[i], NULL, write_part, &jobs[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
        if (jobs[i].status < 0) {
            fprintf(stderr, "%s\n", jobs[i].error.text);
            return -1;
        }
        parts[i] = jobs[i].part;
    }
    if (btree_finish(file, "t", parts, (uint32_t)threads, &error) < 0 ||
        btree_close(file, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    double seconds = now_s() - start;
    stat(path, &status);
    printf("b-tree, %d thread%s  %6.1f M rows/s  %5.1f bytes a row\n", threads,
           threads == 1 ? " " : "s", (double)rows / seconds / 1e6,
           (double)status.st_size / (double)rows);
    return 0;
}

static int bench_insert(const char *path, int64_t rows)
{
    sqlite3 *database;
    sqlite3_stmt *insert = NULL;
    int64_t values[COLUMNS - 1];
    struct stat status;
    if (make_database(path, &database) < 0)
        return -1;
    double start = now_s();
    sqlite3_exec(database, "BEGIN", NULL, NULL, NULL);
    sqlite3_prepare_v2(database, "INSERT INTO t VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", -1, &insert,
                       NULL);
    for (int64_t id = 1; id <= rows; id++) {
        make_row(id, values);
        sqlite3_bind_int64(insert, 1, id);
        for (int i = 0; i < COLUMNS - 1; i++)
            sqlite3_bind_int64(insert, i + 2, values[i]);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(database);
    double seconds = now_s() - start;
    stat(path, &status);
    printf("INSERT, prepared   %6.1f M rows/s  %5.1f bytes a row\n", (double)rows / seconds / 1e6,
           (double)status.st_size / (double)rows);
    return 0;
}

int main(int count, char **arguments)
{
    char path[4096];
    if (count < 2) {
        fprintf(stderr, "bench_btree FOLDER [ROWS]\n");
        return 2;
    }
    int64_t rows = count > 2 ? atoll(arguments[2]) : 10000000;
    snprintf(path, sizeof path, "%s/bench_btree.db", arguments[1]);
    int failed = 0;
    for (int round = 0; round < 3; round++)
        failed |= bench_parts(path, rows, 1) < 0 || bench_parts(path, rows, 2) < 0;
    failed |= bench_insert(path, rows / 10) < 0;
    unlink(path);
    return failed;
}
