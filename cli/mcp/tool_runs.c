/* The tool runs: which databases there are. */
#include "cli/mcp/tool_parts.h"

#include "base/array.h"
#include "base/memory_text.h"
#include "base/parts.h"
#include "base/shortage.h"
#include "cli/out/json.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS_MAX = 100, RUN_BYTES = 1200 };

/* tool_runs.sql */
extern const char tool_runs_sql_run[];

struct paths {
    char **items;
    size_t count, capacity;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Is the file a database of fisql, by its first bytes? */
static bool is_ours(const char *path)
{
    static const unsigned char id[] = {'F', 'S', 'Q', 'L'};
    enum { AT = 68 }; /* where SQLite has the application's id */
    unsigned char head[AT + sizeof id];
    FILE *file = fopen(path, "re");
    struct stat status;
    bool ours = file != NULL && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
                fread(head, 1, sizeof head, file) == sizeof head &&
                memcmp(head + AT, id, sizeof id) == 0;
    if (file != NULL)
        fclose(file);
    return ours;
}

static int add(struct paths *names, const char *path)
{
    char *copy = strdup(path);
    for (size_t i = 0; copy != NULL && i < names->count; i++)
        if (strcmp(names->items[i], path) == 0) {
            free(copy);
            return 0;
        }
    if (copy != NULL && array_add(&names->items, &names->count, &names->capacity, copy, NULL) == 0)
        return 0;
    free(copy);
    return fail("out of memory");
}

/* The databases named when the server began, then those in its folder. */
static int collect(const struct mcp_options *options, struct paths *names)
{
    int status = 0;
    for (size_t i = 0; i < options->databases_count && status == 0; i++)
        status = add(names, options->databases[i]);
    size_t first = names->count;
    DIR *folder = opendir(".");
    if (folder == NULL)
        return fail("the working folder cannot be read: %s", strerror(errno));
    const struct dirent *entry;
    while (status == 0 && (entry = readdir(folder)) != NULL) {
        struct stat file;
        if (has_ending(entry->d_name, ".db") && stat(entry->d_name, &file) == 0 &&
            S_ISREG(file.st_mode) && is_ours(entry->d_name))
            status = add(names, entry->d_name);
    }
    closedir(folder);
    array_sort(names->items + first, names->count - first, by_name);
    return status;
}

/* Writes what the run was, or why it cannot be read. */
static void describe(struct tool_call *call, const char *path, FILE *out)
{
    sqlite3_stmt *row = NULL;
    fputs("{\"database\":", out);
    json_string(out, path, strnlen(path, 300));
    call->database = ask_open(path);
    if (call->database != NULL) {
        tool_watch(call, tool_time_left_ns(call));
        row = database_ask(call->database, tool_runs_sql_run);
    }
    if (database_row(row))
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            struct json json = {.out = out};
            fprintf(out, ",\"%s\":", sqlite3_column_name(row, i));
            json_column(&json, row, i, 400);
        }
    else
        fputs(",\"problem\":\"it cannot be read: see the notes\"", out);
    fputs("}", out);
    sqlite3_finalize(row);
    ask_watch_end(&call->watch);
    sqlite3_close(call->database);
    call->database = NULL;
    call->watch.database = NULL;
}

static int put_runs(struct tool_call *call, const struct paths *names, FILE *out,
                    struct ask_answer *answer)
{
    size_t room = tool_limits(call, "", 0).bytes_max, used = 20;
    fputs("[", out);
    for (size_t i = 0; i < names->count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *run = memory_text_open(&text, &size);
        if (run == NULL)
            return fail("out of memory");
        bool full =
            answer->rows == RUNS_MAX || used + RUN_BYTES > room || ask_watch_is_over(&call->watch);
        if (!full)
            describe(call, names->items[i], run);
        bool sound = fclose(run) == 0;
        size_t bytes = sound ? json_string_bytes(text, size) + 12 : 0;
        if (sound && !full && used + bytes <= room) {
            fprintf(out, "%s%s", answer->rows++ > 0 ? ",\n " : "\n ", text);
            used += bytes;
        } else {
            answer->rows_left_out++;
        }
        free(text);
    }
    fputs("\n]\n", out);
    return 0;
}

static int run(struct tool_call *call)
{
    struct paths names = {.items = NULL};
    struct ask_answer answer = {.end = ASK_DONE};
    char *rows = NULL;
    size_t size = 0;
    int status = collect(call->options, &names);
    FILE *out = memory_text_open(&rows, &size);
    if (status == 0)
        status = out != NULL ? put_runs(call, &names, out, &answer) : fail("out of memory");
    if (out != NULL && fclose(out) != 0)
        status = fail("out of memory");
    if (status == 0) {
        if (answer.rows == 0)
            note("there is no database: record a program with `fisql run PROGRAM`");
        tool_put_rows(call, "\"units\":{\"duration_ns\":\"ns\",\"allocated_bytes\":\"bytes\"}",
                      rows, &answer);
        database_forget(); /* what is wrong with one database is in its row and in the notes */
        shortage_forget();
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.items[i]);
    free(names.items);
    free(rows);
    return status;
}

static const struct tool_parameter parameters[] = {{NULL, TOOL_TEXT, false, NULL, NULL}};

const struct tool tool_runs = {
    .name = "runs",
    .title = "List the recorded runs",
    .what = "The databases of runs that may be asked: those that the server was started with, and "
            "those in its folder, each with its command, start, duration, calls, threads, "
            "allocations, and whether something is missing (losses).",
    .parameters = parameters,
    .run = run};
