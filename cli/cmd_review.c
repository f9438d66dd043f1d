/* fisql review: a small report on some functions, to attach to a code review. */
#include "base/parts.h"
#include "base/memory_text.h"
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/run/database.h"
#include "cli/export/export.h"
#include "cli/query/findings.h"
#include "cli/query/query_needs.h"
#include "cli/out/out_file.h"
#include "cli/out/output.h"
#include "cli/query/query_set.h"
#include "cli/review/review.h"
#include "cli/out/say.h"
#include "cli/out/interrupts.h"
#include "cli/out/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* cmd_review.sql */
extern const char cmd_review_sql_costliest[], cmd_review_sql_numbers[], cmd_review_sql_parameters[],
    cmd_review_sql_values[], cmd_review_sql_callers[], cmd_review_sql_callees[];

static const char help[] =
    "usage: fisql review [OPTION...] [DB]\n"
    "\n"
    "Writes a page of Markdown on some functions of a run (DB: run.db), to attach to a code "
    "review:\n"
    "how often and how long they ran, their callers and callees, and which findings of "
    "the\n"
    "canned queries touch them. With --picture also a picture: their contexts, their slowest "
    "calls\n"
    "over time, and the call graph around them.\n"
    "\n"
    "      --function NAME      functions of this name (*, ? and [...]); may be repeated\n"
    "      --file FILE          functions of this source file (path or the end of it)\n"
    "      --git-diff           functions whose lines the work tree changes against HEAD\n"
    "      --range RANGE        functions whose lines `git diff RANGE` changes, e.g. main...\n"
    "  -o, --output FILE        the page (standard output)\n"
    "      --picture FILE       the picture: FILE.svg, or FILE.png (by rsvg-convert)\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "Without these options it takes the five functions with the most self time.\n"
    "\n"
    "examples: fisql review --function main -o review.md --picture review.svg\n"
    "          fisql review\n";

enum { CHOICES_MAX = 256, FUNCTIONS_MAX = 40 };

struct options {
    const char *functions[CHOICES_MAX], *files[CHOICES_MAX];
    size_t functions_count, files_count;
    bool changed;
    const char *range, *output, *picture, *path;
    enum name_style style;
};

/* ---- choosing ---- */

static void choose(struct review *review, size_t id)
{
    review->chosen_count += !review->chosen[id];
    review->chosen[id] = true;
}

static int choose_functions(struct review *review, const char *pattern)
{
    const char **names = calloc(review->view.functions_count + 1, sizeof *names);
    size_t count = 0, before = review->chosen_count;
    for (size_t id = 1; names != NULL && id < review->view.functions_count; id++) {
        const char *name = review->view.functions[id].name;
        if (name == NULL)
            continue;
        names[count++] = name;
        if (run_function_is(&review->view.functions[id], pattern))
            choose(review, id);
    }
    if (names == NULL)
        return fail("out of memory");
    const char *nearest = nearest_name(pattern, names, count);
    free(names);
    if (review->chosen_count > before)
        return 0;
    return nearest != NULL ? fail("--function %s: there is no such function; did you mean %s?",
                                  pattern, nearest)
                           : fail("--function %s: there is no such function", pattern);
}

static int choose_file(struct review *review, const char *file)
{
    size_t before = review->chosen_count;
    for (size_t id = 1; id < review->view.functions_count; id++) {
        const char *path = review->view.functions[id].file;
        if (path != NULL && path_ends_with(path, file))
            choose(review, id);
    }
    return review->chosen_count > before ? 0
                                         : fail("--file %s: no function lies in such a file", file);
}

static int choose_hottest(struct review *review)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(review->database, cmd_review_sql_costliest, -1, &row, NULL) != SQLITE_OK)
        return fail("the functions cannot be read: %s", sqlite3_errmsg(review->database));
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        if (id > 0 && (size_t)id < review->view.functions_count)
            choose(review, (size_t)id);
    }
    if (database_rows_end(row, "the functions") != 0)
        return 2;
    return review->chosen_count > 0 ? 0 : fail("review: no function was called in this run");
}

