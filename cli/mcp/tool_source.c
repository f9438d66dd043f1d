/*
 * The tool source: a function's code, with what each line did: calls of other functions, their time,
 * the blocks allocated.
 *
 * The text is read from the disk, as the file is now: if it is newer than the run, that is said. The
 * database says where the file is, and somebody else may have made the database. So a file is read
 * only if it is a regular one with the ending of source code, and of it the function's lines alone.
 */
#include "cli/mcp/tool_parts.h"

#include "base/array.h"
#include "base/parts.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "cli/run/database.h"
#include "cli/run/own_code.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES_MAX = 600, LINE_COLUMNS_MAX = 160, FACTS_MAX = 4000 };
#define FILE_BYTES_MAX (INT64_C(64) << 20)

/* tool_source.sql */
extern const char tool_source_sql_function[], tool_source_sql_next[], tool_source_sql_lines[],
    tool_source_sql_started[];

struct function {
    int64_t id, file_id, line; /* line: 0 = not known */
    char *name, *path;         /* path: NULL = not known */
};

/* What a place did. */
struct fact {
    int64_t line; /* 0 = elsewhere, at `place` */
    char *what, *place;
    int64_t calls, cpu_ns, blocks, bytes;
};

struct facts {
    struct fact *items; /* by line */
    size_t count, capacity;
};

/* ---- the function ---- */

static void put_head(FILE *out, sqlite3_stmt *row)
{
    char total[40], self[40], bytes[40];
    output_time(sqlite3_column_double(row, 6), total, sizeof total);
    output_time(sqlite3_column_double(row, 7), self, sizeof self);
    output_bytes(sqlite3_column_double(row, 9), bytes, sizeof bytes);
    text_put(out, (const char *)sqlite3_column_text(row, 1));
    fputs("  ", out);
    text_put(out, (const char *)sqlite3_column_text(row, 2));
    fprintf(out, ":%lld\n%lld call%s, %s of processor time with callees, %s without; ",
            sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 5),
            sqlite3_column_int64(row, 5) == 1 ? "" : "s", total, self);
    fprintf(out, "%lld block%s of %s allocated within\n", sqlite3_column_int64(row, 8),
            sqlite3_column_int64(row, 8) == 1 ? "" : "s", bytes);
    if (sqlite3_column_int(row, 10) != 0)
        fputs("The compiler inlined it somewhere.\n", out);
}

/* Finds the function that is meant, and says which others are. */
static int find(struct tool_call *call, const char *name, struct function *function)
{
    sqlite3_stmt *row = database_ask(call->database, tool_source_sql_function);
    if (row == NULL)
        return 2;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    for (int found = 0; database_row(row); found++) {
        const char *other = (const char *)sqlite3_column_text(row, 1);
        const char *path = (const char *)sqlite3_column_text(row, 2);
        if (found > 0) {
            note("%s also means %s (%s:%lld)", name, other != NULL ? other : "?",
                 path != NULL ? last_part(path) : "?", sqlite3_column_int64(row, 3));
            continue;
        }
        function->id = sqlite3_column_int64(row, 0);
        function->line = sqlite3_column_int64(row, 3);
        function->file_id = sqlite3_column_int64(row, 4);
        function->name = database_copy(row, 1);
        function->path = path != NULL ? database_copy(row, 2) : NULL;
        put_head(call->answer.stream, row);
    }
    if (database_rows_end(row, "the functions") != 0)
        return 2;
    return function->id != 0 ? 0
                             : fail("%s: there is no such function: the query functions lists "
                                    "them; patterns have *, ? and [...]",
                                    name);
}

/* The line at which the function's code is over at the latest. */
static int64_t end_of(struct tool_call *call, const struct function *function,
                      const struct facts *facts)
{
    sqlite3_stmt *row = database_ask(call->database, tool_source_sql_next);
    int64_t last = function->line;
    sqlite3_bind_int64(row, 1, function->file_id);
    sqlite3_bind_int64(row, 2, function->line);
    int64_t next = database_integer(row, 0);
    for (size_t i = 0; i < facts->count; i++)
        if (facts->items[i].line > last && facts->items[i].line - function->line < LINES_MAX)
            last = facts->items[i].line;
    /* Without a next function, some lines behind the last one that did something. */
    int64_t end = next > 0 ? next - 1 : last + 30;
    end = end > last ? end : last;
    return end - function->line < LINES_MAX ? end : function->line + LINES_MAX - 1;
}

