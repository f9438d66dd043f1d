/*
 * The tables of incidents: what went wrong, the calls that were open in all threads then, and the block of
 * memory that the address lies in. The last two are asked of the database, when calls and blocks are in it:
 * ids of calls rise with time within a thread, so a call is found by halving, whatever their number.
 */
#include "loader/tables/tables_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "loader/log/log_index.h"
#include "debuginfo/names/demangle.h"

#define STACKS_MAX 1000  /* incidents with stacks: a program may ask for them in a loop */
#define NULL_BELOW 65536 /* no block lies below */
#define TYPEINFO "typeinfo for "

static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {
#define NAME(constant, number, name, what) [number] = name,
        FISQL_INCIDENT_KINDS(NAME)
#undef NAME
    };
    return names[kind];
}

/* The text with the names of types, {St13runtime_error}, as people write them. The caller frees it. */
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

/* Calls `visit` for each incident, with its id and the thread that it is of, until one fails. */
static int each_incident(const struct tables *tables,
                         int (*visit)(void *context, int64_t id, uint32_t thread,
                                      const struct decode_incident *incident),
                         void *context)
{
    int64_t id = 0;
    int result = 0;
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decode_incidents *incidents = &tables->threads[i].incidents;
        for (size_t k = 0; result == 0 && k < incidents->count; k++)
            result = visit(context, ++id, tables->index->threads[i].id, &incidents->items[k]);
    }
    return result;
}

struct inserting {
    struct insert insert;
    struct error *error;
};

static int insert_incident(void *context, int64_t id, uint32_t thread,
                           const struct decode_incident *incident)
{
    struct inserting *inserting = context;
    struct insert *insert = &inserting->insert;
    /* Text in braces may be anybody's: a type's name stands there in what the collector says alone. */
    bool has_type =
        incident->kind == FISQL_INCIDENT_TERMINATE || incident->kind == FISQL_INCIDENT_ABORT;
    char *message = has_type ? message_make(incident->text) : strdup(incident->text);
    if (message == NULL)
        return error_set(inserting->error, "out of memory");
    /* left_call_id is 0 until tables_finish_incidents() knows which call it was. */
    insert_row(insert, column_int("id", id), column_text("kind", kind_name(incident->kind)),
               column_id("signal", incident->signal), column_text("message", message),
               column_int("thread_id", thread), column_id("call_id", incident->call_id),
               column_id("frame_id", incident->frame), column_id("site_id", incident->site),
               column_int_if("left_call_id", (incident->flags & FISQL_INCIDENT_RETURN) != 0, 0),
               column_int_if("address", (incident->flags & FISQL_INCIDENT_ADDRESS) != 0,
                             (int64_t)incident->address),
               column_count("ns", incident->ns));
    free(message);
    return 0;
}

int tables_write_incidents(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct inserting inserting = {.error = error};
    insert_begin(&inserting.insert, database, "incidents");
    int result = each_incident(tables, insert_incident, &inserting);
    return insert_end(&inserting.insert, result == 0 ? error : NULL) != 0 ? -1 : result;
}

/* ---- calls and blocks ---- */

struct finish {
    sqlite3 *database;
    struct error *error;
    int result; /* -1 after the first error */
    sqlite3_stmt *call, *put, *left, *threads, *forked;
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

static void bind(struct finish *finish, sqlite3_stmt *statement, int at, int64_t value)
{
    if (finish->result == 0 && sqlite3_bind_int64(statement, at, value) != SQLITE_OK)
        finish_fail(finish);
}

/* Steps to the next row, if there is one; there is none after an error. */
static bool next_row(struct finish *finish, sqlite3_stmt *statement)
{
    int status = finish->result == 0 ? sqlite3_step(statement) : SQLITE_DONE;
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        finish_fail(finish);
    return status == SQLITE_ROW;
}

/* Does what the bound statement changes: it gives no row. */
static void finish_row(struct finish *finish, sqlite3_stmt *statement)
{
    bool row = next_row(finish, statement);
    must(!row);
    sqlite3_reset(statement); /* next_row() has kept the step's error */
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

/* The last of a thread's calls that was entered by then; 0 = none. */
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

/* The innermost call of another thread: one that has ended by then is not open any more. */
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

/* The parent's call in which a thread's first ones were made, where its process was forked; 0 = none. */
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
        inner = call.depth; /* it falls: else the log is damaged */
        bind(finish, finish->put, 1, incident);
        bind(finish, finish->put, 2, thread);
        bind(finish, finish->put, 3, call.depth);
        bind(finish, finish->put, 4, id);
        finish_row(finish, finish->put);
    }
}

