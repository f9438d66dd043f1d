/*
 * The tables of incidents: what went wrong, all threads' open calls at that time, and the block at
 * the address. The database answers the last two when it has calls and blocks. Ids of calls rise
 * with time within a thread, so halving finds a call among any number.
 */
#include "loader/tables/tables_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "loader/log/log_index.h"
#include "debuginfo/names/demangle.h"

#define STACKS_MAX 1000 /* incidents with stacks: a program may request them in a loop */
#define TYPEINFO "typeinfo for "

extern const char tables_incidents_sql_unreported[], tables_incidents_sql_deadlocks[],
    tables_incidents_sql_threads[], tables_incidents_sql_forked[], tables_incidents_sql_call[],
    tables_incidents_sql_stack[], tables_incidents_sql_left[], tables_incidents_sql_blocks[],
    tables_incidents_sql_frees[], tables_incidents_sql_pointers[], tables_incidents_sql_pointer[],
    tables_incidents_sql_freed[], tables_incidents_sql_place[];

static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {
#define NAME(constant, number, name, what) [number] = name,
        FISQL_INCIDENT_KINDS(NAME)
#undef NAME
    };
    return names[kind];
}

/* The text with readable names of types in place of {St13runtime_error}. The caller frees it. */
static char *message_make(const char *text)
{
    char name[1024], *type = NULL, *message = NULL;
    const char *open = strchr(text, '{'), *close = open != NULL ? strchr(open, '}') : NULL;
    if (close != NULL && close - open < (ptrdiff_t)sizeof name - 8) {
        snprintf(name, sizeof name, "_ZTI%.*s", (int)(close - open - 1), open + 1);
        type = demangle(name);
    }
    if (type == NULL || strncmp(type, TYPEINFO, strlen(TYPEINFO)) != 0)
        message = strdup(text);
    else if (asprintf(&message, "%.*s%s%s", (int)(open - text), text, type + strlen(TYPEINFO),
                      close + 1) < 0)
        message = NULL;
    free(type);
    return message;
}

/* Goes through the incidents of all threads, perhaps with their pointers, always in the same order:
 * only here do they get their ids. */
struct incidents {
    struct table_records records;
    int64_t id;
};

static struct incidents incidents_begin(const struct tables *tables, uint32_t kinds)
{
    return (struct incidents){.records = table_records(tables, 1u << DECODE_INCIDENT | kinds)};
}

/* NULL at the end. */
static const struct decode_record *incidents_next(struct incidents *incidents)
{
    if (!table_records_next(&incidents->records))
        return NULL;
    incidents->id += incidents->records.record->kind == DECODE_INCIDENT;
    return incidents->records.record;
}

static int insert_incident(struct insert *insert, const struct incidents *at, struct error *error)
{
    const struct decode_record *incident = at->records.record;
    uint32_t kind = incident->incident.kind, flags = incident->incident.flags;
    /* Only the collector's own words have a type's name in braces. */
    bool has_type = kind == FISQL_INCIDENT_TERMINATE || kind == FISQL_INCIDENT_ABORT;
    char *message = has_type ? message_make(incident->text) : strdup(incident->text);
    if (message == NULL)
        return error_set(error, "out of memory");
    /* left_call_id is 0 until tables_finish_incidents() knows which call it was. */
    insert_row(insert, column_int("id", at->id), column_text("kind", kind_name(kind)),
               column_id("signal", incident->incident.signal), column_text("message", message),
               COLUMNS_RECORD(at->records.thread_id, incident),
               column_int_if("left_call_id", (flags & FISQL_INCIDENT_RETURN) != 0, 0),
               column_int_if("address", (flags & FISQL_INCIDENT_ADDRESS) != 0,
                             (int64_t)incident->incident.address));
    free(message);
    return 0;
}

int tables_write_incidents(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct insert insert;
    struct incidents incidents = incidents_begin(tables, 0);
    int result = 0;
    insert_begin(&insert, database, "incidents");
    while (result == 0 && incidents_next(&incidents) != NULL)
        result = insert_incident(&insert, &incidents, error);
    return insert_end_after(&insert, result, error);
}

/* ---- calls and blocks ---- */

struct finish {
    sqlite3 *database;
    struct error *error;
    int result; /* -1 after the first error; then we do nothing more */
    sqlite3_stmt *call, *stack, *left, *threads, *forked;
};

