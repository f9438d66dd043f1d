/* The digest of a run: see digest.h. total() makes the sums, so a hostile database overflows
 * none. */
#include "cli/query/digest.h"
#include "cli/query/digest_parts.h"

#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/query/time_doubt.h"
#include "cli/run/database.h"
#include "cli/run/ending.h"
#include "cli/run/run_view.h"
#include "cli/run/measure.h"
#include "cli/run/names.h"
#include "cli/run/own_code.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* digest.sql */
extern const char digest_sql_run[], digest_sql_functions[], digest_sql_libraries[],
    digest_sql_not_freed[], digest_sql_allocated[], digest_sql_trouble[], digest_sql_inventory[];

enum { ROWS = 5 };

static void put_count(FILE *out, double count, const char *noun, const char *plural)
{
    fprintf(out, "%.0f %s%s", count, noun, count == 1 ? "" : plural);
}

/* Does the query give rows, with its defaults? */
static bool has_rows(const struct digest *digest, const char *name)
{
    const struct query_file *query = query_set_find(digest->set, name);
    sqlite3_stmt *row = query != NULL ? database_ask(digest->database, query->sql) : NULL;
    bool found = database_row(row);
    sqlite3_finalize(row);
    return found;
}

/* Remembers a query that shows more, for put_more(). */
static void add_more(struct digest *digest, const char *query)
{
    if (digest->more_count < DIGEST_MORE_MAX && has_rows(digest, query))
        digest->more[digest->more_count++] = query;
}

/* Prints the queries that show more, in one line. */
static void put_more(const struct digest *digest)
{
    digest_put_title(digest->out, "More");
    digest_put_command(digest, "NAME");
    for (int i = 0; i < digest->more_count; i++)
        fprintf(digest->out, "%s%s", i == 0 ? ": " : ", ", digest->more[i]);
    fputc('\n', digest->out);
}

/* ---- rows ---- */

static sqlite3_stmt *prepare(const struct digest *digest, const char *sql)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(digest->database, sql, -1, &row, NULL) == SQLITE_OK)
        return row;
    fail("%s: cannot be read: %s", digest->path, sqlite3_errmsg(digest->database));
    return NULL;
}

/* A statement of one row, stepped to it; NULL after saying what is wrong. */
static sqlite3_stmt *prepare_row(const struct digest *digest, const char *sql)
{
    sqlite3_stmt *row = prepare(digest, sql);
    if (row == NULL || sqlite3_step(row) == SQLITE_ROW)
        return row;
    fail("%s: cannot be read: %s", digest->path, sqlite3_errmsg(digest->database));
    sqlite3_finalize(row);
    return NULL;
}

static double number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_double(row, column);
}

