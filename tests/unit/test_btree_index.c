/* Indexes, and tables WITHOUT ROWID, that are written page by page: SQLite finds in them what it would
 * have put there. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "loader/sqlite/btree.h"
#include "loader/sqlite/sqlite_record.h"
#include "base/must.h"
#include "tests/unit/check.h"

static char path[512];
static struct error error;

static const char *query(const char *sql)
{
    static char text[256];
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    sqlite3_open(path, &database);
    sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (sqlite3_step(statement) == SQLITE_ROW)
        snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
    else
        snprintf(text, sizeof text, "%s", sqlite3_errmsg(database));
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return text;
}

static struct btree_file *make(unsigned page_bytes)
{
    char sql[512];
    sqlite3 *database = NULL;
    struct btree_file *file = NULL;
    unlink(path);
    sqlite3_open(path, &database);
    snprintf(sql, sizeof sql,
             "PRAGMA page_size = %u; PRAGMA synchronous = off;"
             "CREATE TABLE t(id INTEGER PRIMARY KEY, key INTEGER); CREATE INDEX t_key ON t(key);"
             "CREATE TABLE w(a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID;"
             "CREATE TABLE x(a INTEGER PRIMARY KEY, b INTEGER UNIQUE) WITHOUT ROWID",
             page_bytes);
    check(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "a schema with an index");
    sqlite3_close(database);
    check_equal(0, btree_open(path, &file, &error), "is opened");
    return file;
}

static void write_rows(struct btree_file *file, const uint32_t *keys, uint32_t count)
{
    struct btree_part *part = NULL;
    must(btree_part_begin(file, &part, &error) == 0);
    for (uint32_t i = 0; i < count; i++) {
        struct record record;
        record_begin(&record, 2);
        record_null(&record);
        record_id_or_null(&record, keys[i]);
        must(btree_append(part, i + 1, record_data(&record), record_bytes(&record), 0, NULL,
                          &error) == 0);
    }
    must(btree_part_end(part, &error) == 0);
    check(btree_finish(file, "t", &part, 1, &error) == 0 && btree_close(file, &error) == 0,
          "the table is written: %s", error.text);
}

/* keys_max: keys are up to that, and many are NULL. */
static void index_of(unsigned page_bytes, uint32_t count, uint32_t keys_max)
{
    struct btree_file *file = make(page_bytes);
    uint32_t *keys = calloc(count + 1, sizeof *keys), state = 1;
    if (file == NULL || keys == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        keys[i] = state % 5 == 0 ? 0 : (uint32_t)((uint64_t)state * keys_max >> 32) + 1;
    }
    check_equal(0, btree_index_fill(file, "t_key", keys, count, &error), "an index is filled");
    write_rows(file, keys, count);
    free(keys);
    /* This compares each entry with its row. */
    if (!check_string("ok", query("PRAGMA integrity_check"), "SQLite accepts it"))
        fprintf(stderr, "pages of %u, %u rows, keys up to %u\n", page_bytes, count, keys_max);
    char expected[32];
    snprintf(expected, sizeof expected, "%u", count);
    check_string(expected,
                 query("SELECT count(*) FROM t INDEXED BY t_key WHERE key IS NULL"
                       " OR key > 0"),
                 "and finds each row");
}

/* As SQLite has it when rows are put in later. */
static void goes_on(void)
{
    index_of(512, 3000, 100);
    query("INSERT INTO t SELECT id + 10000, key + 1 FROM t WHERE key < 50");
    check(atoi(query("SELECT count(*) FROM t INDEXED BY t_key WHERE key > 0 AND id > 10000")) > 900,
          "rows are added");
    check_string("ok", query("PRAGMA integrity_check"), "and the index with them");
}

/* ---- tables WITHOUT ROWID ---- */

static void write_entry(struct record *record, uint32_t entry, const void *context)
{
    const int64_t *step = context;
    record_begin(record, 3);
    record_int(record, entry / 100);
    record_int(record, (int64_t)entry * *step);
    record_int(record, -(int64_t)entry);
}

