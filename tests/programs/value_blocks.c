/*
 * Passes pointers into blocks that live, that were freed, and that are none, and prints which block each of them
 * points into, by its number, as it kept book of them itself: "SEQUENCE POSITION NUMBER OFFSET FREED". Several
 * threads do, one at a time; then a child, of its own blocks and of those that it inherited.
 *
 * usage: value_blocks SEED STEPS OUTPUT
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function))
#define BLOCKS 20000
enum { THREADS = 3, FREED_BYTES_MAX = 65536 };

static struct {
    uintptr_t address;
    size_t size;
    int number; /* in its process */
    int lives;
} blocks[BLOCKS];
static int count, first, numbers, sequence, steps;
static unsigned state;
static FILE *out;
static char output_buffer[1 << 16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static void *volatile sink;

__attribute__((noinline)) void *make(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) void *remake(void *block, size_t size)
{
    return realloc(block, size);
}

__attribute__((noinline)) void unmake(void *block)
{
    free(block);
}

__attribute__((noinline)) void take(int number, void *pointer)
{
    sink = pointer;
    __asm__ volatile("" : : "r"(number));
}

static void *result;

__attribute__((noinline)) void *give(int number)
{
    __asm__ volatile("" : : "r"(number));
    return result;
}

SILENT static unsigned some(unsigned below)
{
    state = state * 1103515245 + 12345;
    return (state >> 8) % below;
}

/* The last block that lay there. Those before `first` are of the process before the fork. */
SILENT static void expect(int position, uintptr_t pointer)
{
    for (int i = count - 1; i >= first; i--) {
        size_t size = blocks[i].size > 0 ? blocks[i].size : 1;
        if (pointer < blocks[i].address || pointer - blocks[i].address >= size)
            continue;
        if (blocks[i].lives || blocks[i].size < FREED_BYTES_MAX)
            fprintf(out, "%d %d %d %d %d\n", sequence, position, blocks[i].number,
                    (int)(pointer - blocks[i].address), !blocks[i].lives);
        return;
    }
}

SILENT static void pass(uintptr_t pointer)
{
    sequence++;
    if (some(4) == 0) {
        result = (void *)pointer;
        expect(0, pointer);
        sink = give(sequence);
    } else {
        expect(2, pointer);
        take(sequence, (void *)pointer);
    }
}

SILENT static void add(void *block, size_t size)
{
    blocks[count].address = (uintptr_t)block;
    blocks[count].size = size;
    blocks[count].number = ++numbers;
    blocks[count].lives = 1;
    count++;
}

SILENT static size_t some_size(void)
{
    switch (some(8)) {
    case 0:
        return some(40000);
    case 1:
        return some(60) == 0 ? 140000 + some(400000) : some(3000);
    case 2:
        return some(20);
    default:
        return some(400);
    }
}

SILENT static void step(void)
{
    int on_stack, i = count > first ? first + (int)some((unsigned)(count - first)) : -1;
    if (some(2) == 0) /* one of late */
        i = count - first > 60 ? count - 1 - (int)some(60) : i;
    switch (some(12)) {
    case 0:
    case 1:
        if (count < BLOCKS) {
            size_t size = some_size();
            add(make(size), size);
        }
        break;
    case 2:
    case 3:
        if (i >= 0 && blocks[i].lives) {
            blocks[i].lives = 0;
            unmake((void *)blocks[i].address);
        }
        break;
    case 4:
        if (i >= 0 && blocks[i].lives && count < BLOCKS) {
            size_t size = 1 + some_size();
            blocks[i].lives = 0;
            add(remake((void *)blocks[i].address, size), size);
        }
        break;
    case 5:
        pass((uintptr_t)&on_stack);
        pass((uintptr_t)&steps);
        break;
    default:
        if (i >= 0) /* with a few that lie behind its end, or before it */
            pass(blocks[i].address + (some(2) ? 0 : some((unsigned)blocks[i].size + 40)) -
                 (some(10) == 0 ? some(64) : 0));
    }
}

SILENT static void *work(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < steps; i++) {
        pthread_mutex_lock(&lock);
        step();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

SILENT int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int status = 2;
    if (argc != 4 || (out = fopen(argv[3], "w")) == NULL)
        return 2;
    setvbuf(out, output_buffer, _IOFBF, sizeof output_buffer);
    state = (unsigned)atoi(argv[1]);
    steps = atoi(argv[2]);
    fputc('\n', out);
    pthread_barrier_init(&begin, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_barrier_wait(&begin);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2000; i++)
        step();
    fflush(out);
    pid_t child = fork();
    if (child == 0) {
        int inherited = count;
        first = count;
        numbers = 0;
        for (int i = 0; i < 200; i++) /* of which nothing is known here */
            if (blocks[some((unsigned)inherited)].lives)
                take(-1, (void *)blocks[some((unsigned)inherited)].address);
        sequence = 1000000;
        for (int i = 0; i < 2000; i++)
            step();
        fflush(out);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status != 0;
}
