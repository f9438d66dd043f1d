/*
 * The b-tree writer against SQLite itself: each case writes a table page by page, and the same rows
 * through INSERT; then PRAGMA integrity_check must say ok, and EXCEPT must find no difference
 * either way. The sqlite3 shell reads each file, too.
 */
#include "loader/sqlite/btree.h"
#include "loader/sqlite/btree_internal.h"
#include "loader/sqlite/sqlite_record.h"
#include "base/must.h"
#include "tests/unit/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#define SCHEMA                                                                                     \
    "CREATE TABLE fast(id INTEGER PRIMARY KEY, a, b, c);"                                          \
    "CREATE TABLE slow AS SELECT * FROM fast;"

struct row {
    int64_t id;
    int64_t a;
    double b;
    char text[64];
    uint32_t text_bytes;
};

static char path[512];
static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static sqlite3 *open_database(void)
{
    sqlite3 *database = NULL;
    if (sqlite3_open(path, &database) != SQLITE_OK)
        check(false, "open %s: %s", path, sqlite3_errmsg(database));
    return database;
}

/* The first column of the first row as text, in a static buffer. */
static const char *query(sqlite3 *database, const char *sql)
{
    static char text[256];
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        snprintf(text, sizeof text, "%s", sqlite3_errmsg(database));
    else
        snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

/* Makes the database with the tables `fast`, empty, and `slow`, with the rows. */
static void make_database(unsigned page_bytes, unsigned reserved_bytes, const struct row *rows,
                          size_t count)
{
    char sql[256];
    unlink(path);
    sqlite3 *database = open_database();
    int reserved = (int)reserved_bytes;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    snprintf(sql, sizeof sql, "PRAGMA page_size = %u; PRAGMA synchronous = off; " SCHEMA,
             page_bytes);
    check(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "schema with pages of %u",
          page_bytes);
    sqlite3_exec(database, "BEGIN", NULL, NULL, NULL);
    sqlite3_stmt *insert = NULL;
    sqlite3_prepare_v2(database, "INSERT INTO slow VALUES(?, ?, ?, ?)", -1, &insert, NULL);
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_int64(insert, 1, rows[i].id);
        sqlite3_bind_int64(insert, 2, rows[i].a);
        sqlite3_bind_double(insert, 3, rows[i].b);
        sqlite3_bind_text(insert, 4, rows[i].text, (int)rows[i].text_bytes, SQLITE_STATIC);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(database);
}

/* Asks SQLite, through its library and its shell, whether the file is sound and the tables agree.
 */
static void check_database(const char *what, size_t rows)
{
    char sql[640];
    sqlite3 *database = open_database();
    check_string("ok", query(database, "PRAGMA integrity_check"), what);
    snprintf(sql, sizeof sql, "%zu", rows);
    check_string(sql, query(database, "SELECT count(*) FROM fast"), what);
    check_string(
        "0", query(database, "SELECT count(*) FROM (SELECT * FROM fast EXCEPT SELECT * FROM slow)"),
        what);
    check_string(
        "0", query(database, "SELECT count(*) FROM (SELECT * FROM slow EXCEPT SELECT * FROM fast)"),
        what);
    check_string(sql, query(database, "SELECT count(*) FROM slow JOIN fast USING(id)"), what);
    sqlite3_close(database);
    snprintf(sql, sizeof sql, "test \"$(sqlite3 '%s' 'PRAGMA integrity_check')\" = ok", path);
    check(system(sql) == 0, "%s: the sqlite3 shell accepts it", what);
}

static void encode(struct record *record, const struct row *row)
{
    record_begin(record, 4);
    record_null(record);
    record_int(record, row->a);
    record_double(record, row->b);
    record_text(record, row->text, row->text_bytes);
}

static struct btree_part *write_part(struct btree_file *file, const struct row *rows, size_t count)
{
    struct error error = {.text = ""};
    struct btree_part *part = NULL;
    struct record record;
    bool done = btree_part_begin(file, &part, &error) == 0;
    for (size_t i = 0; done && i < count; i++) {
        encode(&record, &rows[i]);
        done = btree_append(part, rows[i].id, record_data(&record), record_bytes(&record), 0, NULL,
                            &error) == 0;
    }
    if (!done || btree_part_end(part, &error) < 0)
        check(false, "%s", error.text);
    return part;
}

/* Writes the rows in parts of the given sizes (the last takes the rest) and checks the result. */
static void compare(const char *what, unsigned page_bytes, unsigned reserved_bytes,
                    const struct row *rows, size_t count, const size_t *sizes, uint32_t parts_count)
{
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    struct btree_part *parts[64];
    make_database(page_bytes, reserved_bytes, rows, count);
    if (!check(btree_open(path, &file, &error) == 0, "%s: open %s", what, error.text))
        return;
    size_t from = 0;
    for (uint32_t i = 0; i < parts_count; i++) {
        size_t size = i + 1 == parts_count ? count - from : sizes[i];
        parts[i] = write_part(file, rows + from, size);
        from += size;
    }
    check(btree_finish(file, "fast", parts, parts_count, &error) == 0, "%s: finish %s", what,
          error.text);
    check(btree_close(file, &error) == 0, "%s: close %s", what, error.text);
    check_database(what, count);
}

/* Rows with random values of all widths; ids ascend by steps of up to `step`. */
static struct row *make_rows(size_t count, int64_t first, uint64_t step, uint32_t text_bytes_max)
{
    struct row *rows = calloc(count + 1, sizeof *rows);
    int64_t id = first;
    for (size_t i = 0; i < count; i++) {
        struct row *row = &rows[i];
        row->id = id;
        id += 1 + (int64_t)(random_next() % step);
        row->a = (int64_t)(random_next() >> (random_next() % 64));
        if (random_next() % 2)
            row->a = -row->a;
        if (random_next() % 8 == 0)
            row->a = (int64_t)(random_next() % 3);
        row->b = (double)(int64_t)random_next() / 3.0;
        row->text_bytes = (uint32_t)(random_next() % (text_bytes_max + 1));
        for (uint32_t c = 0; c < row->text_bytes; c++)
            row->text[c] = (char)('a' + random_next() % 26);
    }
    return rows;
}

static void test_sizes(void)
{
    static const unsigned sizes[] = {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
    char what[64];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct row *rows = make_rows(40000, 1, 3, RECORD_TEXT_MAX);
        snprintf(what, sizeof what, "pages of %u bytes", sizes[i]);
        compare(what, sizes[i], 0, rows, 40000, NULL, 1);
        free(rows);
    }
    struct row *rows = make_rows(5000, 1, 3, RECORD_TEXT_MAX);
    compare("reserved bytes", 4096, 32, rows, 5000, NULL, 1);
    compare("reserved bytes, large pages", 65536, 200, rows, 5000, NULL, 1);
    free(rows);
}

/* Counts of rows around those at which a page, and a page of pages, is full. */
static void test_borders(void)
{
    struct row *rows = make_rows(3000, 1, 1, 0);
    char what[64];
    compare("no rows, no parts", 4096, 0, rows, 0, NULL, 0);
    compare("no rows, one part", 4096, 0, rows, 0, NULL, 1);
    static const size_t nothing[3] = {0, 0, 0};
    compare("no rows, four parts", 4096, 0, rows, 0, nothing, 4);
    for (size_t count = 1; count <= 3000; count = count * 5 / 4 + 1) {
        snprintf(what, sizeof what, "%zu rows", count);
        compare(what, 512, 0, rows, count, NULL, 1);
    }
    free(rows);
}

static void test_parts(void)
{
    struct row *rows = make_rows(60000, 1, 2, 10);
    static const size_t one_then_many[] = {1};
    compare("a leaf, then several levels", 512, 0, rows, 60000, one_then_many, 2);
    static const size_t many_then_one[] = {59999};
    compare("several levels, then a leaf", 512, 0, rows, 60000, many_then_one, 2);
    static const size_t mixed[] = {0, 1, 1, 20000, 0, 5, 30000, 3, 0};
    compare("parts of all sizes", 512, 0, rows, 60000, mixed, 10);
    static const size_t single[] = {1, 1, 1, 1, 1};
    compare("parts of one row", 4096, 0, rows, 6, single, 6);
    free(rows);
}

static void test_rowids(void)
{
    struct row *rows = make_rows(5000, INT64_MIN, UINT64_MAX / 5001, 20);
    compare("rowids from the least on", 1024, 0, rows, 5000, NULL, 1);
    free(rows);
    rows = make_rows(2000, -1000, 1, 5);
    compare("rowids around 0", 1024, 0, rows, 2000, NULL, 1);
    rows[1999].id = INT64_MAX;
    compare("the greatest rowid", 1024, 0, rows, 2000, NULL, 1);
    for (int bits = 0; bits < 63; bits++) /* each length of a varint, and its neighbours */
        rows[bits] = (struct row){.id = INT64_C(1) << bits, .a = bits};
    compare("varints of each length", 4096, 0, rows, 63, NULL, 1);
    free(rows);
}

static void test_integers(void)
{
    struct row *rows = calloc(400, sizeof *rows);
    size_t count = 0;
    for (int bits = 0; bits < 64; bits++)
        for (int64_t near = -1; near <= 1; near++) {
            int64_t power = (int64_t)(UINT64_C(1) << bits);
            int64_t value = (int64_t)((uint64_t)power + (uint64_t)near);
            rows[count] = (struct row){.id = (int64_t)count + 1, .a = value};
            count++;
            rows[count] = (struct row){.id = (int64_t)count + 1, .a = (int64_t) - (uint64_t)value};
            count++;
        }
    compare("integers around each power of two", 4096, 0, rows, count, NULL, 1);
    /* EXCEPT does not see the width: it must be the least that holds the value. */
    static const unsigned width_bits[] = {8, 16, 24, 32, 48, 64};
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct record record;
        uint32_t expected = 0;
        for (size_t w = 0; expected == 0; w++) {
            int64_t limit = (int64_t)((UINT64_C(1) << (width_bits[w] - 1)) - 1);
            if (rows[i].a <= limit && rows[i].a >= -limit - 1)
                expected = width_bits[w] / 8;
        }
        if (rows[i].a == 0 || rows[i].a == 1)
            expected = 0;
        record_begin(&record, 1);
        record_int(&record, rows[i].a);
        wrong += record_bytes(&record) != 2 + expected;
    }
    check_equal(0, wrong, "each integer takes the fewest bytes");
    free(rows);
}

