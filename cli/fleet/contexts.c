/* Calling contexts of many runs: see contexts.h. */
#include "cli/fleet/contexts.h"

#include "base/slots.h"
#include "base/memory_text.h"
#include "cli/fleet/functions.h"
#include "cli/out/say.h"
#include "cli/run/database.h"
#include "cli/run/names.h"
#include "cli/run/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_FRAMES_MAX = 64 };

/* The id of the context that calls the function from that parent. A multiplication and shifts
 * mix all bits (Steele, Lea and Flood 2014: SplitMix). 0 means none. */
static int64_t id_under(int64_t parent, int64_t function)
{
    uint64_t x = (uint64_t)parent * 0x9e3779b97f4a7c15u + (uint64_t)function;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x != 0 ? (int64_t)x : 1;
}

static bool fits(const struct contexts *contexts, sqlite3_value *value, size_t *frame)
{
    int64_t id = sqlite3_value_int64(value);
    *frame = (size_t)id;
    return sqlite3_value_type(value) != SQLITE_NULL && id > 0 && (uint64_t)id < contexts->count;
}

static void context_id(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct contexts *contexts = sqlite3_user_data(context);
    size_t frame;
    (void)count;
    if (fits(contexts, values[0], &frame))
        sqlite3_result_int64(context, contexts->ids[frame]);
}

static void context_first(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct contexts *contexts = sqlite3_user_data(context);
    size_t frame;
    (void)count;
    if (fits(contexts, values[0], &frame))
        sqlite3_result_int(context, contexts->first[frame / 8] >> frame % 8 & 1);
}

static void context_stack(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct contexts *contexts = sqlite3_user_data(context);
    size_t frame, depth = 0, path[STACK_FRAMES_MAX], size = 0;
    char *text = NULL;
    (void)count;
    if (!fits(contexts, values[0], &frame))
        return;
    for (; frame != 0 && depth < STACK_FRAMES_MAX; frame = contexts->parents[frame])
        path[depth++] = contexts->functions[frame];
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (frame != 0)
        fputs("..." NAMES_ARROW, out);
    int step = SQLITE_DONE;
    while (depth-- > 0 && (step == SQLITE_ROW || step == SQLITE_DONE)) {
        step = sqlite3_bind_int64(contexts->name, 1, (sqlite3_int64)path[depth]);
        step = step == SQLITE_OK ? sqlite3_step(contexts->name) : step;
        if (step == SQLITE_ROW)
            fwrite(sqlite3_column_blob(contexts->name, 0), 1,
                   (size_t)sqlite3_column_bytes(contexts->name, 0), out);
        sqlite3_reset(contexts->name);
        if (depth > 0)
            fputs(NAMES_ARROW, out);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || text == NULL)
        sqlite3_result_error_nomem(context);
    else if (step != SQLITE_ROW && step != SQLITE_DONE)
        sqlite3_result_error_code(context, step);
    else
        sqlite3_result_text64(context, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
    free(text);
}

static int read_frames(struct contexts *contexts, sqlite3 *database)
{
    sqlite3_stmt *rows = NULL;
    int result = sqlite3_prepare_v2(
        database,
        "SELECT fr.id, coalesce(fr.parent_id, 0), fr.function_id, stable(f.stable_id)"
        " FROM frames fr CROSS JOIN functions f ON f.id = fr.function_id ORDER BY fr.id",
        -1, &rows, NULL);
    while (result == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(rows, 0), parent = sqlite3_column_int64(rows, 1);
        if (id < 1 || (uint64_t)id >= contexts->count || parent < 0 || parent >= id)
            continue; /* run_ids_sound() and database_check_frames() refuse such rows */
        contexts->parents[id] = (uint32_t)parent;
        contexts->functions[id] = (uint32_t)sqlite3_column_int64(rows, 2);
        contexts->ids[id] = id_under(contexts->ids[parent], sqlite3_column_int64(rows, 3));
    }
    if (result != SQLITE_OK)
        return fail("%s: the frames cannot be read: %s", sqlite3_db_filename(database, "main"),
                    sqlite3_errmsg(database));
    return database_rows_end(rows, "the frames");
}

/* Marks the first frame of each id. */
static int mark_first(struct contexts *contexts)
{
    struct slots slots = {0};
    int status = 0;
    for (size_t id = 1; id < contexts->count && status == 0; id++) {
        if (contexts->functions[id] == 0)
            continue;
        uint32_t hash = slots_hash((uint64_t)contexts->ids[id], 0), other;
        bool known = false;
        for (uint32_t at = hash; !known && (other = slots_next(&slots, hash, &at)) != SLOTS_NONE;)
            known = contexts->ids[other] == contexts->ids[id];
        if (known)
            continue;
        contexts->first[id / 8] |= (uint8_t)(1 << id % 8);
        contexts->distinct++;
        if (slots_add(&slots, hash, (uint32_t)id, NULL) != 0)
            status = fail("out of memory for the contexts");
    }
    slots_release(&slots);
    return status;
}

static int add_functions(struct contexts *contexts, sqlite3 *database)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    return sqlite3_create_function(database, "context", 1, flags, contexts, context_id, NULL,
                                   NULL) == SQLITE_OK &&
                   sqlite3_create_function(database, "context_first", 1, flags, contexts,
                                           context_first, NULL, NULL) == SQLITE_OK &&
                   sqlite3_create_function(database, "context_stack", 1, flags, contexts,
                                           context_stack, NULL, NULL) == SQLITE_OK &&
                   sqlite3_prepare_v2(database,
                                      "SELECT CAST(name AS BLOB) FROM functions WHERE id = ?1", -1,
                                      &contexts->name, NULL) == SQLITE_OK
               ? 0
               : fail("the contexts cannot be read: %s", sqlite3_errmsg(database));
}

int contexts_load(struct contexts *contexts, sqlite3 *database)
{
    *contexts = (struct contexts){0};
    if (!run_ids_sound(database, "frames") || !run_ids_sound(database, "functions") ||
        database_check_frames(database) != 0)
        return 2;
    int64_t last = run_integer(database, "SELECT max(id) FROM frames", 0);
    if (last >= UINT32_MAX)
        return fail("%s: has too many contexts", sqlite3_db_filename(database, "main"));
    contexts->count = (size_t)last + 1;
    contexts->ids = calloc(contexts->count, sizeof *contexts->ids);
    contexts->parents = calloc(contexts->count, sizeof *contexts->parents);
    contexts->functions = calloc(contexts->count, sizeof *contexts->functions);
    contexts->first = calloc(contexts->count / 8 + 1, 1);
    if (contexts->ids == NULL || contexts->parents == NULL || contexts->functions == NULL ||
        contexts->first == NULL)
        return fail("out of memory for %zu contexts", contexts->count);
    int status = read_frames(contexts, database);
    if (status == 0)
        status = mark_first(contexts);
    return status == 0 ? add_functions(contexts, database) : status;
}

void contexts_release(struct contexts *contexts)
{
    free(contexts->ids);
    free(contexts->parents);
    free(contexts->functions);
    free(contexts->first);
    sqlite3_finalize(contexts->name);
    *contexts = (struct contexts){0};
}
