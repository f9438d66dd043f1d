/* Handlers of fork() that are registered before any library's, as an allocator's may be: in the child
 * they run before the collector's own. Forks 20 times, in a call that the children go on in. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static void *volatile block;

KEEP static void leaf(int number)
{
    __asm__ volatile("" : : "r"(number) : "memory");
}
KEEP static void leaves(int count)
{
    for (int i = 0; i < count; i++)
        leaf(i);
    block = malloc(100);
    free(block);
}
KEEP static void before(void)
{
    leaves(5);
}
KEEP static void in_parent(void)
{
    leaves(7);
}
KEEP static void in_child(void)
{
    leaves(1000);
}
KEEP static void child_work(void)
{
    leaves(11);
}
KEEP static int make(int number)
{
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        child_work();
        exit(number);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) != number;
}

static void start(void)
{
    pthread_atfork(before, in_parent, in_child);
}
__attribute__((section(".preinit_array"), used)) static void (*first)(void) = start;

int main(void)
{
    int wrong = 0;
    for (int i = 0; i < 20; i++)
        wrong += make(i);
    return wrong;
}