static int choose_all(struct review *review, const struct options *options)
{
    int status = 0;
    review->chosen = calloc(review->view.functions_count + 1, sizeof *review->chosen);
    if (review->chosen == NULL)
        return fail("out of memory");
    for (size_t i = 0; i < options->functions_count && status == 0; i++)
        status = choose_functions(review, options->functions[i]);
    for (size_t i = 0; i < options->files_count && status == 0; i++)
        status = choose_file(review, options->files[i]);
    if (status == 0 && options->changed)
        status = review_choose_changed(review, options->range);
    if (status == 0 && review->chosen_count == 0)
        status = choose_hottest(review);
    return status;
}

/* ---- the page ---- */

static void put_time_cell(FILE *out, sqlite3_stmt *row, int column)
{
    char text[32] = "-";
    if (sqlite3_column_type(row, column) != SQLITE_NULL)
        output_time(sqlite3_column_double(row, column), text, sizeof text);
    fprintf(out, " %s |", text);
}

static int put_table(const struct review *review, FILE *out)
{
    sqlite3_stmt *row = NULL;
    long shown = 0;
    if (sqlite3_prepare_v2(review->database, cmd_review_sql_numbers, -1, &row, NULL) != SQLITE_OK)
        return fail("the functions cannot be read: %s", sqlite3_errmsg(review->database));
    fputs("| function | defined | calls | total | self | mean | longest | allocated |\n"
          "| --- | --- | --: | --: | --: | --: | --: | --: |\n",
          out);
    for (size_t id = 1; id < review->view.functions_count; id++) {
        char place[256], bytes[32];
        if (!review->chosen[id] || shown++ >= FUNCTIONS_MAX)
            continue;
        run_place(&review->view.functions[id], place, sizeof place);
        fputs("| ", out);
        text_put_markdown(out, review->view.functions[id].name);
        fputs(" | ", out);
        text_put_markdown(out, place);
        sqlite3_reset(row);
        if (sqlite3_bind_int64(row, 1, (int64_t)id) != SQLITE_OK)
            return database_rows_short(row);
        int result = sqlite3_step(row);
        if (result == SQLITE_DONE)
            fputs(" | 0 | - | - | - | - | - |\n", out);
        else if (result != SQLITE_ROW)
            break;
        if (result == SQLITE_DONE)
            continue;
        fprintf(out, " | %lld |", (long long)sqlite3_column_int64(row, 0));
        for (int column = 1; column <= 4; column++)
            put_time_cell(out, row, column);
        output_bytes(sqlite3_column_double(row, 5), bytes, sizeof bytes);
        fprintf(out, " %s |\n", bytes);
    }
    if (database_rows_end(row, "the functions") != 0)
        return 2;
    if (shown > FUNCTIONS_MAX)
        fprintf(out, "\nand %ld more functions\n", shown - FUNCTIONS_MAX);
    return 0;
}

/* Prints a line of the statement's rows for the id, each with its number; no rows, no line. */
static int put_counts(const struct review *review, FILE *out, int64_t id, const char *title,
                      const char *sql)
{
    sqlite3_stmt *row = NULL;
    int count = 0;
    if (sqlite3_prepare_v2(review->database, sql, -1, &row, NULL) != SQLITE_OK)
        return fail("the run cannot be read: %s", sqlite3_errmsg(review->database));
    if (sqlite3_bind_int64(row, 1, id) != SQLITE_OK)
        return database_rows_short(row);
    while (sqlite3_step(row) == SQLITE_ROW) {
        fputs(count++ == 0 ? title : ", ", out);
        text_put_markdown(out, database_shown(row, 0));
        fprintf(out, " (%lld)", (long long)sqlite3_column_int64(row, 1));
    }
    fputs(count > 0 ? "\n" : "", out);
    return database_rows_end(row, "the run");
}

