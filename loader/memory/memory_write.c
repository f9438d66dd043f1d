/*
 * The third stage of memory.h: writes memory_pair's rollups through the sqlite3 API.
 */
#include "loader/memory/memory_parts.h"
#include "loader/sqlite/insert.h"

extern const char memory_write_sql_places[], memory_write_sql_operators[];

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int write_stacks(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "alloc_stacks");
    for (uint32_t i = 0; i < memory_stacks_count(&memory->stacks); i++) {
        const struct alloc_stack *stack = &memory->stacks.items[i];
        insert_row(&insert, column_int("id", (int64_t)i + 1), column_id("frame_id", stack->frame),
                   column_id("site_id", stack->site),
                   column_text("kind", memory_kind_name(stack->kind)),
                   column_int("blocks", (int64_t)stack->blocks),
                   column_int("bytes", (int64_t)stack->bytes),
                   column_int("freed_blocks", (int64_t)stack->freed_blocks),
                   column_int("freed_bytes", (int64_t)stack->freed_bytes),
                   column_int("live_blocks_max", (int64_t)stack->live.blocks_max),
                   column_int("live_bytes_max", (int64_t)stack->live.bytes_max),
                   column_int("peak_blocks", (int64_t)stack->live.peak_blocks),
                   column_int("peak_bytes", (int64_t)stack->live.peak_bytes),
                   column_int("min_size", (int64_t)stack->min_size),
                   column_int("max_size", (int64_t)stack->max_size),
                   column_int("lifetime_ns", (int64_t)stack->lifetime_ns),
                   column_int("cross_thread_frees", (int64_t)stack->cross_thread_frees),
                   column_int("first_ns", (int64_t)stack->first_ns),
                   column_int("last_ns", (int64_t)stack->last_ns),
                   column_int("first_alloc_id", (int64_t)stack->first_alloc),
                   column_int("last_alloc_id", (int64_t)stack->last_alloc),
                   column_int_if("lifetime_max_ns", stack->freed_blocks > 0,
                                 (int64_t)stack->lifetime_max_ns),
                   column_id("first_live_id", stack->first_live),
                   column_id("last_live_id", stack->last_live));
    }
    return insert_end(&insert, error);
}

static int write_counters(const struct memory *memory, sqlite3 *database, struct error *error)
{
    const struct memory_counter *counters[] = {&memory->counts.sizes, &memory->counts.distances,
                                               &memory->counts.owners};
    static const char *const tables[] = {"alloc_sizes", "alloc_distances", "alloc_owners"};
    for (size_t which = 0; which < COUNT(tables); which++) {
        struct insert insert;
        insert_begin(&insert, database, tables[which]);
        for (uint32_t i = 0; i < counters[which]->keys.count; i++) {
            const struct memory_amount *amount = &counters[which]->amounts[i];
            const struct intern_key *key = &counters[which]->keys.keys[i];
            struct column stack = column_int("stack_id", (int64_t)key->a + 1);
            struct column blocks = column_int("blocks", (int64_t)amount->blocks);
            struct column bytes = column_int("bytes", (int64_t)amount->bytes);
            if (which == 0)
                insert_row(&insert, stack, column_int("size", (int64_t)key->b), blocks);
            else if (which == 1)
                insert_row(&insert, stack, column_int("allocs_between", (int64_t)key->b), blocks,
                           bytes);
            else
                insert_row(&insert, stack, column_int("owner_frame_id", (int64_t)key->b), blocks,
                           bytes, column_int("example_alloc_id", (int64_t)amount->example));
        }
        if (insert_end(&insert, error) != 0)
            return -1;
    }
    return 0;
}

static int write_flows(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "block_flows");
    for (uint32_t i = 0; i < memory->counts.flows.keys.count; i++) {
        const struct memory_flow *flow = &memory->counts.flows.items[i];
        const struct memory_flow_key *key = &flow->key;
        insert_row(&insert, column_int("stack_id", (int64_t)key->stack + 1),
                   column_id("free_frame_id", key->frame), column_id("free_site_id", key->site),
                   column_int("alloc_thread_id", (int64_t)memory->threads[key->alloc_thread]->id),
                   column_int("free_thread_id", (int64_t)memory->threads[key->free_thread]->id),
                   column_int("blocks", (int64_t)flow->blocks),
                   column_int("bytes", (int64_t)flow->bytes),
                   column_int("residence_ns", (int64_t)flow->residence_ns),
                   column_int("residence_max_ns", (int64_t)flow->residence_max_ns),
                   column_int("mismatched", (int64_t)flow->mismatched),
                   column_int("example_alloc_id", (int64_t)flow->example),
                   column_id("example_mismatch_id", flow->mismatch));
    }
    return insert_end(&insert, error);
}

