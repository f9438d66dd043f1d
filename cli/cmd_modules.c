/*
 * fisql modules: the modules of a program by the user's own map, a file of lines
 *
 *     NAME: PATTERN[, PATTERN...]
 *
 * The map is kept in the database (module_map), with the module of each function that a pattern
 * fits (mapped_functions); the views function_details and site_details read it from there. So every
 * query, diff, export and page knows it, and a database without a map is asked as before.
 *
 * The file is read as a whole before the database is touched; one transaction then changes both
 * tables.
 */
#include "base/array.h"
#include "base/shortage.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"
#include "cli/run/database.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmd_modules.sql */
extern const char cmd_modules_sql_put[], cmd_modules_sql_firsts[], cmd_modules_sql_map[],
    cmd_modules_sql_idle[], cmd_modules_sql_modules[], cmd_modules_sql_rest[],
    cmd_modules_sql_rest_count[];

static const char help[] =
    "usage: fisql modules [DB] [--map FILE | --forget] [--rest]\n"
    "\n"
    "Prints the modules of a run (DB: run.db) with their functions, calls and times. They are the\n"
    "program and its libraries, until --map gives them names of your own. A line of its FILE is\n"
    "\n"
    "  NAME: PATTERN[, PATTERN...]    # and a comment\n"
    "\n"
    "A pattern is one of these, with *, ? and [...]; * also fits a /:\n"
    "\n"
    "  src/net/*  file:src/net/*  the source file of the function: its path, or the end of it\n"
    "  fn:http_*                  the function's name, as --function of `fisql query`\n"
    "  lib:libz*                  the name of the program or library\n"
    "\n"
    "The first pattern that fits a function says its module. Functions that none fits keep their\n"
    "program or library. The map is kept in the database: --module, the column module of all\n"
    "queries, `fisql diff`, the boxes of `fisql export --format dot` and `mermaid`, and the "
    "page's\n"
    "call graph go by it. The view function_details has the library as `library`. A load makes\n"
    "the database anew, without a map.\n"
    "\n"
    "      --map FILE       read the map from FILE, in the place of any before it\n"
    "      --forget         take the map away\n"
    "      --rest           list the functions that no pattern fits\n"
    "      --format FORMAT  table, csv, json or markdown (table)\n"
    "\n"
    "Exit status: 0 done, 2 could not be done.\n"
    "\n"
    "examples: fisql modules run.db\n"
    "          fisql modules run.db --rest\n";

/* What a map may have: a thousand patterns are compared with all functions in a second or so. */
enum { RULES_MAX = 10000, TEXT_BYTES_MAX = 1000 };

/* A pattern with its module. The texts are one block, which `name` owns. */
struct rule {
    char *name, *pattern;
    const char *kind; /* as in module_map */
    size_t line;
};

struct map {
    const char *path;
    struct rule *rules;
    size_t count, capacity;
};

/* ---- the file ---- */

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static bool is_sound(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        int length = utf8_length(at);
        if (length == 0 || *at < ' ' || *at == 0x7f)
            return false;
        at += length;
    }
    return true;
}

static int add_rule(struct map *map, size_t line, const char *name, char *pattern)
{
    static const char *const kinds[] = {"file", "fn", "lib"};
    const char *kind = kinds[0];
    size_t word = strcspn(pattern, ":");
    if (pattern[word] == ':') {
        pattern[word] = '\0';
        for (size_t i = 0;; i++) {
            if (i == sizeof kinds / sizeof kinds[0])
                return fail("%s:%zu: %s: is no kind of pattern: file:, fn: and lib: are (a : in a "
                            "file's name is written ?, and in a function's behind fn:)",
                            map->path, line, pattern);
            if (strcmp(kinds[i], pattern) == 0) {
                kind = kinds[i];
                break;
            }
        }
        pattern = trim(pattern + word + 1);
    }
    if (*pattern == '\0')
        return fail("%s:%zu: %s: has an empty pattern; `*` fits all", map->path, line, name);
    if (strlen(pattern) > TEXT_BYTES_MAX || strlen(name) > TEXT_BYTES_MAX)
        return fail("%s:%zu: names and patterns have at most %d bytes", map->path, line,
                    TEXT_BYTES_MAX);
    if (map->count == RULES_MAX)
        return fail("%s:%zu: a map has at most %d patterns", map->path, line, RULES_MAX);
    if (array_reserve(&map->rules, &map->capacity, map->count + 1, NULL) != 0)
        return fail("%s: out of memory", map->path);
    char *texts = NULL;
    if (asprintf(&texts, "%s%c%s", name, '\0', pattern) < 0)
        return fail("%s: out of memory", map->path);
    map->rules[map->count++] = (struct rule){
        .name = texts, .pattern = texts + strlen(texts) + 1, .kind = kind, .line = line};
    return 0;
}

