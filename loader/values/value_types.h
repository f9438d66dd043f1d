/*
 * The parameters of the program's functions, and the names of pointers' targets. We read a module's
 * debug information when a call of its functions has values: a run without values pays nothing.
 *
 * Several threads may call value_types_of() at once. One thread owns a struct pointer_names.
 */
#ifndef FISQL_LOADER_VALUES_VALUE_TYPES_H
#define FISQL_LOADER_VALUES_VALUE_TYPES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/log/log_index.h"
#include "debuginfo/symbols/data_symbols.h"
#include "debuginfo/expressions/parameters.h"
#include "loader/program/program.h"

/* Parameters of which only the names are known. */
struct point_parameters {
    struct parameter *items;
    size_t count;
    char *names; /* their texts */
};

struct address_range {
    uint64_t start, end;
};

struct value_types {
    struct program *program;
    struct symbols_options options;
    pthread_mutex_t lock;           /* guards what follows */
    struct expressions expressions; /* of record --value */
    struct parameters **of_modules; /* modules[id - 1]; NULL = not read */
    size_t modules_count;
    struct point_parameters *of_points; /* of functions of other tools' recordings */
    size_t points_count, points_capacity;
    struct intern point_of;            /* by functions.id */
    struct data_symbols *of_variables; /* modules[id - 1] */
    bool prepared;                     /* atomic: find_named() has filled: */
    struct address_range *named;       /* where modules lay at any time; ascending, disjoint */
    size_t named_count;
};

/* Borrows the open program. Release *types in any case; zeros may be released. */
int value_types_init(struct value_types *types, struct program *program,
                     const struct symbols_options *options, struct error *error);
void value_types_release(struct value_types *types);

/* A function's (functions.id) result and parameters, by position; *count = 0: not known. They live
 * as long as the types. */
int value_types_of(struct value_types *types, uint32_t function,
                   const struct parameter **parameters, size_t *count, struct error *error);

/* A variable, and where an address lies in it. */
struct variable_place {
    const struct data_symbol *variable; /* NULL = there is none */
    uint32_t module;                    /* modules.id */
    uint64_t offset;
};
/* The variable at an address of a process (index) at a tick. */
int value_types_variable(struct value_types *types, uint32_t process, uint64_t address,
                         uint64_t tick, struct variable_place *place, struct error *error);

/* The names found last. */
#define POINTER_NAMES 1024u
struct pointer_names {
    struct pointer_name {
        uint64_t address;
        char *name; /* NULL = it has none */
    } * items;      /* by a hash of the address */
};

void pointer_names_release(struct pointer_names *names);
/* Addresses may change their meaning. */
void pointer_names_clear(struct pointer_names *names);

/* *name: of the function that begins at an address of a process (index in log_index.processes) at a
 * tick, or of the variable there: `&table`, or `&table+8` 8 bytes behind its start. NULL = neither;
 * valid until the next call. */
int pointer_names_find(struct pointer_names *names, struct value_types *types, uint32_t process,
                       uint64_t address, uint64_t tick, const char **name, struct error *error);

#endif
