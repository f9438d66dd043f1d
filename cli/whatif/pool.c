/* Allocations done again: see pool.h. */
#include "cli/whatif/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#define BLOCKS_MAX 200000          /* of a run, the first ones */
#define SIZE_MAX_BYTES 4096        /* larger ones are left to malloc */
#define LIVE_MAX_BYTES (256 << 20) /* at once */
#define STEP_BYTES 16
#define CHUNK_BYTES 65536
#define PASSES 9

struct block_step {
    int64_t ns;
    uint32_t block; /* index; the top bit set: it is freed */
};
#define FREED 0x80000000u

struct replayed {
    struct block_step *steps;
    size_t count, capacity;
    uint32_t *sizes;
    size_t blocks, sizes_capacity;
    void **places;
    int64_t larger; /* blocks that were left out */
    double *done;   /* by class: how often it allocated or freed one that was not */
};

/* Blocks of one size that are free. */
struct pool {
    void *free[SIZE_MAX_BYTES / STEP_BYTES + 1];
    char *chunk;
    size_t left;
    void **chunks;
    size_t chunks_count, chunks_capacity;
};

static bool pool_grow(struct pool *pool)
{
    void *chunk = malloc(CHUNK_BYTES);
    if (chunk == NULL ||
        array_add(&pool->chunks, &pool->chunks_count, &pool->chunks_capacity, chunk, NULL) != 0) {
        free(chunk);
        return false;
    }
    pool->chunk = chunk;
    pool->left = CHUNK_BYTES;
    return true;
}

static void *pool_take(struct pool *pool, uint32_t size)
{
    size_t bin = (size + STEP_BYTES - 1) / STEP_BYTES, bytes = bin * STEP_BYTES;
    void *found = pool->free[bin];
    if (found != NULL) {
        memcpy(&pool->free[bin], found, sizeof(void *));
        return found;
    }
    if (pool->left < bytes && !pool_grow(pool))
        return NULL;
    found = pool->chunk;
    pool->chunk += bytes;
    pool->left -= bytes;
    return found;
}

static void pool_give(struct pool *pool, void *block, uint32_t size)
{
    size_t bin = (size + STEP_BYTES - 1) / STEP_BYTES;
    memcpy(block, &pool->free[bin], sizeof(void *));
    pool->free[bin] = block;
}

