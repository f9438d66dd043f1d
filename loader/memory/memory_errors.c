/* Wrong frees and allocations: see memory_errors.h. */
#include "loader/memory/memory_errors.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "loader/sqlite/insert.h"

enum { FREES_MAX = 100000, CLASHES_MAX = 1000 };

int memory_errors_add_free(struct memory_errors *errors, const struct memory_wrong_free *wrong,
                           struct error *error)
{
    if (errors->frees_count == FREES_MAX) {
        errors->frees_left_out++;
        return 0;
    }
    if (array_reserve(&errors->frees, &errors->frees_capacity, errors->frees_count + 1, error) < 0)
        return -1;
    errors->frees[errors->frees_count++] = *wrong;
    return 0;
}

int memory_errors_add_clash(struct memory_errors *errors, const struct memory_clash *clash,
                            struct error *error)
{
    if (errors->clashes_count == CLASHES_MAX) {
        errors->clashes_left_out++;
        return 0;
    }
    if (array_reserve(&errors->clashes, &errors->clashes_capacity, errors->clashes_count + 1,
                      error) < 0)
        return -1;
    errors->clashes[errors->clashes_count++] = *clash;
    return 0;
}

void memory_errors_release(struct memory_errors *errors)
{
    free(errors->frees);
    free(errors->clashes);
    *errors = (struct memory_errors){0};
}

/* ---- what a wrong free meant ---- */

/* Comparisons of a wrong free with a block: a hostile log must end, too. */
#define COMPARISONS_MAX (UINT64_C(1) << 31)

struct classifier {
    struct memory_wrong_free **by_address;
    size_t count;
    uint32_t *process_of; /* by threads.id */
    size_t process_of_capacity;
    uint64_t comparisons;
};

