/*
 * Runs made of real ones, for measuring a server of many runs: the rows that `fisql push` put into an SQLite file of real
 * runs are resampled and sent by fisql's own client, several runs together, each whole before its row of runs is.
 *
 *   bench_fleet URL REAL.db FIRST COUNT FUNCTIONS CONTEXTS     prints rows and seconds
 *
 * Every simulated run has so many functions and contexts: those of the real runs, and copies of them under other ids.
 * What a function or context did is what it did in a real run drawn at random; times are multiplied by a factor of the
 * run and one of the function or context (log-normal).
 * One context of 50 is rare: one run of 100 has it.
 */
#include "cli/clickhouse/http.h"
#include "cli/clickhouse/row_binary.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS_MAX = 24, RUNS_TOGETHER = 10, FACTORS = 4096, RARE = 50, RARE_RUNS = 100 };

static void fail_with(const char *what, const char *why)
{
    fprintf(stderr, "bench_fleet: %s: %s\n", what, why);
    exit(2);
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t seed;

static uint64_t draw(void)
{
    return mix(seed++);
}

static double factors[FACTORS];

static void make_factors(void)
{
    for (int i = 0; i < FACTORS; i++) {
        double u = ((double)(draw() >> 11) + 0.5) / 9007199254740992.0;
        double v = ((double)(draw() >> 11) + 0.5) / 9007199254740992.0;
        factors[i] = exp(0.05 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    }
}

/* ---- real rows ---- */

struct column {
    char name[32];
    bool text, id, time, self, log2;
};

struct value {
    int64_t number;
    char *text;
    size_t text_bytes;
};

/* The rows of a table, by function or context (a group), and of each by run (a piece): pieces[i] is the first row of the i-th
 * piece, groups[i] the first piece of the i-th group; both have their end behind the last. */
struct real {
    const char *table, *key; /* the column of the function or context */
    struct column columns[COLUMNS_MAX];
    int columns_count, key_column;
    struct value *rows;
    size_t rows_count, *pieces, pieces_count, *groups, groups_count;
    struct row_binary out;
    uint64_t sent;
};

static struct value read_value(sqlite3_stmt *statement, int column, bool text)
{
    struct value value = {.number = sqlite3_column_int64(statement, column)};
    if (text) {
        value.text_bytes = (size_t)sqlite3_column_bytes(statement, column);
        value.text = malloc(value.text_bytes + 1);
        if (value.text != NULL && value.text_bytes > 0)
            memcpy(value.text, sqlite3_column_blob(statement, column), value.text_bytes);
    }
    return value;
}

static void read_columns(struct real *real, sqlite3 *database)
{
    sqlite3_stmt *names = NULL;
    sqlite3_prepare_v2(
        database,
        "SELECT name, type <> 'INTEGER' FROM pragma_table_info(?1) WHERE name <> 'run_id'", -1,
        &names, NULL);
    sqlite3_bind_text(names, 1, real->table, -1, SQLITE_STATIC);
    while (sqlite3_step(names) == SQLITE_ROW && real->columns_count < COLUMNS_MAX) {
        struct column *column = &real->columns[real->columns_count++];
        snprintf(column->name, sizeof column->name, "%s",
                 (const char *)sqlite3_column_text(names, 0));
        column->text = sqlite3_column_int(names, 1) != 0;
        size_t length = strlen(column->name);
        column->time = length > 3 && strcmp(column->name + length - 3, "_ns") == 0;
        column->self = strcmp(column->name, "self_cpu_ns") == 0;
        column->log2 = strcmp(column->name, "self_log2") == 0;
        column->id = length > 3 && strcmp(column->name + length - 3, "_id") == 0 &&
                     strcmp(column->name, "call_id") != 0;
        if (strcmp(column->name, real->key) == 0)
            real->key_column = real->columns_count - 1;
    }
    sqlite3_finalize(names);
}

static void *grown(void *items, size_t count, size_t item_bytes)
{
    if ((count & (count - 1)) != 0)
        return items;
    void *more = realloc(items, (count + 1) * 2 * item_bytes);
    if (more == NULL)
        fail_with("rows", "out of memory");
    return more;
}

/* Room is for one more: the end behind the last. */
static void begin_at(size_t **starts, size_t *count, size_t at)
{
    *starts = grown(*starts, *count + 1, sizeof **starts);
    (*starts)[(*count)++] = at;
}

static void read_rows(struct real *real, sqlite3_stmt *rows)
{
    int64_t key = 0, run_id = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        int64_t row_key = sqlite3_column_int64(rows, real->key_column);
        int64_t row_run = sqlite3_column_int64(rows, real->columns_count);
        if (real->rows_count == 0 || row_key != key)
            begin_at(&real->groups, &real->groups_count, real->pieces_count);
        if (real->rows_count == 0 || row_key != key || row_run != run_id)
            begin_at(&real->pieces, &real->pieces_count, real->rows_count);
        key = row_key;
        run_id = row_run;
        size_t columns = (size_t)real->columns_count;
        real->rows = grown(real->rows, real->rows_count, columns * sizeof *real->rows);
        for (int i = 0; i < real->columns_count; i++)
            real->rows[real->rows_count * columns + (size_t)i] =
                read_value(rows, i, real->columns[i].text);
        real->rows_count++;
    }
    if (real->rows_count > 0) {
        real->pieces[real->pieces_count] = real->rows_count;
        real->groups[real->groups_count] = real->pieces_count;
    }
}

static void read_real(struct real *real, sqlite3 *database, bool common)
{
    char sql[1200] = "SELECT ";
    sqlite3_stmt *rows = NULL;
    read_columns(real, database);
    for (int i = 0; i < real->columns_count; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "%s, ", real->columns[i].name);
    snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "%s FROM %s ORDER BY %s, %s",
             common ? "0" : "run_id", real->table, real->key, common ? "1" : "run_id");
    if (sqlite3_prepare_v2(database, sql, -1, &rows, NULL) != SQLITE_OK)
        fail_with(real->table, sqlite3_errmsg(database));
    read_rows(real, rows);
    sqlite3_finalize(rows);
}