static void keyed_of(unsigned page_bytes, uint32_t count, int64_t step)
{
    struct btree_file *file = make(page_bytes);
    check_equal(0, btree_index_fill(file, "t_key", NULL, 0, &error), "the index is empty");
    check_equal(0, btree_keyed_fill(file, "w", count, write_entry, &step, &error),
                "a table WITHOUT ROWID is filled");
    check_equal(0, btree_close(file, &error), "is closed");
    if (!check_string("ok", query("PRAGMA integrity_check"), "SQLite accepts it"))
        fprintf(stderr, "pages of %u, %u rows\n", page_bytes, count);
    char expected[64], sql[256];
    snprintf(expected, sizeof expected, "%u 1", count);
    snprintf(sql, sizeof sql,
             "SELECT count(*) || ' ' || coalesce(min(a = -c / 100 AND b = -c * %lld), 1) FROM w",
             (long long)step);
    check_string(expected, query(sql), "and finds each row");
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %u - 1)"
        " SELECT count(w.c) || ' 1' FROM n CROSS JOIN w ON w.a = n.i / 100 AND w.b = n.i * %lld",
        count, (long long)step);
    check_string(expected, count > 0 ? query(sql) : expected, "by its key");
    query("INSERT INTO w SELECT a, -1 - b, c FROM w WHERE c % 2 = 0");
    snprintf(expected, sizeof expected, "%u", count + (count + 1) / 2);
    check_string(expected, query("SELECT count(*) FROM w"), "rows are added");
    check_string("ok", query("PRAGMA integrity_check"), "and it is sound");
}

static void write_long_entry(struct record *record, uint32_t entry, const void *context)
{
    static const char text[RECORD_TEXT_MAX];
    (void)context;
    record_begin(record, 3);
    record_int(record, entry);
    must(record_text(record, text, sizeof text) && record_text(record, text, sizeof text));
}

static void keyed_refusals(void)
{
    const int64_t step = 3;
    struct btree_file *file = make(512);
    check(btree_keyed_fill(file, "none", 2, write_entry, &step, &error) < 0, "no such table: %s",
          error.text);
    check(btree_keyed_fill(file, "t", 2, write_entry, &step, &error) < 0, "a table of rowids: %s",
          error.text);
    check(btree_keyed_fill(file, "x", 2, write_entry, &step, &error) < 0, "one with an index: %s",
          error.text);
    check(btree_keyed_fill(file, "w", 2, write_long_entry, NULL, &error) < 0, "rows too long: %s",
          error.text);
    check_equal(0, btree_keyed_fill(file, "w", 2, write_entry, &step, &error), "a right one");
    check(btree_keyed_fill(file, "w", 2, write_entry, &step, &error) < 0, "but not twice: %s",
          error.text);
    btree_abandon(file);
}

static void refusals(void)
{
    const uint32_t keys[] = {3, 1};
    struct btree_file *file = make(512);
    check(btree_finish(file, "t", NULL, 0, &error) < 0, "a table before its index: %s", error.text);
    check(btree_index_fill(file, "none", keys, 2, &error) < 0, "no such index: %s", error.text);
    check(btree_index_fill(file, "t", keys, 2, &error) < 0, "a table is none: %s", error.text);
    check_equal(0, btree_index_fill(file, "t_key", keys, 2, &error), "the index is one");
    check(btree_index_fill(file, "t_key", keys, 2, &error) < 0, "but not twice: %s", error.text);
    write_rows(file, keys, 2);
    check_string("2", query("SELECT min(id) FROM t INDEXED BY t_key WHERE key = 1"), "it is right");
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/btree_index.db", folder != NULL ? folder : "/tmp");
    /* A leaf holds 63 of these: where the second and the third one begin, and a level more. */
    static const uint32_t counts[] = {0, 1, 2, 62, 63, 64, 65, 126, 127, 128, 129};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        index_of(512, counts[i], 20);
    for (uint32_t count = 2000; count < 2300; count += 37)
        index_of(512, count, 300);
    index_of(512, 40000, 10000000);
    index_of(16384, 300000, 300000);
    goes_on();
    refusals();
    for (uint32_t count = 0; count < 140; count++)
        keyed_of(512, count, 1);
    keyed_of(512, 20011, INT64_C(1) << 40);
    keyed_of(4096, 100000, 7);
    keyed_of(16384, 300000, INT64_C(1) << 33);
    keyed_refusals();
    unlink(path);
    return check_status();
}
