/*
 * The parts of memory.h, each alone: what it takes, what it gives, and that it can be released as
 * it begins, filled, and twice.
 */
#include "loader/memory/memory_sums.h"
#include "loader/memory/memory_parts.h"
#include "loader/memory/memory_rows.h"
#include "queries/embedded.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <unistd.h>

static struct error failure;
static char folder[400], path[512];

/* ---- first stage ---- */

static void test_map(void)
{
    struct memory_map map = {0};
    check(memory_map_find(&map, 5) == MEMORY_MAP_NONE, "an empty map has nothing");
    memory_map_remove(&map, 5);
    /* Against an array; addresses lie as close as allocators give them. */
    enum { ADDRESSES = 700 };
    uint64_t model[ADDRESSES];
    bool equal = true;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < ADDRESSES; i++)
        model[i] = MEMORY_MAP_NONE;
    for (int i = 0; i < 60000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t at = state % ADDRESSES;
        if (state >> 40 & 1) {
            memory_map_put(&map, at * 16, (uint64_t)i, &failure);
            model[at] = (uint64_t)i;
        } else {
            memory_map_remove(&map, at * 16);
            model[at] = MEMORY_MAP_NONE;
        }
        uint64_t look = state >> 20 & 511;
        equal &= memory_map_find(&map, look * 16) == model[look];
    }
    check(equal, "puts and removes are those of a plain array");
    memory_map_release(&map);
    memory_map_release(&map);
    check_equal(0, map.count, "released it is empty");
}

static void test_store(void)
{
    struct memory_store store = {0};
    struct memory_piece kept, filed, last;
    char back[8] = "";
    memory_store_release(&store);
    check(memory_store_init(&store, folder, 5, &failure) == 0, "a store begins");
    check(memory_store_put(&store, "abcde", 5, &kept, &failure) == 0 && kept.data != NULL,
          "what fits is kept in memory");
    check(memory_store_put(&store, "fgh", 3, &filed, &failure) == 0 && filed.data == NULL &&
              memory_store_put(&store, "ij", 2, &last, &failure) == 0,
          "what is more goes to the file");
    check(memory_store_read(&store, &last, back, &failure) == 0 && memcmp(back, "ij", 2) == 0,
          "and is read back");
    check(memory_store_read(&store, &filed, back, &failure) == 0 && memcmp(back, "fgh", 3) == 0,
          "in any order");
    last.offset = 100;
    check(memory_store_read(&store, &last, back, &failure) < 0, "what is not there is an error");
    free(kept.data);
    memory_store_release(&store);
    memory_store_release(&store);
    check(memory_store_init(&store, "/nowhere/at/all", 0, &failure) == 0 &&
              memory_store_put(&store, "x", 1, &kept, &failure) < 0 &&
              strstr(failure.text, "/nowhere/at/all") != NULL,
          "a folder that is not there is an error, with its name");
    memory_store_release(&store);
}

/* The event number i: all fields and both signs of every difference. */
static struct memory_event event_of(uint64_t i)
{
    bool is_free = i % 3 == 0, own = i % 2 == 0;
    return (struct memory_event){.tick = i * 1000,
                                 .address = i % 5 == 0 ? UINT64_MAX - i : i << 40,
                                 .size = is_free ? 0 : i * i,
                                 .call = i % 7 == 0 ? 0 : UINT64_MAX / (i + 1),
                                 .place = (uint32_t)(i % 1000),
                                 .owner_frame = is_free && own ? UINT32_MAX : 0,
                                 .owner_call = is_free && own ? UINT64_MAX - i : 0,
                                 .number = is_free && own ? i : UINT64_MAX,
                                 .type = is_free ? MEMORY_FREE : MEMORY_ALLOC,
                                 .realloc = i % 11 == 0};
}

static bool same_event(const struct memory_event *a, const struct memory_event *b)
{
    return a->tick == b->tick && a->address == b->address && a->size == b->size &&
           a->call == b->call && a->place == b->place && a->owner_frame == b->owner_frame &&
           a->owner_call == b->owner_call && a->number == b->number && a->type == b->type &&
           a->realloc == b->realloc;
}