static void pool_release(struct pool *pool)
{
    for (size_t i = 0; i < pool->chunks_count; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* what others run meanwhile does not count */
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* One pass; without a pool by malloc and free. Returns its time, or -1 without memory. */
static double pass(struct replayed *run, bool pooled)
{
    struct pool pool = {.chunk = NULL};
    bool enough = true;
    double start_ns = now_ns();
    for (size_t i = 0; i < run->count && enough; i++) {
        uint32_t block = run->steps[i].block & ~FREED, size = run->sizes[block];
        void **place = &run->places[block];
        if ((run->steps[i].block & FREED) != 0) {
            if (pooled)
                pool_give(&pool, *place, size);
            else
                free(*place);
            *place = NULL;
            continue;
        }
        *place = pooled ? pool_take(&pool, size) : malloc(size);
        enough = *place != NULL;
        if (enough)
            *(volatile char *)*place = 1;
    }
    double took_ns = now_ns() - start_ns;
    for (size_t i = 0; i < run->blocks; i++) {
        if (!pooled)
            free(run->places[i]);
        run->places[i] = NULL;
    }
    pool_release(&pool);
    return enough ? took_ns : -1;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median_pass(struct replayed *run, bool pooled)
{
    double took[PASSES];
    for (int i = 0; i < PASSES; i++)
        if ((took[i] = pass(run, pooled)) < 0)
            return -1;
    qsort(took, PASSES, sizeof *took, by_value);
    return took[PASSES / 2];
}

/* The blocks in their order. */
static int by_ns(const void *left, const void *right)
{
    const struct block_step *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static int read_block(const struct graph *graph, struct replayed *run, sqlite3_stmt *row)
{
    int64_t size = run_within(sqlite3_column_int64(row, 1), 1, INT64_MAX);
    int64_t freed_in = sqlite3_column_int64(row, 4);
    if (size > SIZE_MAX_BYTES) {
        run->larger++;
        return 0;
    }
    run->done[graph->frame_class[sqlite3_column_int64(row, 0)]]++;
    if (freed_in > 0 && (uint64_t)freed_in < graph->view->frames_count)
        run->done[graph->frame_class[freed_in]]++;
    if (run->blocks >= BLOCKS_MAX)
        return 0;
    uint32_t block = (uint32_t)run->blocks;
    if (array_add(&run->sizes, &run->blocks, &run->sizes_capacity, (uint32_t)size, NULL) != 0)
        return -1;
    struct block_step made = {run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX), block};
    if (array_add(&run->steps, &run->count, &run->capacity, made, NULL) != 0)
        return -1;
    if (sqlite3_column_type(row, 3) == SQLITE_NULL)
        return 0;
    struct block_step freed = {run_within(sqlite3_column_int64(row, 3), made.ns, RUN_NS_MAX),
                               block | FREED};
    return array_add(&run->steps, &run->count, &run->capacity, freed, NULL);
}

/* Are more bytes live at once than we may use? */
static bool too_large(const struct replayed *run)
{
    int64_t live = 0;
    for (size_t i = 0; i < run->count; i++) {
        uint32_t size = run->sizes[run->steps[i].block & ~FREED];
        live += (run->steps[i].block & FREED) != 0 ? -(int64_t)size : size;
        if (live > LIVE_MAX_BYTES)
            return true;
    }
    return false;
}

static int read_blocks(const struct graph *graph, const struct change *change, struct replayed *run,
                       int64_t *blocks)
{
    const struct run_view *view = graph->view;
    sqlite3_stmt *row = NULL;
    if (database_rows(view->database,
                      "SELECT frame_id, size, alloc_ns, free_ns, free_frame_id FROM allocs",
                      "the allocations", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t frame = sqlite3_column_int64(row, 0);
        if (frame <= 0 || (uint64_t)frame >= view->frames_count ||
            !change->functions[view->frames[frame].function])
            continue;
        ++*blocks;
        if (read_block(graph, run, row) != 0)
            return database_rows_short(row);
    }
    return database_rows_end(row, "the allocations");
}

static int measure(const struct graph *graph, struct replayed *run, struct change *change,
                   int64_t blocks)
{
    run->places = calloc(run->blocks + 1, sizeof *run->places);
    if (run->places == NULL)
        return fail("out of memory");
    double plain_ns = median_pass(run, false), pooled_ns = median_pass(run, true);
    if (plain_ns < 0 || pooled_ns < 0)
        return fail("%s: there is not enough memory to do its allocations again", change->text);
    for (uint32_t i = 0; i < graph->classes_count; i++)
        run->done[i] *= (plain_ns - pooled_ns) / (double)run->count;
    change->saves_ns = run->done;
    run->done = NULL;
    if (asprintf(&change->told,
                 "done again here, malloc and free take %.1f ns for a block, a list of free blocks "
                 "%.1f ns, %" PRId64 " times",
                 plain_ns / (double)run->blocks, pooled_ns / (double)run->blocks,
                 blocks - run->larger) < 0)
        change->told = NULL;
    return change->told != NULL ? 0 : fail("out of memory");
}

int pool_measure(const struct graph *graph, struct change *change)
{
    struct replayed run = {.blocks = 0};
    int64_t blocks = 0;
    run.done = calloc(graph->classes_count, sizeof *run.done);
    int status =
        run.done != NULL ? read_blocks(graph, change, &run, &blocks) : fail("out of memory");
    array_sort(run.steps, run.count, by_ns);
    if (status == 0 && run.blocks == 0) {
        change->told = strdup(blocks > 0 ? "its blocks are too large for a pool"
                                         : "no block was allocated by its own code");
        status = change->told != NULL ? 0 : fail("out of memory");
    } else if (status == 0 && too_large(&run)) {
        status = fail("%s: has more memory in use at once than can be tried here", change->text);
    } else if (status == 0) {
        status = measure(graph, &run, change, blocks);
    }
    free(run.steps);
    free(run.sizes);
    free(run.places);
    free(run.done);
    return status;
}
