/* Two threads with unequal parts, then one that puts them together. FAST_LEFT: the larger part takes
 * half as long, and the other one is the last then. */
#include "work.h"

#ifdef FAST_LEFT
enum { LEFT_US = 500, RIGHT_US = 700, JOIN_US = 300 };
#else
enum { LEFT_US = 1000, RIGHT_US = 700, JOIN_US = 300 };
#endif
#ifdef SHORT
enum { ROUNDS = 60 };
#else
enum { ROUNDS = 500 };
#endif

PART uint64_t left_part(uint64_t value)
{
    return turn(value, LEFT_US);
}

PART uint64_t right_part(uint64_t value)
{
    return turn(value, RIGHT_US);
}

PART uint64_t put_together(uint64_t value)
{
    return turn(value, JOIN_US);
}

static void *left(void *value)
{
    for (int i = 0; i < ROUNDS; i++)
        *(uint64_t *)value = left_part(*(uint64_t *)value);
    return NULL;
}

static void *right(void *value)
{
    for (int i = 0; i < ROUNDS; i++)
        *(uint64_t *)value = right_part(*(uint64_t *)value);
    return NULL;
}

int main(void)
{
    uint64_t values[2] = {1, 2};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, &values[0]);
    pthread_create(&threads[1], NULL, right, &values[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (int i = 0; i < ROUNDS; i++)
        values[0] = put_together(values[0] ^ values[1]);
    return values[0] == 1;
}