static const char *word(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

/* The standard errors of the longest own time and of the sum of the ten longest, as if they were
 * independent, in percent. */
static void put_estimated(const struct digest *digest, double longest, double together)
{
    fputs(", estimated from the calls that were timed", digest->out);
    if (longest > 0 || together > 0)
        fprintf(digest->out,
                ": the longest own time to %.2g %%, the ten longest together to %.2g %%",
                longest < 0.1 ? 0.1 : longest, together < 0.1 ? 0.1 : together);
}

/* What ran, for how long, and how it ended. */
static int print_head(const struct digest *digest)
{
    sqlite3_stmt *row = prepare_row(digest, digest_sql_run);
    if (row == NULL)
        return 2;
    char ending[ENDING_TEXT_BYTES];
    int64_t killed = ending_next_killed(digest->database, 0);
    ending_text(digest->database, killed != 0 ? killed : sqlite3_column_int64(row, 5), ending,
                sizeof ending);
    text_put(digest->out, word(row, 0) != NULL ? word(row, 0) : digest->path);
    fputs(killed != 0 ? ": " : "\n", digest->out);
    if (killed != 0) {
        text_put(digest->out, ending);
        fputc('\n', digest->out);
    }
    digest_put_time(digest->out, number(row, 1));
    fputs(" long, ", digest->out);
    digest_put_time(digest->out, digest->cpu_ns);
    /* Less than a hundredth changes no reader's mind. */
    if (100 * number(row, 7) >= digest->cpu_ns && number(row, 7) > 0) {
        fputs(" ± ", digest->out);
        digest_put_time(digest->out, number(row, 7));
    }
    fputs(digest->foreign ? " in calls, waiting included" : " on processors", digest->out);
    if (100 * number(row, 6) >= digest->cpu_ns && number(row, 6) > 0) {
        fputs(", ", digest->out);
        digest_put_time(digest->out, number(row, 6));
        fputs(" put aside", digest->out);
    }
    if (number(row, 8) > 0) {
        fputs(", ", digest->out);
        digest_put_time(digest->out, number(row, 8));
        fputs(" paused", digest->out);
    }
    if (run_integer(digest->database, DATABASE_SAMPLED, 0) != 0)
        put_estimated(digest, number(row, 9), sqrt(number(row, 10)));
    fputs("; ", digest->out);
    if (number(row, 2) > 1) {
        put_count(digest->out, number(row, 2), "process", "es");
        fputs(", ", digest->out);
    }
    put_count(digest->out, number(row, 3), "thread", "s");
    fputs(", ", digest->out);
    put_count(digest->out, number(row, 4), "call", "s");
    if (killed == 0) {
        fputs("; ", digest->out);
        text_put(digest->out, ending);
    }
    fputs("\n\n", digest->out);
    sqlite3_finalize(row);
    return 0;
}

/* Prints the functions with the most of a cost: time, share of the whole, how often, name and
 * place. Waiting in functions that begin threads comes last, with shares of its own: pools and
 * event loops wait there for work. */
static int print_functions(struct digest *digest, const char *title, enum measure measure,
                           const char *query)
{
    /* by how much recording may have changed the time */
    double share = measure == MEASURE_WAIT ? 0 : time_doubt_share(digest->database);
    long rows = 0, within = 0;
    sqlite3_stmt *row = prepare(digest, digest_sql_functions);
    if (row == NULL)
        return 2;
    sqlite3_bind_text(row, 1, measure_word(measure), -1, SQLITE_STATIC);
    sqlite3_bind_int(row, 2, ROWS);
    while (sqlite3_step(row) == SQLITE_ROW) {
        char time[64];
        output_doubtful_time(number(row, 0), share * number(row, 4), time, sizeof time);
        digest_put_title(digest->out, rows++ == 0 ? title : "");
        fprintf(digest->out, "%10s %5.1f%%  ", time,
                number(row, 6) > 0 ? 100 * number(row, 0) / number(row, 6) : 0);
        digest_put_name(digest->out, word(row, 2));
        fputs(" (", digest->out);
        text_put(digest->out, word(row, 3));
        fputs("), ", digest->out);
        put_count(digest->out, number(row, 1), measure == MEASURE_WAIT ? "wait" : "call", "s");
        fputs(number(row, 5) > 0 ? ", begins a thread\n" : "\n", digest->out);
        within += number(row, 5) == 0;
    }
    if (database_rows_end(row, "the functions") != 0)
        return 2;
    if (rows > 0)
        add_more(digest, query);
    if (measure == MEASURE_WAIT && within > 0)
        add_more(digest, "lock-waits");
    if (rows == 0 && measure == MEASURE_WAIT)
        fprintf(digest->out, "%-*s%s\n", DIGEST_TITLE_WIDTH, title,
                digest->foreign ? "not recorded" : "no thread waited");
    return 0;
}

/* Prints which library functions take the processor time that the functions above have, if their
 * calls were recorded. */
static int print_libraries(struct digest *digest)
{
    double share = time_doubt_share(digest->database);
    long rows = 0;
    sqlite3_stmt *row = prepare(digest, digest_sql_libraries);
    if (row == NULL)
        return 2;
    sqlite3_bind_int(row, 1, ROWS);
    while (sqlite3_step(row) == SQLITE_ROW) {
        char time[64];
        output_doubtful_time(number(row, 0), share * number(row, 4), time, sizeof time);
        digest_put_title(digest->out, rows++ == 0 ? "Libraries" : "");
        fprintf(digest->out, "%10s %5.1f%%  ", time,
                digest->cpu_ns > 0 ? 100 * number(row, 0) / digest->cpu_ns : 0);
        digest_put_name(digest->out, word(row, 2));
        fputs(" (", digest->out);
        text_put(digest->out, word(row, 3));
        fputs("), ", digest->out);
        put_count(digest->out, number(row, 1), "call", "s");
        if (word(row, 5) != NULL) {
            fputs(", most from ", digest->out);
            digest_put_name(digest->out, word(row, 5));
            fputs(" (", digest->out);
            text_put(digest->out, word(row, 6) != NULL ? word(row, 6) : "?");
            fputc(')', digest->out);
        }
        fputc('\n', digest->out);
    }
    if (rows > 0 && digest->more_count < DIGEST_MORE_MAX) /* its rows are folded here */
        digest->more[digest->more_count++] = "library-time";
    return database_rows_end(row, "the library calls");
}

/* Puts "; most by parse (p.c:12)" by columns of the statement, if there is a name. */
static void put_most(const struct digest *digest, sqlite3_stmt *row, int column)
{
    if (word(row, column) == NULL)
        return;
    fputs("; most by ", digest->out);
    digest_put_name(digest->out, word(row, column));
    fputs(" (", digest->out);
    text_put(digest->out, word(row, column + 1));
    fputc(')', digest->out);
}

/* Prints what is not freed, except what the C library keeps to the end. */
static int print_not_freed(struct digest *digest)
{
    sqlite3_stmt *row = prepare_row(digest, digest_sql_not_freed);
    if (row == NULL)
        return 2;
    digest_put_title(digest->out, "Not freed");
    if (number(row, 0) > 0) {
        put_count(digest->out, number(row, 0), "block", "s");
        fputs(", ", digest->out);
        digest_put_bytes(digest->out, number(row, 1));
        put_most(digest, row, 2);
        fputc('\n', digest->out);
        add_more(digest, "not-freed");
    } else {
        fputs("nothing\n", digest->out);
    }
    sqlite3_finalize(row);
    return 0;
}

static int print_allocations(struct digest *digest)
{
    sqlite3_stmt *row = prepare_row(digest, digest_sql_allocated);
    if (row == NULL)
        return 2;
    FILE *out = digest->out;
    double blocks = number(row, 0);
    digest_put_title(out, "Allocations");
    if (blocks == 0) {
        fputs("none recorded\n", out);
        sqlite3_finalize(row);
        return 0;
    }
    put_count(out, blocks, "block", "s");
    fputs(", ", out);
    digest_put_bytes(out, number(row, 1));
    if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
        fputs("; ", out);
        digest_put_bytes(out, number(row, 2));
        fputs(" at most live", out);
    }
    fprintf(out, "; %.0f%% freed at once", 100 * number(row, 3) / blocks);
    put_most(digest, row, 4);
    fputc('\n', out);
    add_more(digest, "temporary-allocations");
    sqlite3_finalize(row);
    return print_not_freed(digest);
}

