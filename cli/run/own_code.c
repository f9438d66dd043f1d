/* Folding the system's functions into the own ones that called them: see own_code.h. */
#include "cli/run/own_code.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/must.h"
#include "base/sorted.h"
#include "base/parts.h"
#include "base/memory_text.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"
#include "cli/run/schema_check.h"

/* own_code.sql */
extern const char own_code_sql_none_named[], own_code_sql_has_others[], own_code_sql_has_external[],
    own_code_sql_contexts[], own_code_sql_own_frames[], own_code_sql_own_frames_row[],
    own_code_sql_frames[], own_code_sql_frames_done[], own_code_sql_edges[],
    own_code_sql_edges_added[], own_code_sql_edges_of_contexts[], own_code_sql_edges_done[],
    own_code_sql_new_sums[], own_code_sql_folded_sums[], own_code_sql_sums_done[],
    own_code_sql_function_stats[], own_code_sql_function_stats_done[],
    own_code_sql_thread_functions[], own_code_sql_functions[], own_code_sql_tables[],
    own_code_sql_views[], own_code_sql_columns[];

struct context {
    int64_t id, site;
    uint32_t became; /* index of the new context that it is part of */
    bool own_around; /* it is own, or one around it is */
    bool folded;     /* into one around it; `site` is then that of the call out of own code */
};

struct fold {
    sqlite3 *database;
    struct context *contexts; /* by id */
    size_t count, room;
    struct intern places;       /* (function, site) */
    struct intern contexts_new; /* (parent's index + 1, place) */
    uint32_t *depths;           /* of the new ones */
    size_t depths_room;
};

static int broken(sqlite3 *database)
{
    return fail("%s: cannot be folded to own code: %s (--all-code does without)",
                sqlite3_db_filename(database, "main"), sqlite3_errmsg(database));
}

static bool is_true(sqlite3 *database, const char *sql, const char *parameter)
{
    sqlite3_stmt *statement = database_ask(database, sql);
    if (parameter != NULL)
        sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC);
    return database_integer(statement, 0) != 0;
}

bool own_code_none_named(sqlite3 *database, const char *pattern)
{
    return is_true(database, own_code_sql_none_named, pattern);
}

bool own_code_has_external(sqlite3 *database)
{
    return is_true(database, own_code_sql_has_external, NULL);
}

/* ---- contexts ---- */

static struct context *find(const struct fold *fold, int64_t id)
{
    size_t at = sorted_from(fold->contexts, fold->count, id, id);
    return at < fold->count && fold->contexts[at].id == id ? &fold->contexts[at] : NULL;
}

/* Takes the next context, whose parent came before. */
static int take(struct fold *fold, struct context context, int64_t parent_id, int64_t function,
                bool own)
{
    const struct context *parent = parent_id != 0 ? find(fold, parent_id) : NULL;
    uint32_t place, before = fold->contexts_new.count;
    context.own_around = own || (parent != NULL && parent->own_around);
    context.folded = !own && context.own_around;
    if (parent != NULL && parent->folded)
        context.site = parent->site;
    if (context.folded) {
        context.became = parent->became;
    } else {
        uint32_t above = parent != NULL ? parent->became + 1 : 0;
        if (intern_add(&fold->places, (uint64_t)function, (uint64_t)context.site, &place, NULL) !=
                0 ||
            intern_add(&fold->contexts_new, above, place, &context.became, NULL) != 0 ||
            array_reach(&fold->depths, &fold->depths_room, context.became, NULL) != 0)
            return -1;
        if (context.became == before)
            fold->depths[before] = above > 0 ? fold->depths[above - 1] + 1 : 0;
    }
    if (array_reserve(&fold->contexts, &fold->room, fold->count + 1, NULL) != 0)
        return -1;
    fold->contexts[fold->count++] = context;
    return 0;
}

static int read_contexts(struct fold *fold)
{
    sqlite3_stmt *statement = NULL;
    int taken = 0;
    if (database_rows(fold->database, own_code_sql_contexts, "contexts", &statement) != 0)
        return 2;
    while (taken == 0 && sqlite3_step(statement) == SQLITE_ROW) {
        struct context context = {.id = sqlite3_column_int64(statement, 0),
                                  .site = sqlite3_column_int64(statement, 1)};
        taken = take(fold, context, sqlite3_column_int64(statement, 2),
                     sqlite3_column_int64(statement, 3), sqlite3_column_int(statement, 4) != 0);
    }
    if (taken != 0) {
        sqlite3_finalize(statement);
        return fail("out of memory for %zu contexts", fold->count);
    }
    return database_rows_end(statement, "contexts");
}

