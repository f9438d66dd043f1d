/*
 * Statements of somebody else's (cli/ask/ask.h): none changes or opens anything, each ends, and no
 * answer goes beyond its limits, with what is left out counted. What is asked is a file with the
 * run of tests/fixtures/small.sql.
 */
#include "tests/unit/check.h"

#include "base/memory_text.h"
#include "cli/ask/ask.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "queries/embedded.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20 };
#define NS_A_SECOND INT64_C(1000000000)

static const struct ask_limits wide = {
    .rows_max = 1000, .bytes_max = 1 << 20, .time_ns = 20 * NS_A_SECOND};

/* n counts from 1 to the number; as it grows, statements that take their time. */
#define COUNTING(to)                                                                               \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " #to ") "

/* What was asked last. */
static struct ask_answer answer;
static char *rows, *words;
static int status;

static void ask(sqlite3 *database, const char *sql, const struct ask_limits *limits)
{
    size_t rows_size = 0, words_size = 0;
    free(rows);
    free(words);
    rows = words = NULL;
    FILE *out = memory_text_open(&rows, &rows_size);
    FILE *said = memory_text_open(&words, &words_size);
    FILE *before = say_to(said);
    answer = (struct ask_answer){0};
    status = ask_sql(database, sql, limits, out, &answer);
    say_to(before);
    if (fclose(out) != 0 || fclose(said) != 0)
        check(false, "there is memory");
    words[strcspn(words, "\n")] = '\0';
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static void make(const char *path)
{
    sqlite3 *database = NULL;
    char *run = read_whole("tests/fixtures/small.sql"), *views = query_views_sql();
    bool sound = run != NULL && views != NULL && sqlite3_open(path, &database) == SQLITE_OK &&
                 sqlite3_exec(database, embedded_schema, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, run, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, views, NULL, NULL, NULL) == SQLITE_OK;
    check(sound, "the small run loads: %s", sqlite3_errmsg(database));
    sqlite3_close(database);
    free(run);
    free(views);
}

/* ---- what is refused ---- */

static void refused(sqlite3 *database)
{
    static const struct {
        const char *sql, *word; /* of what is said */
    } cases[] = {
        {"", "no statement"},
        {" ; -- nothing\n", "no statement"},
        {"SELECT 1; SELECT 2", "more than one"},
        {"SELECT 1; DELETE FROM calls", "more than one"},
        {"SELECT 1 FROM", "incomplete"},
        {"SELECT 1 FROM nowhere", "no such table"},
        {"DELETE FROM calls", "not authorized"},
        {"UPDATE run SET value = 'x'", "not authorized"},
        {"INSERT INTO run(key, value) VALUES ('a', 'b')", "not authorized"},
        {"CREATE TABLE t(a)", "not authorized"},
        {"CREATE TEMP TABLE t AS SELECT 1", "not authorized"},
        {"CREATE TEMP VIEW t AS SELECT 1", "not authorized"},
        {"CREATE VIRTUAL TABLE temp.t USING fts5(a)", "not authorized"},
        {"DROP TABLE calls", "not authorized"},
        {"ATTACH '/tmp/fisql-ask-other.db' AS other", "not authorized"},
        {"ATTACH ':memory:' AS other", "not authorized"},
        {"DETACH main", "not authorized"},
        {"VACUUM INTO '/tmp/fisql-ask-copy.db'", "no rows"},
        {"BEGIN", "not authorized"},
        {"SAVEPOINT a", "not authorized"},
        {"REINDEX", "not authorized"},
        {"ANALYZE", "not authorized"},
        {"PRAGMA writable_schema = 1", "not authorized"},
        {"PRAGMA trusted_schema = 1", "not authorized"},
        {"PRAGMA temp_store_directory = '/tmp'", "not authorized"},
        {"PRAGMA journal_mode = WAL", "not authorized"},
        {"PRAGMA hard_heap_limit = 0", "not authorized"},
        {"PRAGMA cache_size = -1000000", "not authorized"},
        {"PRAGMA temp_store = MEMORY", "not authorized"},
        {"SELECT load_extension('x')", "not authorized"},
        {"SELECT fts3_tokenizer('simple')", "not authorized"},
        {"SELECT * FROM pragma_cache_size(-1000000)", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(database, cases[i].sql, &wide);
        check(status == 2 && answer.end == ASK_FAILED && strstr(words, cases[i].word) != NULL &&
                  words[0] != '\0',
              "is refused: %s: %s", cases[i].sql, words);
    }
    ask(database, "SELECT count(*) > 0 AS any FROM calls", &wide);
    check_string("[\n {\"any\": 1}\n]\n", rows, "the calls are still there");
    char temporary[] = "CREATE TEMP TABLE of_ours(a)";
    check_equal(SQLITE_OK, sqlite3_exec(database, temporary, NULL, NULL, NULL),
                "our own statements may make temporary tables again");
}

/* ---- what is answered ---- */

static void answered(sqlite3 *database)
{
    ask(database, "SELECT 1 AS a, 'x\"y' AS b, NULL AS c, 1.5 AS d;  ", &wide);
    check_string("[\n {\"a\": 1, \"b\": \"x\\\"y\", \"c\": null, \"d\": 1.5}\n]\n", rows,
                 "a row is as `fisql query --format json` has it");
    check_equal(0, status, "and that is a success");
    check_equal(1, answer.rows, "its rows are counted");
    ask(database, "SELECT id FROM calls WHERE id < 0", &wide);
    check_string("[]\n", rows, "no row is an empty list");
    ask(database, "PRAGMA table_info(calls)", &wide);
    check(status == 0 && strstr(rows, "\"name\": \"thread_id\"") != NULL, "pragmas may look");
    ask(database, "SELECT value FROM json_each('[1, 2]')", &wide);
    check_string("[\n {\"value\": 1},\n {\"value\": 2}\n]\n", rows, "so may table functions");
    ask(database, "EXPLAIN QUERY PLAN SELECT * FROM calls", &wide);
    check(status == 0 && answer.rows == 1, "a plan may be asked for");
}

/* Each view of a canned query, with what the parser may do for somebody else. */
static void views(sqlite3 *database)
{
    struct query_views all = {0};
    int refused_count = 0;
    check_equal(0, query_views_make(&all), "the views are made");
    for (size_t i = 0; i < all.count; i++) {
        char sql[200];
        snprintf(sql, sizeof sql, "select * from\n\"%s\"", all.items[i].name);
        ask(database, sql, &wide);
        if (status != 0 && ++refused_count > 0)
            check(false, "%s is answered: %s", all.items[i].name, words);
    }
    check(all.count > 50 && refused_count == 0, "all %zu views are answered", all.count);
    query_views_release(&all);
}

/* ---- limits ---- */

static void limits(sqlite3 *database)
{
    struct ask_limits few = wide;
    few.rows_max = 3;
    ask(database, COUNTING(10) "SELECT i FROM n", &few);
    check_string("[\n {\"i\": 1},\n {\"i\": 2},\n {\"i\": 3}\n]\n", rows, "three rows of ten");
    check_equal(3, answer.rows, "the three are counted");
    check_equal(7, answer.rows_left_out, "and so are the other seven");
    check_equal(ASK_DONE, answer.end, "all of them");

    few = wide;
    for (few.bytes_max = 32; few.bytes_max < 120; few.bytes_max++) {
        ask(database, COUNTING(10) "SELECT i FROM n", &few);
        size_t size = strlen(rows);
        long expected = size == 3 ? 0 : (long)(size - 3) / 11; /* "[\n {"i": 1}" and its comma */
        if (size > few.bytes_max || status != 0 || answer.rows + answer.rows_left_out != 10 ||
            (answer.rows < 9 && answer.rows != expected) || few.bytes_max - size > 14)
            check(false, "%zu bytes: %zu are written: %s", few.bytes_max, size, rows);
    }
    check_equal(10, answer.rows, "no answer goes beyond its bytes, and none is much smaller");

    few = wide;
    few.bytes_max = 100;
    ask(database, "SELECT printf('%.*c', 500, 'x') AS a UNION ALL SELECT 'b'", &few);
    check_string("[]\n", rows, "a row that does not fit ends the answer");
    check_equal(2, answer.rows_left_out, "and is counted with those behind it");

    few.in_string = true;
    few.bytes_max = 48; /* the second row ends at 49: quotes are two bytes, newlines six */
    ask(database, "SELECT 1 AS a UNION ALL SELECT 2", &few);
    check_equal(1, answer.rows, "inside a string, escapes count");
    few.bytes_max = 49;
    ask(database, "SELECT 1 AS a UNION ALL SELECT 2", &few);
    check_equal(2, answer.rows, "each of them once");

    few.in_string = false;
    few.bytes_max = 100;
    few.cell_width_max = 10;
    ask(database, "SELECT printf('%.*c', 500, 'x') AS a UNION ALL SELECT 'b'", &few);
    check_string("[\n {\"a\": \"xxxxxxxxx\xe2\x80\xa6\"},\n {\"a\": \"b\"}\n]\n", rows,
                 "long texts are shortened");
    check_equal(1, answer.cells_shortened, "and counted");
}

/* ---- time and memory ---- */

static double seconds_since(int64_t ns)
{
    return (double)(clock_ns() - ns) / 1e9;
}

static void ends(sqlite3 *database)
{
    struct ask_limits quick = wide;
    quick.time_ns = NS_A_SECOND / 5;
    quick.rows_max = 3;
    int64_t begun = clock_ns();
    ask(database, COUNTING(1e15) "SELECT i FROM n", &quick);
    check(status == 0 && answer.end == ASK_LATE && answer.rows == 3 && answer.rows_left_out > 3,
          "rows without an end are an answer: %ld left out so far", answer.rows_left_out);
    ask(database, COUNTING(1e15) "SELECT sum(i) FROM n", &quick);
    check(status == 2 && answer.end == ASK_LATE && strstr(words, "0.2 s") != NULL,
          "a sum without an end is none: %s", words);
    check(seconds_since(begun) < 10, "both ended: %.1f s", seconds_since(begun));

    quick.time_ns = 60 * NS_A_SECOND;
    quick.count_ns = NS_A_SECOND / 10;
    begun = clock_ns();
    ask(database, COUNTING(1e15) "SELECT i FROM n", &quick);
    check(status == 0 && answer.end == ASK_COUNTED_ENOUGH && answer.rows == 3,
          "counting what is left out ends earlier");
    check(seconds_since(begun) < 20, "it did: %.1f s", seconds_since(begun));
}

static int stop_flag;

static void *stop_soon(void *unused)
{
    usleep(100000);
    __atomic_store_n(&stop_flag, 1, __ATOMIC_RELEASE);
    return unused;
}

static void stops(sqlite3 *database)
{
    struct ask_limits stoppable = wide;
    pthread_t other;
    stoppable.time_ns = 0;
    stoppable.stop = &stop_flag;
    int64_t begun = clock_ns();
    if (pthread_create(&other, NULL, stop_soon, NULL) != 0)
        check(false, "a thread begins");
    ask(database, COUNTING(1e15) "SELECT sum(i) FROM n", &stoppable);
    pthread_join(other, NULL);
    check(status == 2 && answer.end == ASK_STOPPED && seconds_since(begun) < 10,
          "another thread stops a statement: %s", words);
    stop_flag = 0;
    ask(database, "SELECT 1 AS a", &stoppable);
    check(status == 0, "and the next one runs: %s", words);
}

static void memory(sqlite3 *database)
{
    struct ask_limits quick = wide;
    quick.time_ns = 10 * NS_A_SECOND;
    int64_t begun;
    begun = clock_ns();
    ask(database,
        "SELECT instr(printf('%.*c', 524000, 'a'), printf('%.*c', 262000, 'a') || 'b') AS a",
        &quick);
    check(seconds_since(begun) < 60, "what one step may do ends: %.1f s", seconds_since(begun));
    ask(database, COUNTING(100000) "SELECT group_concat(printf('%.*c', 900, 'x')) AS a FROM n",
        &quick);
    check(status == 2, "a text of 90 MB is refused: %s", words);
    ask(database,
        COUNTING(1e15) "SELECT count(*) FROM (SELECT json_group_array(i % 10) FROM n"
                       " GROUP BY i % 100000)",
        &quick);
    check(status == 2, "so is what grows without an end: %s", words);
    /* Each doubles the last: 2^40 tables, for the parser alone. */
    char sql[2000] = "WITH a0 AS (SELECT 1 AS x)";
    size_t used = strlen(sql);
    for (int i = 1; i <= 40; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used,
                                 ",a%d AS (SELECT p.x FROM a%d p, a%d q)", i, i - 1, i - 1);
    snprintf(sql + used, sizeof sql - used, " SELECT count(*) FROM a40");
    begun = clock_ns();
    ask(database, sql, &quick);
    check(status == 2, "a statement that doubles itself is refused: %s", words);
    check(seconds_since(begun) < 30, "soon: %.1f s", seconds_since(begun));
    check(sqlite3_memory_highwater(0) <= MEMORY_BYTES, "SQLite never had more than its cap: %lld",
          sqlite3_memory_highwater(0));
    ask(database, "SELECT 1 AS a", &wide);
    check(status == 0, "and the next one runs: %s", words);
}

int main(void)
{
    char folder[] = "/tmp/fisql-test-ask.XXXXXX", path[64];
    check_equal(0, ask_begin(MEMORY_BYTES), "SQLite's memory is capped");
    check(mkdtemp(folder) != NULL, "a folder is made");
    snprintf(path, sizeof path, "%s/run.db", folder);
    make(path);
    sqlite3 *database = ask_open(path);
    if (check(database != NULL, "the database opens")) {
        refused(database);
        answered(database);
        views(database);
        limits(database);
        ends(database);
        stops(database);
        memory(database);
    }
    sqlite3_close(database);
    free(rows);
    free(words);
    struct stat other;
    check(stat("/tmp/fisql-ask-copy.db", &other) != 0 &&
              stat("/tmp/fisql-ask-other.db", &other) != 0,
          "no other file was made");
    unlink(path);
    rmdir(folder);
    return check_status();
}