/* ---- simulated ones ---- */

/* The id of the copy of a function or context. */
static int64_t copied(int64_t id, uint64_t copy)
{
    return id == 0 || copy == 0 ? id : (int64_t)mix((uint64_t)id ^ mix(copy));
}

static void put_row(struct real *real, size_t row, uint64_t copy, double factor, int64_t run_id)
{
    double self = 0;
    for (int i = 0; i < real->columns_count; i++) {
        const struct column *column = &real->columns[i];
        const struct value *value = &real->rows[row * (size_t)real->columns_count + (size_t)i];
        if (column->text) {
            row_binary_string(&real->out, value->text, value->text_bytes);
            continue;
        }
        int64_t number = value->number;
        if (column->id)
            number = copied(number, copy);
        else if (column->time)
            number = (int64_t)((double)number * factor);
        else if (column->log2)
            number = (int64_t)llround(65536 * log2(self + 1));
        if (column->self)
            self = (double)number;
        row_binary_int64(&real->out, number);
    }
    if (run_id != 0)
        row_binary_int64(&real->out, run_id);
    real->sent++;
}

/* Of so many functions or contexts the rows of a real run: which, and how much longer they took, is drawn by run and
 * function, so a function's slowest call takes as long in all tables. */
static void put_groups(struct real *real, size_t wanted, double run_factor, int64_t run_id)
{
    bool rare = strcmp(real->table, "contexts") == 0;
    for (size_t i = 0; i < wanted && real->groups_count > 0; i++) {
        if (rare && i % RARE == RARE - 1 && draw() % RARE_RUNS != 0)
            continue;
        size_t first = real->groups[i % real->groups_count];
        size_t key_at =
            real->pieces[first] * (size_t)real->columns_count + (size_t)real->key_column;
        uint64_t copy = i / real->groups_count;
        uint64_t drawn = mix((uint64_t)run_id ^ (uint64_t)copied(real->rows[key_at].number, copy));
        size_t piece = first + drawn % (real->groups[i % real->groups_count + 1] - first);
        double factor = run_factor * factors[(drawn >> 32) % FACTORS];
        for (size_t row = real->pieces[piece]; row < real->pieces[piece + 1]; row++)
            put_row(real, row, copy, factor, run_id);
    }
}

/* ---- sending ---- */

static void send_to(struct http *http, const char *query, struct row_binary *rows)
{
    struct error error;
    int code;
    const struct http_request request = {.query = query,
                                         .settings = "insert_distributed_sync=1",
                                         .body = rows->bytes,
                                         .body_bytes = rows->size_bytes};
    if (rows->size_bytes > 0 && http_send(http, &request, &code, &error) != 0)
        fail_with(query, error.text);
    rows->size_bytes = 0;
}

static void send_real(struct http *http, struct real *real, bool common)
{
    char query[1200];
    snprintf(query, sizeof query, "INSERT INTO %s (", real->table);
    for (int i = 0; i < real->columns_count; i++)
        snprintf(query + strlen(query), sizeof query - strlen(query), "%s%s", i > 0 ? ", " : "",
                 real->columns[i].name);
    snprintf(query + strlen(query), sizeof query - strlen(query), "%s) FORMAT RowBinary",
             common ? "" : ", run_id");
    send_to(http, query, &real->out);
}

static void put_text(struct row_binary *rows, const char *text)
{
    row_binary_string(rows, text, strlen(text));
}

static void put_label(struct row_binary *labels, int64_t run_id, const char *key, const char *value)
{
    row_binary_int64(labels, run_id);
    put_text(labels, key);
    put_text(labels, value);
}

