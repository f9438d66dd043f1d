/*
 * Random programs against plain models: a generator runs threads that call, allocate, free and
 * realloc; what it does goes both to the memory module and, in the plainest way, into the tables
 * `model` and `calls`. Then allocs must equal the model, and each rollup what SQL makes of allocs
 * and calls (memory_oracle.sql).
 */
#include "loader/memory/memory.h"
#include "queries/embedded.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

enum {
    THREADS_MAX = 4,
    DEPTH_MAX = 40,
    FUNCTIONS = 12,
    BLOCKS_MAX = 400,
    CALLS_A_THREAD = 1000000
};

struct call {
    struct memory_open_call head;
    uint64_t descendants;
};

struct thread {
    struct memory_thread *spool;
    uint32_t id;
    struct call stack[DEPTH_MAX];
    uint32_t depth;
    uint64_t next_call;
    uint64_t allocs;
};

struct block {
    uint64_t id, address, size, call, number;
    uint32_t thread;
};

struct world {
    sqlite3 *database; /* the models, in memory until the load is done */
    sqlite3_stmt *add_call, *end_call, *add_alloc, *free_alloc;
    struct memory *memory;
    struct btree_file *file;
    struct thread threads[THREADS_MAX];
    uint32_t threads_count;
    struct block blocks[BLOCKS_MAX];
    uint32_t blocks_count;
    uint64_t tick, next_id, next_address;
    uint64_t state; /* of the random numbers */
    struct error error;
    bool failed;
};

static char path[512];

static uint64_t random_below(struct world *world, uint64_t limit)
{
    world->state ^= world->state << 13;
    world->state ^= world->state >> 7;
    world->state ^= world->state << 17;
    return world->state % limit;
}

static uint64_t ns_at(const void *clock, uint32_t process_id, uint64_t tick)
{
    (void)clock;
    (void)process_id;
    return tick * 3;
}

static void run_sql(sqlite3 *database, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        check(false, "%s: %s", sql, message);
    sqlite3_free(message);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        check(false, "%s: %s", sql, sqlite3_errmsg(database));
    return statement;
}

static void bind_all(sqlite3_stmt *statement, const uint64_t *values, int count, bool null_zeros)
{
    for (int i = 0; i < count; i++)
        if (values[i] == 0 && null_zeros)
            sqlite3_bind_null(statement, i + 1);
        else
            sqlite3_bind_int64(statement, i + 1, (int64_t)values[i]);
    sqlite3_step(statement);
    sqlite3_reset(statement);
}

static struct memory_stack stack_of(const struct thread *thread)
{
    return (struct memory_stack){thread->stack, sizeof *thread->stack, thread->depth};
}

