/* Texts, each kept once: see text_pool.h. */
#include "base/text_pool.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u

struct text_pool_block {
    struct text_pool_block *next;
    size_t used, capacity;
    char bytes[];
};

uint64_t text_hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

static int grow(struct text_pool *pool, struct error *error)
{
    size_t size = pool->slots_mask == 0 ? 256 : (pool->slots_mask + 1) * 2;
    const char **slots = calloc(size, sizeof *slots);
    if (slots == NULL)
        return error_set(error, "out of memory for %zu texts", size);
    for (size_t i = 0; pool->slots != NULL && i <= pool->slots_mask; i++) {
        const char *text = pool->slots[i];
        if (text == NULL)
            continue;
        size_t at = text_hash(TEXT_HASH_START, text, strlen(text)) & (size - 1);
        while (slots[at] != NULL)
            at = (at + 1) & (size - 1);
        slots[at] = text;
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slots_mask = size - 1;
    return 0;
}

static char *keep(struct text_pool *pool, const char *text, size_t length, struct error *error)
{
    struct text_pool_block *block = pool->blocks;
    if (block == NULL || block->capacity - block->used <= length) {
        size_t capacity = length < BLOCK_BYTES ? BLOCK_BYTES : length + 1;
        block = malloc(sizeof *block + capacity);
        if (block == NULL) {
            error_set(error, "out of memory for %zu bytes of text", capacity);
            return NULL;
        }
        *block = (struct text_pool_block){pool->blocks, 0, capacity};
        pool->blocks = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text, length);
    copy[length] = 0;
    block->used += length + 1;
    must(block->used <= block->capacity);
    return copy;
}

const char *text_pool_add(struct text_pool *pool, const char *text, size_t length,
                          struct error *error)
{
    if (pool->count * 2 >= pool->slots_mask && grow(pool, error) != 0)
        return NULL;
    size_t at = text_hash(TEXT_HASH_START, text, length) & pool->slots_mask;
    for (; pool->slots[at] != NULL; at = (at + 1) & pool->slots_mask)
        if (strncmp(pool->slots[at], text, length) == 0 && pool->slots[at][length] == 0)
            return pool->slots[at];
    pool->slots[at] = keep(pool, text, length, error);
    pool->count += pool->slots[at] != NULL;
    return pool->slots[at];
}

void text_pool_release(struct text_pool *pool)
{
    while (pool->blocks != NULL) {
        struct text_pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    free(pool->slots);
    *pool = (struct text_pool){0};
}