/* The commonest values of each parameter, and of the result. */
static int put_values(const struct review *review, FILE *out, size_t id)
{
    sqlite3_stmt *row = NULL;
    int status = 0;
    if (sqlite3_prepare_v2(review->database, cmd_review_sql_parameters, -1, &row, NULL) !=
        SQLITE_OK)
        return fail("the parameters cannot be read: %s", sqlite3_errmsg(review->database));
    if (sqlite3_bind_int64(row, 1, (int64_t)id) != SQLITE_OK)
        return database_rows_short(row);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
        char *title = NULL;
        size_t size = 0;
        FILE *memory = memory_text_open(&title, &size);
        if (memory == NULL) {
            status = fail("out of memory");
            break;
        }
        fputs("- ", memory);
        text_put_markdown(memory, database_shown(row, 1));
        fputs(": ", memory);
        status = fclose(memory) != 0 || title == NULL
                     ? fail("out of memory")
                     : put_counts(review, out, sqlite3_column_int64(row, 0), title,
                                  cmd_review_sql_values);
        free(title);
    }
    if (status != 0) {
        sqlite3_finalize(row);
        return status;
    }
    return database_rows_end(row, "the parameters");
}

/* Prints a query's rows, which are text already. */
static void put_rows(FILE *out, const struct query_file *query, const char *text)
{
    fputs("\n*", out);
    text_put_markdown(out, query->title != NULL ? query->title : query->name);
    fputs("* (`fisql query ", out);
    export_plain_text(out, query->name, "`", '?');
    fprintf(out, "`)\n\n%s", text);
}

/* Prints the rows that name the function, of the queries of errors and findings. */
static int put_findings(const struct review *review, FILE *out, const struct query_set *set,
                        const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct query_file *query = &set->queries[i];
        enum findings_part part = findings_part_of(query);
        struct query_request request = {.format = OUTPUT_MARKDOWN,
                                        .limit = 3,
                                        .columns_max = 6,
                                        .cell_width_max = 44,
                                        .suppress_any = true};
        request.filters.values[FILTER_FUNCTION] = name;
        if ((part != PART_ERRORS && part != PART_FINDINGS) ||
            !filters_fit(&request.filters, review->database, query) ||
            query_lacks(query, review->database) != NULL)
            continue;
        findings_settings(&request, query);
        char *text = NULL;
        size_t size = 0;
        long rows = 0;
        FILE *memory = memory_text_open(&text, &size);
        if (memory == NULL)
            return fail("out of memory");
        int status = query_run(&request, review->database, query, memory, &rows);
        if (fclose(memory) != 0 && status == 0)
            status = fail("out of memory");
        if (status == 0 && rows > 0)
            put_rows(out, query, text);
        free(text);
        if (status != 0)
            return status;
    }
    return 0;
}

static int put_function(const struct review *review, FILE *out, const struct query_set *set,
                        size_t id)
{
    fputs("\n### ", out);
    text_put_markdown(out, review->view.functions[id].name);
    fputs("\n\n", out);
    int status = put_counts(review, out, (int64_t)id, "- called by ", cmd_review_sql_callers);
    if (status == 0)
        status = put_counts(review, out, (int64_t)id, "- calls ", cmd_review_sql_callees);
    if (status == 0)
        status = put_values(review, out, id);
    if (status == 0)
        status = put_findings(review, out, set, review->view.functions[id].name);
    return status;
}

static int put_page(const struct review *review, FILE *out, const struct options *options)
{
    struct query_set set;
    long shown = 0;
    if (query_set_load(&set) != 0)
        return 2;
    fputs("## Review of a run\n\n`", out);
    export_plain_text(out, review->view.command != NULL ? review->view.command : "?", "`", '?');
    fprintf(out, "`: %zu function%s.\n\n", review->chosen_count,
            review->chosen_count == 1 ? "" : "s");
    if (options->picture != NULL) {
        fputs("![contexts, time and calls](<", out); /* the path may hold blanks and brackets */
        text_put_markdown(out, options->picture);
        fputs(">)\n\n", out);
    }
    int status = put_table(review, out);
    for (size_t id = 1; id < review->view.functions_count && status == 0; id++)
        if (review->chosen[id] && shown++ < FUNCTIONS_MAX)
            status = put_function(review, out, &set, id);
    query_set_release(&set);
    return status;
}

/* ---- files ---- */

