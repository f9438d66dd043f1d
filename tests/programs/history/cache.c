/* A stale pointer in a cache: realloc moves a table, the cache keeps the old address. */
#include <stdlib.h>
#include <string.h>

struct cache {
    int *first;
    int hits;
};

int *grow(int *table, size_t count)
{
    return realloc(table, count * sizeof *table); /* GUILTY: the cache is not told */
}

void fill(int *table, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        table[i] = (int)i;
}

int look(struct cache *cache, const int *at)
{
    cache->hits++;
    return at == cache->first;
}

int main(void)
{
    struct cache cache = {NULL, 0};
    int *table = malloc(16 * sizeof *table), *wall;
    fill(table, 0, 16);
    wall = malloc(64);
    cache.first = table;
    look(&cache, cache.first);
    table = grow(table, 100000);
    fill(table, 16, 100000);
    look(&cache, cache.first); /* noticed: what the cache points to is gone */
    free(wall);
    free(table);
    return 0;
}
