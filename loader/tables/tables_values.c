/* The tables of values: parameters and what was added up of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "loader/sqlite/sqlite_record.h"
#include "loader/tables/tables_parts.h"
#include "loader/values/value_errno.h"

#define COUNTS_WRITTEN 64u
#define CALL_ID_BITS 38 /* of valued_calls.id */

/* ---- valued_calls ---- */

static int by_id(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static int write_listed(const struct value_function *function, struct btree_part *part,
                        struct error *error)
{
    const struct listed_calls *listed = &function->listed;
    struct record record;
    record_begin(&record, 1);
    record_null(&record);
    if (listed->count > 0)
        qsort(listed->ids, listed->count, sizeof *listed->ids, by_id);
    for (size_t i = 0; i < listed->count; i++) {
        uint64_t id = (uint64_t)function->id << CALL_ID_BITS | listed->ids[i];
        if (listed->ids[i] >> CALL_ID_BITS == 0 &&
            btree_append(part, (int64_t)id, record_data(&record), record_bytes(&record), 0, NULL,
                         error) != 0)
            return -1;
    }
    return 0;
}

int tables_write_valued_calls(const struct tables *tables, struct btree_file *file,
                              struct error *error)
{
    const struct value_calls *values = tables->values;
    struct btree_part *part;
    if (tables->options->summary)
        return 0;
    if (btree_part_begin(file, &part, error) != 0)
        return -1;
    /* functions.id takes the upper 25 bits */
    for (size_t i = 0; i < values->functions_capacity && i < 1u << 25; i++)
        if (values->functions[i] != NULL && write_listed(values->functions[i], part, error) != 0)
            return -1;
    return btree_part_end(part, error) != 0 ? -1
                                            : btree_finish(file, "valued_calls", &part, 1, error);
}

/* ---- parameters ---- */

struct writer {
    struct insert parameters, enumerators, stats, counts, costs;
    struct intern enums;   /* by the type's address: enumerators.enum_id - 1 */
    uint64_t parameter_id; /* the last one */
    bool listed;           /* the function's calls */
};

static const char *kind_of(const struct parameter_type *type, const struct value_counts *counts)
{
    static const char *const kinds[] = {
        [PARAMETER_SIGNED] = "signed",   [PARAMETER_UNSIGNED] = "unsigned",
        [PARAMETER_BOOL] = "bool",       [PARAMETER_CHAR] = "char",
        [PARAMETER_ENUM] = "enum",       [PARAMETER_FLOAT] = "float",
        [PARAMETER_POINTER] = "pointer", [PARAMETER_FUNCTION] = "function",
        [PARAMETER_TEXT] = "text",       [PARAMETER_STRUCT] = "struct"};
    if (type != NULL && type->kind != PARAMETER_UNKNOWN)
        return kinds[type->kind];
    if (counts == NULL)
        return NULL; /* what the values themselves say */
    return counts->has_text                                    ? "text"
           : counts->has_pointer && !counts->range.has_integer ? "pointer"
                                                               : NULL;
}

static int write_enumerators(struct writer *writer, const struct parameter_type *type, uint64_t *id,
                             struct error *error)
{
    uint32_t index, before = writer->enums.count;
    *id = 0;
    if (type == NULL || type->kind != PARAMETER_ENUM || type->enumerators_count == 0)
        return 0;
    if (intern_add(&writer->enums, (uint64_t)(uintptr_t)type->enumerators, 0, &index, error) != 0)
        return -1;
    *id = (uint64_t)index + 1;
    for (size_t i = 0; index == before && i < type->enumerators_count; i++) {
        insert_int(&writer->enumerators, (int64_t)*id);
        insert_int(&writer->enumerators, (int64_t)i);
        insert_int(&writer->enumerators, type->enumerators[i].value);
        insert_text(&writer->enumerators, type->enumerators[i].name);
        insert_row(&writer->enumerators);
    }
    return 0;
}

/* What is known of the parameter at a position; NULL = nothing. */
static const struct parameter *parameter_at(const struct value_function *function,
                                            unsigned position)
{
    for (size_t i = 0; i < function->parameters_count; i++)
        if (function->parameters[i].position == position)
            return &function->parameters[i];
    return position == VALUE_ERRNO && function->counts[position] != NULL ? &value_errno : NULL;
}

static void insert_name(struct insert *insert, const char *name, const char *unknown)
{
    insert_text(insert, name != NULL && strcmp(name, unknown) != 0 ? name : NULL);
}

static int write_parameter(struct writer *writer, const struct value_function *function,
                           unsigned position, struct error *error)
{
    const struct parameter *parameter = parameter_at(function, position);
    const struct parameter_type *type = parameter != NULL ? parameter->type : NULL;
    struct insert *insert = &writer->parameters;
    uint64_t enum_id;
    if (write_enumerators(writer, type, &enum_id, error) != 0)
        return -1;
    insert_id(insert, ++writer->parameter_id);
    insert_id(insert, function->id);
    insert_int(insert, position);
    insert_name(insert, parameter != NULL ? parameter->name : NULL, "");
    insert_name(insert, parameter != NULL ? parameter->type_name : NULL, "?");
    insert_text(insert, kind_of(type, function->counts[position]));
    insert_id(insert, enum_id);
    insert_int(insert, enum_id != 0 && type != NULL && type->is_flags);
    insert_int(insert, parameter != NULL && parameter->code != NULL);
    insert_row(insert);
    return 0;
}

/* ---- what was counted ---- */

static void insert_unsigned(struct insert *insert, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    insert_text(insert, text);
}

static void insert_range(struct insert *insert, const struct value_range *range)
{
    bool integers = range->has_integer, reals = range->has_real;
    if (reals && (!integers || range->real_min < (double)range->integer_min))
        insert_real(insert, range->real_min);
    else if (integers)
        insert_int(insert, range->integer_min);
    else if (range->has_unsigned)
        insert_unsigned(insert, range->unsigned_min);
    else
        insert_null(insert);
    if (range->has_unsigned)
        insert_unsigned(insert, range->unsigned_max);
    else if (reals && (!integers || range->real_max > (double)range->integer_max))
        insert_real(insert, range->real_max);
    else if (integers)
        insert_int(insert, range->integer_max);
    else
        insert_null(insert);
}

static void write_stats(struct writer *writer, const struct value_counts *counts)
{
    struct insert *insert = &writer->stats;
    uint64_t calls = 0, cpu_ns = 0;
    for (uint32_t i = 0; i < counts->counters_count && i < COUNTS_WRITTEN; i++) {
        calls += counts->counters[i].calls;
        cpu_ns += counts->counters[i].cost.cpu_ns;
    }
    insert_id(insert, writer->parameter_id);
    insert_int(insert, writer->listed);
    insert_int(insert, clip(counts->calls));
    insert_int(insert, clip(counts->absent));
    insert_int(insert, clip(counts->unreadable));
    insert_int(insert, clip(counts->no_room));
    insert_int(insert, clip(counts->cut));
    insert_int(insert, clip(counts->cpu_ns));
    insert_int(insert, counts->counters_count);
    insert_int(insert, counts->counted);
    insert_int(insert, clip(counts->calls - calls));
    insert_int(insert, clip(counts->cpu_ns - cpu_ns));
    insert_range(insert, &counts->range);
    if (counts->has_text)
        insert_int(insert, clip(counts->text_bytes_max));
    else
        insert_null(insert);
    insert_row(insert);
}

static void insert_value(struct insert *insert, const struct value_counter *counter)
{
    double real;
    if (counter->type == FORM_REAL) {
        memcpy(&real, &counter->bits, sizeof real);
        insert_real(insert, real);
    } else if (counter->type <= FORM_POINTER) {
        insert_int(insert, (int64_t)counter->bits);
    } else {
        insert_text_bytes(insert, counter->text_bytes > 0 ? counter->text : "",
                          counter->text_bytes);
    }
}

static void write_counts(struct writer *writer, const struct value_counts *counts)
{
    struct insert *insert = &writer->counts;
    for (uint32_t i = 0; i < counts->counters_count && i < COUNTS_WRITTEN; i++) {
        const struct value_counter *counter = &counts->counters[i];
        insert_id(insert, writer->parameter_id);
        insert_int(insert, i + 1);
        insert_value(insert, counter);
        insert_int(insert, clip(counter->calls));
        insert_int(insert, clip(counter->error));
        insert_int(insert, clip(counter->cost.cpu_ns));
        insert_int(insert, clip(counter->cost.max_ns));
        insert_id(insert, counter->cost.slowest_call);
        insert_id(insert, counter->first_call);
        insert_row(insert);
    }
}

static int write_cost(void *context, int64_t low, int64_t high, const struct cost_bucket *bucket,
                      struct error *error)
{
    struct writer *writer = context;
    struct insert *insert = &writer->costs;
    (void)error;
    insert_id(insert, writer->parameter_id);
    insert_int(insert, low);
    insert_int(insert, high);
    insert_int(insert, clip(bucket->calls));
    insert_real(insert, bucket->values_sum / (double)bucket->calls);
    insert_int(insert, clip(bucket->cost.descendants));
    insert_int(insert, clip(bucket->cost.descendants_max));
    insert_int(insert, clip(bucket->cost.cpu_ns));
    insert_int(insert, clip(bucket->cost.max_ns));
    insert_id(insert, bucket->cost.slowest_call);
    insert_row(insert);
    return 0;
}

static int write_function(struct writer *writer, struct value_function *function,
                          struct error *error)
{
    writer->listed = !function->listed.too_many;
    for (unsigned position = 0; position < VALUE_POSITIONS; position++) {
        static const struct value_counts none = {.counted = true};
        struct value_counts *counts = function->counts[position];
        if (counts == NULL && parameter_at(function, position) == NULL)
            continue;
        if (write_parameter(writer, function, position, error) != 0)
            return -1;
        if (counts != NULL)
            value_counts_sort(counts);
        write_stats(writer, counts != NULL ? counts : &none);
        if (counts == NULL)
            continue;
        write_counts(writer, counts);
        if (value_costs_each(counts, write_cost, writer, error) != 0)
            return -1;
    }
    return 0;
}

static int write_parameters(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct value_calls *values = tables->values;
    struct writer writer = {.parameter_id = 0};
    int result = 0;
    insert_begin(&writer.parameters, database, "parameters",
                 "id,function_id,position,name,type,kind,enum_id,flags,expression");
    insert_begin(&writer.enumerators, database, "enumerators", "enum_id,number,value,name");
    insert_begin(&writer.stats, database, "parameter_stats",
                 "parameter_id,listed,calls,absent,unreadable,no_room,cut,cpu_ns,distinct_values,"
                 "counted,other_calls,other_cpu_ns,min_value,max_value,text_bytes_max");
    insert_begin(&writer.counts, database, "value_counts",
                 "parameter_id,rank,value,calls,error,cpu_ns,max_ns,slowest_call_id,first_call_id");
    insert_begin(&writer.costs, database, "value_costs",
                 "parameter_id,low,high,calls,mean_value,descendants,descendants_max,cpu_ns,max_ns,"
                 "slowest_call_id");
    for (size_t i = 0; i < values->functions_capacity && result == 0; i++)
        if (values->functions[i] != NULL)
            result = write_function(&writer, values->functions[i], error);
    intern_release(&writer.enums);
    struct insert *inserts[] = {&writer.parameters, &writer.enumerators, &writer.stats,
                                &writer.counts, &writer.costs};
    for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++)
        if (insert_end(inserts[i], error) != 0)
            result = -1;
    return result;
}