struct job {
    struct btree_file *file;
    const struct row *rows;
    size_t count;
    struct btree_part *part;
};

static void *run_job(void *argument)
{
    struct job *job = argument;
    job->part = write_part(job->file, job->rows, job->count);
    return NULL;
}

static void test_threads(void)
{
    enum { JOBS = 4 };
    const size_t count = 200000;
    struct row *rows = make_rows(count, 1, 4, 30);
    struct error error = {.text = ""};
    struct job jobs[JOBS];
    struct btree_part *parts[JOBS];
    pthread_t threads[JOBS];
    make_database(4096, 0, rows, count);
    struct btree_file *file = NULL;
    must(btree_open(path, &file, &error) == 0);
    for (size_t i = 0; i < JOBS; i++) {
        size_t from = count * i / JOBS;
        jobs[i] = (struct job){file, rows + from, count * (i + 1) / JOBS - from, NULL};
        pthread_create(&threads[i], NULL, run_job, &jobs[i]);
    }
    for (size_t i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        parts[i] = jobs[i].part;
    }
    check(btree_finish(file, "fast", parts, JOBS, &error) == 0, "threads: finish %s", error.text);
    check(btree_close(file, &error) == 0, "threads: close %s", error.text);
    check_database("four threads", count);
    free(rows);
}