static void test_spool(size_t kept_bytes_max, const char *what)
{
    enum { EVENTS = 20000 };
    struct memory_store store = {0};
    struct memory_spool spool = {0};
    struct memory_reader reader = {.spool = &spool, .store = &store};
    memory_spool_release(&spool);
    memory_store_init(&store, folder, kept_bytes_max, &failure);
    int status = memory_reader_next(&reader, &failure);
    check(status == 0 && !spool.any, "%s: an empty spool has no event", what);
    status = 0;
    for (uint64_t i = 1; i <= EVENTS && status == 0; i++) {
        struct memory_event event = event_of(i);
        status = memory_spool_add(&spool, &store, &event, &failure);
    }
    check(status == 0 && memory_spool_end(&spool, &store, &failure) == 0, "%s: events are kept",
          what);
    check(spool.any && spool.first_tick == 1000 && spool.first_type == MEMORY_ALLOC,
          "%s: the first one is known", what);
    check(store.spilled == (kept_bytes_max < 1000000), "%s: where it should be", what);
    uint64_t count = 0;
    bool equal = true;
    while ((status = memory_reader_next(&reader, &failure)) > 0) {
        struct memory_event event = event_of(++count);
        equal &= same_event(&event, &reader.event);
    }
    check_equal(EVENTS, count, "as many come back");
    check(status == 0 && equal, "%s: each as it was", what);
    check(memory_reader_next(&reader, &failure) == 0, "%s: and then none", what);
    memory_reader_release(&reader);
    memory_spool_release(&spool);
    memory_spool_release(&spool);
    memory_store_release(&store);
}

/* Open calls main > walk > walk > leaf, call ids from 1, frames from 11. */
static const struct memory_open_call calls[] = {
    {1, 11, 101, true}, {2, 12, 102, true}, {3, 12, 102, false}, {4, 13, 103, true}};

static struct memory_stack stack_of(uint32_t depth)
{
    return (struct memory_stack){calls, sizeof *calls, depth};
}

static void test_places(void)
{
    struct memory_places places = {0};
    struct memory_stack deep = stack_of(4), two = stack_of(2), three = stack_of(3),
                        none = stack_of(0);
    uint32_t a, b, c, d, e;
    memory_places_release(&places);
    check(memory_places_find(&places, &deep, 0, 5, &a, &failure) == 0 &&
              memory_places_find(&places, &two, 0, 5, &b, &failure) == 0 &&
              memory_places_find(&places, &three, 0, 5, &c, &failure) == 0 &&
              memory_places_find(&places, &none, 0, 5, &d, &failure) == 0 &&
              memory_places_find(&places, &deep, 0, 5, &e, &failure) == 0,
          "places are found");
    check(a != b && a == e && d != a && d != b, "equal ones are one");
    check_equal(b, c, "a recursion is at its frame's place");
    const struct memory_place *place = &places.places[a];
    check(place->frame == 13 && place->site == 5 && place->function == 103 && place->kind == 0,
          "a place knows its frame, site, function and kind");
    check(places.places[d].frame == 0 && places.places[d].path == 0,
          "outside of calls it has none");
    check_equal(3, memory_paths_count(&places), "a path has each function once");
    struct memory_path path_ = memory_path_at(&places, place->path - 1);
    check(path_.function == 103 && path_.parent == places.places[b].path,
          "a path continues its parent");
    check(memory_places_find(&places, &deep, 1, 5, &b, &failure) == 0 &&
              memory_places_find(&places, &deep, 0, 6, &c, &failure) == 0 && a != b && a != c &&
              b != c && places.places[b].kind == 1 && places.places[c].site == 6,
          "kind and site make places");
    /* The same depth, but other calls. */
    struct memory_open_call others[] = {{1, 11, 101, true}, {9, 14, 104, true}};
    struct memory_stack other = {others, sizeof *others, 2};
    memory_places_find(&places, &other, 0, 5, &b, &failure);
    path_ = memory_path_at(&places, places.places[b].path - 1);
    check(path_.function == 104 && memory_path_at(&places, path_.parent - 1).function == 101,
          "a path is that of the calls that are open now");
    memory_places_trim(&places);
    memory_places_release(&places);
    memory_places_release(&places);
}