/* ---- repeats and results ---- */

static int write_repeats(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct value_calls *values = tables->values;
    struct insert insert;
    insert_begin(&insert, database, "argument_repeats",
                 "function_id,calls,unknown_calls,sampled,tuples,repeated_calls,same_calls,"
                 "different_calls,saved_calls,saved_ns,commonest_calls,example_call_id");
    for (size_t i = 0; i < values->functions_capacity; i++) {
        const struct value_function *function = values->functions[i];
        if (function == NULL || function->repeats_sum.calls + function->repeats_sum.unknown == 0)
            continue;
        const struct repeats_sum *sum = &function->repeats_sum;
        insert_id(&insert, function->id);
        insert_int(&insert, clip(sum->calls));
        insert_int(&insert, clip(sum->unknown));
        insert_int(&insert, clip(sum->sampled));
        insert_int(&insert, clip(sum->tuples));
        insert_int(&insert, clip(sum->repeated));
        insert_int(&insert, clip(sum->same));
        insert_int(&insert, clip(sum->different));
        insert_int(&insert, clip(sum->saved_calls));
        insert_int(&insert, clip(sum->saved_ns));
        insert_int(&insert, clip(sum->commonest_calls));
        insert_id(&insert, sum->commonest_calls > 0 ? sum->example_call : 0);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

static int write_flows(const struct tables *tables, sqlite3 *database, struct error *error)
{
    static const char *const names[] = {
#define VALUE_CLASS_NAME(constant, name) name,
        VALUE_CLASSES(VALUE_CLASS_NAME)
#undef VALUE_CLASS_NAME
    };
    const struct result_flows *flows = &tables->values->flows;
    struct insert insert;
    insert_begin(&insert, database, "result_flows",
                 "function_id,class,caller_id,caller_class,calls,same_calls,first_call_id");
    for (uint32_t i = 0; i < flows->keys.count; i++) {
        struct intern_key key = flows->keys.keys[i];
        insert_int(&insert, (int64_t)(key.a >> 32));
        insert_text(&insert, names[(uint32_t)key.a]);
        insert_int(&insert, (int64_t)(key.b >> 32));
        insert_text(&insert, names[(uint32_t)key.b]);
        insert_int(&insert, clip(flows->items[i].calls));
        insert_int(&insert, clip(flows->items[i].same));
        insert_id(&insert, flows->items[i].first_call);
        insert_row(&insert);
    }
    return insert_end(&insert, error);
}

int tables_write_values(const struct tables *tables, sqlite3 *database, struct error *error)
{
    if (value_late_write(&tables->values->rows.late, database, error) != 0 ||
        write_parameters(tables, database, error) != 0 ||
        write_repeats(tables, database, error) != 0)
        return -1;
    return write_flows(tables, database, error);
}
