/*
 * The third stage of memory.h: the rollups that memory_pair made, written through the sqlite3 API.
 */
#include "loader/memory/memory_parts.h"
#include "loader/sqlite/insert.h"

/* Inserts a row of integers. */
static void insert_ints(struct insert *insert, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        insert_int(insert, (int64_t)values[i]);
}
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int write_stacks(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "alloc_stacks",
                 "id,frame_id,site_id,kind,blocks,bytes,freed_blocks,freed_bytes,live_blocks_max,"
                 "live_bytes_max,peak_blocks,peak_bytes,min_size,max_size,lifetime_ns,"
                 "cross_thread_frees,first_ns,last_ns,first_alloc_id,last_alloc_id,"
                 "lifetime_max_ns,first_live_id,last_live_id");
    for (uint32_t i = 0; i < memory_stacks_count(&memory->stacks); i++) {
        const struct alloc_stack *stack = &memory->stacks.items[i];
        const uint64_t values[] = {
            stack->blocks,           stack->bytes,           stack->freed_blocks,
            stack->freed_bytes,      stack->live.blocks_max, stack->live.bytes_max,
            stack->live.peak_blocks, stack->live.peak_bytes, stack->min_size,
            stack->max_size,         stack->lifetime_ns,     stack->cross_thread_frees,
            stack->first_ns,         stack->last_ns,         stack->first_alloc,
            stack->last_alloc};
        insert_int(&insert, (int64_t)i + 1);
        insert_id(&insert, stack->frame);
        insert_id(&insert, stack->site);
        insert_text(&insert, memory_kind_name(stack->kind));
        insert_ints(&insert, values, COUNT(values));
        if (stack->freed_blocks > 0)
            insert_int(&insert, (int64_t)stack->lifetime_max_ns);
        else
            insert_null(&insert);
        insert_id(&insert, stack->first_live);
        insert_id(&insert, stack->last_live);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

/* Which of an amount's fields a table has after its key. */
enum amount_fields { BLOCKS, BLOCKS_BYTES, BLOCKS_BYTES_EXAMPLE };

static int write_counter(const struct memory_counter *counter, sqlite3 *database, const char *table,
                         const char *columns, enum amount_fields fields, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, table, columns);
    for (uint32_t i = 0; i < counter->keys.count; i++) {
        const struct memory_amount *amount = &counter->amounts[i];
        const uint64_t values[] = {counter->keys.keys[i].a + 1, counter->keys.keys[i].b,
                                   amount->blocks, amount->bytes, amount->example};
        insert_ints(&insert, values, 3 + (size_t)fields);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_counters(const struct memory *memory, sqlite3 *database, struct error *error)
{
    if (write_counter(&memory->counts.sizes, database, "alloc_sizes", "stack_id,size,blocks",
                      BLOCKS, error) < 0 ||
        write_counter(&memory->counts.distances, database, "alloc_distances",
                      "stack_id,allocs_between,blocks,bytes", BLOCKS_BYTES, error) < 0)
        return -1;
    return write_counter(&memory->counts.owners, database, "alloc_owners",
                         "stack_id,owner_frame_id,blocks,bytes,example_alloc_id",
                         BLOCKS_BYTES_EXAMPLE, error);
}

static int write_flows(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "block_flows",
                 "stack_id,free_frame_id,free_site_id,alloc_thread_id,free_thread_id,blocks,bytes,"
                 "residence_ns,residence_max_ns,mismatched,example_alloc_id,example_mismatch_id");
    for (uint32_t i = 0; i < memory->counts.flows.keys.count; i++) {
        const struct memory_flow *flow = &memory->counts.flows.items[i];
        const struct memory_flow_key *key = &flow->key;
        const uint64_t values[] = {memory->threads[key->alloc_thread]->id,
                                   memory->threads[key->free_thread]->id,
                                   flow->blocks,
                                   flow->bytes,
                                   flow->residence_ns,
                                   flow->residence_max_ns,
                                   flow->mismatched,
                                   flow->example};
        insert_int(&insert, (int64_t)key->stack + 1);
        insert_id(&insert, key->frame);
        insert_id(&insert, key->site);
        insert_ints(&insert, values, COUNT(values));
        insert_id(&insert, flow->mismatch);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_timeline(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "memory_steps",
                 "step,thread_id,end_ns,live_bytes,live_blocks,max_live_bytes,allocs,alloc_bytes,"
                 "frees,free_bytes");
    for (size_t i = 0; i < memory->timeline.count; i++) {
        const struct memory_step *row = &memory->timeline.steps[i];
        const uint64_t values[] = {row->step,
                                   row->thread,
                                   ((uint64_t)row->step + 1) * memory->timeline.step_ns,
                                   row->live_bytes,
                                   row->live_blocks,
                                   row->max_live_bytes,
                                   row->totals.allocs,
                                   row->totals.alloc_bytes,
                                   row->totals.frees,
                                   row->totals.free_bytes};
        insert_ints(&insert, values, COUNT(values));
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_facts(const struct memory *memory, sqlite3 *database, struct error *error)
{
    const struct {
        const char *key;
        uint64_t value;
    } facts[] = {{"peak_ns", memory->timeline.peak.ns},
                 {"peak_bytes", memory->timeline.peak.bytes},
                 {"peak_blocks", memory->timeline.peak.blocks},
                 {"total_allocs", memory->sums.all.allocs},
                 {"total_alloc_bytes", memory->sums.all.alloc_bytes},
                 {"total_frees", memory->sums.all.frees},
                 {"total_free_bytes", memory->sums.all.free_bytes}};
    struct insert insert;
    insert_begin(&insert, database, "run", "key,value");
    for (size_t i = 0; i < COUNT(facts); i++) {
        insert_text(&insert, facts[i].key);
        insert_int(&insert, (int64_t)facts[i].value);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_errors(const struct memory *memory, sqlite3 *database, struct error *error)
{
    return memory_errors_write(&memory->errors, database, error);
}

/* Bits of a size: no more than these. */
static void level_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    uint64_t size = (uint64_t)sqlite3_value_int64(values[0]);
    (void)count;
    sqlite3_result_int(context, size == 0 ? 0 : 64 - __builtin_clzll(size));
}

/* Blocks by address, for what pointers among the values point to. Where a free is missing, a block that seems to
 * live may be gone: such processes are left out. */
static int write_places(const struct memory *memory, sqlite3 *database, struct error *error)
{
    sqlite3_str *sql = sqlite3_str_new(database);
    sqlite3_str_appendall(
        sql,
        "INSERT INTO block_places SELECT t.process_id, level_of(a.size), a.address, a.alloc_ns, "
        "a.id"
        " FROM allocs a CROSS JOIN threads t ON t.id = a.thread_id"
        " WHERE EXISTS (SELECT 1 FROM parameters p WHERE p.kind IN ('pointer', 'function', 'text'))"
        " AND t.process_id NOT IN (SELECT o.process_id FROM anomalies n JOIN threads o ON o.id = "
        "n.thread_id"
        " WHERE n.kind = 'impossible') AND t.process_id NOT IN (0");
    for (size_t id = 1; id < memory->processes.capacity; id++)
        if (memory->processes.items[id].gap.any)
            sqlite3_str_appendf(sql, ",%llu", (unsigned long long)id);
    sqlite3_str_appendall(sql, ") ORDER BY 1, 2, 3, 4, 5");
    char *text = sqlite3_str_finish(sql);
    int status = text == NULL ? SQLITE_NOMEM
                              : sqlite3_create_function(database, "level_of", 1,
                                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                                        level_of, NULL, NULL);
    if (status == SQLITE_OK && memory->errors.clashes_left_out == 0)
        status = sqlite3_exec(database, text, NULL, NULL, NULL);
    if (status != SQLITE_OK)
        error_set(error, "writing block_places: %s",
                  text != NULL ? insert_problem(database) : sqlite3_errstr(status));
    sqlite3_free(text);
    return status == SQLITE_OK ? 0 : -1;
}

int memory_write(struct memory *memory, sqlite3 *database, struct error *error)
{
    int (*const writers[])(const struct memory *, sqlite3 *, struct error *) = {
        write_stacks, write_counters, write_flows, write_timeline,
        write_facts,  write_errors,   write_places};
    if (memory_errors_classify(&memory->errors, &memory->processes, memory->threads,
                               memory->threads_count, database, error) < 0)
        return -1;
    for (size_t i = 0; i < COUNT(writers); i++)
        if (writers[i](memory, database, error) < 0)
            return -1;
    return 0;
}