static void test_own(void)
{
    struct memory_own own = {0};
    struct memory_own_block block;
    memory_own_release(&own);
    check(memory_own_free(&own, 16, &block, &failure) == 0, "a stranger's block is none");
    memory_own_alloc(&own, 16, 100, 1, &failure);
    memory_own_alloc(&own, 32, 200, 2, &failure);
    memory_own_alloc(&own, 16, 300, 3, &failure); /* the free of the first was elsewhere */
    check(memory_own_free(&own, 16, &block, &failure) == 1 && block.size == 300 &&
              block.call == 3 && block.number == 2,
          "the last allocation at the address is freed");
    check(memory_own_free(&own, 16, &block, &failure) == 0, "once");
    memory_own_alloc(&own, 48, 400, 4, &failure);
    check_equal(2, own.indexes.count, "memory is used again");
    check(memory_own_free(&own, 32, &block, &failure) == 1 && block.number == 1,
          "and blocks stay themselves");
    memory_own_release(&own);
    memory_own_release(&own);
}

static void test_leaks(void)
{
    struct memory_leaks leaks = {0};
    struct memory_sums sums = {0};
    memory_leaks_release(&leaks);
    memory_leaks_add(&leaks, 4, 100, &failure); /* in leaf */
    check_equal(4, leaks.watch.depth, "the call of the event is watched");
    memory_leaks_exit(&leaks, &calls[3], true, &failure);
    check_equal(3, leaks.watch.depth, "then its caller");
    memory_leaks_add(&leaks, 3, -100, &failure); /* walk frees it */
    memory_leaks_exit(&leaks, &calls[2], true, &failure);
    check_equal(0, leaks.watch.depth, "nothing is left to watch");
    memory_leaks_add(&leaks, 2, 70, &failure);
    memory_leaks_exit(&leaks, &calls[1], false, &failure); /* never returned */
    memory_leaks_exit(&leaks, &calls[0], true, &failure);
    memory_leaks_add(&leaks, 0, 5, &failure);
    check_equal(0, leaks.watch.depth, "outside of calls nothing is watched");
    check(memory_leaks_merge(&leaks, &sums, &failure) == 0 &&
              memory_leaks_merge(&leaks, &sums, &failure) == 0,
          "leaks of threads are added up");
    const struct memory_function *leaf = &sums.functions[103], *first = &sums.functions[101];
    check(leaf->leaking_calls == 2 && leaf->leaked_bytes == 200 && leaf->worst_leak_bytes == 100 &&
              leaf->worst_leak_call_id == 4,
          "a call leaks what it leaves");
    check(first->leaking_calls == 2 && first->leaked_bytes == 140, "to its callers, too");
    check_equal(0, sums.functions[102].leaking_calls, "one that frees it or does not end does not");
    memory_leaks_release(&leaks);
    memory_leaks_release(&leaks);
    memory_sums_release(&sums);
    memory_sums_release(&sums);
}

/* ---- processes ---- */

static void test_inherited(void)
{
    struct memory_inherited parent = {0}, child = {0};
    memory_inherited_release(&parent);
    memory_inherited_add(&parent, 16, (struct memory_inherited_block){1, 10, false}, &failure);
    memory_inherited_add(&parent, 32, (struct memory_inherited_block){2, 20, true}, &failure);
    memory_inherited_add(&child, 16, (struct memory_inherited_block){3, 30, false}, &failure);
    check(memory_inherited_copy(&child, &parent, &failure) == 0, "a child inherits");
    check_equal(3, memory_inherited_find(&child, 16)->id, "the nearer block");
    check(memory_inherited_find(&child, 32)->freed, "as its parent left it");
    memory_inherited_find(&child, 16)->freed = true;
    check(!memory_inherited_find(&parent, 16)->freed, "its frees are its own");
    memory_inherited_remove(&child, 16);
    check(memory_inherited_find(&child, 16) == NULL, "a block of its own takes the address");
    memory_inherited_release(&parent);
    memory_inherited_release(&child);
    memory_inherited_release(&child);
}

