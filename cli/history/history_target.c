/* Which object is meant: see history.h. */
#include "cli/history/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#define PLACES_MAX 100000
#define NEAR_BYTES                                                                                 \
    256 /* what lies behind a block's end by at most so much may be overwritten from it */

/* The columns of a block. */
#define BLOCK "a.id, a.address, a.size, a.alloc_ns, a.free_ns, t.process_id, a.realloc_of"
#define FROM_BLOCKS " FROM allocs a JOIN threads t ON t.id = a.thread_id "

static struct place place_of_row(sqlite3_stmt *row)
{
    struct place place = {.alloc = sqlite3_column_int64(row, 0),
                          .address = sqlite3_column_int64(row, 1),
                          .from_ns = run_within(sqlite3_column_int64(row, 3), 0, RUN_NS_MAX),
                          .freed_ns = INT64_MAX,
                          .gone_ns = INT64_MAX,
                          .process = sqlite3_column_int64(row, 5)};
    int64_t size = run_within(sqlite3_column_int64(row, 2), 1, INT64_C(1) << 48);
    if (__builtin_add_overflow(place.address, size, &place.end))
        place.end = INT64_MAX;
    if (sqlite3_column_type(row, 4) != SQLITE_NULL)
        place.freed_ns = run_within(sqlite3_column_int64(row, 4), place.from_ns, RUN_NS_MAX);
    return place;
}

static int place_add(struct history *history, struct place place)
{
    if (history->places_count >= PLACES_MAX ||
        array_add(&history->places, &history->places_count, &history->places_capacity, place,
                  NULL) != 0)
        return fail("out of memory for the places of an object");
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return a->alloc < b->alloc ? -1 : a->alloc > b->alloc;
}

/* What realloc made the block of, block by block. */
static int add_earlier(struct history *history, int64_t block)
{
    sqlite3_stmt *row = NULL;
    int status = 0;
    if (database_rows(history->view->database, "SELECT " BLOCK FROM_BLOCKS "WHERE a.id = ?1",
                      "the blocks", &row) != 0)
        return 2;
    for (int64_t next = block; next > 0 && status == 0;) {
        int64_t at = next;
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 1, at);
        if (!database_row(row))
            break;
        next = sqlite3_column_int64(row, 6);
        if (next >= at)
            next = 0;
        status = place_add(history, place_of_row(row));
    }
    int ended = database_rows_end(row, "the blocks");
    return status != 0 ? status : ended;
}

/* What realloc made of the block: blocks come after those that they were made of. */
static int add_later(struct history *history, int64_t block)
{
    sqlite3_stmt *row = NULL;
    int status = 0;
    if (database_rows(history->view->database,
                      "SELECT " BLOCK FROM_BLOCKS
                      "WHERE a.id > ?1 AND a.realloc_of IS NOT NULL ORDER BY a.id",
                      "the blocks", &row) != 0)
        return 2;
    sqlite3_bind_int64(row, 1, block);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW)
        if (sqlite3_column_int64(row, 6) == block) {
            status = place_add(history, place_of_row(row));
            block = sqlite3_column_int64(row, 0);
        }
    int ended = database_rows_end(row, "the blocks");
    return status != 0 ? status : ended;
}

/* When other blocks lay where the object was, and which one lies right before it. */
static int find_others(struct history *history)
{
    const struct place *last = &history->places[history->places_count - 1];
    sqlite3_stmt *row = NULL;
    if (database_rows(history->view->database, "SELECT " BLOCK FROM_BLOCKS "ORDER BY a.id",
                      "the blocks", &row) != 0)
        return 2;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < history->places_count; i++) {
        low = history->places[i].address < low ? history->places[i].address : low;
        high = history->places[i].end > high ? history->places[i].end : high;
    }
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct place other = place_of_row(row);
        bool is_near = other.address < high && low < other.end;
        for (size_t i = 0; is_near && i < history->places_count; i++) {
            struct place *place = &history->places[i];
            if (other.process == place->process && other.alloc != place->alloc &&
                other.address < place->end && place->address < other.end &&
                place->freed_ns != INT64_MAX && other.from_ns >= place->freed_ns &&
                other.from_ns < place->gone_ns)
                place->gone_ns = other.from_ns;
        }
        if (other.process == last->process && other.end <= last->address &&
            other.end + NEAR_BYTES > last->address && other.from_ns < last->freed_ns &&
            other.freed_ns > last->from_ns && other.end >= history->neighbour.end)
            history->neighbour = other;
    }
    return database_rows_end(row, "the blocks");
}

static int history_of_alloc(struct history *history, int64_t block)
{
    int status = add_earlier(history, block);
    if (status == 0 && history->places_count == 0)
        return fail("block %lld: there is no such block; `fisql stack CALL` shows the blocks that "
                    "pointers point into",
                    (long long)block);
    if (status == 0)
        status = add_later(history, block);
    array_sort(history->places, history->places_count, by_time);
    return status == 0 ? find_others(history) : status;
}

/* An address that is in no block: what lay there for the whole run. */
static int history_of_address(struct history *history, int64_t address, int64_t process)
{
    if (address == 0)
        return fail("NULL points to nothing");
    return place_add(history, (struct place){.address = address,
                                             .end = address + 1,
                                             .freed_ns = INT64_MAX,
                                             .gone_ns = INT64_MAX,
                                             .process = process});
}

