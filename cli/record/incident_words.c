/* Prints a report: see incident_words.h. */
#include "cli/record/incident_words.h"

#include "base/parts.h"
#include "base/utf8.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* incident_words.sql */
extern const char incident_words_sql_frames[], incident_words_sql_open_calls[],
    incident_words_sql_other_threads[], incident_words_sql_incident[],
    incident_words_sql_block_stack[], incident_words_sql_block_times[];

#define FRAMES_INNER 64 /* innermost calls of a stack to print, ... */
#define FRAMES_OUTER 16 /* ... and outermost ones */
#define THREADS_MAX 64  /* whose stacks are printed */
#define INDENT_MAX 20   /* levels of indented calls */

struct words {
    sqlite3 *database;
    const struct incident_history *history;
    int64_t incident, thread, ns;
};

static sqlite3_stmt *ask(const struct words *words, const char *sql, int64_t first, int64_t second)
{
    sqlite3_stmt *statement = database_ask(words->database, sql);
    sqlite3_bind_int64(statement, 1, first);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite3_bind_int64(statement, 2, second);
    return statement;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text != NULL ? text : "?";
}

static bool is_null(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

/* Ends text that may have been cut to fit with a whole character. */
static void end_whole(char *text, size_t size)
{
    size_t length = strlen(text);
    if (length == size - 1)
        text[length - utf8_open_end(text, length)] = 0;
}

/* A call with its arguments; without the unknown result of an open one. */
static const char *call_at(sqlite3_stmt *statement, char *text, size_t size)
{
    static const char unknown[] = " = ?";
    snprintf(text, size, "%s", text_at(statement, 0));
    end_whole(text, size);
    if (has_ending(text, unknown))
        text[strlen(text) - strlen(unknown)] = 0;
    return text;
}

/* ---- stacks ---- */

/* Prints the innermost call first. Each place is where the inner call was made. The innermost call
 * has the incident's place, or in other threads just its function's place. A function whose inner
 * call was inlined has that, too: the inner call has the call site of the function that it lies in.
 * `first`: number of the innermost call. */
static void print_stack(const struct words *words, int64_t thread, const char *place, long first)
{
    char at[512], call[2048];
    long number = 0, count = 0;
    int64_t inner_site = 0;
    sqlite3_stmt *rows =
        ask(words, "SELECT count(*) FROM incident_stacks WHERE incident_id = ? AND thread_id = ?",
            words->incident, thread);
    if (database_row(rows))
        count = (long)sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    rows = ask(words, incident_words_sql_frames, words->incident, thread);
    snprintf(at, sizeof at, "%s%s", place == NULL || strncmp(place, "in ", 3) == 0 ? "" : "at ",
             place != NULL ? place : "");
    for (; database_row(rows); number++) {
        bool shown = number < FRAMES_INNER || number >= count - FRAMES_OUTER;
        int64_t site = sqlite3_column_int64(rows, 3);
        bool inlined = number > 0 && site == inner_site && sqlite3_column_int64(rows, 4) != 0;
        if ((number == 0 && place == NULL) || inlined)
            snprintf(at, sizeof at, "of %s", text_at(rows, 1));
        end_whole(at, sizeof at);
        if (shown)
            note("  #%ld %s %s", first + number, call_at(rows, call, sizeof call), at);
        else if (number == FRAMES_INNER)
            note("  ... %ld more calls", count - FRAMES_INNER - FRAMES_OUTER);
        inner_site = site;
        const char *from = text_at(rows, 2);
        snprintf(at, sizeof at, "%s%s", strncmp(from, "in ", 3) == 0 ? "" : "at ", from);
    }
    sqlite3_finalize(rows);
    if (number == 0)
        note("  no recorded call is open%s%s", place != NULL ? "; at " : "",
             place != NULL ? place : "");
}

/* ---- the last calls ---- */

static void print_calls(const struct words *words, int64_t thread, uint32_t most)
{
    /* Ids of a thread's calls rise with time; the list may include a later call of another
     * thread. */
    sqlite3_stmt *rows = ask(words, incident_words_sql_open_calls, thread, most);
    bool any = false;
    while (database_row(rows)) {
        char ago[32], took[32], call[2048];
        int64_t depth = sqlite3_column_int64(rows, 1);
        int64_t before = words->ns - sqlite3_column_int64(rows, 2);
        output_time((double)(before > 0 ? before : 0), ago, sizeof ago);
        output_time((double)sqlite3_column_int64(rows, 3), took, sizeof took);
        bool open = strcmp(text_at(rows, 4), "open") == 0;
        if (!any)
            note("  last calls:");
        any = true;
        note("  %10s ago %*s%s from %s: %s%s%s", ago,
             (int)(2 * (depth < INDENT_MAX ? depth : INDENT_MAX)), "",
             call_at(rows, call, sizeof call), text_at(rows, 5), text_at(rows, 4),
             open ? "" : " after ", open ? "" : took);
    }
    sqlite3_finalize(rows);
}

/* ---- the whole ---- */

/* If the function's pointer led to the block, not the address, the block's words say so. */
static void print_block(sqlite3_stmt *row)
{
    if (is_null(row, 6))
        return;
    const char *block = text_at(row, 6);
    note("  %s%s: allocated at %s in %s",
         sqlite3_column_int64(row, 13) != 0 ? "" : "the address is ", block, text_at(row, 7),
         text_at(row, 8));
    if (!is_null(row, 9))
        note("  and freed at %s in %s before", text_at(row, 9), text_at(row, 10));
}

/* The stack in which the block was allocated, or freed (`freed` = 1), that long before. */
static void print_block_stack(const struct words *words, int64_t block, int freed, int64_t ns)
{
    char ago[32];
    int64_t outer = 0;
    output_time((double)(words->ns > ns ? words->ns - ns : 0), ago, sizeof ago);
    sqlite3_stmt *rows = ask(words, incident_words_sql_block_stack, block, freed);
    for (long number = 0; database_row(rows); number++) {
        if (number == 0)
            note("  the block was %s %s before:", freed ? "freed" : "allocated", ago);
        const char *at = text_at(rows, 1);
        note("    #%ld %s %s%s", number, text_at(rows, 0), strncmp(at, "in ", 3) == 0 ? "" : "at ",
             at);
        outer = sqlite3_column_int64(rows, 2);
    }
    sqlite3_finalize(rows);
    if (outer > 0)
        note("    ... %" PRId64 " more calls", outer);
}

static void print_block_stacks(const struct words *words, int64_t block)
{
    sqlite3_stmt *row = ask(words, incident_words_sql_block_times, block, words->ns);
    if (database_row(row)) {
        if (!is_null(row, 1))
            print_block_stack(words, block, 1, sqlite3_column_int64(row, 1));
        print_block_stack(words, block, 0, sqlite3_column_int64(row, 0));
    }
    sqlite3_finalize(row);
}

static void print_others(const struct words *words)
{
    int threads = 0;
    sqlite3_stmt *rows = ask(words, incident_words_sql_other_threads, words->thread, words->ns);
    for (; database_row(rows); threads++) {
        if (threads == THREADS_MAX) {
            note("and more threads: fisql query incidents has their stacks");
            break;
        }
        note("thread %" PRId64 " %s", (int64_t)sqlite3_column_int64(rows, 1), text_at(rows, 2));
        print_stack(words, sqlite3_column_int64(rows, 0), NULL, 0);
        print_calls(words, sqlite3_column_int64(rows, 0), words->history->others);
    }
    sqlite3_finalize(rows);
}

int incident_words(sqlite3 *database, const struct fisql_incident *told,
                   const struct incident_history *history)
{
    struct words words = {.database = database, .history = history};
    sqlite3_stmt *row = ask(&words, incident_words_sql_incident, told->pid, told->tid);
    bool found = database_row(row);
    if (found) {
        words.incident = sqlite3_column_int64(row, 0);
        words.thread = sqlite3_column_int64(row, 1);
        words.ns = sqlite3_column_int64(row, 2);
        note("process %u, thread %u %s: %s", told->pid, told->tid, text_at(row, 4),
             text_at(row, 3));
        print_block(row);
        /* The function whose return went astray has ended, but the program is there. */
        bool left = !is_null(row, 11);
        if (left)
            note("  #0 %s, as it returned, at %s", text_at(row, 11), text_at(row, 5));
        print_stack(&words, words.thread, text_at(row, left ? 12 : 5), left);
        if (!is_null(row, 14))
            print_block_stacks(&words, sqlite3_column_int64(row, 14));
        print_calls(&words, words.thread, history->own);
        print_others(&words);
    }
    sqlite3_finalize(row);
    return found ? 0 : -1;
}