/* The events up to a tick as text: fork 2, end 1, ... */
static void check_events(struct memory_processes *processes, uint64_t tick, const char *expected)
{
    char actual[200] = "";
    const struct memory_process_event *event;
    while ((event = memory_processes_next(processes, tick)) != NULL) {
        size_t used = strlen(actual);
        snprintf(actual + used, sizeof actual - used, "%s%s %u", used > 0 ? ", " : "",
                 event->end ? "end" : "fork", event->process);
    }
    check_string(expected, actual, "forks and ends come in their order");
}

static void test_processes(void)
{
    struct memory_processes processes = {0};
    memory_processes_release(&processes);
    /* 1 forks 2, 2 forks 3, which alone has events; 4 is a child of 1 without any. */
    const uint64_t starts[] = {0, 10, 50, 70, 60}, ends[] = {0, 90, 68, UINT64_MAX, 65};
    const uint32_t parents[] = {0, 0, 1, 2, 1};
    for (uint32_t id = 1; id <= 4; id++) {
        struct memory_process *process = memory_processes_reach(&processes, id, &failure);
        process->parent = parents[id];
        process->start_tick = starts[id];
        process->end_tick = ends[id];
    }
    processes.items[3].fork_tick = 68;
    struct memory_thread threads[] = {
        {.process = 3, .spool = {.any = true, .first_tick = 75}, .gap = {true, 100}},
        {.process = 3, .gap = {true, 85}},
        {.process = 3, .gap = {true, 95}},
        {.process = 9}};
    struct memory_thread *const list[] = {&threads[0], &threads[1], &threads[2], &threads[3]};
    check(memory_processes_take_threads(&processes, list, 4, &failure) == 0 &&
              memory_processes_plan(&processes, &failure) == 0,
          "processes are planned");
    check(processes.items[9].known && processes.items[9].end_tick == UINT64_MAX,
          "a process that was not added is known by its thread");
    check(!memory_process_has_gap(&processes.items[3], 84) &&
              memory_process_has_gap(&processes.items[3], 85),
          "a gap begins with the first of the threads'");
    check_events(&processes, 49, "");
    check_events(&processes, 50, "fork 2");
    check_events(&processes, 68, "end 4, fork 3");
    check_events(&processes, 69, "end 2");
    check_events(&processes, 1000, "end 1");
    check_events(&processes, UINT64_MAX, "");

    struct memory_block items[] = {{.id = 7, .address = 16, .size = 5},
                                   {.id = 8, .address = 32, .size = 6}};
    struct memory_blocks blocks = {.items = items, .indexes.count = 2};
    memory_map_put(&processes.items[2].live, 16, 0, &failure);
    check(memory_processes_fork(&processes, 3, &blocks, &failure) == 0, "a fork");
    memory_processes_inherit_late(&processes, 2, &items[1], 69, &failure);
    memory_processes_inherit_late(&processes, 1, &(struct memory_block){.id = 9, .address = 48}, 69,
                                  &failure);
    const struct memory_inherited *inherited = &processes.items[3].inherited;
    check_equal(7, memory_inherited_find(inherited, 16)->id, "the child has what lives");
    check_equal(8, memory_inherited_find(inherited, 32)->id, "and what comes until its start");
    check(memory_inherited_find(inherited, 48) == NULL, "of its parent alone");
    memory_processes_inherit_late(&processes, 2, &(struct memory_block){.id = 9, .address = 48}, 71,
                                  &failure);
    check(memory_inherited_find(inherited, 48) == NULL && processes.forking_count == 0,
          "and nothing later");
    memory_processes_trim(&processes);
    check_equal(2, processes.items[3].parent, "trimmed it still has the facts");
    memory_processes_release(&processes);
    memory_processes_release(&processes);
}

/* ---- results ---- */

