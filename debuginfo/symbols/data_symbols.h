/* The variables and functions of a module, from its symbol tables alone: what a pointer points to,
 * also in libraries without hooks. After the open the struct is only read, so threads may share
 * it. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_DATA_SYMBOLS_H
#define FISQL_DEBUGINFO_SYMBOLS_DATA_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_pool.h"
#include "debuginfo/symbols/symbols.h"

struct data_symbol {
    uint64_t address, size_bytes; /* in the module's file */
    bool is_function;
    const char *linkage_name; /* without what a compiler adds to number names */
};

struct data_symbols {
    struct data_symbol *items; /* by address, without overlaps */
    size_t count, capacity;
    uint64_t start, end; /* of the module's segments */
    struct text_pool texts;
};

/* Reads the symbols of the module at `path`, found as symbols_open() does. Returns 0, also if there
 * are none; -1 without memory. Close it in both cases. */
int data_symbols_open(struct data_symbols *symbols, const char *path, const char *build_id,
                      const struct symbols_options *options, struct error *error);
void data_symbols_close(struct data_symbols *symbols);

/* The symbol's short name. Caller frees; NULL without memory. */
char *data_symbol_name(const struct data_symbol *symbol);

/* The symbol that holds an address, or NULL. */
const struct data_symbol *data_symbols_find(const struct data_symbols *symbols, uint64_t address);

#endif