/* flow: block_flows.id, 0 = none. */
static void write_together(struct insert *insert, uint32_t stack, uint32_t flow,
                           const struct memory_together together[MEMORY_DOERS])
{
    for (int i = 0; i < MEMORY_DOERS; i++)
        if (together[i].most > 0)
            insert_row(insert, column_int("stack_id", (int64_t)stack + 1),
                       column_id("flow_id", flow), column_int("by_caller", i),
                       column_int("blocks", (int64_t)together[i].most),
                       column_int("call_id", (int64_t)together[i].most_call));
}

static int write_groups(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "block_groups");
    for (uint32_t i = 0; i < memory_stacks_count(&memory->stacks); i++)
        write_together(&insert, i, 0, memory->stacks.items[i].together);
    for (uint32_t i = 0; i < memory->counts.flows.keys.count; i++)
        write_together(&insert, memory->counts.flows.items[i].key.stack, i + 1,
                       memory->counts.flows.items[i].together);
    return insert_end(&insert, error);
}

static int write_timeline(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "memory_steps");
    for (size_t i = 0; i < memory->timeline.count; i++) {
        const struct memory_step *row = &memory->timeline.steps[i];
        insert_row(
            &insert, column_int("step", (int64_t)row->step),
            column_int("thread_id", (int64_t)row->thread),
            column_int("end_ns", (int64_t)(((uint64_t)row->step + 1) * memory->timeline.step_ns)),
            column_int("live_bytes", (int64_t)row->live_bytes),
            column_int("live_blocks", (int64_t)row->live_blocks),
            column_int("max_live_bytes", (int64_t)row->max_live_bytes),
            column_int("allocs", (int64_t)row->totals.allocs),
            column_int("alloc_bytes", (int64_t)row->totals.alloc_bytes),
            column_int("frees", (int64_t)row->totals.frees),
            column_int("free_bytes", (int64_t)row->totals.free_bytes));
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
    insert_begin(&insert, database, "run");
    for (size_t i = 0; i < COUNT(facts); i++) {
        insert_row(&insert, column_text("key", facts[i].key),
                   column_int("value", (int64_t)facts[i].value));
    }
    return insert_end(&insert, error);
}

/* The bits that a size has. */
static void level_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    uint64_t size = (uint64_t)sqlite3_value_int64(values[0]);
    (void)count;
    sqlite3_result_int(context, size == 0 ? 0 : 64 - __builtin_clzll(size));
}

/* Is a free missing in the process? */
static void has_gap(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct memory *memory = sqlite3_user_data(context);
    uint64_t process = (uint64_t)sqlite3_value_int64(values[0]);
    (void)count;
    sqlite3_result_int(context, process < memory->processes.capacity &&
                                    memory->processes.items[process].gap.any);
}

static int write_places(const struct memory *memory, sqlite3 *database, struct error *error)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    void *context = (void *)(uintptr_t)memory; /* has_gap() reads it alone */
    int status =
        sqlite3_create_function(database, "level_of", 1, flags, NULL, level_of, NULL, NULL);
    if (status == SQLITE_OK)
        status =
            sqlite3_create_function(database, "has_gap", 1, flags, context, has_gap, NULL, NULL);
    if (status == SQLITE_OK && memory->errors.clashes_left_out == 0)
        status = sqlite3_exec(database, memory_write_sql_places, NULL, NULL, NULL);
    return status == SQLITE_OK
               ? 0
               : error_set(error, "writing block_places: %s", insert_problem(database));
}

static int forgive_operators(const struct memory *memory, sqlite3 *database, struct error *error)
{
    (void)memory;
    return sqlite3_exec(database, memory_write_sql_operators, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : error_set(error, "writing block_flows: %s", insert_problem(database));
}

int memory_write(struct memory *memory, sqlite3 *database, struct error *error)
{
    int (*const writers[])(const struct memory *, sqlite3 *, struct error *) = {
        write_stacks, write_counters, write_flows, forgive_operators,
        write_groups, write_timeline, write_facts, write_places};
    if (memory_errors_classify(&memory->errors, &memory->processes, memory->threads,
                               memory->threads_count, database, error) < 0 ||
        memory_errors_write(&memory->errors, database, error) < 0)
        return -1;
    for (size_t i = 0; i < COUNT(writers); i++)
        if (writers[i](memory, database, error) < 0)
            return -1;
    return 0;
}
