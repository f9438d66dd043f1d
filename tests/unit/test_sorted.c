/* Sorted arrays: each place that is found against a walk from the front. */
#include "base/sorted.h"

#include "base/array.h"
#include "tests/unit/check.h"

#include <stdint.h>

enum { ITEMS = 33 };

struct item {
    int number;
    int64_t key;
};

static size_t walk(const struct item *items, size_t count, int64_t key, bool after)
{
    size_t at = 0;
    while (at < count && (items[at].key < key || (after && items[at].key == key)))
        at++;
    return at;
}

/* Keys -3, -1, 1, ..., `alike` times each. */
static bool finds(size_t count, size_t alike)
{
    struct item items[ITEMS];
    bool right = true;
    for (size_t i = 0; i < count; i++)
        items[i] = (struct item){(int)i, (int64_t)(i / alike) * 2 - 3};
    for (int64_t key = -5; key < 2 * ITEMS; key++)
        right &= sorted_from(items, count, key, key) == walk(items, count, key, false) &&
                 sorted_after(items, count, key, key) == walk(items, count, key, true);
    right &= sorted_from(items, count, key, INT64_MIN) == 0 &&
             sorted_after(items, count, key, INT64_MAX) == count;
    return right;
}

static int by_number(const void *left, const void *right)
{
    return ((const struct item *)left)->number - ((const struct item *)right)->number;
}

/* Items that are added and then sorted; without any there is nothing to sort. */
static bool adds(int count)
{
    struct item *items = NULL;
    size_t used = 0, capacity = 0;
    bool right = true;
    for (int i = count; i > 0; i--)
        right &= array_add(&items, &used, &capacity, ((struct item){i, -i}), NULL) == 0;
    array_sort(items, used, by_number);
    right &= used == (size_t)count && (items != NULL) == (count > 0);
    for (int i = 0; i < count && right; i++)
        right = items[i].number == i + 1 && items[i].key == -(i + 1);
    free(items);
    return right;
}

int main(void)
{
    bool single = true, alike = true;
    for (size_t count = 0; count <= ITEMS; count++) {
        single &= finds(count, 1);
        alike &= finds(count, 3) && finds(count, ITEMS);
    }
    check(single, "places in arrays of 0 to %d items", ITEMS);
    check(alike, "places where keys are alike");

    check(adds(0) && adds(1) && adds(100), "items are added to an array and sorted");

    uint64_t top = UINT64_MAX;
    struct unsigned_item {
        uint64_t address;
    } high[] = {{1}, {INT64_MAX}, {UINT64_MAX}};
    check_equal(2, sorted_from(high, 3, address, top), "addresses are unsigned");
    check_equal(3, sorted_after(high, 3, address, top), "nothing is above the highest");
    return check_status();
}