static int read_line(struct map *map, size_t number, char *line)
{
    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (*line == '\0')
        return 0;
    if (!is_sound(line))
        return fail("%s:%zu: has bytes that are no text (UTF-8 without control characters)",
                    map->path, number);
    char *colon = strchr(line, ':');
    if (colon == NULL)
        return fail("%s:%zu: %s: wants NAME: PATTERN[, PATTERN...]", map->path, number, line);
    *colon = '\0';
    char *name = trim(line), *rest = colon + 1;
    if (*name == '\0')
        return fail("%s:%zu: has no name before the colon: wants NAME: PATTERN[, PATTERN...]",
                    map->path, number);
    if (strpbrk(name, "*?[,") != NULL)
        return fail("%s:%zu: %s: a module's name has no *, ?, [ or comma, which --module would "
                    "take for a pattern",
                    map->path, number, name);
    if (*rest == ':')
        return fail("%s:%zu: %s: a module's name has no colon", map->path, number, name);
    int status = 0;
    for (char *pattern; status == 0 && (pattern = strsep(&rest, ",")) != NULL;)
        status = add_rule(map, number, name, trim(pattern));
    return status;
}

static int read_map(struct map *map)
{
    FILE *file = fopen(map->path, "re");
    if (file == NULL)
        return fail("%s: %s: --map wants a file of NAME: PATTERN lines", map->path,
                    strerror(errno));
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int status = 0;
    for (size_t number = 1; status == 0 && (length = getline(&line, &size, file)) >= 0; number++)
        status = strlen(line) == (size_t)length
                     ? read_line(map, number, line)
                     : fail("%s:%zu: has a byte 0, so it is no text", map->path, number);
    if (status == 0 && ferror(file))
        status = fail("%s: cannot be read: %s", map->path, strerror(errno));
    free(line);
    fclose(file);
    if (status == 0 && map->count == 0)
        status = fail("%s: has no line NAME: PATTERN; --forget takes a map away", map->path);
    return status;
}

static void release_map(struct map *map)
{
    for (size_t i = 0; i < map->count; i++)
        free(map->rules[i].name);
    free(map->rules);
}

/* ---- the database ---- */

