/* Writing the tables of rollups: function_stats, histograms, slow calls, edges, callee runs
 * and sequences. What the numbers mean is said in schema.sql. */
#include "loader/tables/tables_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/insert.h"

#define SEQUENCES_KEPT 16 /* a function */

static void insert_statistics(struct insert *insert, const struct tally *tally)
{
    if (tally->finished == 0) {
        for (int i = 0; i < 6; i++)
            insert_null(insert);
        return;
    }
    insert_int(insert, clip(tally->min_ns));
    insert_int(insert, clip(tally->max_ns));
    insert_real(insert, tally_mean(tally));
    insert_real(insert, tally_m2(tally));
    insert_id(insert, tally->fastest_call);
    insert_id(insert, tally->slowest_call);
}

static const struct function_rollup *function_rollup(const struct tables *tables, uint32_t id)
{
    static const struct function_rollup none;
    return id < tables->rollup->functions_capacity && tables->rollup->functions[id] != NULL
               ? tables->rollup->functions[id]
               : &none;
}

/* What is counted for a function besides its rollup. */
struct function_counts {
    uint64_t callees, callers, root_calls, sequences;
};

static int count_functions(const struct tables *tables, struct function_counts *counts,
                           struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    struct intern pairs = {0};
    for (uint32_t i = 0; i < rollup->edge_keys.count; i++) {
        const struct edge *edge = &rollup->edges[i];
        uint32_t index, before = pairs.count;
        if (edge->calls == 0)
            continue;
        if (edge->caller == 0) {
            counts[edge->callee].root_calls += edge->calls;
            continue;
        }
        if (intern_add(&pairs, edge->caller, edge->callee, &index, error) != 0) {
            intern_release(&pairs);
            return -1;
        }
        if (index == before) {
            counts[edge->caller].callees++;
            counts[edge->callee].callers++;
        }
    }
    intern_release(&pairs);
    return 0;
}

/* The CPU duration that so many of a hundred finished calls at most have. */
static void insert_quantile(struct insert *insert, const struct function_rollup *rollup,
                            const struct tally *tally, unsigned percent)
{
    wide_uint part = (wide_uint)tally->finished * percent;
    uint64_t ns = duration_counts_rank(&rollup->durations, (uint64_t)((part + 99) / 100));
    if (tally->finished == 0)
        insert_null(insert);
    else
        insert_int(insert, clip(ns < tally->min_ns   ? tally->min_ns
                                : ns > tally->max_ns ? tally->max_ns
                                                     : ns));
}

static void insert_function(struct insert *insert, const struct tables *tables, uint32_t id,
                            const struct function_counts *counts)
{
    const struct function_rollup *rollup = function_rollup(tables, id);
    const struct tally *tally = &rollup->tally;
    struct memory_function memory = memory_of_function(tables->memory, id);
    const uint64_t times[] = {
        tally->calls,
        tally_left(tally->total.function_raw_ns, tally->total.function_hooks_ps, tally->off.total),
        tally_self_ns(tally),
        tally->total.function_raw_ns,
        tally->self.raw_ns,
        tally->finished};
    const uint64_t shape[] = {
        tally->counted,  tally->child_calls, rollup->kinds.calling, rollup->kinds.single_child,
        counts->callees, counts->callers,    counts->root_calls,    rollup->kinds.unwound,
        tally->open};
    const uint64_t amounts[] = {
        memory.own.allocs,     memory.own.alloc_bytes,  memory.own.frees,
        memory.own.free_bytes, memory.total.allocs,     memory.total.alloc_bytes,
        memory.total.frees,    memory.total.free_bytes, memory.live_blocks_max,
        memory.live_bytes_max, memory.leaking_calls,    memory.leaked_bytes};
    insert_int(insert, id);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        insert_int(insert, clip(times[i]));
    insert_statistics(insert, tally);
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        insert_int(insert, clip(shape[i]));
    insert_id(insert, tally->first_call != 0 ? tally->first_enter_ns + 1 : 0);
    insert_id(insert, tally->first_call);
    insert_id(insert, rollup->latest_call != 0 ? rollup->latest_enter_ns + 1 : 0);
    insert_id(insert, rollup->latest_call);
    insert_id(insert, tally->first_call != 0 ? rollup->last_exit_ns + 1 : 0);
    insert_int(insert, clip(rollup->depth_max));
    insert_id(insert, rollup->deepest_call);
    insert_int(insert, rollup->nesting_max);
    insert_id(insert, rollup->nested_call);
    insert_int(insert, clip(rollup->recursion.calls));
    insert_int(insert, clip(rollup->recursion.direct));
    insert_int(insert, clip(counts->sequences));
    insert_int(insert, !rollup->sequences_cut);
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        insert_int(insert, clip(amounts[i]));
    insert_id(insert, memory.worst_leak_call_id != 0 ? memory.worst_leak_bytes : 0);
    insert_id(insert, memory.worst_leak_call_id);
    tables_insert_off(insert, &tally->off);
    insert_quantile(insert, rollup, tally, 50);
    insert_quantile(insert, rollup, tally, 99);
    insert_row(insert);
}

