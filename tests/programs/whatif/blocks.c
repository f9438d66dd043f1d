/* Reads blocks from a slow device (a sleep) and digests each. AHEAD: a thread reads the next one
 * meanwhile; it has two places for what it reads, and begins with one when the one before is there. */
#include "work.h"

#ifdef SHORT
enum { BLOCKS = 60 };
#else
enum { BLOCKS = 400 };
#endif
enum { READ_US = 1500, DIGEST_US = 900 };

PART void read_block(void)
{
    nap(READ_US);
}

PART uint64_t digest(uint64_t value)
{
    return turn(value, DIGEST_US);
}

#ifdef AHEAD
#include <semaphore.h>
static sem_t wanted, there;
static void *read_ahead(void *nothing)
{
    for (int i = 0; i < BLOCKS; i++) {
        sem_wait(&wanted);
        read_block();
        sem_post(&there);
    }
    return nothing;
}
#endif

int main(void)
{
    uint64_t value = 1;
#ifdef AHEAD
    pthread_t thread;
    sem_init(&wanted, 0, 2);
    sem_init(&there, 0, 0);
    pthread_create(&thread, NULL, read_ahead, NULL);
#endif
    for (int i = 0; i < BLOCKS; i++) {
#ifdef AHEAD
        sem_wait(&there);
        sem_post(&wanted);
#else
        read_block();
#endif
        value = digest(value);
    }
    return value == 0;
}
