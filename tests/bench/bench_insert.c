/*
 * What loading would cost through SQL: the rows of `calls` of a database, put into a new one by a
 * prepared INSERT with the fastest pragmas. Only the inserting is timed, not the reading.
 *
 *   bench_insert RUN.db NEW.db ROWS      prints rows and seconds
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

enum { COLUMNS = 9, BATCH = 65536 };

static const char columns[] = "id,thread_id,frame_id,depth,enter_ns,duration_ns,parent_distance,"
                              "descendants,children_ns,ended";

struct value {
    int64_t number;
    int null;
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void must(int ok, sqlite3 *database, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_insert: %s: %s\n", what, sqlite3_errmsg(database));
    exit(2);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    must(sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK, database, sql);
    return statement;
}

static void run(sqlite3 *database, const char *sql)
{
    must(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, database, sql);
}

/* The table as the database has it. */
static void make_table(sqlite3 *from, sqlite3 *to)
{
    run(to, "PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; PRAGMA secure_delete=OFF");
    sqlite3_stmt *schema = prepare(from, "SELECT sql FROM sqlite_schema WHERE name = 'calls'");
    must(sqlite3_step(schema) == SQLITE_ROW, from, "no table calls");
    run(to, (const char *)sqlite3_column_text(schema, 0));
    sqlite3_finalize(schema);
    run(to, "BEGIN");
}

static int read_batch(sqlite3_stmt *rows, struct value (*batch)[COLUMNS + 1])
{
    int count = 0;
    while (count < BATCH && sqlite3_step(rows) == SQLITE_ROW) {
        for (int i = 0; i <= COLUMNS; i++) {
            batch[count][i].null = sqlite3_column_type(rows, i) == SQLITE_NULL;
            batch[count][i].number = sqlite3_column_int64(rows, i);
        }
        count++;
    }
    return count;
}

static void insert_batch(sqlite3_stmt *insert, struct value (*batch)[COLUMNS + 1], int count)
{
    for (int row = 0; row < count; row++) {
        for (int i = 0; i <= COLUMNS; i++)
            if (batch[row][i].null)
                sqlite3_bind_null(insert, i + 1);
            else
                sqlite3_bind_int64(insert, i + 1, batch[row][i].number);
        must(sqlite3_step(insert) == SQLITE_DONE, sqlite3_db_handle(insert), "INSERT");
        sqlite3_reset(insert);
    }
}

int main(int count, char **arguments)
{
    static struct value batch[BATCH][COLUMNS + 1];
    sqlite3 *from = NULL, *to = NULL;
    char sql[512];
    if (count != 4) {
        fprintf(stderr, "bench_insert RUN.db NEW.db ROWS\n");
        return 2;
    }
    unlink(arguments[2]);
    must(sqlite3_open_v2(arguments[1], &from, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, from,
         arguments[1]);
    must(sqlite3_open(arguments[2], &to) == SQLITE_OK, to, arguments[2]);
    make_table(from, to);
    snprintf(sql, sizeof sql, "SELECT %s FROM calls ORDER BY id LIMIT %lld", columns,
             atoll(arguments[3]));
    sqlite3_stmt *rows = prepare(from, sql);
    snprintf(sql, sizeof sql, "INSERT INTO calls(%s) VALUES(?,?,?,?,?,?,?,?,?,?)", columns);
    sqlite3_stmt *insert = prepare(to, sql);
    int64_t done = 0;
    double spent = 0;
    for (int got = BATCH; got == BATCH; done += got) {
        got = read_batch(rows, batch);
        double start = now_s();
        insert_batch(insert, batch, got);
        spent += now_s() - start;
    }
    double start = now_s();
    run(to, "COMMIT");
    spent += now_s() - start;
    sqlite3_finalize(rows);
    sqlite3_finalize(insert);
    sqlite3_close(from);
    sqlite3_close(to);
    printf("%lld %.6f\n", (long long)done, spent);
    return 0;
}
