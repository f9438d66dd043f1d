/*
 * The third stage of memory.h: rollups over the blocks, written through the sqlite3 API. Each
 * rollup is made in one pass over the blocks, keyed through a hash table, and inserted in the order
 * of its keys' first blocks.
 */
#include "loader/memory_parts.h"

#include <stdlib.h>
#include <string.h>

#include "loader/array.h"
#include "loader/insert.h"

#define SIZES_KEPT 64u
#define DISTANCE_MAX 15u

static int write_stacks(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "alloc_stacks",
                 "id,frame_id,site_id,kind,blocks,bytes,freed_blocks,freed_bytes,live_blocks_max,"
                 "live_bytes_max,peak_blocks,peak_bytes,min_size,max_size,lifetime_ns,"
                 "lifetime_max_ns,cross_thread_frees,first_ns,last_ns,first_alloc_id,last_alloc_id,"
                 "first_live_id,last_live_id");
    for (uint32_t i = 0; i < memory->stack_keys.count; i++) {
        const struct alloc_stack *stack = &memory->stacks[i];
        const uint64_t values[] = {
            stack->blocks,          stack->bytes,          stack->freed_blocks, stack->freed_bytes,
            stack->live_blocks_max, stack->live_bytes_max, stack->peak_blocks,  stack->peak_bytes,
            stack->min_size,        stack->max_size,       stack->lifetime_ns};
        insert_int(&insert, (int64_t)i + 1);
        insert_id(&insert, stack->frame);
        insert_id(&insert, stack->site);
        insert_text(&insert, memory_kind_name(stack->kind));
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
            insert_int(&insert, (int64_t)values[k]);
        if (stack->freed_blocks > 0)
            insert_int(&insert, (int64_t)stack->lifetime_max_ns);
        else
            insert_null(&insert);
        insert_int(&insert, (int64_t)stack->cross_thread_frees);
        insert_int(&insert, (int64_t)stack->first_ns);
        insert_int(&insert, (int64_t)stack->last_ns);
        insert_int(&insert, (int64_t)stack->first_alloc + 1);
        insert_int(&insert, (int64_t)stack->last_alloc + 1);
        insert_id(&insert, stack->first_live == NO_BLOCK ? 0 : stack->first_live + 1u);
        insert_id(&insert, stack->last_live == NO_BLOCK ? 0 : stack->last_live + 1u);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

/* Blocks and bytes by a key of two words. */
struct counter {
    struct intern keys;
    struct amount {
        uint64_t blocks, bytes;
        uint32_t example;
    } * amounts;
    size_t capacity;
};

static int count(struct counter *counter, uint64_t a, uint64_t b, const struct memory_block *block,
                 uint32_t number, struct error *error)
{
    uint32_t index, before = counter->keys.count;
    if (intern_add(&counter->keys, a, b, &index, error) != 0 ||
        array_reserve(&counter->amounts, &counter->capacity, (size_t)index + 1, error) != 0)
        return -1;
    if (index == before)
        counter->amounts[index] = (struct amount){0, 0, number};
    counter->amounts[index].blocks++;
    counter->amounts[index].bytes += block->size;
    return 0;
}

static void counter_release(struct counter *counter)
{
    intern_release(&counter->keys);
    free(counter->amounts);
}

static int write_sizes(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct counter sizes = {0}, distances = {0};
    uint32_t *known = calloc((size_t)memory->stack_keys.count + 1, sizeof *known);
    int result = known == NULL ? error_set(error, "out of memory") : 0;
    for (size_t i = 0; i < memory->blocks_count && result == 0; i++) {
        const struct memory_block *block = &memory->blocks[i];
        uint64_t size = block->size;
        if (intern_find(&sizes.keys, block->stack, size) == INTERN_NONE) {
            if (known[block->stack] >= SIZES_KEPT)
                size = UINT64_MAX;
            else
                known[block->stack]++;
        }
        result = count(&sizes, block->stack, size, block, (uint32_t)i, error);
        if (result == 0 && block->freed && block->allocs_between <= DISTANCE_MAX)
            result =
                count(&distances, block->stack, block->allocs_between, block, (uint32_t)i, error);
    }
    free(known);
    struct insert insert;
    insert_begin(&insert, database, "alloc_sizes", "stack_id,size,blocks");
    for (uint32_t i = 0; i < sizes.keys.count; i++) {
        insert_int(&insert, (int64_t)sizes.keys.keys[i].a + 1);
        insert_int(&insert, (int64_t)sizes.keys.keys[i].b); /* -1 = all further sizes */
        insert_int(&insert, (int64_t)sizes.amounts[i].blocks);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        result = -1;
    insert_begin(&insert, database, "alloc_distances", "stack_id,allocs_between,blocks,bytes");
    for (uint32_t i = 0; i < distances.keys.count; i++) {
        insert_int(&insert, (int64_t)distances.keys.keys[i].a + 1);
        insert_int(&insert, (int64_t)distances.keys.keys[i].b);
        insert_int(&insert, (int64_t)distances.amounts[i].blocks);
        insert_int(&insert, (int64_t)distances.amounts[i].bytes);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        result = -1;
    counter_release(&sizes);
    counter_release(&distances);
    return result;
}

static int write_owners(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct counter owners = {0};
    int result = 0;
    for (size_t i = 0; i < memory->blocks_count && result == 0; i++) {
        const struct memory_block *block = &memory->blocks[i];
        if (block->owner_frame != 0)
            result = count(&owners, block->stack, block->owner_frame, block, (uint32_t)i, error);
    }
    struct insert insert;
    insert_begin(&insert, database, "block_owners",
                 "stack_id,owner_frame_id,blocks,bytes,example_alloc_id");
    for (uint32_t i = 0; i < owners.keys.count; i++) {
        insert_int(&insert, (int64_t)owners.keys.keys[i].a + 1);
        insert_int(&insert, (int64_t)owners.keys.keys[i].b);
        insert_int(&insert, (int64_t)owners.amounts[i].blocks);
        insert_int(&insert, (int64_t)owners.amounts[i].bytes);
        insert_int(&insert, (int64_t)owners.amounts[i].example + 1);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        result = -1;
    counter_release(&owners);
    return result;
}

struct flow {
    uint64_t blocks, bytes, residence_ns, residence_max_ns, mismatched;
    uint32_t example, mismatch;
};

struct flows {
    struct intern places, threads, keys; /* (stack, frame, site), (threads), both */
    struct flow *items;
    size_t capacity;
};

static int add_flow(struct flows *flows, const struct memory_block *block, uint32_t number,
                    struct error *error)
{
    uint32_t place, thread, index, before;
    if (intern_add(&flows->places, intern_pack(block->stack, block->free_frame), block->free_site,
                   &place, error) != 0 ||
        intern_add(&flows->threads, block->thread, block->free_thread, &thread, error) != 0)
        return -1;
    before = flows->keys.count;
    if (intern_add(&flows->keys, place, thread, &index, error) != 0 ||
        array_reserve(&flows->items, &flows->capacity, (size_t)index + 1, error) != 0)
        return -1;
    struct flow *flow = &flows->items[index];
    if (index == before)
        *flow = (struct flow){.example = number, .mismatch = NO_BLOCK};
    uint64_t residence = block->free_ns - block->alloc_ns;
    flow->blocks++;
    flow->bytes += block->size;
    flow->residence_ns += residence;
    if (residence > flow->residence_max_ns)
        flow->residence_max_ns = residence;
    if (block->free_kind != FISQL_KIND_REALLOC
            ? strcmp(memory_kind_family(block->kind), memory_kind_family(block->free_kind)) != 0
            : strcmp(memory_kind_family(block->kind), "malloc") != 0) {
        if (flow->mismatched++ == 0)
            flow->mismatch = number;
    }
    return 0;
}

static int write_flows(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct flows flows = {0};
    int result = 0;
    for (size_t i = 0; i < memory->blocks_count && result == 0; i++)
        if (memory->blocks[i].freed)
            result = add_flow(&flows, &memory->blocks[i], (uint32_t)i, error);
    struct insert insert;
    insert_begin(&insert, database, "block_flows",
                 "stack_id,free_frame_id,free_site_id,alloc_thread_id,free_thread_id,blocks,bytes,"
                 "residence_ns,residence_max_ns,mismatched,example_alloc_id,example_mismatch_id");
    for (uint32_t i = 0; i < flows.keys.count; i++) {
        const struct intern_key *place = &flows.places.keys[flows.keys.keys[i].a];
        const struct intern_key *threads = &flows.threads.keys[flows.keys.keys[i].b];
        const struct flow *flow = &flows.items[i];
        insert_int(&insert, (int64_t)(place->a >> 32) + 1);
        insert_id(&insert, (uint32_t)place->a);
        insert_id(&insert, place->b);
        insert_int(&insert, (int64_t)threads->a);
        insert_int(&insert, (int64_t)threads->b);
        insert_int(&insert, (int64_t)flow->blocks);
        insert_int(&insert, (int64_t)flow->bytes);
        insert_int(&insert, (int64_t)flow->residence_ns);
        insert_int(&insert, (int64_t)flow->residence_max_ns);
        insert_int(&insert, (int64_t)flow->mismatched);
        insert_int(&insert, (int64_t)flow->example + 1);
        insert_id(&insert, flow->mismatch == NO_BLOCK ? 0 : flow->mismatch + 1u);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        result = -1;
    intern_release(&flows.places);
    intern_release(&flows.threads);
    intern_release(&flows.keys);
    free(flows.items);
    return result;
}

/* A chain is told by its last block: walked back through realloc_of. */
static int write_chains(const struct memory *memory, sqlite3 *database, struct error *error)
{
    unsigned char *continued = calloc(memory->blocks_count + 1, 1);
    if (continued == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < memory->blocks_count; i++)
        if (memory->blocks[i].realloc_of != NO_BLOCK)
            continued[memory->blocks[i].realloc_of] = 1;
    struct insert insert;
    insert_begin(&insert, database, "realloc_chains",
                 "first_alloc_id,last_alloc_id,stack_id,length,moves,copied_bytes,first_size,"
                 "last_size");
    for (size_t i = 0; i < memory->blocks_count; i++) {
        if (continued[i] || memory->blocks[i].realloc_of == NO_BLOCK)
            continue;
        uint64_t length = 0, moves = 0, copied = 0;
        uint32_t at = (uint32_t)i;
        while (memory->blocks[at].realloc_of != NO_BLOCK) {
            const struct memory_block *block = &memory->blocks[at];
            const struct memory_block *before = &memory->blocks[block->realloc_of];
            length++;
            if (before->address != block->address) {
                moves++;
                copied += before->size < block->size ? before->size : block->size;
            }
            at = block->realloc_of;
        }
        if (length < 2)
            continue;
        insert_int(&insert, (int64_t)at + 1);
        insert_int(&insert, (int64_t)i + 1);
        insert_int(&insert, (int64_t)memory->blocks[i].stack + 1);
        insert_int(&insert, (int64_t)length);
        insert_int(&insert, (int64_t)moves);
        insert_int(&insert, (int64_t)copied);
        insert_int(&insert, (int64_t)memory->blocks[at].size);
        insert_int(&insert, (int64_t)memory->blocks[i].size);
        insert_row(&insert);
    }
    free(continued);
    return insert_end(&insert, error);
}

static int write_errors(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "free_errors",
                 "error,address,kind,ns,thread_id,call_id,frame_id,site_id,alloc_id");
    for (size_t i = 0; i < memory->errors_count; i++) {
        const struct free_error *wrong = &memory->errors[i];
        insert_text(&insert, wrong->error);
        insert_int(&insert, (int64_t)wrong->address);
        insert_text(&insert, memory_kind_name(wrong->kind));
        insert_int(&insert, (int64_t)wrong->ns);
        insert_int(&insert, wrong->thread);
        insert_id(&insert, wrong->call);
        insert_id(&insert, wrong->frame);
        insert_id(&insert, wrong->site);
        insert_id(&insert, wrong->block == NO_BLOCK ? 0 : wrong->block + 1u);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        return -1;
    insert_begin(&insert, database, "anomalies", "kind,thread_id,ns,call_id,detail");
    for (size_t i = 0; i < memory->blocks_count; i++) {
        const struct memory_block *block = &memory->blocks[i];
        if (!block->lost)
            continue;
        insert_text(&insert, "impossible");
        insert_int(&insert, block->thread);
        insert_int(&insert, (int64_t)block->alloc_ns);
        insert_id(&insert, block->call);
        insert_text(&insert, "its block was never freed, yet its address was allocated again");
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_timeline(const struct memory *memory, sqlite3 *database, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "memory_timeline",
                 "step,thread_id,end_ns,live_bytes,live_blocks,max_live_bytes,allocs,alloc_bytes,"
                 "frees,free_bytes");
    for (size_t i = 0; i < memory->timeline_count; i++) {
        const struct timeline_row *row = &memory->timeline[i];
        const uint64_t values[] = {
            row->step,       row->thread,      (row->step + 1) * memory->step_ns,
            row->live_bytes, row->live_blocks, row->max_live_bytes,
            row->allocs,     row->alloc_bytes, row->frees,
            row->free_bytes};
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
            insert_int(&insert, (int64_t)values[k]);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_facts(const struct memory *memory, sqlite3 *database, struct error *error)
{
    const struct {
        const char *key;
        uint64_t value;
    } facts[] = {{"peak_ns", memory->peak_ns},
                 {"peak_bytes", memory->peak_bytes},
                 {"peak_blocks", memory->peak_blocks},
                 {"total_allocs", memory->totals.allocs},
                 {"total_alloc_bytes", memory->totals.alloc_bytes},
                 {"total_frees", memory->totals.frees},
                 {"total_free_bytes", memory->totals.free_bytes}};
    struct insert insert;
    insert_begin(&insert, database, "run", "key,value");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        insert_text(&insert, facts[i].key);
        insert_int(&insert, (int64_t)facts[i].value);
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        return -1;
    if (memory->unknown_frees == 0)
        return 0;
    insert_begin(&insert, database, "losses", "reason,events,detail");
    insert_text(&insert, "unknown frees");
    insert_int(&insert, (int64_t)memory->unknown_frees);
    insert_text(&insert, "frees of blocks whose allocation the log lacks, or that a forked child "
                         "inherited");
    insert_row(&insert);
    return insert_end(&insert, error);
}

int memory_write(struct memory *memory, sqlite3 *database, struct error *error)
{
    int (*const writers[])(const struct memory *, sqlite3 *, struct error *) = {
        write_stacks, write_sizes,  write_owners,   write_flows,
        write_chains, write_errors, write_timeline, write_facts};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (writers[i](memory, database, error) != 0)
            return -1;
    return 0;
}
