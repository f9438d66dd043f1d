/*
 * fisql query: lists the canned queries, explains one, runs one.
 *
 * Filters (--function, --file, --module, --thread) work on any query that has a column of that
 * meaning: the query becomes a subselect and the filter a condition on its column. Values are
 * bound, never pasted into SQL.
 */
#include "cli/commands.h"
#include "cli/database.h"
#include "cli/output.h"
#include "cli/query_file.h"
#include "cli/say.h"
#include "queries/embedded.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: fisql query                       list the queries\n"
    "       fisql query NAME [DB] [OPTION...] run one (DB: run.db)\n"
    "       fisql query NAME --help           explain one\n"
    "       fisql query --file my.sql [DB]    run a query of your own\n"
    "\n"
    "  -p, --param NAME=VALUE   set a parameter of the query\n"
    "      --format FORMAT      table, csv, json or markdown (table)\n"
    "      --limit N            at most N rows (tables: 40 unless told; 0 = all)\n"
    "      --function PATTERN   only rows whose function matches (*, ?, [])\n"
    "      --location PATTERN   only rows whose file:line matches\n"
    "      --module PATTERN     only rows whose module matches\n"
    "      --explain            show the SQL instead of running it\n"
    "      --check              exit with status 1 if there are rows\n"
    "\n"
    "Queries of your own in $XDG_CONFIG_HOME/fisql/queries/NAME.sql are listed with the others.\n"
    "\n"
    "example: fisql query hot-functions --limit 10\n";

#define FILTERS_MAX 3
#define PARAMS_MAX 64

struct request {
    const char *name, *database, *file;
    enum output_format format;
    long limit;
    bool explain, check, help, limit_given;
    const char *params[PARAMS_MAX];
    size_t params_count;
    const char *filter_columns[FILTERS_MAX], *filter_values[FILTERS_MAX];
    size_t filters_count;
};

/* ---- finding queries ---- */

static void user_folder(char *path, size_t size)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config != NULL && config[0] == '/')
        snprintf(path, size, "%s/fisql/queries", config);
    else
        snprintf(path, size, "%s/.config/fisql/queries", home != NULL ? home : "");
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0 && !ferror(file)) {
        free(text);
        text = strdup("");
    }
    if (ferror(file)) {
        free(text);
        text = NULL;
        errno = EIO;
    }
    fclose(file);
    return text;
}

/* Edit distance of two names, cut at 99. */
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    int row[LONGEST + 1];
    size_t columns = strlen(b);
    if (strlen(a) > LONGEST || columns > LONGEST)
        return 99;
    for (size_t j = 0; j <= columns; j++)
        row[j] = (int)j;
    for (size_t i = 1; a[i - 1] != 0; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= columns; j++) {
            int above = row[j];
            int best = corner + (a[i - 1] != b[j - 1]);
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (above + 1 < best)
                best = above + 1;
            row[j] = best;
            corner = above;
        }
    }
    return row[columns];
}

/* Loads the query of this name, compiled in or the user's. Returns 0, or says what is wrong. */
static int find_query(struct query_file *query, const char *name)
{
    const char *nearest = NULL;
    int least = 4;
    for (size_t i = 0; i < embedded_queries_count; i++) {
        if (strcmp(embedded_queries[i].name, name) == 0)
            return query_file_parse(query, name, embedded_queries[i].text) == 0
                       ? 0
                       : fail("out of memory");
        int away = distance(name, embedded_queries[i].name);
        if (away < least) {
            least = away;
            nearest = embedded_queries[i].name;
        }
    }
    char folder[PATH_MAX - 256], path[PATH_MAX];
    user_folder(folder, sizeof folder);
    if (strchr(name, '/') == NULL && strlen(name) < 200) {
        snprintf(path, sizeof path, "%s/%s.sql", folder, name);
        char *text = read_file(path);
        if (text != NULL) {
            int result = query_file_parse(query, name, text);
            free(text);
            return result == 0 ? 0 : fail("out of memory");
        }
    }
    if (nearest != NULL)
        return fail("%s: no such query; did you mean %s? `fisql query` lists them", name, nearest);
    return fail("%s: no such query; `fisql query` lists them", name);
}

static int load_file(struct query_file *query, const char *path)
{
    char *text = read_file(path);
    if (text == NULL)
        return fail("%s: %s", path, strerror(errno));
    int result = query_file_parse(query, path, text);
    free(text);
    return result == 0 ? 0 : fail("out of memory");
}

