/* Heaps: sorted by one, and the last few of many kept by one. */
#include "base/heap.h"
#include "tests/unit/check.h"

#include <stdint.h>
#include <stdlib.h>

enum { ITEMS = 300 };

struct item {
    uint32_t key, number, more[3];
};

static bool smaller(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

static int compare(const void *left, const void *right)
{
    return smaller(left, right) ? -1 : smaller(right, left);
}

static uint32_t state = 1;

static struct item item_of(uint32_t number)
{
    state = state * 1103515245u + 12345u;
    return (struct item){state >> 16 & 63, number, {number, ~number, 7}};
}

static bool same(const struct item *a, const struct item *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool sorts(size_t count)
{
    struct item items[ITEMS], expected[ITEMS];
    bool right = true;
    for (size_t i = 0; i < count; i++)
        expected[i] = items[i] = item_of((uint32_t)i);
    qsort(expected, count, sizeof *expected, compare);
    heap_make(items, count, smaller);
    for (size_t i = 0, left = count; i < count; i++) {
        right &= same(&items[0], &expected[i]);
        items[0] = items[--left];
        heap_sift(items, left, 0, smaller);
    }
    return right;
}

/* Of `count` items the `room` largest are kept, and the least of them is at the front. */
static bool keeps(size_t count, size_t room)
{
    struct item all[ITEMS], kept[ITEMS];
    size_t kept_count = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = item_of((uint32_t)i);
        kept_count = heap_keep(kept, kept_count, room, &all[i], smaller);
    }
    size_t expected = count < room ? count : room;
    qsort(all, count, sizeof *all, compare);
    bool front = expected < room || room == 0 || same(&kept[0], &all[count - expected]);
    qsort(kept, kept_count, sizeof *kept, compare);
    return front && kept_count == expected &&
           memcmp(kept, all + (count - expected), expected * sizeof *kept) == 0;
}

int main(void)
{
    bool sorted = true, kept = true;
    for (size_t count = 0; count <= ITEMS; count++)
        sorted &= sorts(count);
    check(sorted, "a heap gives its items in order, however many they are");
    for (size_t count = 0; count <= ITEMS; count += count < 12 ? 1 : 37)
        for (size_t room = 0; room <= ITEMS; room += room < 12 ? 1 : 41)
            kept &= keeps(count, room);
    check(kept, "of items given one by one a heap keeps the last, and its front is the bar");
    return check_status();
}
