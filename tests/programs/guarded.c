/* Memory that the program guards, in a place and by a means: a page that nobody may read until a handler of SIGSEGV lets
 * one do so. Passes a pointer to it and reads nothing, then reads it itself, and passes it again. Prints the faults so far
 * after each: 0, 1, 1. With a third argument beside another thread. Ends with 9 where the kernel does not know the means. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define HIDDEN_FROM __attribute__((no_instrument_function))
#define GUARD_INSTALL 102 /* MADV_GUARD_INSTALL of Linux 6.13 */

static const char constant[3 * PAGE] __attribute__((aligned(PAGE))) = {[PAGE] = 'm', 'i', 'n', 'e'};
static volatile sig_atomic_t faults;
static char *page;

__attribute__((noinline)) static int pass(const char *text, int n)
{
    __asm__ volatile("" ::"r"(text) : "memory");
    return n;
}

HIDDEN_FROM static void on_fault(int number)
{
    (void)number;
    faults++;
    if (faults > 1 || mmap(page, PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(8);
    memcpy(page, "mine", 5);
}

HIDDEN_FROM static int guard(const char *means)
{
    const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    if (strcmp(means, "mprotect") == 0)
        return mprotect(page, PAGE, PROT_NONE);
    if (strcmp(means, "number") == 0)
        return (int)syscall(SYS_mprotect, page, PAGE, PROT_NONE);
    if (strcmp(means, "pkey") == 0)
        return pkey_mprotect(page, PAGE, PROT_NONE, -1);
    if (strcmp(means, "madvise") == 0)
        return madvise(page, PAGE, GUARD_INSTALL);
    if (strcmp(means, "mmap") == 0)
        return mmap(page, PAGE, PROT_NONE, anonymous | MAP_FIXED, -1, 0) == MAP_FAILED ? -1 : 0;
    return munmap(page, PAGE);
}

HIDDEN_FROM static void *idle(void *argument)
{
    pause();
    return argument;
}

HIDDEN_FROM static int run(const char *where, const char *means, int beside)
{
    char local[3 * PAGE];
    char *start = local;
    pthread_t other;
    memset(local, 0, sizeof local);
    if (strcmp(where, "heap") == 0)
        start = malloc(3 * PAGE);
    if (strcmp(where, "constant") == 0)
        start = (char *)(unsigned long)constant;
    if (strcmp(where, "arena") == 0)
        start = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page = (char *)(((unsigned long)start + PAGE) & ~(PAGE - 1));
    if (beside && pthread_create(&other, NULL, idle, NULL) != 0)
        return 1;
    pass(page, 0); /* what asks for the stack's bounds is done */
    signal(SIGSEGV, on_fault);
    if (guard(means) != 0)
        return errno == EINVAL || errno == ENOSYS ? 9 : 1;
    pass(page, 1);
    printf("%d", (int)faults);
    *(volatile char *)page;
    printf(" %d", (int)faults);
    pass(page, 2);
    printf(" %d\n", (int)faults);
    fflush(stdout);
    _exit(0); /* the heap has a page that is another one now */
}

int main(int count, char **words)
{
    return count < 3 ? 1 : run(words[1], words[2], count > 3);
}
