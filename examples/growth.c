/*
 * growth: a set of numbers that answers 12,000 requests. It is what docs/notebooks.md plots: find() takes longer the more
 * there is, and every 250th request sorts a copy of all. With -DINDEXED a table of slots takes the search's place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUESTS 12000
#define SLOTS 32768

static unsigned items[REQUESTS];
static unsigned slots[SLOTS];
static int size;

/* size is passed so that the recording has it. Returns 1 if the key is there. */
static int find(int size, unsigned key)
{
#ifdef INDEXED
    (void)size;
    for (unsigned at = key % SLOTS; slots[at] != 0; at = (at + 1) % SLOTS) {
        if (slots[at] == key)
            return 1;
    }
#else
    for (int i = 0; i < size; i++) {
        if (items[i] == key)
            return 1;
    }
#endif
    return 0;
}

static void add(unsigned key)
{
    unsigned at = key % SLOTS;
    while (slots[at] != 0)
        at = (at + 1) % SLOTS;
    slots[at] = key;
    items[size++] = key;
}

/* Not recorded: millions of calls, whose hooks would take longer than they do. */
__attribute__((no_instrument_function)) static int ascending(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return (left > right) - (left < right);
}

static unsigned median(int size)
{
    unsigned *sorted = malloc((size_t)size * sizeof *sorted);
    if (sorted == NULL)
        return 0;
    memcpy(sorted, items, (size_t)size * sizeof *sorted);
    qsort(sorted, (size_t)size, sizeof *sorted, ascending);
    unsigned found = sorted[size / 2];
    free(sorted);
    return found;
}

static unsigned request(int number, unsigned key)
{
    if (!find(size, key))
        add(key);
    return number % 250 == 249 ? median(size) : 0;
}

int main(void)
{
    unsigned key = 1, last = 0;
    for (int i = 0; i < REQUESTS; i++) {
        key = key * 1664525u + 1013904223u; /* Numerical Recipes' generator */
        unsigned found = request(i, key | 1);
        last = found != 0 ? found : last;
    }
    printf("%d numbers, median %u\n", size, last);
    return 0;
}
