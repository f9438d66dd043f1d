/*
 * What happened to an object: its blocks' rows, the calls that were passed a pointer to it, and what
 * the program and fisql said of it.
 *
 * Where expressions on such a pointer were recorded, the value that one call left is compared with
 * the one that the next call found. If they differ, and no call between them was passed the object,
 * somebody else wrote there: then the calls between them that were passed the block right before the
 * object are shown, too.
 */
#include "cli/history/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

int moment_add(struct history *history, struct moment moment)
{
    moment.number = (uint32_t)history->moments_count;
    if (moment.text != NULL && array_add(&history->moments, &history->moments_count,
                                         &history->moments_capacity, moment, NULL) == 0)
        return 0;
    sqlite3_free(moment.text);
    return fail("out of memory for %zu moments", history->moments_count);
}

static int by_ns(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void history_sort(struct history *history)
{
    array_sort(history->moments, history->moments_count, by_ns);
}

void history_release(struct history *history)
{
    for (size_t i = 0; i < history->moments_count; i++)
        sqlite3_free(history->moments[i].text);
    free(history->moments);
    free(history->places);
    call_values_close(&history->values);
}

/* The context in a column; 0. */
static uint32_t frame_of(const struct run_view *view, sqlite3_stmt *row, int column)
{
    int64_t frame = sqlite3_column_int64(row, column);
    return frame > 0 && (uint64_t)frame < view->frames_count && view->frames[frame].function != 0
               ? (uint32_t)frame
               : 0;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = database_shown(row, column);
    return text != NULL ? text : "?";
}

/* ---- blocks ---- */

static int add_block(struct history *history, sqlite3_stmt *row)
{
    struct moment made = {.kind = MOMENT_ALLOCATED,
                          .ns = sqlite3_column_int64(row, 0),
                          .call = sqlite3_column_int64(row, 1),
                          .thread = sqlite3_column_int64(row, 3),
                          .frame = frame_of(history->view, row, 2)};
    made.text = sqlite3_mprintf("%s: block %lld of %lld bytes at 0x%llx (%s)", text_of(row, 4),
                                sqlite3_column_int64(row, 5), sqlite3_column_int64(row, 6),
                                sqlite3_column_int64(row, 7), text_of(row, 8));
    if (moment_add(history, made) != 0)
        return 2;
    if (sqlite3_column_type(row, 9) == SQLITE_NULL)
        return 0;
    struct moment freed = {.kind = MOMENT_FREED,
                           .ns = sqlite3_column_int64(row, 9),
                           .call = sqlite3_column_int64(row, 10),
                           .thread = sqlite3_column_int64(row, 12),
                           .frame = frame_of(history->view, row, 11)};
    freed.text = sqlite3_mprintf("%s: block %lld is gone (%s)", text_of(row, 13),
                                 sqlite3_column_int64(row, 5), text_of(row, 14));
    return moment_add(history, freed);
}

static int find_blocks(struct history *history)
{
    sqlite3_stmt *row = NULL;
    int status = 0;
    if (database_rows(history->view->database,
                      "SELECT a.alloc_ns, a.call_id, a.frame_id, a.thread_id, a.kind, a.id, a.size,"
                      " a.address, s.location, a.free_ns, a.free_call_id, a.free_frame_id,"
                      " a.free_thread_id, a.free_kind, fs.location FROM allocs a"
                      " LEFT JOIN site_details s ON s.id = a.site_id"
                      " LEFT JOIN site_details fs ON fs.id = a.free_site_id WHERE a.id = ?1",
                      "the blocks", &row) != 0)
        return 2;
    for (size_t i = 0; i < history->places_count && status == 0; i++) {
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 1, history->places[i].alloc);
        if (database_row(row))
            status = add_block(history, row);
    }
    int ended = database_rows_end(row, "the blocks");
    return status != 0 ? status : ended;
}

/* ---- calls ---- */

