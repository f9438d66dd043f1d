/*
 * Chunks of facts: pairs of NUL-terminated strings, key then value (formats/log.h). The texts come
 * from the log and are not trusted: they may hold any byte but NUL.
 */
#ifndef FISQL_LOADER_LOG_FACTS_H
#define FISQL_LOADER_LOG_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/log.h"

struct facts {
    const char *at;
    const char *end;
};

/* Begins to read the facts in `bytes` bytes at `payload`, which must outlive the reading. */
static inline struct facts facts_begin(const void *payload, size_t bytes)
{
    const char *at = payload;
    return (struct facts){at, at + bytes};
}

/* The next pair, borrowed from the payload. False at the end, or where a text is not terminated. */
bool facts_next(struct facts *facts, const char **key, const char **value);

/* Which fact of a chunk of that kind it is; FISQL_FACTS_COUNT: none that we know. */
enum fisql_fact fact_find(uint16_t kind, const char *key);

/* Numbers as facts hold them. False, and *out untouched, where the text is no such number. */
bool fact_decimal(const char *text, uint64_t *out);
bool fact_hexadecimal(const char *text, uint64_t *out);

#endif