int history_of_block(struct history *history, const char *which)
{
    char *end = NULL;
    bool is_address = strncmp(which, "0x", 2) == 0;
    int64_t number = (int64_t)strtoull(which, &end, is_address ? 16 : 10);
    if (*which == '\0' || *end != '\0')
        return fail("block %s: wants an address such as 0x55d0c3a0, or a block's number", which);
    if (!is_address)
        return history_of_alloc(history, number);
    sqlite3_stmt *row = database_ask(history->view->database,
                                     "SELECT max(id), count(*) FROM allocs"
                                     " WHERE address <= ?1 AND ?1 - address < max(size, 1)");
    if (row == NULL)
        return 2;
    sqlite3_bind_int64(row, 1, number);
    int64_t block = database_row(row) ? sqlite3_column_int64(row, 0) : 0;
    int64_t blocks = block > 0 ? sqlite3_column_int64(row, 1) : 0;
    sqlite3_finalize(row);
    if (blocks > 1)
        note("%lld blocks have lain at %s, one after another: this is the last one, block %lld; "
             "`SELECT id FROM allocs` has all",
             (long long)blocks, which, (long long)block);
    return block > 0 ? history_of_alloc(history, block)
                     : history_of_address(history, number,
                                          run_integer(history->view->database,
                                                      "SELECT min(id) FROM processes", 1));
}

/* The position of an argument by its number or name; -1. */
static int64_t position_of(const struct history *history, int64_t call, const char *name)
{
    char *end = NULL;
    if (strncmp(name, "arg", 3) == 0)
        name += 3 + strspn(name + 3, " ");
    long number = strtol(name, &end, 10);
    if (end != name && *end == '\0')
        return number >= 0 && number <= 31 ? number : -1;
    if (strcmp(name, "result") == 0)
        return 0;
    sqlite3_stmt *row =
        database_ask(history->view->database,
                     "SELECT p.position FROM calls c JOIN frames fr ON fr.id = c.frame_id"
                     " JOIN parameters p ON p.function_id = fr.function_id"
                     " WHERE c.id = ?1 AND p.name = ?2");
    if (row == NULL)
        return -1;
    sqlite3_bind_int64(row, 1, call);
    sqlite3_bind_text(row, 2, name, -1, SQLITE_STATIC);
    return database_integer(row, -1);
}

/* The value at a position of the call, and its type; SQLITE_NULL if there is none. */
static int value_at(const struct history *history, int64_t call, int64_t position, int64_t *value)
{
    sqlite3_stmt *row = position < 0 ? NULL
                                     : database_ask(history->view->database,
                                                    "SELECT value FROM call_values WHERE id = ?1");
    if (row == NULL)
        return SQLITE_NULL;
    sqlite3_bind_int64(row, 1, call * 32 + position);
    int type = database_row(row) ? sqlite3_column_type(row, 0) : SQLITE_NULL;
    *value = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return type;
}

/* Where the expression &name[0] of this argument is, which is the address of a text; -1. */
static int64_t address_of_text(const struct history *history, int64_t call, int64_t position)
{
    sqlite3_stmt *row =
        database_ask(history->view->database,
                     "SELECT a.position FROM calls c JOIN frames fr ON fr.id = c.frame_id"
                     " JOIN parameters p ON p.function_id = fr.function_id AND p.position = ?2"
                     " JOIN parameters a ON a.function_id = fr.function_id"
                     " AND a.name = '&' || p.name || '[0]' WHERE c.id = ?1");
    if (row == NULL)
        return -1;
    sqlite3_bind_int64(row, 1, call);
    sqlite3_bind_int64(row, 2, position);
    return database_integer(row, -1);
}

int history_of_call(struct history *history, const char *which)
{
    char *end = NULL;
    sqlite3 *database = history->view->database;
    int64_t call = strtoll(which, &end, 10), address = 0;
    if (end == which || *end != '.' || call <= 0 || call > RUN_CALL_ID_MAX)
        return fail("call %s: wants a call and its argument: 123.2, 123.name or 123.result", which);
    int64_t position = position_of(history, call, end + 1);
    int type = value_at(history, call, position, &address);
    bool is_text = type == SQLITE_TEXT || type == SQLITE_BLOB;
    if (is_text && (position = address_of_text(history, call, position)) >= 0)
        type = value_at(history, call, position, &address);
    if (type != SQLITE_INTEGER && is_text)
        return fail("call %s: of a text the recording has what it says, and not where it lies: "
                    "record that with --value 'FUNCTION: &NAME[0]'",
                    which);
    if (type != SQLITE_INTEGER)
        return fail(
            "call %s: the call has no such argument that is a pointer; `fisql stack %lld` shows "
            "its values (recorded with --values)",
            which, (long long)call);
    sqlite3_stmt *row = database_ask(
        database, "SELECT alloc_id FROM call_blocks WHERE call_id = ?1 AND position = ?2");
    sqlite3_bind_int64(row, 1, call);
    sqlite3_bind_int64(row, 2, position);
    int64_t block = database_integer(row, 0);
    if (block > 0)
        return history_of_alloc(history, block);
    row = database_ask(
        database,
        "SELECT t.process_id FROM calls c JOIN threads t ON t.id = c.thread_id WHERE c.id = ?1");
    sqlite3_bind_int64(row, 1, call);
    return history_of_address(history, address, database_integer(row, 1));
}