/* ---- the facts ---- */

static int read_facts(struct tool_call *call, const struct function *function, struct facts *facts)
{
    sqlite3_stmt *row = database_ask(call->database, tool_source_sql_lines);
    if (row == NULL)
        return 2;
    sqlite3_bind_int64(row, 1, function->id);
    sqlite3_bind_int64(row, 2, function->file_id);
    int status = 0;
    while (status == 0 && facts->count < FACTS_MAX && database_row(row)) {
        struct fact fact = {.line = sqlite3_column_int64(row, 0),
                            .what = database_copy(row, 1),
                            .calls = sqlite3_column_int64(row, 2),
                            .cpu_ns = sqlite3_column_int64(row, 3),
                            .blocks = sqlite3_column_int64(row, 4),
                            .bytes = sqlite3_column_int64(row, 5)};
        if (sqlite3_column_type(row, 6) != SQLITE_NULL)
            fact.place = database_copy(row, 6);
        if (array_add(&facts->items, &facts->count, &facts->capacity, fact, NULL) != 0) {
            free(fact.what);
            free(fact.place);
            status = fail("out of memory");
        }
    }
    int ended = database_rows_end(row, "the lines");
    return status != 0 ? status : ended;
}

static void release(struct facts *facts, struct function *function)
{
    for (size_t i = 0; i < facts->count; i++) {
        free(facts->items[i].what);
        free(facts->items[i].place);
    }
    free(facts->items);
    free(function->name);
    free(function->path);
}

/* The cells of a line; NULL: empty ones. */
static void put_cells(FILE *out, int64_t line, const struct fact *fact)
{
    char time[40] = "", bytes[40] = "", calls[40] = "", blocks[40] = "";
    if (fact != NULL && fact->calls > 0) {
        output_time((double)fact->cpu_ns, time, sizeof time);
        snprintf(calls, sizeof calls, "%" PRId64, fact->calls);
    }
    if (fact != NULL && fact->blocks > 0) {
        output_bytes((double)fact->bytes, bytes, sizeof bytes);
        snprintf(blocks, sizeof blocks, "%" PRId64, fact->blocks);
    }
    if (line > 0)
        fprintf(out, "%6" PRId64 " %9s %11s %8s %11s  ", line, calls, time, blocks, bytes);
    else
        fprintf(out, "%6s %9s %11s %8s %11s  ", "", calls, time, blocks, bytes);
}

/* Writes a line with its facts: each behind the first has a line of its own below. */
static void put_line(FILE *out, const struct facts *facts, size_t *at, int64_t line,
                     const char *text)
{
    bool any = *at < facts->count && facts->items[*at].line == line;
    put_cells(out, line, any ? &facts->items[*at] : NULL);
    text_put(out, text);
    if (any) {
        fputs("   <- ", out);
        text_put(out, facts->items[(*at)++].what);
    }
    fputc('\n', out);
    for (; *at < facts->count && facts->items[*at].line == line; ++*at) {
        put_cells(out, 0, &facts->items[*at]);
        fputs("   <- ", out);
        text_put(out, facts->items[*at].what);
        fputc('\n', out);
    }
}

/* ---- the file ---- */

