/* Asking many runs: see ask.h. */
#include "cli/fleet/ask.h"

#include "base/array.h"
#include "cli/fleet/choose.h"
#include "cli/fleet/fold.h"
#include "cli/out/say.h"
#include "cli/query/suppressions.h"
#include "cli/run/names.h"
#include "queries/embedded.h"

#include <stdlib.h>
#include <string.h>

int ask_load(struct query_set *set)
{
    *set = (struct query_set){0};
    for (size_t i = 0; i < embedded_fleet_queries_count; i++) {
        if (array_reserve(&set->queries, &set->capacity, set->count + 1, NULL) != 0)
            return fail("out of memory");
        struct query_file *query = &set->queries[set->count++];
        if (query_file_parse(query, embedded_fleet_queries[i].name,
                             embedded_fleet_queries[i].text) != 0)
            return fail("out of memory");
    }
    return 0;
}

/* ---- settings ---- */

static int fail_unknown_setting(const struct query_file *query, const char *name)
{
    const char *names[QUERY_PARTS_MAX];
    for (size_t i = 0; i < query->params_count; i++)
        names[i] = query->params[i].name;
    fail("%s: has no parameter %s", query->name, name);
    say_list("its parameters are", names, query->params_count);
    return 2;
}

static int check_settings(const struct query_request *request, const struct query_file *query)
{
    for (size_t i = 0; i < request->settings_count; i++) {
        const char *setting = request->settings[i], *equals = strchr(setting, '=');
        char name[128];
        if (equals == NULL || equals == setting || equals - setting > 120)
            return fail("-p %s: wants NAME=VALUE", setting);
        snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
        if (query_part_find(query->params, query->params_count, name) == NULL)
            return fail_unknown_setting(query, name);
    }
    return 0;
}

/* The given value, else the default in the header. */
static const char *setting_of(const struct query_request *request, const struct query_part *part)
{
    size_t length = strlen(part->name);
    const char *value = part->value;
    for (size_t i = 0; i < request->settings_count; i++)
        if (strncmp(request->settings[i], part->name, length) == 0 &&
            request->settings[i][length] == '=')
            value = request->settings[i] + length + 1;
    return value;
}

/* Chooses the runs of each parameter that names runs, on the side of that parameter. */
static int choose_runs(struct store *store, const struct query_request *request,
                       const struct query_file *query)
{
    static const struct {
        const char *name;
        int side;
    } sets[] = {{"runs", 1}, {"before", 1}, {"after", 2}};
    int status = choose_begin(store);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0] && status == 0; i++) {
        const struct query_part *part =
            query_part_find(query->params, query->params_count, sets[i].name);
        const char *set = part != NULL ? setting_of(request, part) : NULL;
        if (set != NULL && strcmp(set, "-") == 0)
            return fail("%s: wants two sets of runs: -p before=SET -p after=SET, such as -p "
                        "before=version=1.0; `fisql fleet runs` lists runs with their labels",
                        query->name);
        if (set != NULL)
            status = choose_add(store, sets[i].name, set, sets[i].side);
    }
    return status == 0 ? fold_choose(store) : status;
}

/* ---- steps ---- */

static const char gather_mark[] = "-- gather ", local_mark[] = "-- local ",
                  finish_mark[] = "-- finish";

struct step {
    enum { STEP_GATHER, STEP_LOCAL, STEP_FINISH } kind;
    char name[64], uses[128];
    char *sql;
};

/* The start of the next step, NULL = there is none. */
static const char *next_mark(const char *text)
{
    for (const char *line = text; *line != '\0';) {
        if (strncmp(line, gather_mark, strlen(gather_mark)) == 0 ||
            strncmp(line, local_mark, strlen(local_mark)) == 0 ||
            strncmp(line, finish_mark, strlen(finish_mark)) == 0)
            return line;
        line = strchrnul(line, '\n');
        line += *line != '\0';
    }
    return NULL;
}

/* Reads the step at the mark. *next becomes the following mark. The caller frees step->sql. */
static int read_step(struct step *step, const char *mark, const char **next)
{
    const char *sql = strchrnul(mark, '\n');
    *step = (struct step){.kind = STEP_FINISH};
    if (strncmp(mark, gather_mark, strlen(gather_mark)) == 0) {
        step->kind = STEP_GATHER;
        if (sscanf(mark, "-- gather %63[a-z_]: uses %127[a-z_ ]", step->name, step->uses) < 1)
            return 2;
    } else if (strncmp(mark, local_mark, strlen(local_mark)) == 0) {
        step->kind = STEP_LOCAL;
        if (sscanf(mark, "-- local %63[a-z_]", step->name) != 1)
            return 2;
    }
    *next = next_mark(sql);
    step->sql = *next != NULL ? strndup(sql, (size_t)(*next - sql)) : strdup(sql);
    return step->sql != NULL ? 0 : fail("out of memory");
}

