/*
 * parcels: one thread packs parcels, another one weighs and labels them and hands them to the post. Each
 * counts what it did under one lock. Where is the time to be won? See docs/whatif.md.
 *
 *     fisql cc gcc -g -O1 -o parcels parcels.c -lpthread
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { PARCELS = 300, ROOM = 8 };

static pthread_mutex_t belt_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static uint64_t belt[ROOM];
static unsigned put_on, taken_off;

/* Work, so many steps of it. */
#define WORK(value, steps)                                                                         \
    for (int step = 0; step < (steps); step++)                                                     \
    value = (value ^ value << 13 ^ value >> 7) * 0x9e3779b97f4a7c15u | 1

static uint64_t pack(uint64_t parcel)
{
    WORK(parcel, 200000);
    return parcel;
}

static uint64_t weigh(uint64_t parcel)
{
    WORK(parcel, 100000);
    return parcel;
}

static uint64_t label(uint64_t parcel)
{
    WORK(parcel, 180000);
    return parcel;
}

static void put(uint64_t parcel)
{
    pthread_mutex_lock(&belt_lock);
    while (put_on - taken_off == ROOM)
        pthread_cond_wait(&taken, &belt_lock);
    belt[put_on++ % ROOM] = parcel;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&belt_lock);
}

static uint64_t take(void)
{
    pthread_mutex_lock(&belt_lock);
    while (put_on == taken_off)
        pthread_cond_wait(&arrived, &belt_lock);
    uint64_t parcel = belt[taken_off++ % ROOM];
    pthread_cond_signal(&taken);
    pthread_mutex_unlock(&belt_lock);
    return parcel;
}

static void *post(void *sum)
{
    for (int i = 0; i < PARCELS; i++)
        *(uint64_t *)sum += label(weigh(take()));
    return NULL;
}

int main(void)
{
    uint64_t sum = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, post, &sum);
    for (unsigned i = 0; i < PARCELS; i++)
        put(pack(i + 1));
    pthread_join(thread, NULL);
    printf("%u parcels, %llx\n", put_on, (unsigned long long)sum);
    return 0;
}
