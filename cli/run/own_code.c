/* Folding the system's functions into the own ones that called them: see own_code.h. */
#include "cli/run/own_code.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/sorted.h"
#include "base/parts.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"
#include "cli/run/schema_check.h"

struct context {
    int64_t id, site;
    uint32_t became; /* index of the context that it is part of, among the new ones */
    bool own_around; /* it is own, or one around it is */
    bool folded;     /* into one around it: then `site` is that of the call out of own code */
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
    sqlite3_stmt *statement = NULL;
    bool found = sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
                 (parameter == NULL ||
                  sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC) == SQLITE_OK) &&
                 sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    sqlite3_finalize(statement);
    return found;
}

bool own_code_none_named(sqlite3 *database, const char *pattern)
{
    return is_true(database,
                   "SELECT max(own) = 0 FROM main.functions WHERE name = ?1 OR name GLOB ?1"
                   " OR linkage_name = ?1",
                   pattern);
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
    int result = sqlite3_prepare_v2(
        fold->database,
        "SELECT fr.id, fr.site_id, fr.parent_id, fr.function_id, coalesce(f.own, 1)"
        " FROM main.frames fr LEFT JOIN main.functions f ON f.id = fr.function_id ORDER BY fr.id",
        -1, &statement, NULL);
    int taken = 0;
    while (result == SQLITE_OK && taken == 0 && sqlite3_step(statement) == SQLITE_ROW) {
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

/* Which context each became, as a table. */
static int write_contexts(const struct fold *fold)
{
    sqlite3_stmt *statement = NULL;
    int result =
        sqlite3_exec(fold->database,
                     "CREATE TEMP TABLE own_frames(id INTEGER PRIMARY KEY, own_id INTEGER,"
                     " parent_id INTEGER, site_id INTEGER, depth INTEGER, folded INTEGER);",
                     NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(fold->database,
                                    "INSERT INTO temp.own_frames VALUES(?1, ?2, nullif(?3, 0),"
                                    " nullif(?4, 0), ?5, ?6)",
                                    -1, &statement, NULL);
    for (size_t i = 0; i < fold->count && result == SQLITE_OK; i++) {
        const struct context *context = &fold->contexts[i];
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

/* Columns that count what a function's own code did. */
static bool is_of_own_code(const char *column)
{
    static const char *const others[] = {"paused_ns", "allocs", "alloc_bytes", "frees",
                                         "free_bytes"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(column, others[i]) == 0)
            return true;
    return starts_with(column, "self_") || starts_with(column, "raw_self_");
}

/* What a column of the new contexts is made of: o is own_frames, fr the old context. */
static void put_frame_column(FILE *sql, const char *name)
{
    static const char kept_sum[] = "coalesce(sum(CASE o.folded WHEN 0 THEN fr.%s END), 0)";
    static const char *const special[][2] = {
        {"id", "o.own_id"},
        {"parent_id", "max(o.parent_id)"},
        {"function_id", "max(CASE o.folded WHEN 0 THEN fr.function_id END)"},
        {"site_id", "max(CASE o.folded WHEN 0 THEN o.site_id END)"},
        {"depth", "max(o.depth)"},
        {"mean_ns", "sum(CASE o.folded WHEN 0 THEN fr.mean_ns * fr.finished END)"
                    " / nullif(sum(CASE o.folded WHEN 0 THEN fr.finished END), 0)"},
        /* of sums around several means one around the common mean */
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

/* What a column of function_stats is made of. s is its row, n the sums over the function's
 * new contexts, k what was folded into them; of_frames: contexts have that column, too. */
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

/* Rows of other tables: with what their contexts became. The place of an allocation in a folded
 * context is the call out of own code. */
static void put_row_column(FILE *sql, const char *name)
{
    static const char became[] = "(SELECT own_id FROM temp.own_frames o WHERE o.id = t.%s)";
    static const char *const sites[][2] = {{"site_id", "frame_id"},
                                           {"free_site_id", "free_frame_id"},
                                           {"held_by_site_id", "held_by_frame_id"},
                                           {"longest_site_id", "longest_frame_id"},
                                           {"first_site_id", "first_frame_id"},
                                           {"other_site_id", "other_frame_id"}};
    const char *frame = NULL;
    bool is_frame = strcmp(name, "owner_frame_id") == 0;
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++) {
        if (strcmp(name, sites[i][0]) == 0)
            frame = sites[i][1];
        is_frame |= strcmp(name, sites[i][1]) == 0;
    }
    if (is_frame)
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

static void put_function_column(FILE *sql, const char *name)
{
    if (strcmp(name, "instrumented") == 0)
        fputs("CASE WHEN t.own OR t.id IN (SELECT function_id FROM temp.function_stats)"
              " THEN t.instrumented ELSE 0 END AS instrumented",
              sql);
    else
        fprintf(sql, "t.%s AS %s", name, name);
}

/* What a thread's row t of a function gets of the change of the function's sums from s to n. */
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

/* An edge made of contexts fr and those around them, p. */
static void put_edge_column(FILE *sql, const char *name, bool of_frames)
{
    static const char *const special[][2] = {
        {"id", "(SELECT max(id) FROM main.edges) + min(fr.id)"},
        {"caller_id", "p.function_id"},
        {"callee_id", "fr.function_id"},
        {"site_id", "fr.site_id"},
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

/* What an edge gets of the contexts that were folded into its callee's. */
static void put_edge_sum(FILE *sql, const char *name)
{
    if (is_of_own_code(name))
        fprintf(sql,
                "%s = e.%s + coalesce((SELECT sum(fr.%s) FROM temp.edge_contexts x"
                " JOIN main.frames fr ON fr.id = x.id WHERE x.callee_id = e.callee_id"
                " AND x.caller_id IS e.caller_id AND x.site_id IS e.site_id), 0), ",
                name, name, name);
}

enum kind { FRAMES, STATS, ROWS, FUNCTIONS, EDGES, EDGES_ADDED, THREADS };

/* Writes what the columns of a table become, with commas. The schema has the known ones; what others somebody put
 * there is left out where its name could be more than a name. */
static int put_columns(const struct fold *fold, FILE *sql, const char *table, enum kind kind)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(
        fold->database,
        "SELECT name, EXISTS (SELECT 1 FROM pragma_table_xinfo('frames', 'main') f"
        " WHERE f.name = t.name) FROM pragma_table_xinfo(?1, 'main') t"
        " WHERE t.name NOT GLOB '*[^a-z0-9_]*'",
        -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    for (int i = 0; result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW; i++) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        bool of_frames = sqlite3_column_int(statement, 1) != 0;
        fputs(i > 0 && kind != EDGES_ADDED ? ", " : "", sql);
        if (kind == FRAMES)
            put_frame_column(sql, name);
        else if (kind == EDGES)
            put_edge_column(sql, name, of_frames);
        else if (kind == EDGES_ADDED)
            put_edge_sum(sql, name);
        else if (kind == STATS)
            put_stats_column(sql, name, of_frames);
        else if (kind == THREADS)
            put_thread_column(sql, name, of_frames);
        else if (kind == ROWS)
            put_row_column(sql, name);
        else
            put_function_column(sql, name);
    }
    sqlite3_finalize(statement);
    return result;
}

static int execute(const struct fold *fold, const char *sql)
{
    return sqlite3_exec(fold->database, sql, NULL, NULL, NULL);
}

/* Makes a table or view out of `table`: `head` the columns `tail`. */
static int make(const struct fold *fold, const char *head, const char *table, enum kind kind,
                const char *tail)
{
    char *text = NULL;
    size_t size = 0;
    FILE *sql = open_memstream(&text, &size);
    if (sql == NULL)
        return SQLITE_NOMEM;
    fputs(head, sql);
    int result = put_columns(fold, sql, table, kind);
    fputs(tail, sql);
    if (fclose(sql) != 0)
        result = SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = distrust_execute(fold->database, text);
    free(text);
    return result;
}

static int make_frames(const struct fold *fold)
{
    int result = make(fold, "CREATE TEMP TABLE frames AS SELECT ", "frames", FRAMES,
                      " FROM temp.own_frames o JOIN main.frames fr ON fr.id = o.id"
                      " GROUP BY o.own_id ORDER BY o.own_id");
    return result != SQLITE_OK
               ? result
               : execute(fold,
                         "CREATE UNIQUE INDEX temp.frames_id ON frames(id);"
                         "CREATE INDEX temp.frames_parent ON frames(parent_id);"
                         "CREATE INDEX temp.frames_function ON frames(function_id);"
                         "CREATE INDEX temp.own_frames_own ON own_frames(own_id);"
                         "UPDATE temp.frames SET child_calls = coalesce((SELECT sum(calls)"
                         "   FROM temp.frames c WHERE c.parent_id = frames.id), 0),"
                         " fastest_call_id = (SELECT fr.fastest_call_id FROM temp.own_frames o"
                         "   JOIN main.frames fr ON fr.id = o.id WHERE o.own_id = frames.id"
                         "   AND o.folded = 0 AND fr.min_ns = frames.min_ns ORDER BY fr.id),"
                         " slowest_call_id = (SELECT fr.slowest_call_id FROM temp.own_frames o"
                         "   JOIN main.frames fr ON fr.id = o.id WHERE o.own_id = frames.id"
                         "   AND o.folded = 0 AND fr.max_ns = frames.max_ns ORDER BY fr.id)");
}

/* Edges between own functions stay, and get what was folded into their callees. Those to a function
 * that the system called are made of its contexts: all of its edges, so that their sums are its
 * calls. */
static int make_edges(const struct fold *fold)
{
    int result = execute(
        fold, "CREATE TEMP TABLE edges AS SELECT e.* FROM main.edges e"
              "  WHERE e.callee_id IN (SELECT function_id FROM temp.frames) AND e.callee_id NOT IN"
              "  (SELECT x.callee_id FROM main.edges x JOIN main.functions f ON f.id = x.caller_id"
              "   WHERE f.own = 0);"
              "CREATE TEMP TABLE edge_contexts AS"
              "  SELECT o.own_id, o.id, n.function_id AS callee_id, n.site_id,"
              "   p.function_id AS caller_id FROM temp.own_frames o"
              "  JOIN temp.frames n ON n.id = o.own_id"
              "  LEFT JOIN temp.frames p ON p.id = n.parent_id WHERE o.folded;"
              "CREATE INDEX temp.edge_contexts_callee"
              "  ON edge_contexts(callee_id, caller_id, site_id);"
              "CREATE UNIQUE INDEX temp.edges_id ON edges(id)");
    if (result == SQLITE_OK)
        result = make(fold, "UPDATE temp.edges AS e SET ", "edges", EDGES_ADDED,
                      "id = e.id WHERE EXISTS (SELECT 1 FROM temp.edge_contexts x"
                      " WHERE x.callee_id = e.callee_id AND x.caller_id IS e.caller_id"
                      " AND x.site_id IS e.site_id)");
    if (result == SQLITE_OK)
        result = make(fold, "INSERT INTO temp.edges SELECT ", "edges", EDGES,
                      " FROM temp.frames fr LEFT JOIN temp.frames p ON p.id = fr.parent_id"
                      " WHERE fr.function_id NOT IN (SELECT callee_id FROM temp.edges)"
                      " GROUP BY p.function_id, fr.site_id, fr.function_id");
    return result != SQLITE_OK
               ? result
               : execute(fold, "CREATE INDEX temp.edges_caller ON edges(caller_id, callee_id);"
                               "CREATE INDEX temp.edges_callee ON edges(callee_id, caller_id);"
                               "CREATE INDEX temp.edges_entry ON edges(callee_id, site_id);"
                               "DROP TABLE temp.edge_contexts");
}

/* n: sums of the function's contexts; k: what was folded into them. */
static int make_stats(const struct fold *fold)
{
    int result =
        make(fold,
             "CREATE TEMP TABLE new_sums AS SELECT fr.function_id AS of_function, fr.* FROM"
             " (SELECT ",
             "frames", FRAMES,
             ", 0 AS unused FROM (SELECT id, id AS own_id, 0 AS parent_id, 0 AS site_id,"
             " 0 AS depth, 0 AS folded, function_id AS by_function FROM temp.frames) o"
             " JOIN temp.frames fr ON fr.id = o.id GROUP BY o.by_function) fr");
    if (result == SQLITE_OK)
        result = make(fold,
                      "CREATE TEMP TABLE folded_sums AS SELECT fr.function_id AS of_function, fr.*"
                      " FROM (SELECT ",
                      "frames", FRAMES,
                      ", 0 AS unused FROM (SELECT o.id, n.function_id AS own_id, 0 AS parent_id,"
                      " 0 AS site_id, 0 AS depth, 0 AS folded FROM temp.own_frames o"
                      " JOIN temp.frames n ON n.id = o.own_id WHERE o.folded) o"
                      " JOIN main.frames fr ON fr.id = o.id GROUP BY o.own_id) fr");
    if (result == SQLITE_OK)
        result = execute(fold, "UPDATE folded_sums SET of_function = id;"
                               "CREATE INDEX temp.new_sums_of ON new_sums(of_function);"
                               "CREATE INDEX temp.folded_sums_of ON folded_sums(of_function)");
    if (result == SQLITE_OK)
        result = make(fold, "CREATE TEMP TABLE function_stats AS SELECT ", "function_stats", STATS,
                      " FROM main.function_stats s JOIN main.functions f ON f.id = s.function_id"
                      " JOIN temp.new_sums n ON n.of_function = s.function_id"
                      " LEFT JOIN temp.folded_sums k ON k.of_function = s.function_id"
                      " ORDER BY s.function_id");
    return result != SQLITE_OK
               ? result
               : execute(fold, "CREATE UNIQUE INDEX temp.function_stats_id"
                               " ON function_stats(function_id);"
                               "DROP TABLE temp.new_sums; DROP TABLE temp.folded_sums");
}

static int make_threads(const struct fold *fold)
{
    return make(fold, "CREATE TEMP TABLE thread_functions AS SELECT ", "thread_functions", THREADS,
                " FROM main.thread_functions t"
                " JOIN main.function_stats s ON s.function_id = t.function_id"
                " JOIN temp.function_stats n ON n.function_id = t.function_id"
                " ORDER BY t.thread_id, t.function_id");
}

/* Views over tables whose rows stay, with other contexts or without some functions. */
static int make_views(const struct fold *fold)
{
    static const char *const rows[] = {"calls",        "allocs",      "alloc_stacks", "block_flows",
                                       "alloc_owners", "free_errors", "lock_waits",   "lock_holds",
                                       "lock_orders",  "lock_misuses"};
    static const char *const functions[][2] = {{"slow_calls", "function_id"},
                                               {"durations", "function_id"},
                                               {"intervals", "function_id"},
                                               {"recursions", "function_id"},
                                               {"call_sequences", "function_id"}};
    char head[128], tail[192];
    int result = make(fold, "CREATE TEMP VIEW functions AS SELECT ", "functions", FUNCTIONS,
                      " FROM main.functions t");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && result == SQLITE_OK; i++) {
        snprintf(head, sizeof head, "CREATE TEMP VIEW %s AS SELECT ", rows[i]);
        snprintf(tail, sizeof tail, " FROM main.%s t", rows[i]);
        result = make(fold, head, rows[i], ROWS, tail);
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && result == SQLITE_OK; i++) {
        snprintf(tail, sizeof tail,
                 "CREATE TEMP VIEW %s AS SELECT * FROM main.%s t"
                 " WHERE t.%s IN (SELECT function_id FROM temp.function_stats)",
                 functions[i][0], functions[i][0], functions[i][1]);
        result = execute(fold, tail);
    }
    return result != SQLITE_OK
               ? result
               : execute(fold,
                         "CREATE TEMP VIEW context_edges AS SELECT DISTINCT NULL AS id,"
                         " p.function_id AS caller_id, p.site_id AS caller_site_id,"
                         " fr.site_id, fr.function_id AS callee_id"
                         " FROM temp.frames fr LEFT JOIN temp.frames p ON p.id = fr.parent_id;"
                         "CREATE TEMP VIEW callee_runs AS SELECT * FROM main.callee_runs t"
                         " WHERE t.caller_id IN (SELECT function_id FROM temp.function_stats)"
                         " AND t.callee_id IN (SELECT function_id FROM temp.function_stats);"
                         "CREATE TEMP VIEW callee_transitions AS SELECT *"
                         " FROM main.callee_transitions t"
                         " WHERE t.caller_id IN (SELECT function_id FROM temp.function_stats)"
                         " AND t.callee_id IN (SELECT function_id FROM temp.function_stats)"
                         " AND (t.previous_id = 0 OR"
                         "  t.previous_id IN (SELECT function_id FROM temp.function_stats));"
                         "DROP VIEW temp.recorded_calls;"
                         "CREATE TEMP VIEW recorded_calls AS SELECT c.*, fr.function_id"
                         " FROM main.calls c JOIN main.frames fr ON fr.id = c.frame_id");
}

int own_code_fold(sqlite3 *database, bool *folded)
{
    struct fold fold = {.database = database};
    *folded = is_true(database,
                      "SELECT EXISTS (SELECT 1 FROM main.function_stats s"
                      " JOIN main.functions f ON f.id = s.function_id WHERE f.own = 0)",
                      NULL);
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
