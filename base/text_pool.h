/*
 * Keeps each different text once, at an address that stays until text_pool_release(). Not safe for
 * threads. Zero-initialised is empty.
 */
#ifndef FISQL_BASE_TEXT_POOL_H
#define FISQL_BASE_TEXT_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct text_pool_block;

struct text_pool {
    struct text_pool_block *blocks; /* the newest first */
    const char **slots;             /* hash table, open addressing, at most half full */
    size_t slots_mask, count;
};

/* The pool's copy of the first `length` bytes of a text, NUL-terminated; NULL without memory. */
const char *text_pool_add(struct text_pool *pool, const char *text, size_t length,
                          struct error *error);
void text_pool_release(struct text_pool *pool);

#define TEXT_HASH_START 0xcbf29ce484222325u
/* FNV-1a, 64 bits, over a text's bytes; begin with TEXT_HASH_START. */
uint64_t text_hash(uint64_t hash, const char *text, size_t length);

#endif