static int write_page(const struct review *review, const struct options *options)
{
    struct out_file out;
    errno = 0;
    if (out_file_open(&out, options->output, &options->path, 1) != 0)
        return 2;
    return out_file_close(&out, put_page(review, out.stream, options));
}

/* Writes the PNG of an SVG to the stream. */
static int convert(FILE *svg, FILE *png, const char *path)
{
    int status = 0;
    if (fflush(svg) != 0 || fflush(png) != 0)
        return fail("%s: the picture cannot be written: %s", path, strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        if (lseek(fileno(svg), 0, SEEK_SET) == 0 && dup2(fileno(svg), STDIN_FILENO) >= 0 &&
            dup2(fileno(png), STDOUT_FILENO) >= 0) {
            interrupts_child();
            execlp("rsvg-convert", "rsvg-convert", (char *)NULL);
        }
        _exit(127);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        return 0;
    return fail("%s: the picture is missing, rsvg-convert failed or is not installed: install "
                "librsvg2-bin, or give a .svg",
                path);
}

/* Writes the picture as a PNG, by way of an SVG without a name. */
static int put_png(const struct review *review, FILE *out, const char *path)
{
    FILE *svg = tmpfile();
    if (svg == NULL)
        return fail("%s: a temporary file cannot be made: %s", path, strerror(errno));
    int status = review_picture(review, svg);
    if (status == 0)
        status = convert(svg, out, path);
    fclose(svg);
    return status;
}

static int write_picture(const struct review *review, const struct options *options)
{
    const char *path = options->picture;
    struct out_file out;
    bool png = has_ending(path, ".png");
    errno = 0;
    if (out_file_open(&out, path, &options->path, 1) != 0)
        return 2;
    return out_file_close(&out, png ? put_png(review, out.stream, path)
                                    : review_picture(review, out.stream));
}

/* ---- options ---- */

static int parse(struct options *options, int argc, char **argv)
{
    enum { FUNCTION = 256, FILE_NAME, GIT_DIFF, RANGE, PICTURE, DEMANGLE };
    static const struct args_option known[] = {
        {"function", FUNCTION, true}, {"file", FILE_NAME, true}, {"git-diff", GIT_DIFF, false},
        {"range", RANGE, true},       {"output", 'o', true},     {"picture", PICTURE, true},
        {"demangle", DEMANGLE, true}, {NULL, 0, false}};
    struct args args = {.command = "review", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        switch (args.code) {
        case FUNCTION:
            if (options->functions_count == CHOICES_MAX)
                return fail("--function: at most %d of them", CHOICES_MAX);
            options->functions[options->functions_count++] = args.value;
            break;
        case FILE_NAME:
            if (options->files_count == CHOICES_MAX)
                return fail("--file: at most %d of them", CHOICES_MAX);
            options->files[options->files_count++] = args.value;
            break;
        case RANGE:
            options->range = args.value;
            options->changed = true;
            break;
        case GIT_DIFF:
            options->changed = true;
            break;
        case 'o':
            options->output = args.value;
            break;
        case PICTURE:
            options->picture = args.value;
            break;
        case DEMANGLE:
            if (!name_style_parse(args.value, &options->style))
                return args_wrong(&args, "short, full or no");
            break;
        }
    }
    options->path = args_word(&args, "run.db");
    return args_end(&args);
}

int cmd_review(int argc, char **argv)
{
    struct options options = {.style = NAMES_SHORT};
    struct review review = {.database = NULL};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    review.database = database_open(options.path);
    status = review.database == NULL
                 ? 2
                 : run_view_open(&review.view, review.database, options.style, MEASURE_CPU);
    if (status == 0) {
        database_say_state(review.database, options.path);
        status = choose_all(&review, &options);
    }
    int pictured = status == 0 && options.picture != NULL ? write_picture(&review, &options) : 0;
    if (pictured != 0)
        options.picture = NULL; /* the page shows none that is not there */
    if (status == 0)
        status = write_page(&review, &options);
    if (status == 0)
        status = pictured;
    free(review.chosen);
    run_view_release(&review.view);
    sqlite3_close(review.database);
    return status;
}
