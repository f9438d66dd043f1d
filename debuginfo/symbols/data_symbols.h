/*
 * The variables and functions of a module, by its symbol tables alone: which address belongs to which. For
 * pointers, into libraries without hooks, too.
 *
 * After the open it is only read, so threads may share it.
 */
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
    const char *linkage_name; /* without what a compiler adds to tell two of one name apart */
};

struct data_symbols {
    struct data_symbol *items; /* by address, apart from one another */
    size_t count, capacity;
    uint64_t start, end; /* where the module's segments lie */
    struct text_pool texts;
};

/* Reads those of the module at `path`, as symbols_open(). Returns 0, also where there are none; -1 without
 * memory. Close it in every case. */
int data_symbols_open(struct data_symbols *symbols, const char *path, const char *build_id,
                      const struct symbols_options *options, struct error *error);
void data_symbols_close(struct data_symbols *symbols);

/* Its name, short; caller frees, NULL without memory. */
char *data_symbol_name(const struct data_symbol *symbol);

/* What an address lies in; NULL = in none. */
const struct data_symbol *data_symbols_find(const struct data_symbols *symbols, uint64_t address);

#endif