/* Rows are written with placeholders and patched when they are in memory, written, and ended. */
static void test_patches(void)
{
    const size_t count = 60000;
    struct row *rows = make_rows(count, 1, 2, 20);
    struct btree_place *places = calloc(count, sizeof *places);
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    struct btree_part *part = NULL;
    struct record record;
    uint32_t offset = 0;
    bool done = true;
    make_database(4096, 0, rows, count);
    must(btree_open(path, &file, &error) == 0);
    must(btree_part_begin(file, &part, &error) == 0);
    for (size_t i = 0; i < count; i++) {
        record_begin(&record, 4);
        record_null(&record);
        offset = record_int_full(&record, -1);
        record_double(&record, rows[i].b);
        record_text(&record, rows[i].text, rows[i].text_bytes);
        done &= btree_append(part, rows[i].id, record_data(&record), record_bytes(&record), 0,
                             &places[i], &error) == 0;
        size_t late = i < 20000 ? i : i - 20000;
        if (i % 3 == 0) {
            unsigned char bytes[8];
            record_put_int(bytes, rows[late].a);
            done &= btree_patch(part, &places[late], offset, bytes, 8, &error) == 0;
            places[late].page = 0;
        }
    }
    done &= btree_part_end(part, &error) == 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[8];
        record_put_int(bytes, rows[i].a);
        if (places[i].page != 0)
            done &= btree_patch(part, &places[i], offset, bytes, 8, &error) == 0;
    }
    check(done, "patches %s", error.text);
    must(btree_finish(file, "fast", &part, 1, &error) == 0);
    check(btree_close(file, &error) == 0, "patches: close %s", error.text);
    check_database("patches", count);
    free(places);
    free(rows);
}