/* Labels and the row of runs: 64 runs are a job, 1,000 a build and a day. */
static void put_run(struct row_binary *runs, struct row_binary *labels, uint64_t number,
                    int64_t run_id, size_t functions, size_t contexts)
{
    char run[17], build[41], text[32];
    snprintf(run, sizeof run, "%016" PRIx64, mix(number + 7));
    snprintf(build, sizeof build, "%040" PRIx64, mix(number / 1000));
    put_label(labels, run_id, "program", "simulated");
    put_label(labels, run_id, "host", "host");
    put_label(labels, run_id, "build", build);
    snprintf(text, sizeof text, "%" PRIu64, number / 64);
    put_label(labels, run_id, "job", text);
    snprintf(text, sizeof text, "%" PRIu64, number % 64);
    put_label(labels, run_id, "rank", text);
    snprintf(text, sizeof text, "%" PRIu64, number / 1000);
    put_label(labels, run_id, "version", text);
    snprintf(text, sizeof text, "2026-01-%02" PRIu64, number / 1000 + 1);
    put_label(labels, run_id, "day", text);
    const int64_t recorded = 1767225600 + (int64_t)number * 86, whole = 0;
    row_binary_int64(runs, run_id);
    put_text(runs, run);
    row_binary_int64(runs, recorded + 60);
    row_binary_int64(runs, recorded);
    put_text(runs, "simulated");
    put_text(runs, "host");
    put_text(runs, build);
    put_text(runs, "simulated");
    const int64_t numbers[] = {(int64_t)functions,
                               (int64_t)functions,
                               (int64_t)contexts,
                               1000000,
                               50000000,
                               1000,
                               100000,
                               0,
                               0,
                               whole,
                               0,
                               0,
                               0};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        row_binary_int64(runs, numbers[i]);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        fail_with("usage", "bench_fleet URL REAL.db FIRST COUNT FUNCTIONS CONTEXTS");
    uint64_t first = strtoull(argv[3], NULL, 10), count = strtoull(argv[4], NULL, 10);
    size_t functions = strtoul(argv[5], NULL, 10), contexts = strtoul(argv[6], NULL, 10);
    static struct real common[] = {{.table = "names", .key = "function_id"},
                                   {.table = "stacks", .key = "context_id"}};
    static struct real tables[] = {
        {.table = "functions", .key = "function_id"}, {.table = "contexts", .key = "context_id"},
        {.table = "edges", .key = "callee_id"},       {.table = "durations", .key = "function_id"},
        {.table = "slowest", .key = "function_id"},   {.table = "allocations", .key = "context_id"},
        {.table = "findings", .key = "function_id"}};
    enum { TABLES = sizeof tables / sizeof tables[0] };
    struct error error;
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(argv[2], &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail_with(argv[2], sqlite3_errmsg(database));
    struct http *http = http_open(argv[1], &error);
    if (http == NULL)
        fail_with(argv[1], error.text);
    seed = mix(first);
    make_factors();
    for (size_t i = 0; i < TABLES; i++)
        read_real(&tables[i], database, false);
    double start = now_s(), share = (double)functions / (double)tables[0].groups_count;
    uint64_t sent = 0;
    for (size_t i = 0; i < 2 && first == 0; i++) {
        read_real(&common[i], database, true);
        put_groups(&common[i], i == 0 ? functions : contexts, 1, 0);
        send_real(http, &common[i], true);
    }
    struct row_binary runs = {0}, labels = {0};
    for (uint64_t number = first; number < first + count; number++) {
        int64_t run_id = (int64_t)(mix(number) >> 1) | 1;
        double run_factor = factors[draw() % FACTORS];
        for (size_t i = 0; i < TABLES; i++) {
            size_t wanted = i == 0   ? functions
                            : i == 1 ? contexts
                                     : (size_t)((double)tables[i].groups_count * share + 0.5);
            put_groups(&tables[i], wanted, run_factor, run_id);
        }
        put_run(&runs, &labels, number, run_id, functions, contexts);
        sent += 8;
        if ((number - first + 1) % RUNS_TOGETHER != 0 && number + 1 < first + count)
            continue;
        for (size_t i = 0; i < TABLES; i++)
            send_real(http, &tables[i], false);
        send_to(http, "INSERT INTO labels (run_id, key, value) FORMAT RowBinary", &labels);
        send_to(http,
                "INSERT INTO runs (run_id, run, pushed, recorded, program, host, build, command, "
                "functions, called,"
                " contexts, calls, self_cpu_ns, allocs, alloc_bytes, not_freed_blocks, "
                "not_freed_bytes, losses,"
                " has_calls, parts, database_bytes) FORMAT RowBinary",
                &runs);
    }
    for (size_t i = 0; i < TABLES; i++) {
        fprintf(stderr, "%s %" PRIu64 "\n", tables[i].table, tables[i].sent);
        sent += tables[i].sent;
    }
    printf("%" PRIu64 " %.3f\n", sent, now_s() - start);
    return 0;
}