/* ---- listing and explaining ---- */

static void list_group(const char *group)
{
    bool headed = false;
    for (size_t i = 0; i < embedded_queries_count; i++) {
        struct query_file query;
        query_file_parse(&query, embedded_queries[i].name, embedded_queries[i].text);
        if (strcmp(query.group != NULL ? query.group : "Other", group) == 0) {
            if (!headed)
                printf("%s\n", group);
            headed = true;
            printf("  %-24s%s\n", query.name, query.title != NULL ? query.title : "");
        }
        query_file_release(&query);
    }
    if (headed)
        putchar('\n');
}

static void list_own(void)
{
    char folder[PATH_MAX - 256];
    user_folder(folder, sizeof folder);
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    bool headed = false;
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(names[i]->d_name, '.');
        if (dot != NULL && strcmp(dot, ".sql") == 0) {
            char path[PATH_MAX];
            struct query_file query;
            snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
            char *text = read_file(path);
            *dot = 0;
            if (text != NULL && query_file_parse(&query, names[i]->d_name, text) == 0) {
                if (!headed)
                    printf("Your own (%s)\n", folder);
                headed = true;
                fputs("  ", stdout);
                output_escaped(stdout, query.name);
                fputs("  ", stdout);
                output_escaped(stdout, query.title != NULL ? query.title : "");
                putchar('\n');
                query_file_release(&query);
            }
            free(text);
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

static int list(void)
{
    static const char *const groups[] = {
        "Time", "Inlining and call structure", "Coverage and threads", "Memory", "Trust", "Other"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        list_group(groups[i]);
    list_own();
    puts("`fisql query NAME` runs one on run.db, `fisql query NAME --help` explains it.");
    return fflush(stdout) != 0 ? 2 : 0;
}

/* Prints a paragraph, broken at 78 columns, each line after `indent` spaces. */
static void paragraph(const char *text, int indent)
{
    int column = 0;
    for (const char *word = text; *word != 0;) {
        size_t length = strcspn(word, " ");
        if (column + (int)length > 78 - indent && column > 0) {
            putchar('\n');
            column = 0;
        }
        if (column == 0)
            printf("%*s", indent, "");
        else
            putchar(' ');
        fwrite(word, 1, length, stdout);
        column += (int)length + 1;
        word += length;
        while (*word == ' ')
            word++;
    }
    putchar('\n');
}

static void explain_parts(const char *title, const struct query_part *parts, size_t count)
{
    if (count == 0)
        return;
    printf("\n%s\n", title);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s%s", parts[i].name, parts[i].value != NULL ? " = " : "",
                 parts[i].value != NULL ? parts[i].value : "");
        printf("  %-28s%-8s%s\n", name, parts[i].unit, parts[i].text);
    }
}

static int explain_query(const struct query_file *query)
{
    printf("%s: %s\n", query->name, query->title != NULL ? query->title : "");
    if (query->description != NULL) {
        putchar('\n');
        paragraph(query->description, 0);
    }
    if (query->advice != NULL) {
        puts("\nWhat to do");
        paragraph(query->advice, 2);
    }
    explain_parts("Parameters (-p name=value)", query->params, query->params_count);
    explain_parts("Columns", query->columns, query->columns_count);
    if (query->source != NULL) {
        puts("\nSource");
        paragraph(query->source, 2);
    }
    printf("\nexample: fisql query %s run.db --limit 10\n", query->name);
    return fflush(stdout) != 0 ? 2 : 0;
}

/* ---- running ---- */

static enum output_unit unit_of(const struct query_file *query, const char *column)
{
    for (size_t i = 0; i < query->columns_count; i++)
        if (strcmp(query->columns[i].name, column) == 0) {
            const char *unit = query->columns[i].unit;
            return strcmp(unit, "ns") == 0      ? UNIT_NS
                   : strcmp(unit, "bytes") == 0 ? UNIT_BYTES
                   : strcmp(unit, "%") == 0     ? UNIT_PERCENT
                                                : UNIT_NONE;
        }
    return UNIT_NONE;
}

static bool is_numeric(const char *text)
{
    char *end;
    if (text[0] == 0)
        return false;
    strtod(text, &end);
    return *end == 0;
}

static int bind_value(sqlite3_stmt *statement, int index, const char *value)
{
    char *end;
    long long integer = strtoll(value, &end, 10);
    if (value[0] != 0 && *end == 0)
        return sqlite3_bind_int64(statement, index, integer);
    if (is_numeric(value))
        return sqlite3_bind_double(statement, index, strtod(value, NULL));
    return sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
}

static int bind_params(const struct request *request, const struct query_file *query,
                       sqlite3_stmt *statement)
{
    for (size_t i = 0; i < request->params_count; i++) {
        char name[128] = ":";
        const char *equals = strchr(request->params[i], '=');
        if (equals == NULL || equals - request->params[i] > 100)
            return fail("-p %s: wants name=value", request->params[i]);
        strncat(name, request->params[i], (size_t)(equals - request->params[i]));
        int index = sqlite3_bind_parameter_index(statement, name);
        if (index == 0) {
            fprintf(stderr, "fisql: %s: has no parameter %s; it has", query->name, name + 1);
            int count = sqlite3_bind_parameter_count(statement), shown = 0;
            for (int k = 1; k <= count; k++) {
                const char *known = sqlite3_bind_parameter_name(statement, k);
                if (known != NULL && strncmp(known, ":filter_", 8) != 0)
                    fprintf(stderr, "%s %s", shown++ > 0 ? "," : "", known + 1);
            }
            fputs(shown == 0 ? " none\n" : "\n", stderr);
            return 2;
        }
        const char *column_default = NULL;
        for (size_t k = 0; k < query->params_count; k++)
            if (strcmp(query->params[k].name, name + 1) == 0)
                column_default = query->params[k].value;
        if (column_default != NULL && is_numeric(column_default) && !is_numeric(equals + 1))
            return fail("-p %s: wants a number", request->params[i]);
        bind_value(statement, index, equals + 1);
    }
    return 0;
}

static bool has_column(sqlite3_stmt *statement, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        if (strcmp(sqlite3_column_name(statement, i), name) == 0)
            return true;
    return false;
}

/* Prepares the query, within a subselect if there are filters. */
static sqlite3_stmt *prepare(sqlite3 *database, const struct request *request,
                             const struct query_file *query)
{
    sqlite3_stmt *statement = NULL;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(database, query->sql, -1, &statement, &tail) != SQLITE_OK ||
        statement == NULL) {
        fail("%s: %s", query->name,
             statement == NULL && sqlite3_errcode(database) == SQLITE_OK
                 ? "holds no SQL"
                 : sqlite3_errmsg(database));
        return NULL;
    }
    if (request->filters_count == 0)
        return statement;
    char *sql = NULL;
    size_t size = 0, length = (size_t)(tail - query->sql);
    while (length > 0 && strchr("; \n\t\r", query->sql[length - 1]) != NULL)
        length--;
    FILE *out = open_memstream(&sql, &size);
    fprintf(out, "SELECT * FROM (%.*s\n) WHERE 1", (int)length, query->sql);
    for (size_t i = 0; i < request->filters_count; i++) {
        const char *column = request->filter_columns[i];
        if (!has_column(statement, column)) {
            fail("%s: has no column %s to filter by", query->name, column);
            sqlite3_finalize(statement);
            fclose(out);
            free(sql);
            return NULL;
        }
        fprintf(out, " AND \"%s\" GLOB :filter_%s", column, column);
    }
    fclose(out);
    sqlite3_finalize(statement);
    statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail("%s: %s", query->name, sqlite3_errmsg(database));
    for (size_t i = 0; statement != NULL && i < request->filters_count; i++) {
        char name[64];
        snprintf(name, sizeof name, ":filter_%s", request->filter_columns[i]);
        sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, name),
                          request->filter_values[i], -1, SQLITE_STATIC);
    }
    free(sql);
    return statement;
}