static void test_sums(void)
{
    struct memory_sums sums = {0};
    struct memory_places places = {0};
    struct memory_stack deep = stack_of(4);
    uint32_t index;
    memory_places_find(&places, &deep, 0, 5, &index, &failure);
    struct memory_totals by_path[] = {{1, 10, 0, 0}, {2, 20, 1, 5}, {4, 40, 0, 0}};
    check(memory_sums_add_paths(&sums, &places, by_path, &failure) == 0, "paths are added up");
    check(sums.functions[103].total.allocs == 4 && sums.functions[102].total.allocs == 6 &&
              sums.functions[101].total.allocs == 7 &&
              sums.functions[101].total.alloc_bytes == 70 && sums.functions[101].total.frees == 1,
          "what callees did counts for their callers");
    memory_sums_release(&sums);
    memory_places_release(&places);
}

static void test_stacks_and_counts(void)
{
    struct memory_stacks stacks = {0};
    struct memory_counts counts = {0};
    const struct memory_place place = {11, 5, 101, 1, 0}, other = {11, 5, 101, 1, 3};
    uint32_t a, b, c;
    memory_stacks_release(&stacks);
    memory_counts_release(&counts);
    check(memory_stacks_find(&stacks, &place, &a, &failure) == 0 &&
              memory_stacks_find(&stacks, &other, &b, &failure) == 0 &&
              memory_stacks_find(&stacks, &place, &c, &failure) == 0 && a == c && a != b,
          "frame, site and kind make a stack");
    struct alloc_stack *stack = &stacks.items[a];
    uint64_t sizes = MEMORY_SIZES_MAX + 5;
    for (uint64_t i = 0; i < sizes; i++) {
        struct memory_block block = {.id = i + 1, .size = 10 + i, .alloc_ns = i * 10, .stack = a};
        struct memory_block_free freed = {.freed = true,
                                          .ns = block.alloc_ns + i,
                                          .same_thread = i % 2 == 0,
                                          .allocs_between = i,
                                          .frame = 12,
                                          .kind = i == 4 ? FISQL_KIND_DELETE : FISQL_KIND_FREE,
                                          .thread = i % 2 == 0 ? 0 : 1,
                                          .owner_frame = i == 2 ? 11 : 0};
        memory_stack_count_alloc(stack, &block);
        memory_counts_alloc(&counts, stack, &block, &failure);
        memory_stack_count_free(stack, &block, &freed);
        memory_counts_free(&counts, stack, &block, &freed, &failure);
        memory_stack_note_live(stack, &block);
    }
    check(stack->blocks == sizes && stack->freed_blocks == sizes && stack->min_size == 10 &&
              stack->max_size == 9 + sizes && stack->lifetime_max_ns == sizes - 1 &&
              stack->first_alloc == 1 && stack->last_alloc == sizes && stack->first_live == 1 &&
              stack->last_live == sizes && stack->last_ns == (sizes - 1) * 10,
          "a stack counts its blocks");
    check_equal(sizes / 2, stack->cross_thread_frees, "and frees of other threads");
    check_equal(MEMORY_SIZES_MAX + 1, counts.sizes.keys.count, "so many sizes are counted each");
    check_equal(5, counts.sizes.amounts[MEMORY_SIZES_MAX].blocks, "the others together");
    check_equal(8, counts.distances.keys.count, "near frees of the thread by their distance");
    check(counts.owners.keys.count == 1 && counts.owners.amounts[0].example == 3,
          "owners where there is one");
    check_equal(2, counts.flows.keys.count, "flows by thread");
    const struct memory_flow *flow = &counts.flows.items[0];
    check(flow->key.stack == a && flow->key.frame == 12 && flow->key.free_thread == 0 &&
              flow->mismatched == 1 && flow->mismatch == 5 && flow->example == 1,
          "with what was freed in a wrong way");
    memory_stacks_release(&stacks);
    memory_stacks_release(&stacks);
    memory_counts_release(&counts);
    memory_counts_release(&counts);
}

