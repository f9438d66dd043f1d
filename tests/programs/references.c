/*
 * Many objects with reference counts, changed by several threads at once, each change told (fisql.h). Prints what an
 * object's life has to be: "refs N", "unrefs N", "lives N", and of the errors that it makes on purpose "over N" (given
 * back too often), "late N" (taken behind the end), "held N" objects of "references N". With an argument it does without
 * the errors.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/fisql.h"

enum { THREADS = 4, ROUNDS = 200, OBJECTS = 16 };

struct object {
    atomic_int count;
};

static atomic_long refs, unrefs, lives;

static void take(struct object *object)
{
    int count = atomic_fetch_add(&object->count, 1);
    FISQL_REF(object, count);
    atomic_fetch_add(&refs, 1);
}

static int give(struct object *object)
{
    int count = atomic_fetch_sub(&object->count, 1);
    FISQL_UNREF(object, count);
    atomic_fetch_add(&unrefs, 1);
    return count;
}

static struct object *make(void)
{
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->count, 0);
    take(object);
    atomic_fetch_add(&lives, 1);
    return object;
}

static void release(struct object *object)
{
    if (give(object) == 1) {
        FISQL_GONE(object);
        free(object);
    }
}

/* ---- threads share objects and make some of their own ---- */

static pthread_barrier_t barrier;
static struct object *shared[OBJECTS];

static void *work(void *number)
{
    unsigned seed = (unsigned)(size_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        struct object *own = make(), *held[OBJECTS];
        take(own);
        release(own);
        pthread_barrier_wait(&barrier);
        if (number == NULL)
            for (int i = 0; i < OBJECTS; i++)
                shared[i] = make();
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < OBJECTS; i++)
            take(held[i] = shared[(unsigned)i ^ (seed & (OBJECTS - 1))]);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < OBJECTS; i++)
            release(held[i]); /* the last one of all threads ends it */
        if (number == NULL)
            for (int i = 0; i < OBJECTS; i++)
                release(shared[i]);
        release(own);
        seed = seed * 1103515245u + 12345u;
    }
    return NULL;
}

/* ---- errors on purpose ---- */

static void give_too_often(struct object *object)
{
    give(object);
    give(object);
}

static void take_late(struct object *object)
{
    give(object);
    FISQL_GONE(object);
    atomic_store(&object->count, 1); /* what a reader of freed memory may find */
    take(object);
}

static struct object *kept[3];

static void keep_some(void)
{
    for (int i = 0; i < 3; i++)
        take(kept[i] = make());
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    (void)argv;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (argc == 1) {
        give_too_often(make());
        take_late(make());
        keep_some();
    }
    printf("refs %ld\nunrefs %ld\nlives %ld\n", (long)refs, (long)unrefs, (long)lives);
    if (argc == 1)
        puts("over 1\nlate 1\nheld 3\nreferences 6");
    return 0;
}