/* Does the address lie there, at that time? */
static bool is_at(const struct place *place, int64_t process, int64_t address, int64_t ns)
{
    return place->process == process && address >= place->address && address < place->end &&
           ns >= place->from_ns && ns < place->gone_ns;
}

static const struct place *place_at(const struct history *history, int64_t process, int64_t address,
                                    int64_t ns)
{
    for (size_t i = history->places_count; i-- > 0;)
        if (is_at(&history->places[i], process, address, ns))
            return &history->places[i];
    return is_at(&history->neighbour, process, address, ns) && history->neighbour.alloc != 0
               ? &history->neighbour
               : NULL;
}

/* Did the object, or the block before it, ever lie there? */
static bool ever_at(const struct history *history, int64_t address)
{
    for (size_t i = 0; i < history->places_count; i++)
        if (address >= history->places[i].address && address < history->places[i].end)
            return true;
    return address >= history->neighbour.address && address < history->neighbour.end;
}

/* Adds "p+8", or "?" of a name that is not known, to the moment of this call, or a new one. */
static int add_argument(struct history *history, struct moment moment, const char *name,
                        int64_t offset)
{
    char *last = NULL;
    struct moment *before =
        history->moments_count > 0 ? &history->moments[history->moments_count - 1] : NULL;
    char *as = offset != 0 ? sqlite3_mprintf("%s+%lld", name, offset) : sqlite3_mprintf("%s", name);
    if (before != NULL && before->call == moment.call && before->kind == moment.kind) {
        last = before->text;
        before->text = sqlite3_mprintf("%s, %s", last, as);
        before->ns = moment.ns; /* of the result, which comes first, it was the call's end */
        before->stale |= moment.stale;
        sqlite3_free(last);
        sqlite3_free(as);
        return before->text != NULL ? 0 : fail("out of memory");
    }
    moment.text = as;
    return moment_add(history, moment);
}

/* A value that lies among the object's addresses: is it a pointer, and at that time one to it? */
static int take_value(struct history *history, sqlite3_stmt *call, int64_t id, int64_t address)
{
    int64_t position = id % 32;
    if (!ever_at(history, address))
        return 0;
    sqlite3_reset(call);
    sqlite3_bind_int64(call, 1, id / 32);
    sqlite3_bind_int64(call, 2, position);
    if (!database_row(call))
        return 0;
    int64_t enter_ns = run_within(sqlite3_column_int64(call, 0), 0, RUN_NS_MAX);
    int64_t exit_ns =
        enter_ns + run_within(sqlite3_column_int64(call, 1), 0, RUN_NS_MAX - enter_ns);
    int64_t ns = position == 0 ? exit_ns : enter_ns;
    const struct place *place = place_at(history, sqlite3_column_int64(call, 4), address, ns);
    if (place == NULL)
        return 0;
    struct moment moment = {.kind = place == &history->neighbour ? MOMENT_NEIGHBOUR : MOMENT_CALL,
                            .ns = ns,
                            .stale = ns > place->freed_ns,
                            .call = id / 32,
                            .thread = sqlite3_column_int64(call, 2),
                            .frame = frame_of(history->view, call, 3)};
    return add_argument(history, moment, position == 0 ? "result" : text_of(call, 5),
                        address - place->address);
}

static int find_calls(struct history *history)
{
    sqlite3_stmt *row = NULL, *call = NULL;
    int64_t low = INT64_MAX, high = 0;
    for (size_t i = 0; i < history->places_count; i++) {
        low = history->places[i].address < low ? history->places[i].address : low;
        high = history->places[i].end > high ? history->places[i].end : high;
    }
    if (history->neighbour.alloc != 0 && history->neighbour.address < low)
        low = history->neighbour.address;
    if (database_rows(history->view->database,
                      "SELECT id, value FROM call_values WHERE typeof(value) = 'integer'"
                      " AND value >= ?1 AND value < ?2 ORDER BY id",
                      "the values", &row) != 0)
        return 2;
    int status =
        database_rows(history->view->database,
                      "SELECT c.enter_ns, c.duration_ns, c.thread_id, c.frame_id, t.process_id,"
                      " coalesce(p.name, '#' || p.position) FROM calls c"
                      " JOIN threads t ON t.id = c.thread_id JOIN frames fr ON fr.id = c.frame_id"
                      " JOIN parameters p ON p.function_id = fr.function_id AND p.position = ?2"
                      " WHERE c.id = ?1 AND p.kind IN ('pointer', 'function', 'text')",
                      "the calls", &call);
    sqlite3_bind_int64(row, 1, low);
    sqlite3_bind_int64(row, 2, high);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW)
        status =
            take_value(history, call, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1));
    sqlite3_finalize(call);
    int ended = database_rows_end(row, "the values");
    return status != 0 ? status : ended;
}