static int write_function_stats(const struct tables *tables, sqlite3 *database,
                                const struct function_counts *counts, struct error *error)
{
    struct insert insert;
    insert_begin(
        &insert, database, "function_stats",
        "function_id,calls,total_ns,self_ns,raw_total_ns,raw_self_ns,finished,min_ns,max_ns,"
        "mean_ns,m2,fastest_call_id,slowest_call_id,counted_calls,child_calls,calling,"
        "single_child_calls,callees,callers,root_calls,unwound,open,first_enter_ns,"
        "first_call_id,last_enter_ns,last_call_id,last_exit_ns,depth_max,deepest_call_id,"
        "nesting_max,nested_call_id,recursive_calls,direct_recursive_calls,sequences,"
        "sequences_complete,allocs,alloc_bytes,frees,free_bytes,total_allocs,"
        "total_alloc_bytes,total_frees,total_free_bytes,live_blocks_max,live_bytes_max,"
        "leaking_calls,leaked_bytes,worst_leak_bytes,worst_leak_call_id,"
        "wait_ns,preempted_ns,self_wait_ns,self_preempted_ns,self_waits,paused_ns,median_ns,p99_"
        "ns");
    for (uint32_t id = 1; id <= tables->program->functions_count; id++)
        if (function_rollup(tables, id)->tally.calls > 0)
            insert_function(&insert, tables, id, &counts[id]);
    if (insert_end(&insert, error) != 0)
        return -1;
    /* Instants were stored one higher, for 0 is an instant too. */
    if (sqlite3_exec(database,
                     "UPDATE function_stats SET first_enter_ns = first_enter_ns - 1,"
                     " last_enter_ns = last_enter_ns - 1, last_exit_ns = last_exit_ns - 1",
                     NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, "%s", sqlite3_errmsg(database));
    return 0;
}

static int write_histograms(const struct tables *tables, sqlite3 *database, struct error *error)
{
    static const char *const names[] = {"durations", "intervals"};
    const struct rollup *rollup = tables->rollup;
    for (int which = 0; which < 2; which++) {
        struct insert insert;
        insert_begin(&insert, database, names[which], "function_id,log2,count");
        for (uint32_t id = 1; id < rollup->functions_capacity; id++) {
            if (rollup->functions[id] == NULL)
                continue;
            for (unsigned bucket = 0; bucket < LOG2_BUCKETS; bucket++) {
                const struct function_rollup *function = rollup->functions[id];
                uint64_t count = which == 0 ? duration_counts_of(&function->durations, bucket)
                                            : function->intervals[bucket];
                if (count == 0)
                    continue;
                insert_int(&insert, id);
                insert_int(&insert, bucket);
                insert_int(&insert, clip(count));
                insert_row(&insert);
            }
        }
        if (insert_end(&insert, error) != 0)
            return -1;
    }
    return 0;
}

static int slowest_first(const void *left, const void *right)
{
    const struct slow_call *a = left, *b = right;
    if (a->cpu_ns != b->cpu_ns)
        return a->cpu_ns > b->cpu_ns ? -1 : 1;
    return a->call_id < b->call_id ? -1 : 1;
}

static int write_slow_calls(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    struct insert insert, cycles;
    insert_begin(&insert, database, "slow_calls",
                 "function_id,rank,call_id,duration_ns,raw_duration_ns,wait_ns,preempted_ns");
    insert_begin(&cycles, database, "recursions", "function_id,cycle,example_call_id");
    for (uint32_t id = 1; id < rollup->functions_capacity; id++) {
        struct function_rollup *function = rollup->functions[id];
        if (function == NULL)
            continue;
        qsort(function->slow, function->slow_count, sizeof function->slow[0], slowest_first);
        for (uint32_t i = 0; i < function->slow_count; i++) {
            insert_int(&insert, id);
            insert_int(&insert, i + 1);
            insert_int(&insert, clip(function->slow[i].call_id));
            insert_int(&insert, clip(function->slow[i].duration_ns));
            insert_int(&insert, clip(function->slow[i].raw_ns));
            insert_int(&insert, clip(function->slow[i].off.wait_ns));
            insert_int(&insert, clip(function->slow[i].off.preempted_ns));
            insert_row(&insert);
        }
        if (function->recursion.cycle != NULL) {
            insert_int(&cycles, id);
            insert_text(&cycles, function->recursion.cycle);
            insert_id(&cycles, function->recursion.cycle_call);
            insert_row(&cycles);
        }
    }
    int result = insert_end(&insert, error);
    return insert_end(&cycles, error) != 0 ? -1 : result;
}

static int write_thread_functions(const struct tables *tables, sqlite3 *database,
                                  struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "thread_functions",
                 "thread_id,function_id,calls,total_ns,self_ns,raw_total_ns,raw_self_ns,"
                 "first_call_id,last_call_id,wait_ns,preempted_ns,self_wait_ns,self_preempted_ns,"
                 "self_waits,paused_ns");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        for (size_t k = 0; k < thread->functions_count; k++) {
            const struct thread_function *function = &thread->functions[k];
            insert_int(&insert, tables->index->threads[i].id);
            insert_int(&insert, function->function);
            insert_int(&insert, clip(function->calls));
            insert_int(&insert, clip(tally_left(function->raw_total_ns, function->total_hooks_ps,
                                                function->off.total)));
            insert_int(&insert, clip(tally_self_left(&function->self, &function->off)));
            insert_int(&insert, clip(function->raw_total_ns));
            insert_int(&insert, clip(function->self.raw_ns));
            insert_id(&insert, function->first_call);
            insert_id(&insert, function->last_call);
            tables_insert_off(&insert, &function->off);
            insert_row(&insert);
        }
    }
    return insert_end(&insert, error);
}