struct row_call {
    int64_t enter_ns, duration_ns, ended, parent, depth, frame;
};

static void finish_fail(struct finish *finish)
{
    if (finish->result == 0)
        finish->result =
            error_set(finish->error, "incidents: %s", insert_problem(finish->database));
}

static void execute(struct finish *finish, const char *sql)
{
    if (finish->result == 0 && sqlite3_exec(finish->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        finish_fail(finish);
}

/* NULL after an error. The caller finalizes it. */
static sqlite3_stmt *prepare(struct finish *finish, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (finish->result == 0 &&
        sqlite3_prepare_v2(finish->database, sql, -1, &statement, NULL) != SQLITE_OK)
        finish_fail(finish);
    return statement;
}

static void bind(struct finish *finish, sqlite3_stmt *statement, int at, int64_t value)
{
    if (finish->result == 0 && sqlite3_bind_int64(statement, at, value) != SQLITE_OK)
        finish_fail(finish);
}

/* Steps to the next row. False: there is none, or an error came. */
static bool next_row(struct finish *finish, sqlite3_stmt *statement)
{
    int status = finish->result == 0 ? sqlite3_step(statement) : SQLITE_DONE;
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        finish_fail(finish);
    return status == SQLITE_ROW;
}

/* Runs a bound statement that gives no row. */
static void finish_row(struct finish *finish, sqlite3_stmt *statement)
{
    bool row = next_row(finish, statement);
    must(!row);
    sqlite3_reset(statement); /* next_row() keeps the step's error */
}

static void finish_two(struct finish *finish, sqlite3_stmt *statement, int64_t first,
                       int64_t second)
{
    bind(finish, statement, 1, first);
    bind(finish, statement, 2, second);
    finish_row(finish, statement);
}

static bool call_read(struct finish *finish, int64_t id, struct row_call *call)
{
    bind(finish, finish->call, 1, id);
    bool found = next_row(finish, finish->call);
    if (found)
        *call = (struct row_call){
            sqlite3_column_int64(finish->call, 0), sqlite3_column_int64(finish->call, 1),
            sqlite3_column_int64(finish->call, 2), sqlite3_column_int64(finish->call, 3),
            sqlite3_column_int64(finish->call, 4), sqlite3_column_int64(finish->call, 5)};
    sqlite3_reset(finish->call);
    return found;
}

/* A thread's last call entered by `ns`; 0 = none. */
static int64_t last_entered(struct finish *finish, int64_t first, int64_t last, int64_t ns)
{
    struct row_call call;
    if (first == 0 || !call_read(finish, first, &call) || call.enter_ns > ns)
        return 0;
    while (first < last) {
        int64_t middle = first + (last - first + 1) / 2;
        if (!call_read(finish, middle, &call))
            return 0;
        if (call.enter_ns <= ns)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

/* The innermost open call at `ns` among the call `id` and those around it. */
static int64_t innermost_open(struct finish *finish, int64_t id, int64_t ns)
{
    struct row_call call;
    while (id > 0 && call_read(finish, id, &call) && call.ended != 2 &&
           call.enter_ns + call.duration_ns <= ns)
        id = call.parent;
    return id;
}

static int64_t frame_of(struct finish *finish, int64_t id)
{
    struct row_call call;
    return call_read(finish, id, &call) ? call.frame : 0;
}

/* If a fork made the thread's process: the parent's call around the thread's first calls; 0 =
 * none. */
static int64_t forked_from(struct finish *finish, int64_t thread, int64_t id)
{
    int64_t found = 0;
    bind(finish, finish->forked, 1, thread);
    bind(finish, finish->forked, 2, id);
    while (found == 0 && next_row(finish, finish->forked)) {
        int64_t ns = sqlite3_column_int64(finish->forked, 2);
        found = innermost_open(finish,
                               last_entered(finish, sqlite3_column_int64(finish->forked, 0),
                                            sqlite3_column_int64(finish->forked, 1), ns),
                               ns);
        if (found != 0 && frame_of(finish, found) != sqlite3_column_int64(finish->forked, 3))
            found = 0;
    }
    sqlite3_reset(finish->forked);
    return found;
}

static void put_stack(struct finish *finish, int64_t incident, int64_t thread, int64_t id)
{
    struct row_call call;
    for (int64_t inner = INT64_MAX; id > 0 && call_read(finish, id, &call) && call.depth < inner;
         id = call.parent != 0 ? call.parent : forked_from(finish, thread, id)) {
        inner = call.depth; /* depths fall, or the log is damaged */
        bind(finish, finish->stack, 1, incident);
        bind(finish, finish->stack, 2, thread);
        bind(finish, finish->stack, 3, call.depth);
        bind(finish, finish->stack, 4, id);
        finish_row(finish, finish->stack);
    }
}

/* The callee of `call` that ended last. */
static void put_left(struct finish *finish, int64_t incident, int64_t call, int64_t last)
{
    struct row_call row;
    int64_t left = 0;
    for (; last > 0 && last != call && call_read(finish, last, &row); last = row.parent)
        left = last;
    finish_two(finish, finish->left, left, incident);
}

static void finish_thread(struct finish *finish, sqlite3_stmt *row)
{
    int64_t incident = sqlite3_column_int64(row, 0), thread = sqlite3_column_int64(row, 1);
    int64_t call = sqlite3_column_int64(row, 2), ns = sqlite3_column_int64(row, 3);
    bool own = sqlite3_column_int64(row, 4) != 0, returned = sqlite3_column_int64(row, 5) != 0;
    int64_t last =
        last_entered(finish, sqlite3_column_int64(row, 6), sqlite3_column_int64(row, 7), ns);
    if (own && returned)
        put_left(finish, incident, call, last);
    put_stack(finish, incident, thread, own ? call : innermost_open(finish, last, ns));
}

static void finish_stacks(struct finish *finish)
{
    finish->call = prepare(finish, tables_incidents_sql_call);
    finish->stack = prepare(finish, tables_incidents_sql_stack);
    finish->forked = prepare(finish, tables_incidents_sql_forked);
    finish->left = prepare(finish, tables_incidents_sql_left);
    finish->threads = prepare(finish, tables_incidents_sql_threads);
    bind(finish, finish->threads, 1, STACKS_MAX);
    while (next_row(finish, finish->threads))
        finish_thread(finish, finish->threads);
    sqlite3_finalize(finish->call);
    sqlite3_finalize(finish->stack);
    sqlite3_finalize(finish->forked);
    sqlite3_finalize(finish->left);
    sqlite3_finalize(finish->threads);
}

static void put_pointers(struct finish *finish, const struct tables *tables)
{
    sqlite3_stmt *put = prepare(finish, tables_incidents_sql_pointer);
    struct incidents incidents = incidents_begin(tables, 1u << DECODE_POINTERS);
    const struct decode_record *record;
    while (finish->result == 0 && (record = incidents_next(&incidents)) != NULL) {
        for (uint32_t at = 0; record->kind == DECODE_POINTERS && at < record->bytes;
             at += sizeof(int64_t)) {
            int64_t pointer;
            memcpy(&pointer, record->text + at, sizeof pointer);
            finish_two(finish, put, incidents.id, pointer);
        }
    }
    sqlite3_finalize(put);
}

static void finish_places(struct finish *finish, const struct tables *tables)
{
    sqlite3_stmt *put = prepare(finish, tables_incidents_sql_place);
    struct incidents incidents = incidents_begin(tables, 0);
    const struct decode_record *record;
    while (finish->result == 0 && (record = incidents_next(&incidents)) != NULL)
        if (record->incident.inner != 0)
            finish_two(finish, put, record->incident.inner, incidents.id);
    sqlite3_finalize(put);
}

int tables_finish_incidents(const struct tables *tables, sqlite3 *database, size_t *deadlocks,
                            struct error *error)
{
    struct finish finish = {.database = database, .error = error};
    struct incidents incidents = incidents_begin(tables, 0);
    execute(&finish, tables_incidents_sql_unreported);
    int added = sqlite3_changes(database);
    execute(&finish, tables_incidents_sql_deadlocks);
    *deadlocks = (size_t)sqlite3_changes(database);
    if (finish.result != 0 || (added == 0 && *deadlocks == 0 && incidents_next(&incidents) == NULL))
        return finish.result;
    finish_stacks(&finish);
    execute(&finish, tables_incidents_sql_blocks);
    execute(&finish, tables_incidents_sql_frees);
    execute(&finish, tables_incidents_sql_pointers);
    put_pointers(&finish, tables);
    execute(&finish, tables_incidents_sql_freed);
    execute(&finish, "DROP TABLE temp.incident_pointers");
    finish_places(&finish, tables);
    return finish.result;
}