static int run(const struct request *request, const struct query_file *query)
{
    sqlite3 *database = database_open(request->database);
    if (database == NULL)
        return 2;
    sqlite3_stmt *statement = prepare(database, request, query);
    int status = statement == NULL ? 2 : bind_params(request, query, statement);
    if (status == 0 && !sqlite3_stmt_readonly(statement))
        status = fail("%s: would change the database: a query only reads", query->name);
    if (status == 0) {
        int count = sqlite3_column_count(statement);
        struct output_column *columns = calloc((size_t)count + 1, sizeof *columns);
        for (int i = 0; columns != NULL && i < count; i++)
            columns[i] = (struct output_column){sqlite3_column_name(statement, i),
                                                unit_of(query, sqlite3_column_name(statement, i))};
        long rows = 0, limit = request->limit;
        if (!request->limit_given && request->format == OUTPUT_TABLE)
            limit = 40;
        int result = columns == NULL
                         ? SQLITE_NOMEM
                         : output_rows(stdout, request->format, statement, columns, limit, &rows);
        if (result != SQLITE_DONE)
            status = fail("%s: %s: %s", request->database, query->name, sqlite3_errmsg(database));
        else if (fflush(stdout) != 0)
            status = errno == EPIPE ? 0 : fail("output: %s", strerror(errno));
        else if (!request->limit_given && request->format == OUTPUT_TABLE && rows == 40)
            fputs("fisql: the first 40 rows; --limit 0 gives all\n", stderr);
        if (status == 0 && request->check && rows > 0)
            status = 1;
        free(columns);
        database_say_losses(database, request->database);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return status;
}

/* ---- options ---- */

static int add_filter(struct request *request, const char *column, const char *value)
{
    if (request->filters_count == FILTERS_MAX)
        return fail("too many filters");
    request->filter_columns[request->filters_count] = column;
    request->filter_values[request->filters_count++] = value;
    return 0;
}

enum {
    OPTION_FORMAT = 256,
    OPTION_LIMIT,
    OPTION_FILE,
    OPTION_EXPLAIN,
    OPTION_CHECK,
    OPTION_FUNCTION,
    OPTION_LOCATION,
    OPTION_MODULE
};

static int set_option(struct request *request, int option, const char *value)
{
    char *end;
    switch (option) {
    case 'p':
        if (request->params_count == PARAMS_MAX)
            return fail("too many parameters");
        request->params[request->params_count++] = value;
        return 0;
    case 'h':
        request->help = true;
        return 0;
    case OPTION_FORMAT:
        return output_format_parse(value, &request->format)
                   ? 0
                   : fail("--format %s: wants table, csv, json or markdown", value);
    case OPTION_LIMIT:
        request->limit = strtol(value, &end, 10);
        request->limit_given = true;
        if (value[0] == 0 || *end != 0 || request->limit < 0)
            return fail("--limit %s: wants a number, 0 for all rows", value);
        if (request->limit == 0)
            request->limit = -1;
        return 0;
    case OPTION_FILE:
        request->file = value;
        return 0;
    case OPTION_EXPLAIN:
        request->explain = true;
        return 0;
    case OPTION_CHECK:
        request->check = true;
        return 0;
    case OPTION_FUNCTION:
        return add_filter(request, "function", value);
    case OPTION_LOCATION:
        return add_filter(request, "location", value);
    case OPTION_MODULE:
        return add_filter(request, "module", value);
    default:
        return fail("query: see `fisql query --help`");
    }
}

static int parse(struct request *request, int argc, char **argv)
{
    static const struct option known[] = {{"param", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"format", required_argument, NULL, OPTION_FORMAT},
                                          {"limit", required_argument, NULL, OPTION_LIMIT},
                                          {"file", required_argument, NULL, OPTION_FILE},
                                          {"explain", no_argument, NULL, OPTION_EXPLAIN},
                                          {"check", no_argument, NULL, OPTION_CHECK},
                                          {"function", required_argument, NULL, OPTION_FUNCTION},
                                          {"location", required_argument, NULL, OPTION_LOCATION},
                                          {"module", required_argument, NULL, OPTION_MODULE},
                                          {NULL, 0, NULL, 0}};
    *request = (struct request){.database = "run.db", .limit = -1};
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "p:h", known, NULL)) != -1;)
        if (set_option(request, option, optarg) != 0)
            return 2;
    if (request->file == NULL && optind < argc)
        request->name = argv[optind++];
    if (optind < argc)
        request->database = argv[optind++];
    if (optind < argc)
        return fail("query: %s: one argument too many; see `fisql query --help`", argv[optind]);
    return 0;
}

int cmd_query(int argc, char **argv)
{
    struct request request;
    struct query_file query = {0};
    int status = parse(&request, argc, argv);
    if (status != 0)
        return status;
    if (request.name == NULL && request.file == NULL) {
        if (!request.help)
            return list();
        fputs(usage, stdout);
        return fflush(stdout) != 0 ? 2 : 0;
    }
    status =
        request.file != NULL ? load_file(&query, request.file) : find_query(&query, request.name);
    if (status == 0 && request.help) {
        status = explain_query(&query);
    } else if (status == 0 && request.explain) {
        fputs(query.sql, stdout);
        status = fflush(stdout) != 0 ? 2 : 0;
    } else if (status == 0) {
        status = run(&request, &query);
    }
    query_file_release(&query);
    return status;
}