/* Writes which context each became into a table. */
static int write_contexts(const struct fold *fold)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_exec(fold->database, own_code_sql_own_frames, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result =
            sqlite3_prepare_v2(fold->database, own_code_sql_own_frames_row, -1, &statement, NULL);
    for (size_t i = 0; i < fold->count && result == SQLITE_OK; i++) {
        const struct context *context = &fold->contexts[i];
        must(context->became < fold->contexts_new.count);
        const int64_t values[] = {context->id,
                                  (int64_t)context->became + 1,
                                  (int64_t)fold->contexts_new.keys[context->became].a,
                                  context->site,
                                  fold->depths[context->became],
                                  context->folded};
        for (int k = 0; k < 6; k++)
            sqlite3_bind_int64(statement, k + 1, values[k]);
        sqlite3_step(statement);
        result = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return result;
}

/* ---- tables ---- */

/* Does the column count what a function's own code did? */
static bool is_of_own_code(const char *column)
{
    static const char *const others[] = {"paused_ns", "allocs", "alloc_bytes", "frees",
                                         "free_bytes"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(column, others[i]) == 0)
            return true;
    return starts_with(column, "self_") || starts_with(column, "raw_self_");
}

/* The SQL of a column of the new contexts: o is own_frames, fr the old context. */
static void put_frame_column(FILE *sql, const char *name, bool of_frames)
{
    (void)of_frames;
    static const char kept_sum[] = "coalesce(sum(CASE o.folded WHEN 0 THEN fr.%s END), 0)";
    static const char *const special[][2] = {
        {"id", "o.own_id"},
        {"parent_id", "max(o.parent_id)"},
        {"function_id", "max(CASE o.folded WHEN 0 THEN fr.function_id END)"},
        {"site_id", "max(CASE o.folded WHEN 0 THEN o.site_id END)"},
        {"depth", "max(o.depth)"},
        {"mean_ns", "sum(CASE o.folded WHEN 0 THEN fr.mean_ns * fr.finished END)"
                    " / nullif(sum(CASE o.folded WHEN 0 THEN fr.finished END), 0)"},
        /* turns sums around several means into one around the common mean */
        {"m2", "CASE WHEN sum(1 - o.folded) = 1 THEN max(CASE o.folded WHEN 0 THEN fr.m2 END) ELSE"
               " max(0.0, sum(CASE o.folded WHEN 0 THEN fr.m2 + fr.mean_ns * fr.mean_ns *"
               " fr.finished END) - sum(CASE o.folded WHEN 0 THEN fr.mean_ns * fr.finished END) *"
               " sum(CASE o.folded WHEN 0 THEN fr.mean_ns * fr.finished END) /"
               " nullif(sum(CASE o.folded WHEN 0 THEN fr.finished END), 0)) END"},
        {"fastest_call_id", "NULL"},
        {"slowest_call_id", "NULL"},
        {"child_calls", "0"}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (strcmp(name, special[i][0]) == 0) {
            fprintf(sql, "%s AS %s", special[i][1], name);
            return;
        }
    if (is_of_own_code(name))
        fprintf(sql, "sum(fr.%s)", name);
    else if (starts_with(name, "min_") || starts_with(name, "first_"))
        fprintf(sql, "min(CASE o.folded WHEN 0 THEN fr.%s END)", name);
    else if (starts_with(name, "max_") || starts_with(name, "last_"))
        fprintf(sql, "max(CASE o.folded WHEN 0 THEN fr.%s END)", name);
    else
        fprintf(sql, kept_sum, name);
    fprintf(sql, " AS %s", name);
}

/* The SQL of a column of function_stats: s is its row, n the sums over the function's new contexts,
 * k what was folded into them; of_frames: contexts have the column, too. */
static void put_stats_column(FILE *sql, const char *name, bool of_frames)
{
    if (strcmp(name, "callees") == 0)
        fputs("(SELECT count(DISTINCT callee_id) FROM temp.edges WHERE caller_id = s.function_id)",
              sql);
    else if (strcmp(name, "callers") == 0)
        fputs("(SELECT count(DISTINCT caller_id) FROM temp.edges WHERE callee_id = s.function_id)",
              sql);
    else if (strcmp(name, "child_calls") == 0)
        fputs("coalesce((SELECT sum(child_calls) FROM temp.frames"
              " WHERE function_id = s.function_id), 0)",
              sql);
    else if (of_frames && is_of_own_code(name)) /* its own and what was folded into it */
        fprintf(sql, "CASE WHEN f.own THEN s.%s + coalesce(k.%s, 0) ELSE n.%s END", name, name,
                name);
    else if (of_frames && (starts_with(name, "total_") || starts_with(name, "raw_total_") ||
                           strcmp(name, "calls") == 0))
        fprintf(sql, "CASE WHEN f.own THEN s.%s ELSE n.%s END", name, name);
    else
        fprintf(sql, "s.%s", name);
    fprintf(sql, " AS %s", name);
}

/* The SQL of a column of another table, whose contexts are replaced. The place of an allocation in
 * a folded context is the call out of own code. */
static void put_row_column(FILE *sql, const char *name, bool of_frames)
{
    (void)of_frames;
    static const char became[] = "(SELECT own_id FROM temp.own_frames o WHERE o.id = t.%s)";
    static const char *const sites[][2] = {{"site_id", "frame_id"},
                                           {"free_site_id", "free_frame_id"},
                                           {"held_by_site_id", "held_by_frame_id"},
                                           {"longest_site_id", "longest_frame_id"},
                                           {"first_site_id", "first_frame_id"},
                                           {"other_site_id", "other_frame_id"}};
    const char *frame = NULL;
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++)
        if (strcmp(name, sites[i][0]) == 0)
            frame = sites[i][1];
    if (ends_with(name, "frame_id"))
        fprintf(sql, became, name);
    else if (frame != NULL)
        fprintf(sql,
                "coalesce((SELECT site_id FROM temp.own_frames o WHERE o.id = t.%s AND o.folded),"
                " t.%s)",
                frame, name);
    else
        fprintf(sql, "t.%s", name);
    fprintf(sql, " AS %s", name);
}

static void put_function_column(FILE *sql, const char *name, bool of_frames)
{
    (void)of_frames;
    if (strcmp(name, "instrumented") == 0)
        fputs("CASE WHEN t.own OR t.id IN (SELECT function_id FROM temp.function_stats)"
              " THEN t.instrumented ELSE 0 END AS instrumented",
              sql);
    else
        fprintf(sql, "t.%s AS %s", name, name);
}

/* The SQL of a column of thread_functions: a thread's row t gets its part of the change of the
 * function's sums from s to n. */
static void put_thread_column(FILE *sql, const char *name, bool of_frames)
{
    bool sum = of_frames && (is_of_own_code(name) || starts_with(name, "total_") ||
                             starts_with(name, "raw_total_") || strcmp(name, "calls") == 0);
    if (sum)
        fprintf(sql,
                "CASE WHEN s.calls > 0 THEN max(0, CAST(round(t.%s + (1.0 * n.%s - s.%s) * t.calls"
                " / s.calls) AS INTEGER)) ELSE t.%s END",
                name, name, name, name);
    else
        fprintf(sql, "t.%s", name);
    fprintf(sql, " AS %s", name);
}

/* The SQL of a column of edges that are made of contexts fr and their parents p. */
static void put_edge_column(FILE *sql, const char *name, bool of_frames)
{
    static const char *const special[][2] = {
        {"id", "(SELECT max(id) FROM main.edges) + min(fr.id)"},
        {"caller_id", "p.function_id"},
        {"callee_id", "fr.function_id"},
        {"site_id", "fr.site_id"},
        {"first_call_id", "min(fr.first_call_id)"},
        {"slowest_call_id", "max(fr.slowest_call_id)"}}; /* one of them */
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (strcmp(name, special[i][0]) == 0) {
            fputs(special[i][1], sql);
            return;
        }
    if (of_frames)
        fprintf(sql, "sum(fr.%s)", name);
    else
        fputs("NULL", sql);
}

/* Adds to a column of an edge what was folded into its callee's contexts. */
static void put_edge_sum(FILE *sql, const char *name, bool of_frames)
{
    (void)of_frames;
    if (is_of_own_code(name))
        fprintf(sql,
                "%s = e.%s + coalesce((SELECT sum(fr.%s) FROM temp.edge_contexts x"
                " JOIN main.frames fr ON fr.id = x.id WHERE x.callee_id = e.callee_id"
                " AND x.caller_id IS e.caller_id AND x.site_id IS e.site_id), 0), ",
                name, name, name);
}

/* Writes the SQL of a column; of_frames: contexts have a column of that name, too. */
typedef void put_column(FILE *sql, const char *name, bool of_frames);

/* Writes the columns' SQL, with commas. The schema has the known ones; unknown ones whose name
 * could be more than a name are left out. */
static int put_columns(const struct fold *fold, FILE *sql, const char *table, put_column *put)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(fold->database, own_code_sql_columns, -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    for (int i = 0; result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW; i++) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        bool of_frames = sqlite3_column_int(statement, 1) != 0;
        fputs(i > 0 && put != put_edge_sum ? ", " : "", sql);
        put(sql, name, of_frames);
    }
    int ended = sqlite3_finalize(statement);
    return result == SQLITE_OK ? ended : result;
}