/* Puts ", 2 double frees" if there are any. Returns their number. */
static double put_some(FILE *out, double count, double before, const char *noun)
{
    if (count > 0) {
        fputs(before > 0 ? ", " : "", out);
        put_count(out, count, noun, "s");
    }
    return before + count;
}

static int print_errors(struct digest *digest)
{
    sqlite3_stmt *row = prepare_row(digest, digest_sql_trouble);
    if (row == NULL)
        return 2;
    FILE *out = digest->out;
    digest_put_title(out, "Errors");
    double count = put_some(out, number(row, 0), 0, "crash");
    count = put_some(out, number(row, 8), count, "deadlock");
    count = put_some(out, number(row, 1), count, "double free");
    count = put_some(out, number(row, 2), count, "bad free");
    count = put_some(out, number(row, 3), count, "mismatched free");
    count = put_some(out, number(row, 4), count, "anomaly of call structure");
    if (count == 0)
        fputs(digest->foreign ? "not recorded" : "none seen", out);
    if (number(row, 5) > 0) {
        fputs("; the recording is not complete: ", out);
        text_put(out, word(row, 7));
        if (number(row, 5) > 1)
            fprintf(out, " and %.0f more", number(row, 5) - 1);
    } else if (number(row, 6) > 0) {
        fprintf(out, "; the ring dropped %.0f earlier calls", number(row, 6));
    } else {
        fputs(run_integer(digest->database, DATABASE_LIMITED, 0) != 0
                  ? "; the recording is complete but for what was left out"
                  : "; the recording is complete",
              out);
    }
    fputc('\n', out);
    if (number(row, 0) + number(row, 4) > 0)
        add_more(digest, "anomalies");
    if (number(row, 5) + number(row, 6) > 0)
        add_more(digest, "completeness");
    sqlite3_finalize(row);
    return 0;
}

