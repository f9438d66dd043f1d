/* Calls into libraries, in all the ways in which compilers and linkers make them, and what functions there do besides
 * returning: call back, jump out, return twice, begin threads and processes. Prints what came out, and how often each
 * function of a library was called ("calls NAME NUMBER"). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* One version of memcpy() is what memmove() is, the other is chosen at the start (IFUNC). */
extern void *memcpy_old(void *to, const void *from, size_t bytes);
__asm__(".symver memcpy_old, memcpy@GLIBC_2.2.5");
extern int missing_everywhere(void) __attribute__((weak));

static jmp_buf out;
static unsigned compared, aborted, handled, finished;
static volatile size_t sink;
static char text[64] = "some text, not too short";

static int compare(const void *left, const void *right)
{
    compared++;
    return *(const int *)left - *(const int *)right;
}

static int compare_and_leave(const void *left, const void *right)
{
    if (++aborted % 5 == 0)
        longjmp(out, 1);
    return *(const int *)left - *(const int *)right;
}

static void handle(int number)
{
    (void)number;
    handled++;
    sink += strnlen(text, 8); /* not in any count: signals come when they like */
}

static void *thread(void *argument)
{
    for (int i = 0; i < 100; i++)
        sink += strspn(text, "some") + (size_t)(uintptr_t)argument;
    if (argument != NULL)
        pthread_exit(argument);
    return argument;
}

static void at_end(void)
{
    fprintf(stderr, "the end\n");
}

/* Loaded once for all calls where there is no procedure linkage table. */
__attribute__((noinline)) static size_t often(const char *words, int count)
{
    size_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += strcspn(words + i % 3, "x") + strpbrk(words + i % 2, "t")[0];
    return sum;
}

/* Its address is taken: it must stay the library's own. */
__attribute__((noinline)) static int (*chosen(int which))(const char *, const char *)
{
    return which == 1 ? strcoll : which == 2 ? strcasecmp : NULL;
}

__attribute__((noinline)) static void *jump_out(const char *words)
{
    return memchr(words, 'x', 10); /* a jump, where calls at a function's end become one */
}

static void copy_and_look(const char *volatile place)
{
    char copy[64];
    volatile size_t bytes = sizeof text;
    for (int i = 0; i < 50; i++) {
        memcpy(copy, place, bytes);
        memcpy_old(copy, place, bytes);
        sink += (size_t)(uintptr_t)jump_out(place);
    }
    sink += often(place, 1000);
}

static void sort_and_leave(void)
{
    int numbers[16];
    for (int i = 0; i < 16; i++)
        numbers[i] = 7 * i % 16;
    qsort(numbers, 16, sizeof *numbers, compare);
    for (volatile int i = 0; i < 10; i++)
        if (setjmp(out) == 0)
            qsort(numbers, 16, sizeof *numbers, compare_and_leave);
    printf("compared %u, left after %u\n", compared, aborted);
}

static void run_threads(void)
{
    pthread_t threads[2];
    void *result;
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        finished += (unsigned)(uintptr_t)result;
    }
}

static int run_processes(void)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 30; i++)
            sink += strspn(text, "child");
        _exit(3);
    }
    waitpid(child, &status, 0);
    pid_t other = vfork();
    if (other == 0)
        _exit(4);
    waitpid(other, &status, 0);
    return WEXITSTATUS(status);
}

static int run_again(void)
{
    ucontext_t context;
    volatile int turns = 0;
    getcontext(&context);
    if (++turns < 3)
        setcontext(&context);
    return turns;
}

/* A library of one's own, and one of the system's. */
static void open_libraries(const char *path, void *known)
{
    void *library = dlopen(path, RTLD_LAZY);
    int (*run)(int) = NULL;
    void *found = library != NULL ? dlsym(library, "plugin_run") : NULL;
    memcpy(&run, &found, sizeof run);
    printf("plugin %d\n", run != NULL ? run(40) : -1);
    if (library != NULL)
        dlclose(library);
    void *math = dlopen("libm.so.6", RTLD_NOW);
    double (*root)(double) = NULL, sum = 0;
    found = dlsym(math, "cbrt");
    memcpy(&root, &found, sizeof root);
    for (int i = 0; i < 25; i++)
        sum += root(i);
    void *(*find)(void *, const char *) = NULL;
    void *finder = dlsym(math, "dlsym"), *missing = dlsym(math, "no_such_function");
    char *why = strdup(dlerror());
    memcpy(&find, &finder, sizeof find);
    printf("found %g, the same %d, any %d, by what was found %d, missing %d: %s\n", sum,
           found == dlsym(math, "cbrt"), dlsym(RTLD_DEFAULT, "strcoll") == known,
           find(RTLD_NEXT, "strcoll") == known, missing == NULL, why);
}

int main(int count, char **words)
{
    atexit(at_end);
    copy_and_look(text);
    sort_and_leave();
    /* the same function, whoever names it */
    void *own = dlsym(RTLD_DEFAULT, "strcoll");
    printf("addresses %d %d\n", (void *)(uintptr_t)chosen(1) == own, chosen(2)("A", "a"));
    printf("weak %d\n", missing_everywhere != NULL);
    signal(SIGUSR1, handle);
    for (int i = 0; i < 20; i++)
        raise(SIGUSR1);
    run_threads();
    int turns = run_again(), status = run_processes();
    errno = 0;
    long number = strtol("99999999999999999999", NULL, 10);
    printf("handled %u, finished %u, turns %d, status %d, errno %d, %d\n", handled, finished, turns,
           status, errno, number == INT64_MAX);
    if (count > 1)
        open_libraries(words[1], own);
    printf("calls memcpy %d\ncalls qsort 11\ncalls raise 20\ncalls strcspn 1000\ncalls strpbrk "
           "1000\ncalls memchr 50\n"
           "calls strspn 230\ncalls pthread_create 2\ncalls pthread_join 2\ncalls fork 1\ncalls "
           "waitpid 2\n"
           "calls strtol 1\ncalls longjmp 10\ncalls signal 1\ncalls pthread_exit 1\n",
           count > 1 ? 103 : 100);
    return 0;
}