static int execute(const struct fold *fold, const char *sql)
{
    return sqlite3_exec(fold->database, sql, NULL, NULL, NULL);
}

/* Runs a statement in which the SQL of the table's columns replaces the mark. */
static int make(const struct fold *fold, const char *statement, const char *table, put_column *put)
{
    static const char mark[] = "/* columns */";
    const char *columns = strstr(statement, mark);
    char *text = NULL;
    size_t size = 0;
    FILE *sql = columns != NULL ? memory_text_open(&text, &size) : NULL;
    if (sql == NULL)
        return columns == NULL ? SQLITE_MISUSE : SQLITE_NOMEM;
    fwrite(statement, 1, (size_t)(columns - statement), sql);
    int result = put_columns(fold, sql, table, put);
    fputs(columns + strlen(mark), sql);
    if (fclose(sql) != 0)
        result = SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = distrust_execute(fold->database, text);
    free(text);
    return result;
}

static int make_frames(const struct fold *fold)
{
    int result = make(fold, own_code_sql_frames, "frames", put_frame_column);
    return result != SQLITE_OK ? result : execute(fold, own_code_sql_frames_done);
}

/* Keeps edges between own functions, and adds what was folded into their callees. Makes all edges
 * of a function that the system called from its contexts, so that their sums are its calls. */