static int compare_frees(const void *left, const void *right)
{
    const struct memory_wrong_free *a = *(struct memory_wrong_free *const *)left;
    const struct memory_wrong_free *b = *(struct memory_wrong_free *const *)right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The first wrong free at the address or after it. */
static size_t find_first(const struct classifier *classifier, uint64_t address)
{
    size_t low = 0, high = classifier->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (classifier->by_address[middle]->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Looks at a row of allocs. Rows come by ascending ids. */
static void look_at_block(struct classifier *classifier, sqlite3_stmt *row)
{
    uint64_t id = (uint64_t)sqlite3_column_int64(row, 0);
    uint64_t address = (uint64_t)sqlite3_column_int64(row, 1);
    uint64_t size = (uint64_t)sqlite3_column_int64(row, 2);
    bool freed = sqlite3_column_type(row, 3) != SQLITE_NULL;
    uint64_t free_ns = (uint64_t)sqlite3_column_int64(row, 3);
    uint32_t thread = (uint32_t)sqlite3_column_int64(row, 4);
    uint64_t end = size > UINT64_MAX - address ? UINT64_MAX : address + size;
    for (size_t i = find_first(classifier, address); i < classifier->count; i++) {
        struct memory_wrong_free *wrong = classifier->by_address[i];
        bool same = wrong->address == address;
        if (!same && wrong->address >= end)
            return;
        if (classifier->comparisons++ > COMPARISONS_MAX)
            return;
        if (id >= wrong->before || thread >= classifier->process_of_capacity ||
            classifier->process_of[thread] != wrong->process)
            continue;
        if (same) {
            /* It was freed: else the free would have found it. A later "inside" is nearer. */
            wrong->error = "double";
            wrong->alloc = id;
        } else if (!freed || free_ns > wrong->ns) {
            wrong->error = "inside";
            wrong->alloc = id;
        }
    }
}

static int look_at_blocks(struct classifier *classifier, sqlite3 *database, struct error *error)
{
    static const char sql[] =
        "SELECT id, address, size, free_ns, thread_id FROM allocs ORDER BY id";
    sqlite3_stmt *row = NULL;
    int status = sqlite3_prepare_v2(database, sql, -1, &row, NULL);
    while (status == SQLITE_OK && (status = sqlite3_step(row)) == SQLITE_ROW) {
        look_at_block(classifier, row);
        status = SQLITE_OK;
    }
    if (status != SQLITE_DONE)
        error_set(error, "reading allocs: %s", sqlite3_errmsg(database));
    sqlite3_finalize(row);
    return status == SQLITE_DONE ? 0 : -1;
}

/* A free that no block explains is unknown. If the fork's tick is not known, it may be of a block
 * that the parent freed between the fork and the child's first event. */
static void settle_unknown(struct memory_errors *errors, const struct memory_processes *processes)
{
    size_t kept = 0;
    for (size_t i = 0; i < errors->frees_count; i++) {
        struct memory_wrong_free *wrong = &errors->frees[i];
        const struct memory_process *process = &processes->items[wrong->process];
        if (wrong->error == NULL && process->parent != 0 && process->fork_tick == 0) {
            errors->unknown_frees++;
            continue;
        }
        if (wrong->error == NULL)
            wrong->error = "unknown";
        errors->frees[kept++] = *wrong;
    }
    errors->frees_count = kept;
}

static int prepare(struct classifier *classifier, struct memory_errors *errors,
                   struct memory_thread *const *threads, size_t threads_count, struct error *error)
{
    classifier->by_address = calloc(errors->frees_count, sizeof *classifier->by_address);
    if (classifier->by_address == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < errors->frees_count; i++)
        if (errors->frees[i].error == NULL)
            classifier->by_address[classifier->count++] = &errors->frees[i];
    qsort(classifier->by_address, classifier->count, sizeof *classifier->by_address, compare_frees);
    for (size_t i = 0; i < threads_count; i++) {
        if (array_reach(&classifier->process_of, &classifier->process_of_capacity, threads[i]->id,
                        error) < 0)
            return -1;
        classifier->process_of[threads[i]->id] = threads[i]->process;
    }
    return 0;
}

int memory_errors_classify(struct memory_errors *errors, const struct memory_processes *processes,
                           struct memory_thread *const *threads, size_t threads_count,
                           sqlite3 *database, struct error *error)
{
    struct classifier classifier = {0};
    if (errors->frees_count == 0)
        return 0;
    int status = prepare(&classifier, errors, threads, threads_count, error);
    if (status == 0 && classifier.count > 0)
        status = look_at_blocks(&classifier, database, error);
    free(classifier.by_address);
    free(classifier.process_of);
    settle_unknown(errors, processes);
    return status;
}

/* ---- tables ---- */

static void write_loss(struct insert *insert, const char *reason, uint64_t events,
                       const char *detail)
{
    if (events == 0)
        return;
    insert_row(insert, column_text("reason", reason), column_int("events", (int64_t)events),
               column_text("detail", detail));
}

static int write_losses(const struct memory_errors *errors, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "losses");
    write_loss(&insert, "unknown frees", errors->unknown_frees,
               "frees of blocks whose allocation the log lacks");
    write_loss(&insert, "missing frees", errors->missing_frees,
               "blocks whose address was allocated again though the log lacks their free");
    write_loss(&insert, "too many wrong frees", errors->frees_left_out,
               "only the first 100000 are in free_errors");
    write_loss(&insert, "too many impossible allocations", errors->clashes_left_out,
               "only the first 1000 are in anomalies");
    return insert_end(&insert, error);
}

static int write_clashes(const struct memory_errors *errors, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "anomalies");
    for (size_t i = 0; i < errors->clashes_count; i++) {
        const struct memory_clash *clash = &errors->clashes[i];
        char detail[160];
        snprintf(detail, sizeof detail,
                 "allocs.id %llu lies at the address of allocs.id %llu, of which no free is known",
                 (unsigned long long)clash->alloc, (unsigned long long)clash->old_alloc);
        insert_row(&insert, column_text("kind", "impossible"),
                   column_int("thread_id", clash->thread), column_int("ns", (int64_t)clash->ns),
                   column_id("call_id", clash->call), column_text("detail", detail));
    }
    return insert_end(&insert, error);
}

int memory_errors_write(const struct memory_errors *errors, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "free_errors");
    for (size_t i = 0; i < errors->frees_count; i++) {
        const struct memory_wrong_free *wrong = &errors->frees[i];
        insert_row(&insert, column_text("error", wrong->error),
                   column_int("address", (int64_t)wrong->address),
                   column_text("kind", memory_kind_name(wrong->kind)),
                   column_int("ns", (int64_t)wrong->ns), column_int("thread_id", wrong->thread),
                   column_id("call_id", wrong->call), column_id("frame_id", wrong->frame),
                   column_id("site_id", wrong->site), column_id("alloc_id", wrong->alloc));
    }
    if (insert_end(&insert, error) < 0 || write_clashes(errors, database, error) < 0)
        return -1;
    return write_losses(errors, database, error);
}
