/* Names of locks that lie in variables: `stat_lock`, `cache.lock`, `stripes[3]`. */
#ifndef FISQL_LOADER_TABLES_LOCK_NAMES_H
#define FISQL_LOADER_TABLES_LOCK_NAMES_H

#include "loader/values/value_types.h"

struct lock_name {
    uint32_t process; /* index */
    uint64_t address, tick;
    char *name; /* found; NULL = it lies in no variable; owned by the caller */
};

/* Finds the names. Returns 0, or -1 without memory. */
int lock_names_find(struct lock_name *names, size_t count, struct value_types *types,
                    struct error *error);

#endif