/* Rows are written short, with spare bytes, and some are replaced by longer ones. */
static void test_replacements(unsigned page_bytes)
{
    enum { SPARE = 8 + 8 + RECORD_TEXT_MAX + 5 };
    const size_t count = 30000;
    struct row *rows = make_rows(count, 1, 2, RECORD_TEXT_MAX);
    struct btree_place *places = calloc(count, sizeof *places);
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    struct btree_part *part = NULL;
    struct record record;
    bool done = true;
    for (size_t i = 0; i < count; i++) /* these will not be replaced */
        if (i % 7 == 0)
            rows[i] = (struct row){.id = rows[i].id};
    make_database(page_bytes, 0, rows, count);
    must(btree_open(path, &file, &error) == 0);
    must(btree_part_begin(file, &part, &error) == 0);
    for (size_t i = 0; i < count; i++) {
        encode(&record, &(struct row){.id = rows[i].id});
        done &= btree_append(part, rows[i].id, record_data(&record), record_bytes(&record),
                             i % 5 == 0 ? SPARE * 2 : SPARE, &places[i], &error) == 0;
        size_t late = i - random_next() % (i + 1) % 10000;
        if (late % 7 != 0) {
            encode(&record, &rows[late]);
            done &= btree_replace(part, &places[late], record_data(&record), record_bytes(&record),
                                  &error) == 0;
        }
    }
    done &= btree_part_end(part, &error) == 0;
    for (size_t i = 0; i < count; i++) {
        encode(&record, &rows[i]);
        if (i % 7 != 0)
            done &= btree_replace(part, &places[i], record_data(&record), record_bytes(&record),
                                  &error) == 0;
    }
    check(done, "replacements %s", error.text);
    must(btree_finish(file, "fast", &part, 1, &error) == 0);
    check(btree_close(file, &error) == 0, "replacements: close %s", error.text);
    check_database("replacements", count);
    free(places);
    free(rows);
}

