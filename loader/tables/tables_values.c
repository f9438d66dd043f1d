/* The tables of values: parameters and their sums. */
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
    if (tables->options->calls == LOAD_CALLS_NONE)
        return 0;
    if (btree_part_begin(file, &part, error) != 0)
        return -1;
    /* functions.id has the upper 25 bits */
    for (size_t i = 0; i < values->functions_capacity && i < 1u << 25; i++)
        if (values->functions[i] != NULL && write_listed(values->functions[i], part, error) != 0)
            return -1;
    return btree_part_end(part, error) != 0 ? -1
                                            : btree_finish(file, "valued_calls", &part, 1, error);
}

/* ---- parameters ---- */

struct writer {
    struct insert parameters, enumerators, stats, counts, costs;
    struct intern enums;   /* enumerators.enum_id - 1 by the type's address */
    uint64_t parameter_id; /* the last one */
    bool listed;           /* the function's calls */
};

static const char *kind_of(const struct parameter_type *type, const struct value_counts *counts)
{
    static const char *const kinds[] = {[PARAMETER_SIGNED] = "signed",
                                        [PARAMETER_UNSIGNED] = "unsigned",
                                        [PARAMETER_BOOL] = "bool",
                                        [PARAMETER_CHAR] = "char",
                                        [PARAMETER_ENUM] = "enum",
                                        [PARAMETER_FLOAT] = "float",
                                        [PARAMETER_POINTER] = "pointer",
                                        [PARAMETER_FUNCTION] = "function",
                                        [PARAMETER_TEXT] = "text",
                                        [PARAMETER_STRUCT] = "struct",
                                        [PARAMETER_HEX] = "hex",
                                        [PARAMETER_OCTAL] = "octal",
                                        [PARAMETER_SOCKET_ADDRESS] = "struct"};
    if (type != NULL && type->kind != PARAMETER_UNKNOWN)
        return kinds[type->kind];
    if (counts == NULL)
        return NULL; /* there is no value, either */
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
        insert_row(&writer->enumerators, column_int("enum_id", (int64_t)*id),
                   column_int("number", (int64_t)i),
                   column_int("value", type->enumerators[i].value),
                   column_text("name", type->enumerators[i].name),
                   column_int_if("mask", type->is_flags && type->enumerators[i].mask != 0,
                                 type->enumerators[i].mask));
    }
    return 0;
}

/* NULL = nothing is known of the parameter. */
static const struct parameter *parameter_at(const struct value_function *function,
                                            unsigned position)
{
    for (size_t i = 0; i < function->parameters_count; i++)
        if (function->parameters[i].position == position)
            return &function->parameters[i];
    return position == VALUE_ERRNO && function->counts[position] != NULL ? &value_errno : NULL;
}

static const char *name_unless(const char *name, const char *unknown)
{
    return name != NULL && strcmp(name, unknown) != 0 ? name : NULL;
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
    writer->parameter_id++;
    insert_row(
        insert, column_id("id", writer->parameter_id), column_id("function_id", function->id),
        column_int("position", position),
        column_text("name", name_unless(parameter != NULL ? parameter->name : NULL, "")),
        column_text("type", name_unless(parameter != NULL ? parameter->type_name : NULL, "?")),
        column_text("kind", kind_of(type, function->counts[position])),
        column_id("enum_id", enum_id),
        column_int("flags", enum_id != 0 && type != NULL && type->is_flags),
        column_int("expression", parameter != NULL && parameter->code != NULL),
        column_int("at_exit",
                   parameter != NULL && parameter->at_exit ? 1 + parameter->if_changed : 0));
    return 0;
}

/* ---- counts ---- */

/* Longer than SQLite's integers: a text in the buffer. */
static struct column column_unsigned(const char *name, uint64_t value, char text[24])
{
    snprintf(text, 24, "%llu", (unsigned long long)value);
    return column_text(name, text);
}

static struct column column_least(const struct value_range *range, char text[24])
{
    if (range->has_real && (!range->has_integer || range->real_min < (double)range->integer_min))
        return column_real("min_value", range->real_min);
    if (range->has_integer)
        return column_int("min_value", range->integer_min);
    return range->has_unsigned ? column_unsigned("min_value", range->unsigned_min, text)
                               : column_null("min_value");
}

static struct column column_greatest(const struct value_range *range, char text[24])
{
    if (range->has_unsigned)
        return column_unsigned("max_value", range->unsigned_max, text);
    if (range->has_real && (!range->has_integer || range->real_max > (double)range->integer_max))
        return column_real("max_value", range->real_max);
    return column_int_if("max_value", range->has_integer, range->integer_max);
}

