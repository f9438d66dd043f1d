/* The pauses of single calls: see call_pauses.h. */
#include "cli/run/call_pauses.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/run/database.h"
#include "cli/run/run_view.h"

int call_pauses_open(struct call_pauses *pauses, sqlite3 *database)
{
    *pauses = (struct call_pauses){.items = NULL};
    sqlite3_stmt *row = NULL;
    if (database_rows(
            database,
            "SELECT call_id, start_ns, paused_ns FROM pauses ORDER BY call_id, start_ns, id",
            "the pauses", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        if (array_reserve(&pauses->items, &pauses->capacity, pauses->count + 1, NULL) != 0)
            return database_rows_short(row);
        pauses->items[pauses->count++] = (struct call_pause){
            sqlite3_column_int64(row, 0), run_within(sqlite3_column_int64(row, 1), 0, RUN_NS_MAX),
            run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX)};
    }
    int status = database_rows_end(row, "the pauses");
    if (status != 0 || pauses->count == 0)
        return status;
    return database_rows(database,
                         "SELECT id, enter_ns, duration_ns, descendants FROM calls"
                         " WHERE id >= ?1 ORDER BY id LIMIT 1",
                         "the calls", &pauses->next_call);
}

void call_pauses_close(struct call_pauses *pauses)
{
    sqlite3_finalize(pauses->next_call);
    free(pauses->items);
    *pauses = (struct call_pauses){.items = NULL};
}

/* The first pause of the call or of a later one. */
static size_t first_of(const struct call_pauses *pauses, int64_t call)
{
    return sorted_from(pauses->items, pauses->count, call, call);
}

int64_t call_pauses_of(const struct call_pauses *pauses, int64_t call)
{
    int64_t sum = 0;
    for (size_t at = first_of(pauses, call); at < pauses->count && pauses->items[at].call == call;
         at++)
        run_add(&sum, pauses->items[at].paused_ns);
    return sum;
}

struct callee {
    int64_t id, last, enter_ns, exit_ns;
};

/* The first call from `id` on; false if it is beyond `last`. */
static bool read_callee(const struct call_pauses *pauses, int64_t id, int64_t last,
                        struct callee *callee)
{
    sqlite3_stmt *row = pauses->next_call;
    sqlite3_bind_int64(row, 1, id);
    bool found = id <= last && database_row(row);
    if (found) {
        callee->id = run_within(sqlite3_column_int64(row, 0), id, RUN_CALL_ID_MAX);
        callee->enter_ns = run_within(sqlite3_column_int64(row, 1), 0, RUN_NS_MAX);
        callee->exit_ns = callee->enter_ns + run_within(sqlite3_column_int64(row, 2), 0,
                                                        RUN_NS_MAX - callee->enter_ns);
        callee->last =
            callee->id + run_within(sqlite3_column_int64(row, 3), 0, RUN_CALL_ID_MAX - callee->id);
    }
    sqlite3_reset(row);
    return found && callee->id <= last;
}

/* The id of the first call within the pause's call that was entered after the pause began. It is a
 * direct callee. */
static int64_t callee_after(const struct call_pauses *pauses, const struct call_pause *pause,
                            int64_t last)
{
    int64_t low = pause->call + 1, high = last + 1;
    struct callee callee;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (read_callee(pauses, middle, last, &callee) && callee.enter_ns < pause->start_ns)
            low = callee.id + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t overlap(int64_t from, int64_t to, int64_t since_ns, int64_t until_ns)
{
    if (from < since_ns)
        from = since_ns;
    if (to > until_ns)
        to = until_ns;
    return to > from ? to - from : 0;
}

/* Adds up the pause's pieces between the callees. */
static int64_t pause_within(const struct call_pauses *pauses, const struct call_pause *pause,
                            int64_t last, int64_t since_ns, int64_t until_ns)
{
    int64_t now_ns = pause->start_ns, left_ns = pause->paused_ns, sum = 0;
    int64_t next = callee_after(pauses, pause, last);
    struct callee callee;
    while (left_ns > 0 && now_ns < until_ns) {
        bool any = read_callee(pauses, next, last, &callee);
        int64_t piece_ns = left_ns;
        if (any && callee.enter_ns - now_ns < piece_ns)
            piece_ns = callee.enter_ns > now_ns ? callee.enter_ns - now_ns : 0;
        run_add(&sum, overlap(now_ns, now_ns + piece_ns, since_ns, until_ns));
        left_ns -= piece_ns;
        if (!any)
            break;
        now_ns = callee.exit_ns > now_ns ? callee.exit_ns : now_ns;
        next = callee.last + 1;
    }
    return sum;
}

int64_t call_pauses_within(const struct call_pauses *pauses, int64_t call, int64_t last,
                           int64_t exit_ns, int64_t since_ns, int64_t until_ns)
{
    int64_t sum = 0;
    for (size_t at = first_of(pauses, call); at < pauses->count && pauses->items[at].call == call;
         at++) {
        const struct call_pause *pause = &pauses->items[at];
        bool whole = pause->start_ns >= since_ns && exit_ns <= until_ns;
        run_add(&sum,
                whole ? pause->paused_ns : pause_within(pauses, pause, last, since_ns, until_ns));
    }
    return sum;
}