/* ---- what was said of it ---- */

/* Rows with ns, call, frame, thread, words, for a block (?1) or the addresses ?2 up to ?3 in process
 * ?4. */
static int find_said(struct history *history, enum moment_kind kind, const char *sql)
{
    sqlite3_stmt *row = NULL;
    int status = 0;
    if (database_rows(history->view->database, sql, "what was said of the object", &row) != 0)
        return 2;
    for (size_t i = 0; i < history->places_count && status == 0; i++) {
        const struct place *place = &history->places[i];
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 1, place->alloc);
        sqlite3_bind_int64(row, 2, place->address);
        sqlite3_bind_int64(row, 3, place->end);
        sqlite3_bind_int64(row, 4, place->process);
        while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
            int64_t ns = sqlite3_column_int64(row, 0);
            if (ns < place->from_ns || ns >= place->gone_ns)
                continue;
            status = moment_add(history,
                                (struct moment){.kind = kind,
                                                .ns = ns,
                                                .call = sqlite3_column_int64(row, 1),
                                                .thread = sqlite3_column_int64(row, 3),
                                                .frame = frame_of(history->view, row, 2),
                                                .text = sqlite3_mprintf("%s", text_of(row, 4))});
        }
    }
    int ended = database_rows_end(row, "what was said of the object");
    return status != 0 ? status : ended;
}

static int find_all_said(struct history *history)
{
    int status =
        find_said(history, MOMENT_WRONG,
                  "SELECT e.ns, e.call_id, e.frame_id, e.thread_id, 'wrong ' || e.kind || ': '"
                  " || CASE e.error WHEN 'double' THEN 'it was freed before'"
                  " WHEN 'inside' THEN 'the address lies within the block'"
                  " ELSE 'no block begins there' END FROM free_errors e"
                  " JOIN threads t ON t.id = e.thread_id WHERE e.alloc_id = ?1"
                  " OR (t.process_id = ?4 AND e.address >= ?2 AND e.address < ?3)");
    if (status == 0)
        status = find_said(history, MOMENT_WRONG,
                           "SELECT ns, call_id, frame_id, thread_id, kind || ': ' || message"
                           " FROM incidents WHERE block_id = ?1");
    if (status == 0)
        status = find_said(history, MOMENT_SAID,
                           "SELECT d.ns, d.call_id, d.frame_id, d.thread_id, d.kind || coalesce(': "
                           "' || d.state, '')"
                           " FROM objects o JOIN diaries d ON d.object_id = o.id"
                           " WHERE o.process_id = ?4 AND o.address >= ?2 AND o.address < ?3");
    return status != 0
               ? status
               : find_said(history, MOMENT_SAID,
                           "SELECT d.ns, d.call_id, d.frame_id, d.thread_id,"
                           " d.kind || coalesce(' (count ' || d.count || ')', '') || coalesce(': ' "
                           "|| d.problem, '')"
                           " FROM objects o JOIN object_references d ON d.object_id = o.id"
                           " WHERE o.process_id = ?4 AND o.address >= ?2 AND o.address < ?3");
}

/* ---- values on the way ---- */

/* The last value of an expression on the object. */
struct known {
    char *key, *text; /* malloc'ed */
    int64_t ns;
    bool sure; /* no call since then can have changed it that was passed the object */
};