static void write_stats(struct writer *writer, const struct value_counts *counts)
{
    struct insert *insert = &writer->stats;
    char least[24], greatest[24];
    uint64_t calls = 0, cpu_ns = 0;
    for (uint32_t i = 0; i < counts->counters_count && i < COUNTS_WRITTEN; i++) {
        calls += counts->counters[i].calls;
        cpu_ns += counts->counters[i].cost.cpu_ns;
    }
    insert_row(
        insert, column_id("parameter_id", writer->parameter_id),
        column_int("listed", writer->listed), column_count("calls", counts->calls),
        column_count("absent", counts->absent), column_count("unreadable", counts->unreadable),
        column_count("no_room", counts->no_room), column_count("cut", counts->cut),
        column_count("cpu_ns", counts->cpu_ns),
        column_int("distinct_values", counts->counters_count),
        column_int("counted", counts->counted), column_count("other_calls", counts->calls - calls),
        column_count("other_cpu_ns", counts->cpu_ns - cpu_ns), column_least(&counts->range, least),
        column_greatest(&counts->range, greatest),
        column_int_if("positive_sum", counts->range.has_integer, counts->range.positive_sum),
        column_count_if("text_bytes_max", counts->has_text, counts->text_bytes_max));
}

static struct column column_value(const char *name, const struct value_counter *counter)
{
    double real;
    if (counter->type == FORM_REAL) {
        memcpy(&real, &counter->bits, sizeof real);
        return column_real(name, real);
    }
    if (counter->type <= FORM_POINTER)
        return column_int(name, (int64_t)counter->bits);
    return column_bytes(name, counter->text_bytes > 0 ? counter->text : "", counter->text_bytes);
}

static void write_counts(struct writer *writer, const struct value_counts *counts)
{
    struct insert *insert = &writer->counts;
    for (uint32_t i = 0; i < counts->counters_count && i < COUNTS_WRITTEN; i++) {
        const struct value_counter *counter = &counts->counters[i];
        insert_row(insert, column_id("parameter_id", writer->parameter_id),
                   column_int("rank", i + 1), column_value("value", counter),
                   column_count("calls", counter->calls), column_count("error", counter->error),
                   column_count("cpu_ns", counter->cost.cpu_ns),
                   column_count("max_ns", counter->cost.max_ns),
                   column_id("slowest_call_id", counter->cost.slowest_call),
                   column_id("first_call_id", counter->first_call));
    }
}

static int write_cost(void *context, int64_t low, int64_t high, const struct cost_bucket *bucket,
                      struct error *error)
{
    struct writer *writer = context;
    struct insert *insert = &writer->costs;
    (void)error;
    insert_row(insert, column_id("parameter_id", writer->parameter_id), column_int("low", low),
               column_int("high", high), column_count("calls", bucket->calls),
               column_real("mean_value", bucket->values_sum / (double)bucket->calls),
               column_count("descendants", bucket->cost.descendants),
               column_count("descendants_max", bucket->cost.descendants_max),
               column_count("cpu_ns", bucket->cost.cpu_ns),
               column_count("max_ns", bucket->cost.max_ns),
               column_id("slowest_call_id", bucket->cost.slowest_call));
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
    insert_begin(&writer.parameters, database, "parameters");
    insert_begin(&writer.enumerators, database, "enumerators");
    insert_begin(&writer.stats, database, "parameter_stats");
    insert_begin(&writer.counts, database, "value_counts");
    insert_begin(&writer.costs, database, "value_costs");
    for (size_t i = 0; i < values->functions_capacity && result == 0; i++)
        if (values->functions[i] != NULL)
            result = write_function(&writer, values->functions[i], error);
    intern_release(&writer.enums);
    struct insert *inserts[] = {&writer.parameters, &writer.enumerators, &writer.stats,
                                &writer.counts, &writer.costs};
    for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++)
        result = insert_end_after(inserts[i], result, error);
    return result;
}

/* ---- repeats and results ---- */

static int write_repeats(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct value_calls *values = tables->values;
    struct insert insert;
    insert_begin(&insert, database, "argument_repeats");
    for (size_t i = 0; i < values->functions_capacity; i++) {
        const struct value_function *function = values->functions[i];
        if (function == NULL || function->repeats_sum.calls + function->repeats_sum.unknown == 0)
            continue;
        const struct repeats_sum *sum = &function->repeats_sum;
        insert_row(
            &insert, column_id("function_id", function->id), column_count("calls", sum->calls),
            column_count("unknown_calls", sum->unknown), column_count("sampled", sum->sampled),
            column_count("tuples", sum->tuples), column_count("repeated_calls", sum->repeated),
            column_count("same_calls", sum->same), column_count("different_calls", sum->different),
            column_count("saved_calls", sum->saved_calls), column_count("saved_ns", sum->saved_ns),
            column_count("commonest_calls", sum->commonest_calls),
            column_id("example_call_id", sum->commonest_calls > 0 ? sum->example_call : 0));
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
    insert_begin(&insert, database, "result_flows");
    for (uint32_t i = 0; i < flows->keys.count; i++) {
        struct intern_key key = flows->keys.keys[i];
        insert_row(&insert, column_int("function_id", (int64_t)(key.a >> 32)),
                   column_text("class", names[(uint32_t)key.a]),
                   column_int("caller_id", (int64_t)(key.b >> 32)),
                   column_text("caller_class", names[(uint32_t)key.b]),
                   column_count("calls", flows->items[i].calls),
                   column_count("same_calls", flows->items[i].same),
                   column_id("first_call_id", flows->items[i].first_call));
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
