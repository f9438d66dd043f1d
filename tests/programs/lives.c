/* What runs before and after the bulk of the work: of the run, of threads, of objects. Its start takes longer than its work. */
#include <pthread.h>
#include <stdlib.h>

struct object {
    int value;
};

static volatile unsigned sink;

__attribute__((noinline)) static void burn(int turns)
{
    for (int i = 0; i < turns; i++)
        sink += (unsigned)i;
}

__attribute__((noinline, constructor)) static void before_main(void)
{
    burn(100000);
}

__attribute__((noinline, destructor)) static void after_main(void)
{
    burn(100000);
}

__attribute__((noinline)) static void set_up(void)
{
    burn(6000000);
}

__attribute__((noinline)) static void tear_down(void)
{
    burn(500000);
}

__attribute__((noinline)) static struct object *object_new(int value)
{
    struct object *object = malloc(sizeof *object);
    if (object == NULL)
        abort();
    object->value = value;
    return object;
}

__attribute__((noinline)) static void object_free(struct object *object)
{
    free(object);
}

/* As often before as after the work: no role. */
__attribute__((noinline)) static void log_it(void)
{
    burn(1000);
}

__attribute__((noinline)) static void handle(int i)
{
    struct object *object = object_new(i);
    burn(10000);
    object_free(object);
}

__attribute__((noinline)) static void worker_begin(void)
{
    burn(50000);
}

__attribute__((noinline)) static void worker_end(void)
{
    burn(50000);
}

__attribute__((noinline)) static void piece(void)
{
    burn(10000);
}

static void *work(void *unused)
{
    worker_begin();
    for (int i = 0; i < 100; i++)
        piece();
    worker_end();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    set_up();
    log_it();
    for (int i = 0; i < 300; i++)
        handle(i);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    log_it();
    tear_down();
    return 0;
}