static struct world *world_begin(uint64_t seed, uint32_t threads, size_t spool_bytes)
{
    struct world *world = calloc(1, sizeof *world);
    sqlite3 *empty = NULL;
    unlink(path);
    sqlite3_open(path, &empty);
    run_sql(empty, "PRAGMA page_size = 4096; PRAGMA synchronous = off");
    run_sql(empty, embedded_schema);
    sqlite3_close(empty);
    sqlite3_open(":memory:", &world->database);
    run_sql(
        world->database,
        "CREATE TABLE model(id INTEGER PRIMARY KEY, call_id, frame_id, thread_id, site_id, kind,"
        " address, size, alloc_ns, free_ns, free_call_id, free_frame_id, free_thread_id,"
        " free_site_id, free_kind, realloc_of, allocs_between, owner_call_id);"
        "CREATE TABLE model_calls(id INTEGER PRIMARY KEY, thread_id, frame_id, depth, outermost,"
        " parent_distance, descendants, ended); BEGIN");
    world->add_call = prepare(world->database,
                              "INSERT INTO model_calls VALUES(?, ?, ?, ?, ?, nullif(?, -1), 0, 2)");
    world->end_call = prepare(world->database,
                              "UPDATE model_calls SET descendants = ?2, ended = ?3 WHERE id = ?1");
    world->add_alloc = prepare(world->database,
                               "INSERT INTO model(id, call_id, frame_id, thread_id, site_id, kind,"
                               " address, alloc_ns, realloc_of, size)"
                               " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    world->free_alloc =
        prepare(world->database,
                "UPDATE model SET free_call_id = ?2, free_frame_id = ?3, free_thread_id = ?4,"
                " free_site_id = ?5, free_kind = ?6, free_ns = ?7, owner_call_id = ?8,"
                " allocs_between = ?9 - 1 WHERE id = ?1");
    struct memory_options options = {.folder = "/tmp", .spool_bytes = spool_bytes, .ns_at = ns_at};
    world->state = seed * 0x9e3779b97f4a7c15u + 1;
    world->threads_count = threads;
    world->next_id = 1;
    world->next_address = 0x10000;
    world->failed = memory_open(&options, &world->memory, &world->error) < 0 ||
                    btree_open(path, &world->file, &world->error) < 0;
    for (uint32_t i = 0; i < threads; i++) {
        struct thread *thread = &world->threads[i];
        thread->id = i + 1;
        thread->next_call = (uint64_t)i * CALLS_A_THREAD + 1;
        world->failed |=
            memory_thread_begin(world->memory, i + 1, 1, &thread->spool, &world->error) < 0;
    }
    return world;
}

static void enter(struct world *world, struct thread *thread)
{
    if (thread->depth == DEPTH_MAX)
        return;
    uint32_t function = 1 + (uint32_t)random_below(world, FUNCTIONS);
    bool outermost = true;
    for (uint32_t i = 0; i < thread->depth; i++) {
        outermost &= thread->stack[i].head.function_id != function;
        thread->stack[i].descendants++;
    }
    struct call *call = &thread->stack[thread->depth];
    *call = (struct call){.head = {.call_id = thread->next_call++,
                                   .frame_id = function + 100,
                                   .function_id = function,
                                   .outermost = outermost}};
    uint64_t distance = thread->depth > 0 ? call->head.call_id - call[-1].head.call_id : UINT64_MAX;
    bind_all(world->add_call,
             (uint64_t[]){call->head.call_id, thread->id, call->head.frame_id, thread->depth,
                          outermost, distance},
             6, false);
    thread->depth++;
}

static void leave(struct world *world, struct thread *thread)
{
    if (thread->depth == 0)
        return;
    struct call *call = &thread->stack[thread->depth - 1];
    bool finished = random_below(world, 10) != 0;
    world->failed |=
        memory_call_exit(thread->spool, thread->depth, &call->head, finished, &world->error) < 0;
    bind_all(world->end_call, (uint64_t[]){call->head.call_id, call->descendants, finished ? 0 : 3},
             3, false);
    thread->depth--;
}

/* Some addresses come again, so that a block of another thread may lie where one's own did. */
static uint64_t choose_address(struct world *world)
{
    for (int attempt = 0; attempt < 4; attempt++) {
        uint64_t address = 0x10000 + 64 * random_below(world, BLOCKS_MAX);
        bool used = false;
        for (uint32_t i = 0; i < world->blocks_count; i++)
            used |= world->blocks[i].address == address;
        if (!used)
            return address;
    }
    world->next_address += 64;
    return 0x1000000 + world->next_address;
}

static void model_alloc(struct world *world, struct thread *thread, uint32_t kind, uint64_t site,
                        uint64_t address, uint64_t size, uint64_t realloc_of)
{
    const struct memory_open_call none = {0};
    const struct memory_open_call *call =
        thread->depth > 0 ? &thread->stack[thread->depth - 1].head : &none;
    world->blocks[world->blocks_count++] =
        (struct block){world->next_id, address, size, call->call_id, thread->allocs++, thread->id};
    sqlite3_bind_int64(world->add_alloc, 10, (int64_t)size);
    bind_all(world->add_alloc,
             (uint64_t[]){world->next_id++, call->call_id, call->frame_id, thread->id, site,
                          kind + 1, address, world->tick * 3, realloc_of},
             9, true);
}

/* Ends block `index` in the model. */
static void model_free(struct world *world, struct thread *thread, uint32_t kind, uint64_t site,
                       uint32_t index)
{
    const struct memory_open_call none = {0};
    const struct memory_open_call *call =
        thread->depth > 0 ? &thread->stack[thread->depth - 1].head : &none;
    const struct block *block = &world->blocks[index];
    bool same = block->thread == thread->id;
    uint64_t owner = 0;
    /* call ids of a thread are its own, and an open one that is not greater was open then */
    for (uint32_t i = 0; same && i < thread->depth; i++)
        if (thread->stack[i].head.call_id <= block->call)
            owner = thread->stack[i].head.call_id;
    bind_all(world->free_alloc,
             (uint64_t[]){block->id, call->call_id, call->frame_id, thread->id, site, kind + 1,
                          world->tick * 3, owner, same ? thread->allocs - block->number : 0},
             9, true);
    world->blocks[index] = world->blocks[--world->blocks_count];
}

static void do_alloc(struct world *world, struct thread *thread)
{
    static const uint32_t kinds[] = {FISQL_KIND_MALLOC, FISQL_KIND_CALLOC, FISQL_KIND_NEW};
    if (world->blocks_count == BLOCKS_MAX)
        return;
    uint32_t kind = kinds[random_below(world, 3)];
    uint32_t site = (uint32_t)random_below(world, 6);
    uint64_t address = choose_address(world), size = random_below(world, site == 1 ? 100 : 20) * 8;
    struct memory_stack stack = stack_of(thread);
    world->failed |= memory_alloc(thread->spool, world->tick, kind, site, address, size, &stack,
                                  &world->error) < 0;
    model_alloc(world, thread, kind, site, address, size, 0);
}

static void do_free(struct world *world, struct thread *thread)
{
    if (world->blocks_count == 0)
        return;
    uint32_t index = (uint32_t)random_below(world, world->blocks_count);
    if (random_below(world, 2)) /* mostly young blocks */
        index = world->blocks_count - 1;
    uint32_t kind = random_below(world, 5) ? FISQL_KIND_FREE : FISQL_KIND_DELETE;
    uint32_t site = (uint32_t)random_below(world, 4);
    struct memory_stack stack = stack_of(thread);
    world->failed |= memory_free(thread->spool, world->tick, kind, site,
                                 world->blocks[index].address, &stack, &world->error) < 0;
    model_free(world, thread, kind, site, index);
}

static void do_realloc(struct world *world, struct thread *thread)
{
    if (world->blocks_count == 0)
        return;
    uint32_t index = (uint32_t)random_below(world, world->blocks_count);
    if (random_below(world, 2))
        index = world->blocks_count - 1;
    struct block old = world->blocks[index];
    uint64_t address = random_below(world, 3) ? choose_address(world) : old.address;
    uint64_t size = old.size + random_below(world, 64);
    uint32_t site = (uint32_t)random_below(world, 3);
    struct memory_stack stack = stack_of(thread);
    world->failed |= memory_realloc(thread->spool, world->tick, world->tick + 1, site, old.address,
                                    address, size, &stack, &world->error) < 0;
    model_free(world, thread, FISQL_KIND_REALLOC, site, index);
    world->tick++;
    model_alloc(world, thread, FISQL_KIND_REALLOC, site, address, size, old.id);
}

/* The kinds' names and the totals that the loader asks for, as tables. */
static void write_totals(struct world *world, sqlite3 *database)
{
    run_sql(database,
            "CREATE TEMP TABLE kinds(id INTEGER PRIMARY KEY, name, family);"
            "CREATE TEMP TABLE frame_totals(id, allocs, alloc_bytes, frees, free_bytes);"
            "CREATE TEMP TABLE function_totals(id, allocs, alloc_bytes, frees, free_bytes,"
            " total_allocs, total_alloc_bytes, total_frees, total_free_bytes,"
            " live_blocks_max, live_bytes_max, leaking_calls, leaked_bytes, worst_leak_bytes,"
            " worst_leak_call_id)");
    char sql[200];
#define KIND(constant, number, name, family)                                                       \
    snprintf(sql, sizeof sql, "INSERT INTO kinds VALUES(%d, '%s', '%s')", number, name, family);   \
    run_sql(database, sql);
    FISQL_ALLOC_KINDS(KIND)
#undef KIND
    sqlite3_stmt *frame = prepare(database, "INSERT INTO frame_totals VALUES(?, ?, ?, ?, ?)");
    sqlite3_stmt *function =
        prepare(database, "INSERT INTO function_totals VALUES(?, ?, ?, ?, ?, ?,"
                          " ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (uint32_t id = 1; id <= FUNCTIONS; id++) {
        struct memory_totals own = memory_of_frame(world->memory, id + 100);
        struct memory_function of = memory_of_function(world->memory, id);
        bind_all(frame,
                 (uint64_t[]){id + 100, own.allocs, own.alloc_bytes, own.frees, own.free_bytes}, 5,
                 false);
        bind_all(function,
                 (uint64_t[]){id, of.own.allocs, of.own.alloc_bytes, of.own.frees,
                              of.own.free_bytes, of.total.allocs, of.total.alloc_bytes,
                              of.total.frees, of.total.free_bytes, of.live_blocks_max,
                              of.live_bytes_max, of.leaking_calls, of.leaked_bytes,
                              of.worst_leak_bytes, of.worst_leak_call_id},
                 15, false);
    }
    sqlite3_finalize(frame);
    sqlite3_finalize(function);
}

/* Copies the models over and compares; the oracle's rows are name and count of differences. */
static void compare(struct world *world, sqlite3 *database, const char *what, bool large)
{
    char sql[1000];
    const char *file = getenv("MEMORY_ORACLE");
    snprintf(sql, sizeof sql, "VACUUM INTO '%s.model'", path);
    run_sql(world->database, "COMMIT");
    run_sql(world->database, sql);
    snprintf(sql, sizeof sql, "ATTACH '%s.model' AS m", path);
    run_sql(database, sql);
    write_totals(world, database);
    FILE *stream = fopen(file != NULL ? file : "tests/unit/memory_oracle.sql", "r");
    if (!check(stream != NULL, "the oracle is there"))
        return;
    static char text[65536];
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    if (large)
        *strstr(text, "-- SMALL") = 0;
    const char *rest = text;
    while (rest[strspn(rest, " \n")] != 0) {
        sqlite3_stmt *statement = NULL;
        if (sqlite3_prepare_v2(database, rest, -1, &statement, &rest) != SQLITE_OK) {
            check(false, "%s: %s near %.60s", what, sqlite3_errmsg(database), rest);
            break;
        }
        int status;
        while (statement != NULL && (status = sqlite3_step(statement)) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(statement, 0);
            check(sqlite3_column_int(statement, 1) == 0, "%s: %s (%d differ, %d rows)", what, name,
                  sqlite3_column_int(statement, 1), sqlite3_column_int(statement, 2));
        }
        sqlite3_finalize(statement);
    }
}

static void world_end(struct world *world, const char *what, bool large)
{
    sqlite3 *database = NULL;
    for (uint32_t i = 0; i < world->threads_count; i++) {
        struct thread *thread = &world->threads[i];
        while (random_below(world, 20) && thread->depth > 0)
            leave(world, thread);
        for (uint32_t depth = thread->depth; depth > 0; depth--) {
            struct call *call = &thread->stack[depth - 1];
            world->failed |=
                memory_call_exit(thread->spool, depth, &call->head, false, &world->error) < 0;
            bind_all(world->end_call, (uint64_t[]){call->head.call_id, call->descendants, 2}, 3,
                     false);
        }
        world->failed |= memory_thread_end(thread->spool, &world->error) < 0;
    }
    world->failed |=
        memory_pair(world->memory, world->file, world->tick * 3 + 3, &world->error) < 0;
    check(!world->failed, "%s: paired %s", what, world->error.text);
    check(btree_close(world->file, &world->error) == 0, "%s: closed %s", what, world->error.text);
    sqlite3_open(path, &database);
    run_sql(database, "BEGIN");
    check(memory_write(world->memory, database, &world->error) == 0, "%s: written %s", what,
          world->error.text);
    run_sql(database, "COMMIT");
    compare(world, database, what, large);
    sqlite3_close(database);
    sqlite3_finalize(world->add_call);
    sqlite3_finalize(world->end_call);
    sqlite3_finalize(world->add_alloc);
    sqlite3_finalize(world->free_alloc);
    sqlite3_close(world->database);
    memory_close(world->memory);
    free(world);
    char model[600];
    snprintf(model, sizeof model, "%s.model", path);
    unlink(model);
}

static void test_random(uint64_t seed, uint32_t threads, int events, size_t spool_bytes, bool large)
{
    char what[80];
    struct world *world = world_begin(seed, threads, spool_bytes);
    for (int i = 0; i < events; i++) {
        struct thread *thread = &world->threads[random_below(world, threads)];
        world->tick += 1 + random_below(world, 4);
        uint64_t choice = random_below(world, 20);
        if (choice < 4)
            enter(world, thread);
        else if (choice < 8)
            leave(world, thread);
        else if (choice < 13)
            do_alloc(world, thread);
        else if (choice < 17)
            do_free(world, thread);
        else
            do_realloc(world, thread);
    }
    snprintf(what, sizeof what, "seed %llu, %u threads, %d events", (unsigned long long)seed,
             threads, events);
    world_end(world, what, large);
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/memory.db", folder != NULL ? folder : "/tmp");
    test_random(1, 1, 0, 0, false);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        test_random(seed, 1, 3000, 0, false);
        test_random(seed, 1 + (uint32_t)seed % 4, 5000, seed % 2 ? 0 : 1, false);
    }
    /* More blocks than the window of rows holds, and frees long after; events in the file. */
    test_random(7, 3, 300000, 100000, true);
    unlink(path);
    return check_status();
}
