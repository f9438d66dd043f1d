/* Rows of a prepared INSERT: each column is named beside its value, and a row that lacks one, doubles one or has them
 * in another order than the rows before ends the program in place of repeating an older value. And late values, which
 * wait in a file: where it cannot be written, that is an error. */
#include "base/must.h"
#include "loader/sqlite/insert.h"
#include "loader/sqlite/sqlite_record.h"
#include "loader/values/value_late.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static sqlite3 *database;
static struct error error;

static void open_database(void)
{
    sqlite3_close(database);
    check(sqlite3_open(":memory:", &database) == SQLITE_OK &&
              sqlite3_exec(database, "CREATE TABLE t(a INTEGER UNIQUE, b, c)", NULL, NULL, NULL) ==
                  SQLITE_OK,
          "there is a table");
}

/* The rows as text: columns with |, rows with a space between; NULL is -. */
static const char *rows(void)
{
    static char text[256];
    sqlite3_stmt *statement = NULL;
    text[0] = 0;
    check(sqlite3_prepare_v2(database,
                             "SELECT coalesce(group_concat(quote(a) || '|' || quote(b) || '|' ||"
                             " quote(c), ' '), '') FROM t",
                             -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW,
          "the rows are read");
    snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

static void inserted(void)
{
    struct insert insert;
    char text[] = "text";
    open_database();
    insert_begin(&insert, database, "t");
    insert_row(&insert, column_int("a", -1), column_text("b", text), column_real("c", 0.5));
    text[0] = 'n';
    insert_row(&insert, column_count("a", UINT64_MAX), column_text("b", NULL),
               column_bytes("c", "it\0x", 2));
    insert_row(&insert, column_id("a", 0), column_int_if("b", false, 7), column_null("c"));
    insert_row(&insert, column_id("a", 5), column_count_if("b", true, 7), column_text("c", text));
    check_equal(0, insert_end(&insert, &error), "rows are inserted");
    check_string("-1|'text'|0.5 9223372036854775807|NULL|'it' NULL|NULL|NULL 5|7|'next'", rows(),
                 "each with its own values");
}

static void failures(void)
{
    struct insert insert;
    open_database();
    insert_begin(&insert, database, "t");
    check_equal(0, insert_end(&insert, &error), "no row is no error");
    insert_begin(&insert, database, "t");
    insert_row(&insert, column_int("a", 1), column_null("b"));
    insert_row(&insert, column_int("a", 1), column_null("b"));
    insert_row(&insert, column_int("a", 2), column_null("b"));
    check_equal(-1, insert_end(&insert, &error), "a row that the table refuses is an error");
    check_string("UNIQUE constraint failed: t.a", error.text, "the first one is reported");
    check_string("1|NULL|NULL", rows(), "and no row is inserted behind it");
    insert_begin(&insert, database, "missing");
    insert_row(&insert, column_int("a", 1));
    check_equal(-1, insert_end(&insert, &error), "nor into a table that does not exist");
    check_string("no such table: missing", error.text, "which is reported");
}

static void late_values(void)
{
    struct value_late late = {.folder = "/tmp"}, into = {.folder = "/tmp"};
    struct rlimit before, none;
    open_database();
    check(sqlite3_exec(database, "CREATE TABLE call_values(id INTEGER PRIMARY KEY, value)", NULL,
                       NULL, NULL) == SQLITE_OK,
          "there is a table of values");
    struct value_form *name = calloc(1, sizeof *name + 10000);
    name->type = FORM_WORDS;
    name->text_bytes = 10000;
    memset(name->text, 'x', 10000);
    check_equal(0, value_late_add(&late, 7, name, &error), "a late value may be a long name");
    check_equal(0, value_late_write(&late, database, &error), "which is written");
    check(sqlite3_exec(database, "INSERT INTO t SELECT length(value), id, NULL FROM call_values",
                       NULL, NULL, NULL) == SQLITE_OK,
          "its length is looked at");
    check_string("10000|7|NULL", rows(), "and it is whole");
    free(name);
    value_late_release(&late);
    check_equal(0, value_late_add(&late, 1, NULL, &error), "a late value waits in a buffer");
    check_equal(0, value_late_add(&into, 2, NULL, &error), "and another one");
    getrlimit(RLIMIT_FSIZE, &before);
    none = (struct rlimit){0, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    check_equal(-1, value_late_merge(&into, &late, &error),
                "where the buffer cannot be written, merging fails");
    check_equal(-1, value_late_write(&late, database, &error), "and so does writing the rows");
    setrlimit(RLIMIT_FSIZE, &before);
    value_late_release(&late);
    value_late_release(&into);
}

/* ---- what ends the program ---- */

static struct insert first_row(void)
{
    struct insert insert;
    insert_begin(&insert, database, "t");
    insert_row(&insert, column_int("a", 1), column_int("b", 2));
    return insert;
}

static void forgets_a_column(void)
{
    struct insert insert = first_row();
    insert_row(&insert, column_int("a", 3));
}

static void has_one_more(void)
{
    struct insert insert = first_row();
    insert_row(&insert, column_int("a", 3), column_int("b", 4), column_int("c", 5));
}

static void changes_the_order(void)
{
    struct insert insert = first_row();
    insert_row(&insert, column_int("b", 3), column_int("a", 4));
}

static void doubles_a_column(void)
{
    struct insert insert;
    insert_begin(&insert, database, "t");
    insert_row(&insert, column_int("a", 3), column_int("a", 4));
}

/* Of a record that is written straight into a page. */
static void puts_too_few(void)
{
    struct record record;
    record_begin(&record, 2);
    record_null(&record);
    record_bytes(&record);
}

static void relies_on_nonsense(void)
{
    must(1 + 1 == 3);
}

/* What a function prints before it aborts; empty if it returns. */
static const char *aborting(void (*function)(void))
{
    static char said[512];
    int pipes[2], status = 0;
    const struct rlimit no_core = {0, 0};
    check(pipe(pipes) == 0, "there is a pipe");
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(pipes[1], STDERR_FILENO);
        function();
        _exit(0);
    }
    close(pipes[1]);
    ssize_t got = read(pipes[0], said, sizeof said - 1);
    said[got > 0 ? got : 0] = 0;
    close(pipes[0]);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? said : "";
}

static void assertions(void)
{
    open_database();
    const char *said = aborting(relies_on_nonsense);
    check(strstr(said, "test_insert.c:") != NULL &&
              strstr(said, "1 + 1 == 3 does not hold") != NULL,
          "an assertion prints its place and condition: %s", said);
    check(strstr(aborting(forgets_a_column), "count == insert->count") != NULL,
          "a forgotten column ends the program");
    check(strstr(aborting(has_one_more), "count == insert->count") != NULL,
          "one more than before does too");
    check(strstr(aborting(changes_the_order), "columns[i].name") != NULL,
          "and another order of columns");
    check(strstr(aborting(doubles_a_column), "columns[k].name") != NULL, "and a column twice");
    check(strstr(aborting(puts_too_few), "record->type") != NULL,
          "and a record with fewer columns than it was begun with");
}

int main(void)
{
    inserted();
    failures();
    late_values();
    assertions();
    sqlite3_close(database);
    return check_status();
}