/* Prints what was left out while the program ran: the figures below lack it. */
static int print_limits(struct digest *digest)
{
    long rows = 0;
    sqlite3_stmt *row = prepare(digest, "SELECT text FROM main.recording_limits");
    if (row == NULL)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        if (rows++ >= ROWS)
            continue;
        digest_put_title(digest->out, rows == 1 ? "Left out" : "");
        text_put(digest->out, word(row, 0));
        fputc('\n', digest->out);
    }
    if (rows > ROWS)
        fprintf(digest->out, "%-*sand %ld more\n", DIGEST_TITLE_WIDTH, "", rows - ROWS);
    if (rows > 0)
        add_more(digest, "completeness");
    return database_rows_end(row, "what was left out");
}

static int print_dead_code(struct digest *digest)
{
    sqlite3_stmt *row = prepare_row(digest, digest_sql_inventory);
    if (row == NULL)
        return 2;
    double all = number(row, 0), dead = number(row, 1);
    digest_put_title(digest->out, "Dead code");
    if (digest->foreign) {
        fputs("not known: the trace names only what was called\n", digest->out);
        sqlite3_finalize(row);
        return 0;
    }
    fprintf(digest->out, "%.0f of ", dead);
    put_count(digest->out, all, "function", "s");
    fputs(" with hooks never called", digest->out);
    if (dead > 0) {
        fputs(", ", digest->out);
        digest_put_bytes(digest->out, number(row, 2));
        fputs(" of code\n", digest->out);
        add_more(digest, "dead-code");
    } else {
        fputc('\n', digest->out);
    }
    sqlite3_finalize(row);
    return 0;
}

int digest_print(sqlite3 *database, const char *path, FILE *out)
{
    struct query_set set = {0};
    struct digest digest = {.database = database, .path = path, .out = out, .set = &set};
    bool folded = false;
    int status = query_set_load(&set);
    if (status == 0)
        status = own_code_fold(database, &folded);
    digest.cpu_ns = measure_sum(database, MEASURE_CPU);
    digest.foreign = run_integer(database, "SELECT EXISTS (" DATABASE_SOURCE ")", 0) != 0;
    if (status == 0)
        status = print_head(&digest);
    if (status == 0)
        status = print_limits(&digest);
    if (status == 0)
        status = print_functions(&digest, digest.foreign ? "Time" : "CPU time", MEASURE_CPU,
                                 "hot-functions");
    if (status == 0)
        status = print_libraries(&digest);
    if (status == 0)
        status = print_functions(&digest, "Waiting", MEASURE_WAIT, "waiting");
    if (status == 0)
        status = print_allocations(&digest);
    if (status == 0)
        status = print_errors(&digest);
    if (status == 0)
        status = print_dead_code(&digest);
    if (status == 0)
        put_more(&digest);
    if (status == 0)
        status = digest_put_findings(&digest);
    query_set_release(&set);
    return status;
}

int digest_of_file(const char *path)
{
    sqlite3 *database = database_open(path);
    if (database == NULL)
        return 2;
    int status = digest_print(database, path, stdout);
    if (database_say_state(database, path) > 0 && status == 0)
        status = 1;
    sqlite3_close(database);
    return status;
}