static int make_edges(const struct fold *fold)
{
    int result = execute(fold, own_code_sql_edges);
    if (result == SQLITE_OK)
        result = make(fold, own_code_sql_edges_added, "edges", put_edge_sum);
    if (result == SQLITE_OK)
        result = make(fold, own_code_sql_edges_of_contexts, "edges", put_edge_column);
    return result != SQLITE_OK ? result : execute(fold, own_code_sql_edges_done);
}

static int make_stats(const struct fold *fold)
{
    int result = make(fold, own_code_sql_new_sums, "frames", put_frame_column);
    if (result == SQLITE_OK)
        result = make(fold, own_code_sql_folded_sums, "frames", put_frame_column);
    if (result == SQLITE_OK)
        result = execute(fold, own_code_sql_sums_done);
    if (result == SQLITE_OK)
        result = make(fold, own_code_sql_function_stats, "function_stats", put_stats_column);
    return result != SQLITE_OK ? result : execute(fold, own_code_sql_function_stats_done);
}

static int make_threads(const struct fold *fold)
{
    return make(fold, own_code_sql_thread_functions, "thread_functions", put_thread_column);
}

/* Makes views over tables whose rows stay, with other contexts or without some functions. */
static int make_views(const struct fold *fold)
{
    sqlite3_stmt *tables = NULL;
    int result = make(fold, own_code_sql_functions, "functions", put_function_column);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(fold->database, own_code_sql_tables, -1, &tables, NULL);
    while (result == SQLITE_OK && sqlite3_step(tables) == SQLITE_ROW) {
        char view[256];
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        snprintf(view, sizeof view, "CREATE TEMP VIEW %s AS SELECT /* columns */ FROM main.%s t",
                 table, table);
        result = make(fold, view, table, put_row_column);
    }
    int ended = sqlite3_finalize(tables);
    if (result == SQLITE_OK)
        result = ended;
    return result != SQLITE_OK ? result : execute(fold, own_code_sql_views);
}

int own_code_fold(sqlite3 *database, bool *folded)
{
    struct fold fold = {.database = database};
    *folded = is_true(database, own_code_sql_has_others, NULL);
    if (!*folded)
        return 0;
    int status = database_check_frames(database);
    if (status == 0)
        status = read_contexts(&fold);
    if (status == 0) {
        int result = schema_put_views(database) ? write_contexts(&fold) : SQLITE_ERROR;
        int (*const steps[])(const struct fold *) = {make_frames, make_edges, make_stats,
                                                     make_threads, make_views};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0] && result == SQLITE_OK; i++)
            result = steps[i](&fold);
        status = result == SQLITE_OK ? 0 : broken(database);
    }
    free(fold.contexts);
    free(fold.depths);
    intern_release(&fold.places);
    intern_release(&fold.contexts_new);
    return status;
}