static int write_edges(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    struct insert insert;
    insert_begin(&insert, database, "edges",
                 "id,caller_id,site_id,callee_id,calls,total_ns,raw_total_ns,self_ns,raw_self_ns,"
                 "first_call_id,slowest_call_id,wait_ns,preempted_ns,self_wait_ns,"
                 "self_preempted_ns,self_waits,paused_ns");
    for (uint32_t i = 0; i < rollup->edge_keys.count; i++) {
        const struct edge *edge = &rollup->edges[i];
        if (edge->calls == 0)
            continue;
        insert_int(&insert, (int64_t)i + 1);
        insert_id(&insert, edge->caller);
        insert_id(&insert, edge->site);
        insert_int(&insert, edge->callee);
        insert_int(&insert, clip(edge->calls));
        insert_int(&insert,
                   clip(tally_left(edge->raw_total_ns, edge->total_hooks_ps, edge->off.total)));
        insert_int(&insert, clip(edge->raw_total_ns));
        insert_int(&insert, clip(tally_self_left(&edge->self, &edge->off)));
        insert_int(&insert, clip(edge->self.raw_ns));
        insert_id(&insert, edge->first_call);
        insert_id(&insert, edge->slowest_call);
        tables_insert_off(&insert, &edge->off);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_callee_runs(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    struct insert insert;
    insert_begin(&insert, database, "callee_runs",
                 "caller_id,callee_id,count,calls,caller_calls,longest,longest_call_id,"
                 "raw_total_ns");
    for (uint32_t i = 0; i < rollup->callee_runs_keys.count; i++) {
        const struct callee_runs *runs = &rollup->callee_runs[i];
        if (runs->count == 0)
            continue; /* its calls were counted, not logged */
        struct callee_runs_key key = rollup_callee_runs_key(rollup, i);
        const uint64_t values[] = {key.caller,         key.callee,         runs->count,
                                   runs->calls,        runs->caller_calls, runs->longest,
                                   runs->longest_call, runs->raw_total_ns};
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
            insert_int(&insert, clip(values[k]));
        insert_row(&insert);
    }
    if (insert_end(&insert, error) != 0)
        return -1;
    insert_begin(&insert, database, "callee_transitions",
                 "caller_id,previous_id,callee_id,count,example_call_id");
    for (uint32_t i = 0; i < rollup->transition_keys.count; i++) {
        struct transition_key key = rollup_transition_key(rollup, i);
        insert_int(&insert, key.caller);
        insert_int(&insert, key.previous);
        insert_int(&insert, key.callee);
        insert_int(&insert, clip(rollup->transitions[i].count));
        insert_id(&insert, rollup->transitions[i].example_call);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

/* ---- sequences of callees ---- */

static int by_rank(const void *left, const void *right)
{
    const struct shape *a = *(const struct shape *const *)left;
    const struct shape *b = *(const struct shape *const *)right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return a->example_call < b->example_call ? -1 : a->example_call > b->example_call;
}

static void sequence_text(const uint32_t *ids, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u", i > 0 ? " " : "", ids[i]);
}

/* All distinct sequences, the empty ones too, by function and rank. The caller frees both. */
static int rank_sequences(const struct rollup *rollup, const struct shape ***ranked,
                          struct shape **childless, size_t *count, struct error *error)
{
    size_t functions = rollup->functions_capacity, shapes = rollup->shapes_count, none = 0;
    *ranked = malloc((functions + shapes + 1) * sizeof **ranked);
    *childless = malloc((functions + 1) * sizeof **childless);
    *count = 0;
    if (*ranked == NULL || *childless == NULL)
        return error_set(error, "out of memory");
    for (uint32_t id = 1; id < functions; id++) {
        const struct function_rollup *function = rollup->functions[id];
        if (function == NULL || function->kinds.childless == 0)
            continue;
        (*childless)[none] = (struct shape){.function = id,
                                            .calls = function->kinds.childless,
                                            .example_call = function->childless_example};
        (*ranked)[(*count)++] = &(*childless)[none++];
    }
    for (size_t i = 0; i < shapes; i++)
        (*ranked)[(*count)++] = &rollup->shapes[i];
    qsort(*ranked, *count, sizeof **ranked, by_rank);
    return 0;
}

static int write_sequences(const struct tables *tables, sqlite3 *database,
                           struct function_counts *counts, struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    const struct shape **ranked;
    struct shape *childless;
    size_t count;
    int result = rank_sequences(rollup, &ranked, &childless, &count, error);
    struct insert insert;
    insert_begin(&insert, database, "call_sequences",
                 "function_id,rank,calls,sequence,length,example_call_id");
    for (size_t i = 0; result == 0 && i < count; i++) {
        char text[SEQUENCE_SHOWN * 12];
        const struct shape *shape = ranked[i];
        if (++counts[shape->function].sequences > SEQUENCES_KEPT)
            continue;
        const uint32_t *ids = shape->shown > 0 ? rollup->shape_ids + shape->first : NULL;
        sequence_text(ids, shape->shown, text, sizeof text);
        insert_int(&insert, shape->function);
        insert_int(&insert, clip(counts[shape->function].sequences));
        insert_int(&insert, clip(shape->calls));
        insert_text(&insert, text);
        insert_int(&insert, clip(shape->length));
        insert_id(&insert, shape->example_call);
        insert_row(&insert);
    }
    free(ranked);
    free(childless);
    int ended = insert_end(&insert, error);
    return result != 0 ? result : ended;
}

int tables_write_rollups(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct function_counts *counts = calloc(tables->program->functions_count + 1, sizeof *counts);
    if (counts == NULL)
        return error_set(error, "out of memory");
    int result = count_functions(tables, counts, error);
    if (result == 0)
        result = write_sequences(tables, database, counts, error);
    if (result == 0)
        result = write_function_stats(tables, database, counts, error);
    free(counts);
    int (*const others[])(const struct tables *, sqlite3 *, struct error *) = {
        write_histograms, write_slow_calls, write_thread_functions, write_edges, write_callee_runs};
    for (size_t i = 0; result == 0 && i < sizeof others / sizeof others[0]; i++)
        result = others[i](tables, database, error);
    return result;
}