struct watch {
    struct known *items;
    size_t count, capacity;
    int64_t (*windows)[2]; /* in which somebody else wrote */
    size_t windows_count, windows_capacity;
};

/* Where the name behind which the rest of an expression follows ends: order->total, *p, a[3]. */
static const char *rest_of(const char *expression)
{
    const char *at = expression + strspn(expression, "*&(");
    while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
           *at == '_')
        at++;
    return at;
}

/* The name under which a value of this argument is known in all functions: "+0 ->total"; and whether
 * the expression is one on that argument. as: "p, q+8". */
static char *key_of(const char *expression, const char *as, bool *at_exit)
{
    const char *begin = expression + strspn(expression, "*&("), *rest = rest_of(expression);
    size_t length = strlen(expression), tail = strlen(" at exit");
    *at_exit = length > tail && strcmp(expression + length - tail, " at exit") == 0;
    size_t rest_length = (size_t)(expression + length - rest) - (*at_exit ? tail : 0);
    if (rest == expression || (rest_length == 0 && begin == expression))
        return NULL; /* a parameter itself */
    for (const char *at = as; at != NULL;
         at = strstr(at, ", ") != NULL ? strstr(at, ", ") + 2 : NULL) {
        size_t name = strcspn(at, "+,");
        if (name != (size_t)(rest - begin) || strncmp(at, begin, name) != 0)
            continue;
        int64_t offset = at[name] == '+' ? strtoll(at + name + 1, NULL, 10) : 0;
        char *key = NULL;
        if (asprintf(&key, "%" PRId64 " %.*s%.*s", offset, (int)(begin - expression), expression,
                     (int)rest_length, rest) < 0)
            return NULL;
        return key;
    }
    return NULL;
}

/* What is known of the expression; NULL without memory. */
static struct known *known_of(struct watch *watch, const char *key)
{
    for (size_t i = 0; i < watch->count; i++)
        if (strcmp(watch->items[i].key, key) == 0)
            return &watch->items[i];
    struct known known = {.key = strdup(key)};
    if (known.key == NULL ||
        array_add(&watch->items, &watch->count, &watch->capacity, known, NULL) != 0) {
        free(known.key);
        return NULL;
    }
    return &watch->items[watch->count - 1];
}

/* Can the call have changed what the argument points to? A pointer to const says that it does not. */
static bool may_write(const struct call_values *values, const char *as)
{
    for (size_t i = 0; i < values->shown_count; i++) {
        const struct value_parameter *parameter = values->shown[i].parameter;
        size_t length = parameter->name != NULL ? strlen(parameter->name) : 0;
        if (length == 0 || parameter->position == 0)
            continue;
        for (const char *at = as; at != NULL;
             at = strstr(at, ", ") != NULL ? strstr(at, ", ") + 2 : NULL)
            if (strncmp(at, parameter->name, length) == 0 && strchr("+,", at[length]) != NULL &&
                (parameter->type == NULL || strncmp(parameter->type, "const ", 6) != 0))
                return true;
    }
    return false;
}

static int note_window(struct watch *watch, int64_t from_ns, int64_t to_ns)
{
    if (array_reserve(&watch->windows, &watch->windows_capacity, watch->windows_count + 1, NULL) !=
        0)
        return fail("out of memory");
    watch->windows[watch->windows_count][0] = from_ns;
    watch->windows[watch->windows_count++][1] = to_ns;
    return 0;
}

