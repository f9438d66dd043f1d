/* Deadlocks at the end of a process (loader/tables/lock_deadlocks.h): threads that certainly wait for each other, and
 * no others. */
#include "loader/tables/lock_deadlocks.h"

#include "tests/unit/check.h"

#include <stdlib.h>

#define WAITS_MAX 100000u
#define NOBODY UINT32_MAX

static struct lock_blocked waits[WAITS_MAX];
static uint32_t count;

/* The next thread waits for a lock, held by `holder` when the wait began. Later ones begin later. */
static struct lock_blocked *waits_for(uint32_t lock, uint32_t holder)
{
    waits[count] =
        (struct lock_blocked){.start_ns = count, .thread = count, .holder = holder, .lock = lock};
    return &waits[count++];
}

static void find(void)
{
    struct error error;
    if (lock_deadlocks_find(waits, count, &error) != 0)
        check(false, "no error: %s", error.text);
}

/* The threads' deadlocks as digits. */
static uint64_t found(void)
{
    uint64_t digits = 0;
    find();
    for (uint32_t i = 0; i < count; i++)
        digits = digits * 10 + waits[i].deadlock;
    count = 0;
    return digits;
}

static void test_circles(void)
{
    check_equal(0, found(), "nobody waits");
    waits_for(1, NOBODY)->held[0] = 2;
    waits_for(2, 0)->held[0] = 1;
    check_equal(11, found(), "two threads wait for each other");
    waits_for(1, 0);
    check_equal(1, found(), "a thread waits for itself");
    waits_for(1, 1);
    waits_for(2, 0);
    check_equal(0, found(), "the first one's holder may have given the lock back since");
    waits_for(1, NOBODY);
    waits_for(2, NOBODY)->held[0] = 1;
    waits_for(3, 1)->held[0] = 9;
    check_equal(0, found(), "a chain is no circle");
    waits_for(5, NOBODY)->held[0] = 6;
    waits_for(6, NOBODY)->held[0] = 5;
    waits_for(5, NOBODY)->held[0] = 7;
    waits_for(7, NOBODY);
    waits_for(8, NOBODY)->held[1] = 9;
    waits[4].held[0] = 1;
    waits_for(9, NOBODY)->held[0] = 8;
    check_equal(110022, found(), "two circles, and threads that wait behind one are part of none");
}

static void test_reads(void)
{
    waits_for(1, NOBODY)->held[0] = 2;
    waits_for(2, NOBODY)->held[0] = 1 | LOCK_HELD_TO_READ;
    waits[0].reads = true;
    check_equal(0, found(), "readers do not keep a reader out");
    waits_for(1, NOBODY)->held[0] = 2;
    waits_for(2, NOBODY)->held[0] = 1 | LOCK_HELD_TO_READ;
    check_equal(11, found(), "a reader keeps a writer out");
}

static void test_joins(void)
{
    waits_for(7, 1)->held[0] = 1;
    waits[0].joins = true;
    waits_for(1, 0);
    check_equal(11, found(), "the joined thread waits for a lock of the thread that joins it");
}

static void test_large(void)
{
    for (uint32_t i = 0; i < WAITS_MAX; i++)
        waits_for(i + 1, NOBODY)->held[0] = i + 1 < WAITS_MAX ? i + 2 : 1;
    find();
    check(waits[0].deadlock == 1 && waits[WAITS_MAX - 1].deadlock == 1, "a circle of many threads");
    count = 0;
    for (uint32_t i = 0; i < WAITS_MAX; i++)
        waits_for(1, NOBODY)->held[0] = 1;
    find();
    check(waits[WAITS_MAX / 2].deadlock == 1, "all hold what all want: damaged, and soon done");
}

int main(void)
{
    test_circles();
    test_reads();
    test_joins();
    test_large();
    return check_status();
}