static bool is_source(const char *path)
{
    static const char *const endings[] = {".c",   ".h",   ".cc",  ".cpp", ".cxx", ".C",   ".hh",
                                          ".hpp", ".hxx", ".ipp", ".inl", ".tcc", ".inc", ".m",
                                          ".mm",  ".rs",  ".adb", ".ads", ".f",   ".f90", ".F90",
                                          ".d",   ".go",  ".zig", ".s",   ".S",   ".y",   ".l"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (has_ending(path, endings[i]))
            return true;
    return false;
}

/* Opens the file if it may be read; NULL with the reason. */
static FILE *open_source(const char *path, struct stat *status, const char **reason)
{
    char *real = path != NULL ? realpath(path, NULL) : NULL;
    *reason = path == NULL ? "the run does not know it" : strerror(errno);
    int file = -1;
    if (real != NULL && !is_source(real))
        *reason = "it has not the ending of source code";
    else if (real != NULL)
        file = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (real != NULL && is_source(real) && file < 0)
        *reason = strerror(errno);
    free(real);
    if (file < 0)
        return NULL;
    bool sound =
        fstat(file, status) == 0 && S_ISREG(status->st_mode) && status->st_size <= FILE_BYTES_MAX;
    FILE *source = sound ? fdopen(file, "r") : NULL;
    if (source == NULL) {
        *reason = "it is no regular file of a usual size";
        close(file);
    }
    return source;
}

static void say_newer(struct tool_call *call, const struct stat *status)
{
    int64_t started = database_integer(database_ask(call->database, tool_source_sql_started), 0);
    if (started > 0 && status->st_mtim.tv_sec > started)
        note("the file was changed after the run began: its lines may not be those that ran");
}

/* Writes the function's lines, as far as they can be read. */
static void put_source(struct tool_call *call, const struct function *function,
                       const struct facts *facts, size_t *at)
{
    FILE *out = call->answer.stream;
    const char *reason = "";
    struct stat status;
    FILE *source = function->line > 0 ? open_source(function->path, &status, &reason) : NULL;
    if (source == NULL) {
        note("the source %s cannot be shown: %s; the lines with calls and blocks follow alone",
             function->path != NULL ? function->path : "file",
             function->line > 0 ? reason : "the run does not know the line");
        return;
    }
    say_newer(call, &status);
    int64_t end = end_of(call, function, facts), number = 0;
    char *line = NULL;
    size_t size = 0;
    while (number < end && !ferror(out) && getline(&line, &size, source) >= 0) {
        if (++number < function->line)
            continue;
        line[strcspn(line, "\r\n")] = '\0';
        line[text_fits(line, LINE_COLUMNS_MAX)] = '\0';
        put_line(out, facts, at, number, line);
    }
    free(line);
    fclose(source);
}

static int run(struct tool_call *call)
{
    struct function function = {.id = 0};
    struct facts facts = {.items = NULL};
    FILE *out = call->answer.stream;
    const char *name = tool_text(call, "function");
    bool folded = false;
    size_t at = 0;
    int status = tool_open(call, "database");
    if (status == 0 && !own_code_none_named(call->database, name))
        status = own_code_fold(call->database, &folded);
    if (status == 0)
        status = find(call, name, &function);
    if (status == 0)
        status = read_facts(call, &function, &facts);
    if (status == 0) {
        fprintf(out, "\n%6s %9s %11s %8s %11s  source   <- what is called or allocated there\n",
                "line", "calls", "time", "blocks", "allocated");
        put_source(call, &function, &facts, &at);
        for (; at < facts.count; at++) {
            const struct fact *fact = &facts.items[at];
            put_cells(out, fact->line, fact);
            if (fact->place != NULL) {
                fputs("(at ", out);
                text_put(out, fact->place);
                fputs(")", out);
            }
            fputs("   <- ", out);
            text_put(out, fact->what);
            fputc('\n', out);
        }
    }
    release(&facts, &function);
    return status;
}

static const struct tool_parameter parameters[] = {
    {"function", TOOL_TEXT, true, NULL, "its name, or a pattern (*, ? and [...])"},
    TOOL_DATABASE,
    {NULL, TOOL_TEXT, false, NULL, NULL}};

const struct tool tool_source = {
    .name = "source",
    .title = "A function's source with facts by line",
    .what = "The source of a function, and for each line how often it called what, the processor "
            "time of these calls with their callees, and the blocks and bytes that it allocated.",
    .parameters = parameters,
    .run = run};