static int run_local(struct store *store, const struct query_request *request,
                     const struct query_file *query, const struct step *step)
{
    sqlite3_stmt *statement = NULL;
    /* ask_run() frees the step's. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    char *sql = sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", step->name, step->sql);
    int status = 0;
    if (sql == NULL || sqlite3_prepare_v2(store->local, sql, -1, &statement, NULL) != SQLITE_OK)
        status = fail("%s: %s", query->name, sqlite3_errmsg(store->local));
    if (status == 0)
        status = query_bind_present(request, query, statement);
    if (status == 0 && sqlite3_step(statement) != SQLITE_DONE)
        status = fail("%s: %s", query->name, sqlite3_errmsg(store->local));
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return status;
}

/* ---- the answer ---- */

struct answer {
    struct suppressions suppressions;
    int stack_column;
};

/* Drops a row if a pattern matches a function of its stack, or the file or module of one. */
static bool keep_row(void *context, sqlite3_stmt *statement)
{
    struct answer *answer = context;
    const char *stack = (const char *)sqlite3_column_text(statement, answer->stack_column);
    for (const char *name = stack; name != NULL && *name != '\0';) {
        const char *arrow = strstr(name, NAMES_ARROW);
        size_t length = arrow != NULL ? (size_t)(arrow - name) : strlen(name);
        if (suppressions_match_function(&answer->suppressions, name, length))
            return false;
        name += length + (arrow != NULL ? strlen(NAMES_ARROW) : 0);
    }
    return true;
}

static int load_suppressions(struct store *store, const struct query_request *request,
                             const struct query_file *query, sqlite3_stmt *statement,
                             struct answer *answer)
{
    static const char gather_sql[] = "SELECT name, file, module, linkage_name FROM names";
    static const char names_sql[] =
        "SELECT name, file, module, linkage_name FROM temp.suppressible WHERE name = ?1";
    answer->stack_column = -1;
    if (request->suppressions == NULL)
        return 0;
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        if (strcmp(sqlite3_column_name(statement, i), "stack") == 0)
            answer->stack_column = i;
    if (answer->stack_column < 0)
        return fail("%s: --suppressions: its rows have no stack", query->name);
    if (store_gather(store, "suppressible", gather_sql, "") != 0)
        return 2;
    return suppressions_load_with(&answer->suppressions, request->suppressions, store->local,
                                  names_sql);
}

static int write_answer(struct store *store, const struct query_request *request,
                        const struct query_file *query, const char *sql, FILE *out, long *rows)
{
    sqlite3_stmt *statement = NULL;
    struct answer answer = {.stack_column = -1};
    struct output_column *columns = NULL;
    int status = 0;
    if (sqlite3_prepare_v2(store->local, sql, -1, &statement, NULL) != SQLITE_OK)
        status = fail("%s: %s", query->name, sqlite3_errmsg(store->local));
    if (status == 0)
        status = query_bind_present(request, query, statement);
    if (status == 0)
        status = load_suppressions(store, request, query, statement, &answer);
    if (status == 0 && (columns = query_columns(query, statement)) == NULL)
        status = fail("out of memory");
    if (status == 0) {
        const struct output_source source = {.statement = statement,
                                             .columns = columns,
                                             .limit = request->limit,
                                             .count_all = request->count_all,
                                             .width_max = request->width_max,
                                             .say_left_out = request->say_left_out,
                                             .keep = answer.stack_column >= 0 ? keep_row : NULL,
                                             .context = &answer};
        if (output_rows(out, request->format, &source, rows) != SQLITE_DONE)
            status = fail("%s: %s", query->name, sqlite3_errmsg(store->local));
        else if (answer.suppressions.suppressed > 0)
            note("%s: rows suppressed by %s: %zu", query->name, request->suppressions,
                 answer.suppressions.suppressed);
    }
    if (columns != NULL)
        query_columns_free(columns, sqlite3_column_count(statement));
    suppressions_release(&answer.suppressions);
    sqlite3_finalize(statement);
    return status;
}

/* Reads the labels before the first step that uses them. */
static int look_labels(struct store *store, const struct step *step, bool *there)
{
    if (*there || step->kind == STEP_GATHER || strstr(step->sql, "labels") == NULL)
        return 0;
    *there = true;
    return store_look_labels(store);
}

int ask_run(struct store *store, const struct query_request *request,
            const struct query_file *query, FILE *out, long *rows)
{
    bool labels_there = false;
    *rows = 0;
    int status = check_settings(request, query);
    /* All steps see one state of the file, even while others push. */
    if (status == 0 && sqlite3_exec(store->local, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        status = fail("%s: %s", store->url, sqlite3_errmsg(store->local));
    if (status == 0)
        status = choose_runs(store, request, query);
    for (const char *mark = next_mark(query->sql); mark != NULL && status == 0;) {
        struct step step;
        status = read_step(&step, mark, &mark);
        if (status == 0)
            status = look_labels(store, &step, &labels_there);
        if (status == 0 && step.kind == STEP_GATHER)
            status = store_gather(store, step.name, step.sql, step.uses);
        else if (status == 0 && step.kind == STEP_LOCAL)
            status = run_local(store, request, query, &step);
        else if (status == 0)
            status = write_answer(store, request, query, step.sql, out, rows);
        free(step.sql);
    }
    if (sqlite3_get_autocommit(store->local) == 0)
        sqlite3_exec(store->local, "ROLLBACK", NULL, NULL,
                     NULL); /* we wrote only temporary tables */
    return status;
}