/* A value of the call, on its entry or exit. */
static int watch_value(struct history *history, struct watch *watch, struct moment *moment,
                       const struct shown_value *shown, bool exits, sqlite3_str *more)
{
    bool at_exit = false;
    int status = 0;
    if (shown->parameter->name == NULL || shown->text == NULL || strcmp(shown->text, "?") == 0)
        return 0;
    char *key = key_of(shown->parameter->name, moment->text, &at_exit);
    struct known *known = key != NULL && at_exit == exits ? known_of(watch, key) : NULL;
    free(key);
    if (known == NULL)
        return 0;
    bool differs = known->text != NULL && strcmp(known->text, shown->text) != 0;
    moment->changes |= differs || shown->parameter->if_changed;
    if (differs && known->sure && !exits) {
        history->unwitnessed++;
        sqlite3_str_appendf(more, "; %s was %s before", shown->parameter->name, known->text);
        status = note_window(watch, known->ns, moment->ns);
    }
    free(known->text);
    known->text = strdup(shown->text);
    known->ns = moment->ns;
    known->sure = exits || !may_write(&history->values, moment->text);
    return known->text != NULL ? status : fail("out of memory");
}

/* The values of a call, on entry and on exit; adds to `more` what changed unseen. */
static int watch_call(struct history *history, struct watch *watch, struct moment *moment,
                      sqlite3_str *more)
{
    int status = call_values_read(&history->values, moment_function(history, moment), moment->call);
    for (size_t i = 0; i < history->values.shown_count && status == 0; i++)
        status = watch_value(history, watch, moment, &history->values.shown[i], false, more);
    if (status == 0 && may_write(&history->values, moment->text))
        for (size_t i = 0; i < watch->count; i++)
            watch->items[i].sure = false;
    for (size_t i = 0; i < history->values.shown_count && status == 0; i++)
        status = watch_value(history, watch, moment, &history->values.shown[i], true, more);
    return status;
}

/* "pay(order=0x55d0, amount=3) = 0, as order" */
static int word_call(struct history *history, struct watch *watch, struct moment *moment)
{
    uint32_t function = moment_function(history, moment);
    sqlite3_str *more = sqlite3_str_new(NULL);
    int status = moment->kind == MOMENT_CALL && !moment->stale
                     ? watch_call(history, watch, moment, more)
                     : 0;
    char *added = sqlite3_str_finish(more);
    char *values = status == 0 ? call_values_text(&history->values, function, moment->call) : NULL;
    const char *name = function != 0 ? history->view->functions[function].name : "?";
    char *text =
        values == NULL
            ? NULL
            : sqlite3_mprintf("%s%s, %s%s%s%s", name, values,
                              moment->kind == MOMENT_NEIGHBOUR ? "the block before it as " : "as ",
                              moment->text, moment->stale ? ", when it was freed" : "",
                              added != NULL ? added : "");
    sqlite3_free(added);
    sqlite3_free(values);
    if (text == NULL)
        return status != 0 ? status : fail("out of memory");
    sqlite3_free(moment->text);
    moment->text = text;
    return 0;
}

/* Leaves out the calls on the block before it, but where somebody else wrote. */
static void choose_neighbours(struct history *history, const struct watch *watch)
{
    size_t kept = 0;
    for (size_t i = 0; i < history->moments_count; i++) {
        struct moment moment = history->moments[i];
        bool keep = moment.kind != MOMENT_NEIGHBOUR;
        for (size_t k = 0; k < watch->windows_count; k++)
            keep |= moment.ns >= watch->windows[k][0] && moment.ns <= watch->windows[k][1];
        if (keep)
            history->moments[kept++] = moment;
        else
            sqlite3_free(moment.text);
    }
    history->moments_count = kept;
}

int history_find(struct history *history)
{
    struct watch watch = {.count = 0};
    int status = find_calls(history);
    if (status == 0)
        status = find_blocks(history);
    if (status == 0)
        status = find_all_said(history);
    history_sort(history);
    for (size_t i = 0; i < history->moments_count && status == 0; i++)
        if (history->moments[i].kind == MOMENT_CALL || history->moments[i].kind == MOMENT_NEIGHBOUR)
            status = word_call(history, &watch, &history->moments[i]);
    choose_neighbours(history, &watch);
    for (size_t i = 0; i < watch.count; i++) {
        free(watch.items[i].key);
        free(watch.items[i].text);
    }
    free(watch.items);
    free(watch.windows);
    return status;
}
