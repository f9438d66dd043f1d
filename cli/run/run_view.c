/* A run's names in memory: see run_view.h. */
#include "cli/run/run_view.h"

#include "base/array.h"
#include "base/parts.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_row(sqlite3 *database, const char *sql, sqlite3_stmt **statement)
{
    int result = sqlite3_prepare_v2(database, sql, -1, statement, NULL);
    if (result != SQLITE_OK && (result == SQLITE_NOMEM || database_is_unreadable(database)))
        database_failed(database);
    return database_row(*statement);
}

int64_t run_integer(sqlite3 *database, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *statement = NULL;
    int64_t value = otherwise;
    if (run_row(database, sql, &statement) && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

bool run_has_calls(sqlite3 *database, const char *path, const char *what)
{
    if (run_integer(database, "SELECT EXISTS (SELECT 1 FROM calls)", 0) != 0)
        return true;
    if (run_integer(database, "SELECT sum(calls) FROM threads", 0) > 0)
        fail("%s: has no rows of calls, which %s needs: load the log with --calls=all, or push it "
             "with --calls",
             path, what);
    else if (run_integer(database, "SELECT value FROM run WHERE key = 'being_recorded'", 0) != 0)
        fail("%s: no call was recorded so far: load it again when the program has called something",
             path);
    else
        fail("%s: no call was recorded: was the program built with `fisql cc`?", path);
    return false;
}

bool run_ids_sound(sqlite3 *database, const char *table)
{
    static const char sql[] =
        "SELECT count(*), coalesce(min(id), 1), coalesce(max(id), 0) FROM \"%w\"";
    const int64_t gaps_max = 1000000;
    sqlite3_stmt *statement = NULL;
    char *text = sqlite3_mprintf(sql, table);
    int result =
        text != NULL ? database_rows(database, text, table, &statement) : fail("out of memory");
    sqlite3_free(text);
    if (result != 0)
        return false;
    bool sound =
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 1) >= 1 &&
        sqlite3_column_int64(statement, 2) / 2 <= sqlite3_column_int64(statement, 0) + gaps_max;
    if (database_rows_end(statement, table) != 0)
        return false;
    if (!sound)
        fail("%s: its %s have ids that no load gives: load the log again",
             sqlite3_db_filename(database, "main"), table);
    return sound;
}

/* May this id index an array? Those of a damaged or foreign database may be anything. */
static bool id_fits(int64_t id)
{
    return id >= 1 && id < UINT32_MAX;
}

static int read_functions(struct run_view *view, enum name_style style, sqlite3_stmt *statement)
{
    while (sqlite3_step(statement) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        if (!id_fits(id) ||
            array_reach(&view->functions, &view->functions_count, (size_t)id, NULL) != 0)
            return SQLITE_NOMEM;
        struct run_function *function = &view->functions[id];
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        if (function->name != NULL)
            return SQLITE_CORRUPT; /* the id comes twice */
        function->short_name = strdup(name != NULL ? name : "?");
        function->full_name = database_copy(statement, 6);
        if (style == NAMES_LINKAGE)
            function->linkage_name = database_copy(statement, 2);
        function->file = database_copy(statement, 3);
        function->line = sqlite3_column_int64(statement, 4);
        function->module = database_copy(statement, 5);
        function->mapped = database_copy(statement, 7);
        function->name = style == NAMES_LINKAGE && function->linkage_name != NULL
                             ? function->linkage_name
                         : style == NAMES_FULL ? run_full_name(function)
                                               : function->short_name;
        if (function->name == NULL)
            return SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

static int read_frames(struct run_view *view, enum name_style style, sqlite3_stmt *statement)
{
    (void)style;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        int64_t parent = sqlite3_column_int64(statement, 1);
        int64_t function = sqlite3_column_int64(statement, 2);
        if (!id_fits(id) || array_reach(&view->frames, &view->frames_count, (size_t)id, NULL) != 0)
            return SQLITE_NOMEM;
        /* A parent has a smaller id than its children; everything here relies on it. */
        if (parent < 0 || parent >= id || function <= 0 || view->frames[id].function != 0 ||
            (parent > 0 && view->frames[parent].function == 0) ||
            (size_t)function >= view->functions_count || view->functions[function].name == NULL)
            return SQLITE_CORRUPT;
        view->frames[id] = (struct run_frame){
            .parent = (uint32_t)parent,
            .function = (uint32_t)function,
            .depth = parent == 0 ? 0 : view->frames[parent].depth + 1,
            .site_line = sqlite3_column_int64(statement, 3),
            .calls = sqlite3_column_int64(statement, 4),
            .total_ns = sqlite3_column_int64(statement, 5),
            .self_ns = sqlite3_column_int64(statement, 6),
            .raw_self_ns = sqlite3_column_int64(statement, 7),
            .alloc_bytes = sqlite3_column_int64(statement, 8),
            .allocs = sqlite3_column_int64(statement, 9),
            .cut = sqlite3_column_int(statement, 10) != 0,
            .paused_ns = sqlite3_column_int64(statement, 11),
        };
    }
    return SQLITE_OK;
}

static int read_threads(struct run_view *view, enum name_style style, sqlite3_stmt *statement)
{
    (void)style;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (array_reserve(&view->threads, &view->threads_capacity, view->threads_count + 1, NULL) !=
            0)
            return SQLITE_NOMEM;
        struct run_thread *thread = &view->threads[view->threads_count++];
        *thread = (struct run_thread){.id = sqlite3_column_int64(statement, 0),
                                      .process_id = sqlite3_column_int64(statement, 1),
                                      .pid = sqlite3_column_int64(statement, 2),
                                      .tid = sqlite3_column_int64(statement, 3),
                                      .name = database_copy(statement, 4),
                                      .start_ns = sqlite3_column_int64(statement, 5),
                                      .end_ns = sqlite3_column_int64(statement, 6),
                                      .first_call = sqlite3_column_int64(statement, 7),
                                      .last_call = sqlite3_column_int64(statement, 8)};
        thread->start_ns = run_within(thread->start_ns, 0, RUN_NS_MAX);
        thread->end_ns = run_within(thread->end_ns, thread->start_ns, RUN_NS_MAX);
        thread->first_call = run_within(thread->first_call, 0, RUN_CALL_ID_MAX);
        thread->last_call = run_within(thread->last_call, 0, RUN_CALL_ID_MAX);
        if (thread->name == NULL)
            return SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

int run_view_open(struct run_view *view, sqlite3 *database, enum name_style style,
                  enum measure measure)
{
    char frames_sql[400];
    snprintf(frames_sql, sizeof frames_sql,
             "SELECT fr.id, coalesce(fr.parent_id, 0), fr.function_id, s.line, fr.calls, fr.%s,"
             " fr.%s, fr.raw_self_ns, fr.alloc_bytes, fr.allocs, k.frame_id IS NOT NULL,"
             " fr.paused_ns"
             " FROM frames fr LEFT JOIN sites s ON s.id = fr.site_id"
             " LEFT JOIN (SELECT DISTINCT frame_id FROM cut_calls) k ON k.frame_id = fr.id"
             " ORDER BY fr.id",
             measure_total(measure), measure_self(measure));
    const struct {
        const char *sql;
        int (*read)(struct run_view *, enum name_style, sqlite3_stmt *);
    } parts[] = {
        {"SELECT f.id, f.name, f.linkage_name, files.path, f.line, m.name, f.full_name,"
         " u.name FROM functions f LEFT JOIN files ON files.id = f.file_id"
         " LEFT JOIN modules m ON m.id = f.module_id"
         " LEFT JOIN mapped_functions u ON u.function_id = f.id",
         read_functions},
        {frames_sql, read_frames},
        {"SELECT t.id, t.process_id, p.pid, t.tid, coalesce(t.name, '#' || t.tid, '?'), t.start_ns,"
         " t.end_ns, t.first_call_id, t.last_call_id FROM threads t"
         " LEFT JOIN processes p ON p.id = t.process_id ORDER BY t.id",
         read_threads},
    };
    *view = (struct run_view){.database = database};
    if (!run_ids_sound(database, "functions") || !run_ids_sound(database, "frames"))
        return 2;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        sqlite3_stmt *statement = NULL;
        int result = sqlite3_prepare_v2(database, parts[i].sql, -1, &statement, NULL);
        if (result == SQLITE_OK)
            result = parts[i].read(view, style, statement);
        int ended = sqlite3_finalize(statement);
        if (result == SQLITE_OK)
            result = ended;
        if (result != SQLITE_OK)
            return result == SQLITE_CORRUPT && sqlite3_errcode(database) != SQLITE_CORRUPT
                       ? fail("%s: its functions and frames contradict one another: load the log "
                              "again",
                              sqlite3_db_filename(database, "main"))
                   : result == SQLITE_NOMEM ? fail("%s: cannot be read: out of memory",
                                                   sqlite3_db_filename(database, "main"))
                                            : database_fail(database, NULL);
    }
    view->command =
        database_text(database_ask(database, "SELECT value FROM run WHERE key = 'command'"));
    return 0;
}

void run_view_release(struct run_view *view)
{
    for (size_t i = 0; i < view->functions_count; i++) {
        free(view->functions[i].short_name);
        free(view->functions[i].full_name);
        free(view->functions[i].linkage_name);
        free(view->functions[i].file);
        free(view->functions[i].module);
        free(view->functions[i].mapped);
    }
    for (size_t i = 0; i < view->threads_count; i++)
        free(view->threads[i].name);
    free(view->functions);
    free(view->frames);
    free(view->threads);
    free(view->command);
}

const char *run_full_name(const struct run_function *function)
{
    return function->full_name != NULL ? function->full_name : function->short_name;
}

bool run_function_is(const struct run_function *function, const char *pattern)
{
    const char *const names[] = {function->name, function->short_name, function->full_name};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] != NULL &&
            (strcmp(names[i], pattern) == 0 || fnmatch(pattern, names[i], 0) == 0))
            return true;
    return false;
}

void run_place(const struct run_function *function, char *text, size_t size)
{
    if (function->file == NULL) {
        snprintf(text, size, "%s", function->module != NULL ? function->module : "?");
        return;
    }
    snprintf(text, size, "%s:%lld", last_part(function->file), (long long)function->line);
}