/* SQLite can go on with the table: rows are inserted, changed and deleted, space is reused. */
static void test_later_use(void)
{
    struct row *rows = make_rows(20000, 1, 1, 30);
    compare("before later use", 1024, 0, rows, 20000, NULL, 1);
    sqlite3 *database = open_database();
    for (int i = 0; i < 2; i++) {
        char sql[512];
        const char *table = i == 0 ? "fast" : "slow";
        snprintf(sql, sizeof sql,
                 "DELETE FROM %s WHERE id %% 3 = 0;"
                 "UPDATE %s SET c = c || c || 'x' WHERE id %% 5 = 1;"
                 "INSERT INTO %s SELECT id + 50000, a, b, c FROM %s;"
                 "CREATE INDEX index_of_%s ON %s(c);",
                 table, table, table, table, table, table);
        check(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "later use: %s",
              sqlite3_errmsg(database));
    }
    size_t left = (size_t)atoi(query(database, "SELECT count(*) FROM slow"));
    sqlite3_close(database);
    check_database("later use", left);
    free(rows);
}

static bool append_fails(struct btree_part *part, int64_t rowid, uint32_t bytes, uint32_t spare)
{
    static const unsigned char zeros[70000] = {2, 0};
    struct error error = {.text = ""};
    return btree_append(part, rowid, zeros, bytes, spare, NULL, &error) < 0 && error.text[0] != 0;
}

static void test_refusals(void)
{
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    struct btree_part *part = NULL, *other = NULL;
    make_database(4096, 0, NULL, 0);
    must(btree_open(path, &file, &error) == 0);
    must(btree_part_begin(file, &part, &error) == 0);
    check_equal(4096 - 35, btree_record_max(file), "the longest record is the page's less 35");
    check(append_fails(part, 1, btree_record_max(file) + 1, 0), "a record too long is refused");
    check(append_fails(part, 1, 4000, 62), "spare bytes too many are refused");
    check(append_fails(part, 1, 2, 3), "spare bytes too few are refused");
    check(!append_fails(part, 7, btree_record_max(file), 0), "the longest record is taken");
    check(append_fails(part, 7, 2, 0), "a rowid twice is refused");
    check(append_fails(part, -7, 2, 0), "a lesser rowid is refused");
    check(btree_finish(file, "fast", &part, 1, &error) < 0, "a part not ended: %s", error.text);

    must(btree_part_begin(file, &part, &error) == 0);
    append_fails(part, 5, 2, 0);
    must(btree_part_end(part, &error) == 0);
    check(append_fails(part, 9, 2, 0), "a row after the end is refused");
    must(btree_part_begin(file, &other, &error) == 0);
    append_fails(other, 5, 2, 0);
    must(btree_part_end(other, &error) == 0);
    struct btree_part *parts[] = {part, other};
    check(btree_finish(file, "fast", parts, 2, &error) < 0, "parts out of order: %s", error.text);
    check(btree_finish(file, "none", NULL, 0, &error) < 0, "no such table: %s", error.text);
    btree_abandon(file);

    struct row row = {.id = 1};
    make_database(4096, 0, &row, 1);
    must(btree_open(path, &file, &error) == 0);
    check(btree_finish(file, "slow", NULL, 0, &error) < 0, "a table with rows: %s", error.text);
    must(btree_part_begin(file, &part, &error) == 0);
    check(btree_close(file, &error) < 0, "a part in no table: %s", error.text);
}

static void refuse_open(const char *what, const char *sql)
{
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    unlink(path);
    sqlite3 *database = open_database();
    sqlite3_exec(database, sql, NULL, NULL, NULL);
    sqlite3_close(database);
    check(btree_open(path, &file, &error) < 0 && file == NULL, "%s: %s", what, error.text);
}