static void test_live(void)
{
    struct memory_stacks stacks = {0};
    struct memory_sums sums = {0};
    struct memory_timeline timeline = memory_timeline_of(99999, 2);
    struct memory_live live = {0};
    const struct memory_place place = {11, 5, 101, 0, 0}, other = {12, 5, 101, 0, 0};
    struct memory_thread seven = {.id = 7}, eight = {.id = 8};
    struct memory_thread *const threads[] = {&seven, &eight};
    uint32_t a, b;
    memory_live_release(&live);
    memory_stacks_find(&stacks, &place, &a, &failure);
    memory_stacks_find(&stacks, &other, &b, &failure);
    check_equal(100, timeline.step_ns, "a thousand steps");
    check(memory_live_begin(&live, &stacks, &sums, &timeline, threads, 2, &failure) == 0, "begun");
    struct memory_block first = {.size = 50, .alloc_ns = 10, .stack = a},
                        second = {.size = 30, .alloc_ns = 20, .stack = b, .thread = 1},
                        third = {.size = 40, .alloc_ns = 320, .stack = b, .thread = 1};
    memory_live_add(&live, &first, &failure);
    memory_live_add(&live, &second, &failure);
    memory_live_remove(&live, &first, true);
    memory_live_advance(&live, 320, &failure);
    memory_live_add(&live, &third, &failure);
    memory_live_remove(&live, &third, false);
    memory_live_advance(&live, 1000000, &failure); /* behind the end */
    check(memory_live_end(&live, true, &failure) == 0, "ended");
    check(timeline.peak.bytes == 80 && timeline.peak.blocks == 2 && timeline.peak.ns == 20,
          "the peak is the most that lived at once");
    check(stacks.items[a].live.peak_bytes == 50 && stacks.items[b].live.peak_bytes == 30 &&
              stacks.items[b].live.bytes_max == 70,
          "of which each stack has its part, whatever came later");
    check_equal(80, sums.functions[101].live_bytes_max, "the most of a function");
    check_equal(1000 + 3, timeline.count,
                "a row for each step, and each thread that did something");
    const struct memory_step *step = &timeline.steps[0];
    check(step->thread == 0 && step->live_bytes == 30 && step->max_live_bytes == 80 &&
              step->totals.allocs == 2 && step->totals.free_bytes == 50,
          "the first step");
    check(step[1].thread == 7 && step[1].live_blocks == 0 && step[2].thread == 8 &&
              step[2].live_bytes == 30,
          "its threads");
    check(step[3].step == 1 && step[3].max_live_bytes == 30 && step[3].totals.allocs == 0,
          "a step in which nothing happens has what lives");
    check(step[5].step == 3 && step[5].max_live_bytes == 70 && step[5].totals.frees == 0,
          "what is forgotten is not freed");
    memory_live_release(&live);
    memory_live_release(&live);
    memory_timeline_release(&timeline);
    memory_timeline_release(&timeline);
    memory_stacks_release(&stacks);
    memory_sums_release(&sums);
    check(memory_timeline_of(1000000, 999999).step_ns > 300000, "many threads make long steps");
}

static void test_errors(void)
{
    struct memory_errors errors = {0};
    int status = 0;
    memory_errors_release(&errors);
    for (int i = 0; i < 100002 && status == 0; i++)
        status =
            memory_errors_add_free(&errors, &(struct memory_wrong_free){.address = 1}, &failure);
    for (int i = 0; i < 1003 && status == 0; i++)
        status = memory_errors_add_clash(&errors, &(struct memory_clash){.alloc = 1}, &failure);
    check(status == 0 && errors.frees_count == 100000 && errors.clashes_count == 1000,
          "so many errors are listed");
    check(errors.frees_left_out == 2 && errors.clashes_left_out == 3, "the others are counted");
    memory_errors_release(&errors);
    memory_errors_release(&errors);
}

/* ---- rows ---- */

static struct btree_file *open_file(void)
{
    struct btree_file *file = NULL;
    sqlite3 *empty = NULL;
    unlink(path);
    sqlite3_open(path, &empty);
    sqlite3_exec(empty, embedded_schema, NULL, NULL, NULL);
    sqlite3_close(empty);
    check(btree_open(path, &file, &failure) == 0, "a database to write into");
    return file;
}

/* The first column of the first row. */
static void expect(const char *sql, const char *expected, const char *what)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *row = NULL;
    sqlite3_open(path, &database);
    sqlite3_prepare_v2(database, sql, -1, &row, NULL);
    bool got = sqlite3_step(row) == SQLITE_ROW;
    check_string(expected, got ? (const char *)sqlite3_column_text(row, 0) : NULL, what);
    sqlite3_finalize(row);
    sqlite3_close(database);
}

