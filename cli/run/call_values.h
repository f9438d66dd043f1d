/*
 * Arguments and results of calls as text, for the commands that show single calls: the texts of the
 * view call_text (schema.sql), without asking it for each call. A run without values has none.
 */
#ifndef FISQL_CLI_RUN_CALL_VALUES_H
#define FISQL_CLI_RUN_CALL_VALUES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/run/run_view.h"

struct value_parameter {
    int64_t position, enum_id;
    char *name, *kind, *type; /* NULL = none, or unknown */
    bool is_float;            /* of 4 bytes */
    bool flags;               /* its enumerators are flags */
    bool at_exit;             /* an expression's, at the call's end, ... */
    bool if_changed;          /* ... which only calls have that changed it */
};

struct value_enumerator {
    int64_t enum_id, value;
    char *name;
    int64_t mask; /* 0 = it is no flag of its own */
};

/* Positions that are no arguments. */
#define SHOWN_RESULT 0
#define SHOWN_ERRNO 31

/* An argument, the result, or errno. */
struct shown_value {
    const struct value_parameter *parameter;
    char *text; /* as shown, but for hidden characters; NULL without memory */
};

struct call_values {
    sqlite3 *database; /* the caller's */
    sqlite3_stmt *rows;
    sqlite3_stmt *blocks;               /* that pointers point into; NULL = not asked for */
    struct value_parameter *parameters; /* by function and position */
    size_t parameters_count, parameters_capacity;
    size_t *first; /* by functions.id, its first parameter; [functions_count] is the end */
    size_t functions_count;
    struct value_enumerator *enumerators; /* by enum_id, in the order of the declaration */
    size_t enumerators_count, enumerators_capacity;
    struct shown_value shown[32]; /* of the call that was read last */
    size_t shown_count;
    bool types; /* texts have the parameters' types: the caller may set it */
};

/* Reads the parameters. 0, or 2 after saying what is wrong; close it in both cases. */
int call_values_open(struct call_values *values, const struct run_view *view);
/* From now on shows pointers with the block that they point into: 0x55d0 (block 12+8). For single
 * calls, as each pointer is looked up. Returns 0, or 2 after saying what is wrong. */
int call_values_show_blocks(struct call_values *values);
void call_values_close(struct call_values *values);

/* Is it known only when the call ends? */
static inline bool shown_value_is_outcome(const struct shown_value *value)
{
    return value->parameter->position == SHOWN_RESULT || value->parameter->position == SHOWN_ERRNO;
}

/* Does the function have recorded values? */
static inline bool call_values_has(const struct call_values *values, uint32_t function)
{
    return function < values->functions_count &&
           values->first[function] < values->first[function + 1];
}

/* Reads the values of a call into `shown`: the result first, if it has a type, then the arguments,
 * and errno if it is known. Returns 0, or 2 after saying what is wrong. */
int call_values_read(struct call_values *values, uint32_t function, int64_t call_id);

/* The name of a value that is shown alone: the parameter's, #2, or "result". */
void call_values_name(const struct shown_value *value, char *name, size_t size);

/* The type of the function's result in the source's words; NULL = not known. */
const char *call_values_result_type(const struct call_values *values, uint32_t function);

/* "(n=3) = 2", with types "(int n=3) = 2", or "" of a function without values; NULL after saying what is wrong. sqlite3_free()
 * it. */
char *call_values_text(struct call_values *values, uint32_t function, int64_t call_id);

#endif