static void test_open(void)
{
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    refuse_open("auto-vacuum", "PRAGMA auto_vacuum = 1; CREATE TABLE t(a)");
    refuse_open("WAL", "PRAGMA journal_mode = wal; CREATE TABLE t(a)");
    refuse_open("an empty file", "");
    FILE *stream = fopen(path, "w");
    fputs("not a database, but a text that is longer than the header of one, which is 100 bytes;"
          " so it is read, and found to be no database at all\n",
          stream);
    fclose(stream);
    check(btree_open(path, &file, &error) < 0, "not a database: %s", error.text);
    unlink(path);
    check(btree_open(path, &file, &error) < 0, "no file: %s", error.text);
    check(access(path, F_OK) != 0, "a missing file is not made");
}

/* Pages left over in the middle of the file go to SQLite's freelist, and SQLite takes them. */
static void test_freelist(void)
{
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    struct btree_extent extent;
    struct row *rows = make_rows(3000, 1, 1, 20);
    make_database(512, 0, rows, 3000);
    must(btree_open(path, &file, &error) == 0);
    btree_pages_take(file, 1000, &extent, &error);
    struct btree_part *part = write_part(file, rows, 3000);
    btree_pages_return(file, extent, &error);
    check(btree_finish(file, "fast", &part, 1, &error) == 0, "freelist: finish %s", error.text);
    check(btree_close(file, &error) == 0, "freelist: close %s", error.text);
    check_database("freelist", 3000);
    sqlite3 *database = open_database();
    /* two of the 1000 pages became interior pages */
    int left = atoi(query(database, "PRAGMA freelist_count"));
    check(left > 990 && left < 1000, "the pages that were not used are on the freelist: %d", left);
    sqlite3_exec(database, "CREATE TABLE more AS SELECT * FROM slow", NULL, NULL, NULL);
    check(atoi(query(database, "PRAGMA freelist_count")) < left, "SQLite uses them");
    check_string("ok", query(database, "PRAGMA integrity_check"), "and the file stays sound");
    sqlite3_close(database);
    free(rows);
}

/* The table's pages lie around the lock-byte page at 1 GiB: `before` pages before it at the start
 * of the part. The pages further before are free, so that the file is sparse. */
static void test_lock_page(unsigned page_bytes, uint32_t before, size_t count)
{
    char what[80];
    struct error error = {.text = ""};
    struct btree_file *file = NULL;
    struct btree_extent extent;
    snprintf(what, sizeof what, "%u pages of %u bytes before 1 GiB", before, page_bytes);
    struct row *rows = make_rows(count, 1, 2, 20);
    make_database(page_bytes, 0, rows, count);
    must(btree_open(path, &file, &error) == 0);
    uint32_t wanted = file->lock_page - before - (uint32_t)file->pages - 1;
    btree_pages_take(file, wanted, &extent, &error);
    struct btree_part *part = write_part(file, rows, count);
    check(part->level1.count == 0 &&
              part->head.items[0].page + before == file->lock_page + (before == 0),
          "%s: where it begins", what);
    btree_pages_return(file, extent, &error);
    check(btree_finish(file, "fast", &part, 1, &error) == 0, "%s: finish %s", what, error.text);
    check(btree_close(file, &error) == 0, "%s: close %s", what, error.text);
    check_database(what, count);
    free(rows);
}

static void test_lock_pages(void)
{
    test_lock_page(4096, 0, 10000);
    test_lock_page(4096, 1, 10000);
    test_lock_page(4096, 2, 10000);
    test_lock_page(4096, 100, 10000);
    test_lock_page(65536, 0, 10000);
    test_lock_page(65536, 1, 100); /* ends just before it */
    test_lock_page(65536, 1, 10000);
    test_lock_page(65536, 3, 10000);
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/btree.db", folder != NULL ? folder : "/tmp");
    test_sizes();
    test_borders();
    test_parts();
    test_rowids();
    test_integers();
    test_threads();
    test_patches();
    test_replacements(4096);
    test_replacements(16384);
    test_later_use();
    test_refusals();
    test_open();
    test_freelist();
    test_lock_pages();
    unlink(path);
    return check_status();
}
