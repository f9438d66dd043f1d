/* Two threads that count under one lock. SPLIT: eight locks, by the number of what is counted; UNLOCKED:
 * each thread has a lock of its own. */
#include "work.h"

#ifdef SHORT
enum { ROUNDS = 600 };
#else
enum { ROUNDS = 3000 };
#endif
#if defined(SPLIT)
enum { LOCKS = 8 };
#elif defined(UNLOCKED)
enum { LOCKS = 2 };
#else
enum { LOCKS = 1 };
#endif

static pthread_mutex_t stat_lock = PTHREAD_MUTEX_INITIALIZER, more_locks[LOCKS];
static uint64_t counts[LOCKS];

PART uint64_t prepare(uint64_t value)
{
    return turn(value, 60);
}

PART uint64_t count(uint64_t value, unsigned which)
{
    pthread_mutex_t *lock = which == 0 ? &stat_lock : &more_locks[which];
    pthread_mutex_lock(lock);
    value = turn(value, 140);
    counts[which] += value;
    pthread_mutex_unlock(lock);
    return value;
}

static void *counter(void *number)
{
    uint64_t value = (uintptr_t)number + 1;
    for (int i = 0; i < ROUNDS; i++) {
        value = prepare(value);
#ifdef UNLOCKED
        value = count(value, (unsigned)(uintptr_t)number);
#else
        value = count(value, (unsigned)(value >> 20) % LOCKS);
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&more_locks[i], NULL);
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, counter, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counts[0] == 1;
}
