/* The kinds of allocations and frees by their numbers in the log. */
#ifndef FISQL_LOADER_MEMORY_MEMORY_KINDS_H
#define FISQL_LOADER_MEMORY_MEMORY_KINDS_H

#include <stdint.h>

/* As in the database; "unknown" for a number that the format does not have. */
const char *memory_kind_name(uint32_t kind);

/* Kinds of one family match: an allocation may be freed by its own. */
const char *memory_kind_family(uint32_t kind);

#endif
