/* The tables of rollups: function_stats, histograms, slow calls, edges, callee runs and sequences.
 * schema.sql explains the numbers. */
#include "base/must.h"
#include "loader/tables/tables_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/insert.h"

#define SEQUENCES_KEPT 16 /* a function */

static const struct function_rollup *function_rollup(const struct tables *tables, uint32_t id)
{
    static const struct function_rollup none;
    return id < tables->rollup->functions_capacity && tables->rollup->functions[id] != NULL
               ? tables->rollup->functions[id]
               : &none;
}

/* A function's counts besides its rollup. */
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
        must(edge->callee <= tables->program->functions_count &&
             edge->caller <= tables->program->functions_count);
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

/* The CPU duration that `percent` of the finished calls do not exceed. */
static struct column column_quantile(const char *name, const struct function_rollup *rollup,
                                     unsigned percent)
{
    const struct tally *tally = &rollup->tally;
    wide_uint part = (wide_uint)duration_counts_all(&rollup->durations) * percent;
    uint64_t ns = duration_counts_rank(&rollup->durations, (uint64_t)((part + 99) / 100));
    return column_count_if(name, tally->finished > 0,
                           ns < tally->min_ns   ? tally->min_ns
                           : ns > tally->max_ns ? tally->max_ns
                                                : ns);
}

/* A standard error, if there are estimates. */
static struct column column_error(const char *name, const struct tally *tally, wide_uint square)
{
    return column_count_if(name, tally->function_errors.self != 0, tally_error(square));
}

static void insert_function(struct insert *insert, const struct tables *tables, uint32_t id,
                            const struct function_counts *counts)
{
    const struct function_rollup *rollup = function_rollup(tables, id);
    const struct tally *tally = &rollup->tally;
    struct memory_function memory = memory_of_function(tables->memory, id);
    insert_row(
        insert, column_int("function_id", id), column_count("calls", tally->calls),
        column_count("total_ns", tally_left(tally->total.function_raw_ns,
                                            tally->total.function_hooks_ps, tally->off.total)),
        column_count("self_ns", tally_self_ns(tally)),
        column_count("raw_total_ns", tally->total.function_raw_ns),
        column_count("raw_self_ns", tally_not_negative(tally->self.raw_ns)),
        column_count("finished", tally->finished),
        column_count_if("min_ns", tally->finished > 0, tally->min_ns),
        column_count_if("max_ns", tally->finished > 0, tally->max_ns),
        tally->finished > 0 ? column_real("mean_ns", tally_mean(tally)) : column_null("mean_ns"),
        tally->finished > 0 ? column_real("m2", tally_m2(tally)) : column_null("m2"),
        column_id("fastest_call_id", tally->finished > 0 ? tally->fastest_call : 0),
        column_id("slowest_call_id", tally->finished > 0 ? tally->slowest_call : 0),
        column_count("counted_calls", tally->counted),
        column_count("child_calls", tally->child_calls),
        column_count("calling", rollup->kinds.calling),
        column_count("single_child_calls", rollup->kinds.single_child),
        column_count("callees", counts->callees), column_count("callers", counts->callers),
        column_count("root_calls", counts->root_calls),
        column_count("unwound", rollup->kinds.unwound), column_count("open", tally->open),
        column_count_if("first_enter_ns", tally->first_call != 0, tally->first_enter_ns),
        column_id("first_call_id", tally->first_call),
        column_count_if("last_enter_ns", rollup->latest_call != 0, rollup->latest_enter_ns),
        column_id("last_call_id", rollup->latest_call),
        column_count_if("last_exit_ns", tally->first_call != 0, rollup->last_exit_ns),
        column_count("depth_max", rollup->depth_max),
        column_id("deepest_call_id", rollup->deepest_call),
        column_int("nesting_max", rollup->nesting_max),
        column_id("nested_call_id", rollup->nested_call),
        column_count("recursive_calls", rollup->recursion.calls),
        column_count("direct_recursive_calls", rollup->recursion.direct),
        column_count("sequences", counts->sequences),
        column_int("sequences_complete", !rollup->sequences_cut),
        column_count("allocs", memory.own.allocs),
        column_count("alloc_bytes", memory.own.alloc_bytes),
        column_count("frees", memory.own.frees), column_count("free_bytes", memory.own.free_bytes),
        column_count("total_allocs", memory.total.allocs),
        column_count("total_alloc_bytes", memory.total.alloc_bytes),
        column_count("total_frees", memory.total.frees),
        column_count("total_free_bytes", memory.total.free_bytes),
        column_count("live_blocks_max", memory.live_blocks_max),
        column_count("live_bytes_max", memory.live_bytes_max),
        column_count("leaking_calls", memory.leaking_calls),
        column_count("leaked_bytes", memory.leaked_bytes),
        column_id("worst_leak_bytes", memory.worst_leak_call_id != 0 ? memory.worst_leak_bytes : 0),
        column_id("worst_leak_call_id", memory.worst_leak_call_id), COLUMNS_OFF(&tally->off),
        column_quantile("median_ns", rollup, 50), column_quantile("p99_ns", rollup, 99),
        column_error("total_error_ns", tally, tally->function_errors.total),
        column_error("self_error_ns", tally, tally->function_errors.self));
}