/* The callee of `call` that ended last. */
static void put_left(struct finish *finish, int64_t incident, int64_t call, int64_t last)
{
    struct row_call row;
    int64_t left = 0;
    for (; last > 0 && last != call && call_read(finish, last, &row); last = row.parent)
        left = last;
    bind(finish, finish->left, 1, left);
    bind(finish, finish->left, 2, incident);
    finish_row(finish, finish->left);
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

static int statement_make(sqlite3 *database, const char *sql, sqlite3_stmt **statement,
                          struct error *error)
{
    return sqlite3_prepare_v2(database, sql, -1, statement, NULL) == SQLITE_OK
               ? 0
               : error_set(error, "incidents: %s", insert_problem(database));
}

static int finish_stacks(struct finish *finish, sqlite3 *database, struct error *error)
{
    int result = statement_make(
        database,
        "SELECT enter_ns, duration_ns, ended, coalesce(parent_id, 0), depth, frame_id"
        " FROM calls WHERE id = ?",
        &finish->call, error);
    if (result == 0)
        result = statement_make(database,
                                "INSERT OR IGNORE INTO"
                                " incident_stacks(incident_id, thread_id, depth, call_id)"
                                " VALUES(?, ?, ?, ?)",
                                &finish->put, error);
    if (result == 0)
        result = statement_make(database,
                                "SELECT coalesce(o.first_call_id, 0), coalesce(o.last_call_id, 0),"
                                " p.start_ns, f.parent_id FROM threads t"
                                " JOIN processes p ON p.id = t.process_id AND p.origin = 'fork'"
                                " JOIN threads o ON o.process_id = p.parent_id"
                                " CROSS JOIN calls c CROSS JOIN frames f ON f.id = c.frame_id"
                                " WHERE t.id = ?1 AND c.id = ?2 AND c.depth > 0 ORDER BY o.id",
                                &finish->forked, error);
    if (result == 0)
        result = statement_make(database,
                                "UPDATE incidents SET left_call_id = nullif(?, 0) WHERE id = ?",
                                &finish->left, error);
    if (result == 0)
        result = statement_make(database,
                                "SELECT i.id, t.id, coalesce(i.call_id, 0), i.ns,"
                                " t.id = i.thread_id, i.left_call_id IS NOT NULL,"
                                " coalesce(t.first_call_id, 0), coalesce(t.last_call_id, 0)"
                                " FROM incidents i JOIN threads o ON o.id = i.thread_id"
                                " JOIN threads t ON t.process_id = o.process_id"
                                " WHERE i.id <= ? ORDER BY i.id, t.id",
                                &finish->threads, error);
    if (result != 0)
        return result;
    bind(finish, finish->threads, 1, STACKS_MAX);
    while (next_row(finish, finish->threads))
        finish_thread(finish, finish->threads);
    return finish->result;
}

/* What is sought, where: in the incident's process, and in those that it was forked from, for it had their blocks. */
#define FAMILY                                                                                     \
    " family(incident, process, address, ns) AS ("                                                 \
    "  SELECT i.id, t.process_id, s.address, i.ns FROM sought s"                                   \
    "  JOIN incidents i ON i.id = s.incident JOIN threads t ON t.id = i.thread_id"                 \
    "  UNION SELECT f.incident, p.parent_id, f.address, f.ns"                                      \
    "  FROM family f JOIN processes p ON p.id = f.process"                                         \
    "  WHERE p.origin = 'fork' AND p.parent_id IS NOT NULL),"

/* A block that was in use then goes before one that was freed, what lies in one before what is near. */
static const char find_blocks[] =
    "WITH RECURSIVE sought(incident, address) AS ("
    "  SELECT id, address FROM incidents WHERE address >= ?1)," FAMILY " near AS ("
    "  SELECT f.incident, a.id, f.address - a.address AS offset, a.size,"
    "   row_number() OVER (PARTITION BY f.incident ORDER BY"
    "    f.address NOT BETWEEN a.address AND a.address + a.size - 1,"
    "    a.free_ns <= f.ns IS TRUE,"
    "    max(a.address - f.address, f.address - a.address - a.size), a.alloc_ns DESC, a.id) AS rank"
    "  FROM allocs a CROSS JOIN threads t ON t.id = a.thread_id"
    "   CROSS JOIN family f ON f.process = t.process_id AND a.alloc_ns <= f.ns"
    "    AND f.address BETWEEN a.address - 4096 AND a.address + a.size + 4095)"
    "UPDATE incidents SET (block_id, block_offset) ="
    " (SELECT n.id, n.offset FROM near n WHERE n.incident = incidents.id AND n.rank = 1)"
    " WHERE address >= ?1";

static int finish_blocks(sqlite3 *database, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int result = statement_make(database, find_blocks, &statement, error);
    if (result != 0)
        return result;
    if (sqlite3_bind_int64(statement, 1, NULL_BELOW) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_DONE)
        result = error_set(error, "incidents: %s", insert_problem(database));
    sqlite3_finalize(statement);
    return result;
}

/* Where no block is known for the address itself: one that was freed and that the function points into, the one that
 * was freed last. */
static const char find_freed[] =
    "WITH RECURSIVE sought(incident, address) AS ("
    "  SELECT x.incident, x.pointer FROM temp.incident_pointers x"
    "  JOIN incidents i ON i.id = x.incident AND i.block_id IS NULL)," FAMILY
    " pointed AS MATERIALIZED ("
    "  SELECT f.incident, a.id, f.address - a.address AS offset, a.free_ns,"
    "   a.free_ns <= f.ns IS TRUE AS freed, row_number() OVER (PARTITION BY f.incident, f.address"
    "    ORDER BY a.free_ns <= f.ns IS TRUE, a.alloc_ns DESC, a.id) AS rank"
    "  FROM allocs a CROSS JOIN threads t ON t.id = a.thread_id"
    "   CROSS JOIN family f ON f.process = t.process_id AND a.alloc_ns <= f.ns"
    "    AND f.address BETWEEN a.address AND a.address + max(a.size, 1) - 1)"
    "UPDATE incidents SET (block_id, block_offset) ="
    " (SELECT p.id, p.offset FROM pointed p WHERE p.incident = incidents.id AND p.rank = 1"
    "   AND p.freed ORDER BY p.free_ns DESC, p.id LIMIT 1)"
    " WHERE block_id IS NULL AND id IN (SELECT incident FROM temp.incident_pointers)";

/* A statement with which rows are put or changed one by one. */
struct putting {
    sqlite3 *database;
    sqlite3_stmt *statement;
    struct error *error;
};

static int put_two(const struct putting *putting, int64_t first, int64_t second)
{
    if (sqlite3_bind_int64(putting->statement, 1, first) != SQLITE_OK ||
        sqlite3_bind_int64(putting->statement, 2, second) != SQLITE_OK ||
        sqlite3_step(putting->statement) != SQLITE_DONE)
        return error_set(putting->error, "incidents: %s", insert_problem(putting->database));
    sqlite3_reset(putting->statement); /* the step met no error */
    return 0;
}

static int put_pointers(void *context, int64_t id, uint32_t thread,
                        const struct decode_incident *incident)
{
    int result = 0;
    (void)thread;
    for (size_t i = 0; i < incident->pointers_count && result == 0; i++)
        result = put_two(context, id, (int64_t)incident->pointers[i]);
    return result;
}

static int execute(sqlite3 *database, const char *sql, struct error *error)
{
    return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : error_set(error, "incidents: %s", insert_problem(database));
}

static int finish_freed(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct putting putting = {.database = database, .error = error};
    int result = execute(database, "CREATE TEMP TABLE incident_pointers(incident, pointer)", error);
    if (result == 0)
        result = statement_make(database, "INSERT INTO temp.incident_pointers VALUES(?, ?)",
                                &putting.statement, error);
    if (result == 0)
        result = each_incident(tables, put_pointers, &putting);
    sqlite3_finalize(putting.statement);
    if (result == 0)
        result = execute(database, find_freed, error);
    if (result == 0)
        result = execute(database, "DROP TABLE temp.incident_pointers", error);
    return result;
}

static int put_place(void *context, int64_t id, uint32_t thread,
                     const struct decode_incident *incident)
{
    (void)thread;
    return incident->inner != 0 ? put_two(context, incident->inner, id) : 0;
}

static int finish_places(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct putting putting = {.database = database, .error = error};
    int result = statement_make(database,
                                "UPDATE incidents SET message = message || coalesce((SELECT"
                                " iif(location LIKE 'in %', ', ', ', at ') || location"
                                " FROM site_details WHERE id = ? AND location <> '?'), '')"
                                " WHERE id = ?",
                                &putting.statement, error);
    if (result == 0)
        result = each_incident(tables, put_place, &putting);
    sqlite3_finalize(putting.statement);
    return result;
}

/* The end of a process by the signal of a fault of which the collector reported nothing: its handler was not called.
 * The thread that entered a call last is taken for the one that failed. */
static const char find_unreported[] =
    "WITH RECURSIVE ended AS MATERIALIZED ("
    "  SELECT p.id, p.signal, p.end_ns FROM processes p"
    "  WHERE p.how_ended = 'signal' AND p.signal IN (4, 5, 7, 8, 11, 31) AND NOT EXISTS ("
    "   SELECT 1 FROM threads t JOIN incidents i ON i.thread_id = t.id"
    "   WHERE t.process_id = p.id AND i.kind <> 'stacks')),"
    " last AS MATERIALIZED ("
    "  SELECT e.id, e.signal, t.id AS thread_id, c.id AS call_id,"
    "   max(e.end_ns, t.end_ns) AS ns, row_number() OVER"
    "    (PARTITION BY e.id ORDER BY c.enter_ns DESC, t.end_ns DESC, t.id) AS rank"
    "  FROM ended e JOIN threads t ON t.process_id = e.id"
    "  LEFT JOIN calls c ON c.id = t.last_call_id),"
    " outward(id, call_id) AS ("
    "  SELECT id, call_id FROM last WHERE rank = 1 AND call_id IS NOT NULL"
    "  UNION ALL SELECT o.id, c.parent_id FROM outward o JOIN calls c ON c.id = o.call_id"
    "  WHERE c.ended <> 2 AND c.parent_id < c.id)"
    "INSERT INTO incidents(kind, signal, message, thread_id, call_id, frame_id, ns) "
    "SELECT 'signal', l.signal, CASE l.signal WHEN 4 THEN 'SIGILL' WHEN 5 THEN 'SIGTRAP'"
    "  WHEN 7 THEN 'SIGBUS' WHEN 8 THEN 'SIGFPE' WHEN 11 THEN 'SIGSEGV' ELSE 'SIGSYS' END"
    "  || ' ended the process, and the handler of fisql was not called',"
    "  l.thread_id, c.id, c.frame_id, coalesce(l.ns, c.enter_ns, 0) "
    "FROM last l LEFT JOIN calls c ON c.ended = 2"
    "  AND c.id = (SELECT min(o.call_id) FROM outward o WHERE o.id = l.id) "
    "WHERE l.rank = 1 ORDER BY l.id";

int tables_finish_incidents(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct finish finish = {.database = database, .error = error};
    if (execute(database, find_unreported, error) != 0)
        return -1;
    size_t incidents = (size_t)sqlite3_changes(database);
    for (size_t i = 0; i < tables->index->threads_count; i++)
        incidents += tables->threads[i].incidents.count;
    if (incidents == 0)
        return 0;
    int result = finish_stacks(&finish, database, error);
    if (result == 0)
        result = finish_blocks(database, error);
    if (result == 0)
        result = finish_freed(tables, database, error);
    if (result == 0)
        result = finish_places(tables, database, error);
    sqlite3_finalize(finish.call);
    sqlite3_finalize(finish.put);
    sqlite3_finalize(finish.left);
    sqlite3_finalize(finish.threads);
    sqlite3_finalize(finish.forked);
    return result;
}