static int put_rules(const struct map *map, sqlite3 *database)
{
    sqlite3_stmt *put = NULL;
    int result = sqlite3_prepare_v2(database, cmd_modules_sql_put, -1, &put, NULL);
    for (size_t i = 0; i < map->count && result == SQLITE_OK; i++) {
        const struct rule *rule = &map->rules[i];
        sqlite3_bind_int64(put, 1, (int64_t)i + 1);
        sqlite3_bind_text(put, 2, rule->name, -1, SQLITE_STATIC);
        sqlite3_bind_text(put, 3, rule->kind, -1, SQLITE_STATIC);
        sqlite3_bind_text(put, 4, rule->pattern, -1, SQLITE_STATIC);
        sqlite3_step(put);
        result = sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return result;
}

/* Names the patterns that have no function, with their lines. */
static void say_idle(const struct map *map, sqlite3 *database)
{
    enum { SAID_MAX = 10 };
    sqlite3_stmt *row = database_ask(database, cmd_modules_sql_idle);
    size_t idle = 0;
    while (database_row(row)) {
        int64_t position = sqlite3_column_int64(row, 0);
        const char *pattern = database_shown(row, 1);
        if (position < 1 || (uint64_t)position > map->count || idle++ >= SAID_MAX)
            continue;
        note("%s:%zu: %s fits no function that the patterns before it leave", map->path,
             map->rules[position - 1].line, pattern != NULL ? pattern : "?");
    }
    sqlite3_finalize(row);
    if (idle > SAID_MAX)
        note("%s: so do %zu patterns more", map->path, idle - SAID_MAX);
}

/* Puts the map in the place of the one before; one without rules takes it away. */
static int change(const struct map *map, const char *path)
{
    sqlite3 *database = database_open_to_change(path);
    if (database == NULL)
        return 2;
    int result = sqlite3_exec(
        database, "BEGIN IMMEDIATE; DELETE FROM mapped_functions; DELETE FROM module_map", NULL,
        NULL, NULL);
    if (result == SQLITE_OK)
        result = put_rules(map, database);
    if (result == SQLITE_OK && map->count > 0)
        result = sqlite3_exec(database, cmd_modules_sql_firsts, NULL, NULL, NULL);
    if (result == SQLITE_OK && map->count > 0)
        result = sqlite3_exec(database, cmd_modules_sql_map, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    int status = result == SQLITE_OK ? 0 : database_change_failed(database, path);
    if (status == 0 && map->count > 0)
        say_idle(map, database);
    sqlite3_close(database); /* undoes what is not committed */
    return status;
}

/* ---- what is printed ---- */

/* Says how many functions have no module of the map, or that there is none. */
static void say_rest(sqlite3 *database, const char *path)
{
    sqlite3_stmt *row = database_ask(database, cmd_modules_sql_rest_count);
    if (database_row(row)) {
        long long rest = sqlite3_column_int64(row, 0), called = sqlite3_column_int64(row, 1);
        if (sqlite3_column_int64(row, 2) == 0)
            note("%s: has no map: these are the program and its libraries; --map FILE gives them "
                 "names of your own",
                 path);
        else if (rest > 0)
            note("%lld function%s (%lld called) fit%s no pattern, and have the library as their "
                 "module: --rest lists them",
                 rest, rest == 1 ? "" : "s", called, rest == 1 ? "s" : "");
    }
    sqlite3_finalize(row);
}

static int print(const char *path, bool rest, enum output_format format)
{
    static const struct output_column modules[] = {
        {"module", UNIT_NONE, TEXT_WORDS, 9},    {"source", UNIT_NONE, TEXT_WORDS, 3},
        {"functions", UNIT_NONE, TEXT_WORDS, 8}, {"called", UNIT_NONE, TEXT_WORDS, 5},
        {"calls", UNIT_NONE, TEXT_WORDS, 7},     {"self_ns", UNIT_NS, TEXT_WORDS, 6},
        {"self_cpu_ns", UNIT_NS, TEXT_WORDS, 4}, {"share", UNIT_PERCENT, TEXT_WORDS, 2}};
    static const struct output_column functions[] = {{"function", UNIT_NONE, TEXT_FUNCTION, 9},
                                                     {"file", UNIT_NONE, TEXT_PLACE, 8},
                                                     {"library", UNIT_NONE, TEXT_WORDS, 7},
                                                     {"calls", UNIT_NONE, TEXT_WORDS, 5},
                                                     {"self_ns", UNIT_NS, TEXT_WORDS, 6}};
    sqlite3 *database = database_open(path);
    sqlite3_stmt *rows = NULL;
    long count = 0;
    if (database == NULL)
        return 2;
    int status = database_rows(database, rest ? cmd_modules_sql_rest : cmd_modules_sql_modules,
                               "the modules", &rows);
    if (status == 0) {
        const struct output_source source = {.statement = rows,
                                             .columns = rest ? functions : modules,
                                             .limit = -1,
                                             .width_max = terminal_columns(),
                                             .say_left_out = true};
        output_rows(stdout, format, &source, &count);
        status = database_rows_end(rows, "the modules");
    }
    if (status == 0 && rest && count == 0)
        note("a pattern fits every function");
    else if (status == 0 && !rest)
        say_rest(database, path);
    sqlite3_close(database);
    return status;
}

int cmd_modules(int argc, char **argv)
{
    enum { MAP = 256, FORGET, REST, FORMAT };
    static const struct args_option known[] = {{"map", MAP, true},
                                               {"forget", FORGET, false},
                                               {"rest", REST, false},
                                               {"format", FORMAT, true},
                                               {NULL, 0, false}};
    struct args args = {.command = "modules", .help = help, .options = known};
    struct map map = {.path = NULL};
    enum output_format format = OUTPUT_TABLE;
    bool forget = false, rest = false;
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == MAP)
            map.path = args.value;
        forget = forget || args.code == FORGET;
        rest = rest || args.code == REST;
        if (args.code == FORMAT && !output_format_parse(args.value, &format))
            return args_wrong(&args, "table, csv, json or markdown");
    }
    const char *path = args_word(&args, "run.db");
    int status = args_end(&args);
    if (status != ARGS_GO_ON)
        return status;
    if (map.path != NULL && forget)
        return fail("modules: --map and --forget exclude each other");
    status = map.path != NULL ? read_map(&map) : 0;
    if (status == 0 && (map.path != NULL || forget))
        status = change(&map, path);
    if (status == 0 && !forget)
        status = print(path, rest, format);
    release_map(&map);
    return status == 0 && shortage_noted() != 0 ? 2 : status;
}
