/* Signal handlers on an alternate stack that lies right above the thread's own, as where a program
 * allocates one after the other. Argument "nested": they interrupt one another in the middle of
 * hooks; "malloc": they interrupt malloc, and call nothing but functions of the program. Then how
 * many signals, or threads. */
#include "count.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
COUNTED_NAMES;

#define STACK_BYTES ((size_t)256 << 10)
static int stop, ready;

static int leaf(int n)
{
    COUNT();
    return n + 1;
}
static int work(int n)
{
    COUNT();
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += leaf(i);
    return sum;
}
static void on_first(int number)
{
    COUNT();
    work(100 + number);
}
static void on_second(int number)
{
    COUNT();
    work(number % 3 + 1);
}
static PLAIN void spin(int times)
{
    for (volatile int i = 0; i < times; i++)
        ;
}
/* `memory` holds the thread's stack and then the alternate one. */
static PLAIN void use_stack_above(char *memory)
{
    stack_t stack = {.ss_sp = memory + STACK_BYTES, .ss_size = STACK_BYTES};
    sigaltstack(&stack, NULL);
}
static void *calling(void *memory)
{
    COUNT();
    use_stack_above(memory);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        work(10);
    return NULL;
}
static void *allocating(void *memory)
{
    COUNT();
    void *volatile blocks[16];
    use_stack_above(memory);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        for (size_t k = 0; k < 16; k++)
            blocks[k] = malloc(2000 + 300 * k);
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
        for (size_t k = 0; k < 16; k++)
            free(blocks[(k * 2 + k / 8) % 16]);
    }
    return NULL;
}
static PLAIN pthread_t thread_make(void *(*body)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    char *memory =
        mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory, STACK_BYTES);
    pthread_create(&thread, &attributes, body, memory);
    return thread;
}
static void nested(long signals)
{
    COUNT();
    pthread_t victim = thread_make(calling);
    for (long i = 0; i < signals; i++) {
        pthread_kill(victim, i % 4 == 0 ? SIGUSR1 : SIGUSR2);
        spin(300);
        if (i % 16 == 0)
            usleep(20);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(victim, NULL);
}
static void in_malloc(long threads)
{
    COUNT();
    for (long i = 0; i < threads; i++) {
        stop = ready = 0;
        pthread_t victim = thread_make(allocating);
        while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
            usleep(10);
        for (int k = 0; k < 3; k++) {
            pthread_kill(victim, SIGUSR2);
            spin(20000);
        }
        __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
        pthread_join(victim, NULL);
    }
}
int main(int argc, char **argv)
{
    COUNT();
    long times = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
    struct sigaction first = {.sa_handler = on_first, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct sigaction second = {.sa_handler = on_second, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaction(SIGUSR1, &first, NULL);
    sigaction(SIGUSR2, &second, NULL);
    if (argc > 1 && strcmp(argv[1], "malloc") == 0)
        in_malloc(times);
    else
        nested(times);
    report();
    return 0;
}
