/* Macros of fisql_trace.h, and this program's own account of what they leave: a line of each kind on stdout. Built
 * without hooks, or with them; as C and as C++. Its argument says what it does. */
#include "fisql_trace.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static jmp_buf away;
static int depth_wanted;

static void nap(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0)
        ;
}

static void returns(int n)
{
    FISQL_FUNCTION(1);
    for (int i = 0; i < 10; i++)
        if (i == n)
            return;
}

/* `break` and `continue` leave the inner scope, `goto` both. */
static int loops(int n)
{
    FISQL_FUNCTION(1);
    int found = 0;
    for (int i = 0; i < n; i++) {
        FISQL_FUNCTION(2);
        if (i == 1)
            continue;
        if (i == 3)
            break;
        if (i == 2 && n > 4)
            goto out;
        found++;
    }
out:
    return found;
}

static void jumps(int n)
{
    FISQL_FUNCTION(1);
    if (n == 0)
        longjmp(away, 1);
    if (n > 0)
        jumps(n - 1);
}

static int lands(void)
{
    FISQL_FUNCTION(1);
    if (setjmp(away) == 0)
        jumps(3);
    returns(2);
    return 1;
}

/* Recorded where it reaches its checkpoint. */
static void entered(int n)
{
    FISQL_ENTRY(1);
    FISQL_SAY(1, "before the checkpoint");
    FISQL_VALUE(n);
    if (n % 3 == 0)
        FISQL_CHECKPOINT(2, "third", n);
    if (n % 6 == 0)
        FISQL_CHECKPOINT(2, "sixth");
    returns(1);
}

static int gives(int n)
{
    FISQL_FUNCTION(1);
    return FISQL_RESULT(n * n);
}

static void scopes(void)
{
    returns(3);
    returns(20);
    for (int n = 0; n < 6; n++)
        loops(n);
    lands();
    for (int n = 0; n < 12; n++)
        entered(n);
    for (int n = 0; n < 5; n++)
        gives(n);
    puts(
        "call entered 4\ncall gives 5\ncall jumps 4\ncall lands 1\ncall loops 19\ncall returns 15");
    puts("ended unwound 4");
    puts("note checkpoint sixth 2\nnote checkpoint third 4\nnote result - 5");
}

enum colour { RED, GREEN, BLUE = -7 };

static void values(void)
{
    char text[5000], umlauts[5000];
    char small = 'a';
    unsigned char byte = 200;
    short narrow = -300;
    unsigned long long large = 18446744073709551615ull;
    float single = 0.1f;
    double real = 1e300;
    long double wide = 3.25L;
    enum colour blue = BLUE;
    const char *none = NULL;
    void *address = (void *)0x123456;
    memset(text, 'x', sizeof text - 1);
    text[4999] = 0;
    for (int i = 0; i < 4998; i += 2)
        memcpy(umlauts + 1 + i, "\xc3\xa4", 2);
    umlauts[0] = 'a';
    umlauts[4999] = 0;
    errno = 7;
    FISQL_CHECKPOINT(1, "all", small, byte, narrow, large, single, real, wide, (int)blue, none,
                     address, "a, b", errno, text, umlauts, ((void)1, narrow - 1), text + 999 - 96);
    printf("errno %d\n", errno);
    FISQL_SAY(1, "%d %.3f %s", 42, 2.5, "you");
    FISQL_SAY(1, "%s", text);
    FISQL_SAY(1, "%s", text + 903);
    printf("value 1 97\nvalue 2 200\nvalue 3 -300\nvalue 4 18446744073709551615\nvalue 5 "
           "%.15g\nvalue 6 %.15g\n"
           "value 7 3.25\nvalue 8 -7\nvalue 9 0\nvalue 10 %d\nvalue 11 a, b\nvalue 12 7\n",
           (double)single, real, 0x123456);
    puts("note checkpoint all 1");
    printf("value 13 4096 cut\nvalue 14 4095 cut\nvalue 15 -301\nvalue 16 4096 whole\n");
}

static void *threads_work(void *n)
{
    char name[64];
    snprintf(name, sizeof name, "worker number %d of four, at your service", *(int *)n);
    FISQL_THREAD(name);
    FISQL_FUNCTION(1);
    for (int i = 0; i < 1000; i++) {
        FISQL_CHECKPOINT(1, "turn", i, *(int *)n);
        gives(i);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    int numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, threads_work, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
    puts("call gives 4000\ncall threads_work 4\nnote checkpoint turn 4000\nnote result - 4000");
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    FISQL_FUNCTION(1);
    FISQL_CHECKPOINT(1, "signal", number);
    handled++;
}

static void signals(void)
{
    struct sigaction action;
    sigset_t set;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGALRM, &action, NULL);
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    struct itimerspec every = {{0, 50000}, {0, 50000}};
    timer_settime(timer, 0, &every, NULL);
    int n = 0;
    for (; handled < 300; n++)
        gives(n);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    printf("call gives %d\ncall on_signal %d\nnote checkpoint signal %d\nnote result - %d\n", n,
           (int)handled, (int)handled, n);
}

static void levels(void)
{
    int evaluated = 0;
    for (int functions = 0; functions <= 5; functions++)
        for (int value = 0; value <= 5; value++) {
            FISQL_LEVELS(functions, value);
            FISQL_CHECKPOINT(1, "one", evaluated++);
            FISQL_CHECKPOINT(3, "three", evaluated++);
            FISQL_CHECKPOINT(5, "five", evaluated++);
            FISQL_FUNCTION(4);
            FISQL_VALUE(value);
        }
    printf("note checkpoint five 6\nnote checkpoint one 30\nnote checkpoint three 18\nnote value - "
           "12\n");
    printf("call levels 12\nevaluated %d\n", evaluated);
}

static void pauses(void)
{
    FISQL_FUNCTION(1);
    nap(20);
    FISQL_PAUSE();
    nap(150);
    gives(1);
    FISQL_RESUME();
    nap(10);
    {
        FISQL_FUNCTION(1);
        FISQL_PAUSE();
        nap(70);
    }
    puts("call gives 1\ncall pauses 2\nnote result - 1");
}

static void forks(void)
{
    FISQL_FUNCTION(1);
    gives(1);
    pid_t child = fork();
    if (child == 0) {
        gives(2);
        returns(1);
        FISQL_CHECKPOINT(1, "child");
        exit(0);
    }
    waitpid(child, NULL, 0);
    puts("call forks 1\ncall gives 2\ncall returns 1\nnote checkpoint child 1\nnote result - 2");
}

/* With hooks in it FISQL_FUNCTION makes no second call. */
static void deeper(int n)
{
    FISQL_FUNCTION(1);
    FISQL_CHECKPOINT(1, "deeper", n);
    if (n < depth_wanted)
        deeper(n + 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"scopes", scopes}, {"values", values}, {"threads", threads}, {"signals", signals},
               {"levels", levels}, {"pauses", pauses}, {"forks", forks}};
    depth_wanted = 9;
    if (argc > 1 && strcmp(argv[1], "deeper") == 0) {
        deeper(0);
        puts("call deeper 10\nnote checkpoint deeper 10");
    }
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof all[0]; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            all[i].run();
    fflush(stdout);
    return 0;
}
