/* Who called: backtrace(), _Unwind_Backtrace() and debuggers, in a program recorded as it is. Prints the names of the
 * functions of each stack. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define APART __attribute__((noinline)) __attribute__((visibility("default")))
static const char *part;
static volatile int zero;

static void print(void *address)
{
    Dl_info info;
    const char *file = "?", *name = "?";
    if (dladdr((char *)address - 1, &info) != 0) {
        file = strrchr(info.dli_fname, '/') != NULL ? strrchr(info.dli_fname, '/') + 1
                                                    : info.dli_fname;
        name = info.dli_sname != NULL ? info.dli_sname : "?";
    }
    printf(" %s:%s", file, name);
}

static unsigned long below; /* the frame before */

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *left)
{
    unsigned long frame = _Unwind_GetCFA(context);
    if (below != 0 && frame - below < 1024) /* a signal's frame is aligned by the kernel */
        printf(" +%lu", frame - below);
    below = frame;
    print((void *)_Unwind_GetIP(context));
    return --*(int *)left == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

APART void look(void)
{
    void *frames[100];
    int count = backtrace(frames, 100), left = 100;
    printf("backtrace:");
    for (int i = 0; i < count; i++)
        print(frames[i]);
    printf("\nunwind:");
    below = 0;
    _Unwind_Backtrace(step, &left);
    printf("\n");
    fflush(stdout);
    if (strcmp(part, "abort") == 0)
        abort();
    if (strcmp(part, "wait") == 0) {
        FILE *file = fopen("waiting", "w");
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
        pause();
    }
}
APART int tail_called(int n)
{
    look();
    return n + 1;
}
APART int tail_caller(int n)
{
    zero = n;
    return tail_called(n - n % 2);
}
APART int recurs(int n)
{
    int got = n == 0 ? tail_caller(n) : recurs(n - 1);
    return got + 1 + zero;
}
APART int compare(const void *a, const void *b)
{
    static int calls;
    if (++calls == 7)
        recurs(3);
    return *(const int *)a - *(const int *)b;
}
APART void sorts(void)
{
    int numbers[20];
    for (int i = 0; i < 20; i++)
        numbers[i] = i * 7 % 20;
    qsort(numbers, 20, sizeof numbers[0], compare);
    zero = numbers[0];
}
APART void on_signal(int number)
{
    recurs(number - number + 1);
    zero = 0;
}
APART void raises(void)
{
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    zero = 0;
}
APART void *thread_body(void *arg)
{
    recurs(2);
    return arg;
}

int main(int argc, char **argv)
{
    part = argc > 1 ? argv[1] : "";
    if (*part == 0) {
        recurs(0);
        tail_caller(3);
        raises();
        pthread_t thread;
        pthread_create(&thread, NULL, thread_body, NULL);
        pthread_join(thread, NULL);
        zero = 0;
    }
    sorts();
    return 0;
}
