/* Two threads and a queue: `pack` makes what `send` takes. FAST_SEND: send, which holds things up,
 * takes half as long; then pack does. FAST_PACK: pack takes half as long, which saves nothing. */
#include "work.h"

#ifdef SHORT
enum { ITEMS = 100, ROOM = 16 };
#else
enum { ITEMS = 800, ROOM = 16 };
#endif
#if defined(FAST_SEND)
enum { PACK_US = 600, SEND_US = 500 };
#elif defined(FAST_PACK)
enum { PACK_US = 300, SEND_US = 1000 };
#else
enum { PACK_US = 600, SEND_US = 1000 };
#endif

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static uint64_t queue[ROOM];
static unsigned put_count, get_count;

PART uint64_t pack(uint64_t value)
{
    return turn(value, PACK_US);
}

PART uint64_t send_item(uint64_t value)
{
    return turn(value, SEND_US);
}

PART void put(uint64_t value)
{
    pthread_mutex_lock(&queue_lock);
    while (put_count - get_count == ROOM)
        pthread_cond_wait(&not_full, &queue_lock);
    queue[put_count++ % ROOM] = value;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_lock);
}

PART uint64_t get(void)
{
    pthread_mutex_lock(&queue_lock);
    while (put_count == get_count)
        pthread_cond_wait(&not_empty, &queue_lock);
    uint64_t value = queue[get_count++ % ROOM];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&queue_lock);
    return value;
}

static void *sender(void *sum)
{
    for (int i = 0; i < ITEMS; i++)
        *(uint64_t *)sum += send_item(get());
    return NULL;
}

int main(void)
{
    uint64_t sum = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, sender, &sum);
    for (unsigned i = 0; i < ITEMS; i++)
        put(pack(i + 1));
    pthread_join(thread, NULL);
    return sum == 1;
}