static int write_function_stats(const struct tables *tables, sqlite3 *database,
                                const struct function_counts *counts, struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "function_stats");
    for (uint32_t id = 1; id <= tables->program->functions_count; id++)
        if (function_rollup(tables, id)->tally.calls > 0)
            insert_function(&insert, tables, id, &counts[id]);
    return insert_end(&insert, error);
}

static int write_histograms(const struct tables *tables, sqlite3 *database, struct error *error)
{
    static const char *const names[] = {"durations", "intervals"};
    const struct rollup *rollup = tables->rollup;
    for (int which = 0; which < 2; which++) {
        struct insert insert;
        insert_begin(&insert, database, names[which]);
        for (uint32_t id = 1; id < rollup->functions_capacity; id++) {
            if (rollup->functions[id] == NULL)
                continue;
            for (unsigned bucket = 0; bucket < LOG2_BUCKETS; bucket++) {
                const struct function_rollup *function = rollup->functions[id];
                uint64_t count = which == 0 ? duration_counts_of(&function->durations, bucket)
                                            : function->intervals[bucket];
                if (count == 0)
                    continue;
                insert_row(&insert, column_int("function_id", id), column_int("log2", bucket),
                           column_count("count", count));
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
    insert_begin(&insert, database, "slow_calls");
    insert_begin(&cycles, database, "recursions");
    for (uint32_t id = 1; id < rollup->functions_capacity; id++) {
        struct function_rollup *function = rollup->functions[id];
        if (function == NULL)
            continue;
        qsort(function->slow, function->slow_count, sizeof function->slow[0], slowest_first);
        for (uint32_t i = 0; i < function->slow_count; i++) {
            insert_row(&insert, column_int("function_id", id), column_int("rank", i + 1),
                       column_count("call_id", function->slow[i].call_id),
                       column_count("duration_ns", function->slow[i].duration_ns),
                       column_count("raw_duration_ns", function->slow[i].raw_ns),
                       column_count("wait_ns", function->slow[i].off.wait_ns),
                       column_count("preempted_ns", function->slow[i].off.preempted_ns));
        }
        if (function->recursion.cycle != NULL) {
            insert_row(&cycles, column_int("function_id", id),
                       column_text("cycle", function->recursion.cycle),
                       column_id("example_call_id", function->recursion.cycle_call));
        }
    }
    return insert_end_after(&cycles, insert_end(&insert, error), error);
}

static int write_thread_functions(const struct tables *tables, sqlite3 *database,
                                  struct error *error)
{
    struct insert insert;
    insert_begin(&insert, database, "thread_functions");
    for (size_t i = 0; i < tables->index->threads_count; i++) {
        const struct decoded_thread *thread = &tables->threads[i];
        for (size_t k = 0; k < thread->functions_count; k++) {
            const struct thread_function *function = &thread->functions[k];
            insert_row(
                &insert, column_int("thread_id", tables->index->threads[i].id),
                column_int("function_id", function->function),
                column_count("calls", function->calls),
                column_count("total_ns", tally_left(function->raw_total_ns,
                                                    function->total_hooks_ps, function->off.total)),
                column_count("self_ns", tally_self_left(&function->self, &function->off)),
                column_count("raw_total_ns", function->raw_total_ns),
                column_count("raw_self_ns", tally_not_negative(function->self.raw_ns)),
                column_id("first_call_id", function->first_call),
                column_id("last_call_id", function->last_call), COLUMNS_OFF(&function->off));
        }
    }
    return insert_end(&insert, error);
}

static int write_edges(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    struct insert insert;
    insert_begin(&insert, database, "edges");
    for (uint32_t i = 0; i < rollup->edge_keys.count; i++) {
        const struct edge *edge = &rollup->edges[i];
        if (edge->calls == 0)
            continue;
        insert_row(&insert, column_int("id", (int64_t)i + 1), column_id("caller_id", edge->caller),
                   column_id("site_id", edge->site), column_int("callee_id", edge->callee),
                   column_count("calls", edge->calls),
                   column_count("total_ns", tally_left(edge->raw_total_ns, edge->total_hooks_ps,
                                                       edge->off.total)),
                   column_count("raw_total_ns", edge->raw_total_ns),
                   column_count("self_ns", tally_self_left(&edge->self, &edge->off)),
                   column_count("raw_self_ns", tally_not_negative(edge->self.raw_ns)),
                   column_id("first_call_id", edge->first_call),
                   column_id("slowest_call_id", edge->slowest_call), COLUMNS_OFF(&edge->off));
    }
    return insert_end(&insert, error);
}

static int write_callee_runs(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct rollup *rollup = tables->rollup;
    struct insert insert;
    insert_begin(&insert, database, "callee_runs");
    for (uint32_t i = 0; i < rollup->callee_runs_keys.count; i++) {
        const struct callee_runs *runs = &rollup->callee_runs[i];
        if (runs->count == 0)
            continue; /* calls of it were counted, not logged */
        struct callee_runs_key key = rollup_callee_runs_key(rollup, i);
        insert_row(&insert, column_count("caller_id", key.caller),
                   column_count("callee_id", key.callee), column_count("count", runs->count),
                   column_count("calls", runs->calls),
                   column_count("caller_calls", runs->caller_calls),
                   column_count("longest", runs->longest),
                   column_count("longest_call_id", runs->longest_call),
                   column_count("raw_total_ns", runs->raw_total_ns));
    }
    if (insert_end(&insert, error) != 0)
        return -1;
    insert_begin(&insert, database, "callee_transitions");
    for (uint32_t i = 0; i < rollup->transition_keys.count; i++) {
        struct transition_key key = rollup_transition_key(rollup, i);
        insert_row(&insert, column_int("caller_id", key.caller),
                   column_int("previous_id", key.previous), column_int("callee_id", key.callee),
                   column_count("count", rollup->transitions[i].count),
                   column_id("example_call_id", rollup->transitions[i].example_call));
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

/* All distinct sequences, empty ones included, by function and rank. The caller frees both
 * arrays. */
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
                                            .example_call = function->kinds.childless_example};
        (*ranked)[(*count)++] = &(*childless)[none++];
    }
    for (size_t i = 0; i < shapes; i++)
        (*ranked)[(*count)++] = &rollup->shapes[i];
    must(*count <= functions + shapes);
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
    insert_begin(&insert, database, "call_sequences");
    for (size_t i = 0; result == 0 && i < count; i++) {
        char text[SEQUENCE_SHOWN * 12];
        const struct shape *shape = ranked[i];
        if (++counts[shape->function].sequences > SEQUENCES_KEPT)
            continue;
        const uint32_t *ids = shape->shown > 0 ? rollup->shape_ids + shape->first : NULL;
        sequence_text(ids, shape->shown, text, sizeof text);
        insert_row(&insert, column_int("function_id", shape->function),
                   column_count("rank", counts[shape->function].sequences),
                   column_count("calls", shape->calls), column_text("sequence", text),
                   column_count("length", shape->length),
                   column_id("example_call_id", shape->example_call));
    }
    free(ranked);
    free(childless);
    return insert_end_after(&insert, result, error);
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
    table_writer *const others[] = {write_histograms, write_slow_calls, write_thread_functions,
                                    write_edges, write_callee_runs};
    for (size_t i = 0; result == 0 && i < sizeof others / sizeof others[0]; i++)
        result = others[i](tables, database, error);
    return result;
}