static void test_rows_and_chains(void)
{
    enum { ROWS = 300000 }; /* more than the window holds */
    struct btree_file *file = open_file();
    struct memory_blocks blocks = {0};
    struct memory_rows rows = {0};
    struct memory_chains chains = {0};
    struct alloc_stack stack = {.frame = 3, .site = 4};
    const struct memory_stacks stacks = {.items = &stack};
    struct memory_thread one = {.id = 1}, two = {.id = 2};
    struct memory_thread *const threads[] = {&one, &two};
    struct memory_block_free freed = {
        .freed = true, .ns = 500, .thread = 1, .kind = FISQL_KIND_FREE};
    uint32_t first = 0, index = 0;
    memory_rows_release(&rows);
    memory_chains_release(&chains);
    memory_blocks_release(&blocks);
    int status = memory_rows_begin(&rows, &blocks, &stacks, threads, file, &failure);
    if (status == 0)
        status = memory_chains_begin(&chains, file, &failure);
    struct memory_link last = memory_no_link;
    for (uint64_t i = 0; i < ROWS && status == 0; i++) {
        status = memory_rows_add(&rows, &index, &failure);
        struct memory_block *block = &blocks.items[index];
        block->address = 16 * (i / 2);
        block->size = i + 1;
        if (i == 0)
            first = index;
        else if (i < 5) /* a chain of 4 reallocs, every second one in place */
            status = memory_chains_continue(&chains, block, &last, &failure);
        last = memory_link_of(block);
        if (i == 4 && status == 0)
            status = memory_chains_end(&chains, &last, &failure);
        if (i > 0 && i % 3 != 0 && status == 0)
            status = memory_rows_final(&rows, index, &freed, &failure);
    }
    check(status == 0 && rows.next == ROWS + 1, "rows are added");
    check(blocks.items[first].written && !blocks.items[first].final, "a long-lived one is written");
    status = memory_rows_final(&rows, first, &freed, &failure); /* late */
    uint32_t living = index;
    memory_rows_add(&rows, &index, &failure);
    check(index != living, "a block has an item of its own");
    memory_rows_final(&rows, index, NULL, &failure);
    check(status == 0 && memory_rows_end(&rows, &failure) == 0 &&
              memory_chains_end_rows(&chains, &failure) == 0 &&
              btree_finish(file, "allocs", &rows.part, 1, &failure) == 0 &&
              btree_finish(file, "alloc_chains", &chains.rows, 1, &failure) == 0 &&
              btree_close(file, &failure) == 0,
          "rows are written");
    expect("SELECT count(*) || ' ' || count(free_ns) || ' ' || sum(size) FROM allocs",
           "300001 200001 45000150000", "all of them, freed or not");
    expect("SELECT free_ns || ' ' || free_thread_id || ' ' || frame_id FROM allocs WHERE id = 1",
           "500 2 3", "a late free is brought to its row");
    expect("SELECT first_alloc_id || ' ' || last_alloc_id || ' ' || length || ' ' || moves || ' '"
           " || copied_bytes || ' ' || first_size || ' ' || last_size FROM alloc_chains",
           "1 5 4 2 6 1 5", "a chain has its reallocs, moves and bytes");
    memory_rows_release(&rows);
    memory_rows_release(&rows);
    memory_chains_release(&chains);
    memory_chains_release(&chains);
    memory_blocks_release(&blocks);
    memory_blocks_release(&blocks);
    unlink(path);
}

int main(void)
{
    const char *temporary = getenv("TEST_TMP");
    snprintf(folder, sizeof folder, "%s", temporary != NULL ? temporary : "/tmp");
    snprintf(path, sizeof path, "%s/memory_parts.db", folder);
    test_map();
    test_store();
    test_spool(1 << 24, "in memory");
    test_spool(100000, "in the file");
    test_places();
    test_own();
    test_leaks();
    test_inherited();
    test_processes();
    test_sums();
    test_stacks_and_counts();
    test_live();
    test_errors();
    test_rows_and_chains();
    return check_status();
}
