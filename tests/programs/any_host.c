/* A program that is recorded as it is: what it loads, runs and forbids itself. Its argument is the part. The functions'
 * names say how often they are called, or count.h prints it. */
#define _GNU_SOURCE
#include "count.h"
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))
COUNTED_NAMES;
static volatile int zero;

APART int called_back(int n)
{
    COUNT();
    return n + 1 + zero;
}
APART int work(int n)
{
    zero = 0;
    return n * 7 + zero;
}
APART int works(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += work(i);
    return sum + zero;
}

static int part_dlopen(const char *file, int rounds, int flags)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        void *library = dlopen(file, flags);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        int (*calls)(int (*)(int), int) =
            (int (*)(int (*)(int), int))dlsym(library, "plugin_calls");
        for (int k = 0; k < 10; k++)
            sum += calls(called_back, k);
        dlclose(library);
        sum += called_back(i);
    }
    printf("sum %d\n", sum);
    return 0;
}

#ifdef BESIDE
int plugin_calls(int (*)(int), int);
unsigned long crc32(unsigned long, const unsigned char *, unsigned);
static int part_beside(void)
{
    int sum = 0;
    for (int i = 0; i < 25; i++)
        sum += plugin_calls(called_back, i) +
               (int)(crc32(0, (const unsigned char *)"some text", 9) % 100);
    printf("sum %d\n", sum);
    return 0;
}
#endif

/* ---- what lies at the beginning of functions ---- */
static void looks_at(const char *name, const void *function)
{
    const unsigned char *code = function;
    printf("%s %s\n", name, code[0] == 0xe9 ? "patched" : "as it was");
}
APART int left_alone(int n)
{
    zero = 0;
    return n * 5 + zero;
}
static int part_bytes(void)
{
    looks_at("work", (const void *)work);
    looks_at("works", (const void *)works);
    looks_at("left_alone", (const void *)left_alone);
    looks_at("called_back", (const void *)called_back);
    return works(10) + left_alone(3) + called_back(1) == 0;
}

/* ---- orders by standard input ---- */
static int part_orders(void)
{
    char line[100];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int sum = works(atoi(line));
        printf("%d\n", sum);
        fflush(stdout);
    }
    return 0;
}

/* ---- threads ---- */
static volatile int stop;
static void *thread_body(void *arg)
{
    COUNT();
    int sum = 0;
    for (int i = 0; i < 50; i++)
        sum += called_back(i);
    *(int *)arg = sum;
    return NULL;
}
static int part_threads(void)
{
    int sums[16], all = 0;
    for (int round = 0; round < 40; round++) {
        pthread_t threads[16];
        for (int i = 0; i < 16; i++)
            pthread_create(&threads[i], NULL, thread_body, &sums[i]);
        for (int i = 0; i < 16; i++)
            pthread_join(threads[i], NULL), all += sums[i];
    }
    printf("sum %d\n", all);
    return 0;
}
static void *busy_body(void *arg)
{
    while (!stop)
        works(100);
    return arg;
}
static int part_busy(void) /* until standard input ends */
{
    pthread_t threads[16];
    for (int i = 0; i < 16; i++)
        pthread_create(&threads[i], NULL, busy_body, NULL);
    char line[100];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL)
        ;
    stop = 1;
    for (int i = 0; i < 16; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}

/* ---- only write and exit_group from now on, and a stack that grows ---- */
APART int deep(int n)
{
    volatile char room[2000];
    room[0] = (char)n;
    return n == 0 ? 0 : deep(n - 1) + 1 + room[0] - room[0];
}
APART int onward(int n)
{
    return n + 1 + zero;
}
static int part_sealed(void)
{
    struct sock_filter few[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof few / sizeof few[0], few};
    works(100);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    int sum = deep(3000); /* 6 MiB */
    for (int i = 0; i < 1000; i++)
        sum = onward(sum);
    if (sum != 4000 || write(1, "sealed\n", 7) != 7)
        _exit(9);
    _exit(6);
}

int main(int argc, char **argv)
{
    const char *part = argv[1];
    int got = 0;
    if (strcmp(part, "lazy") == 0 || strcmp(part, "now") == 0)
        got = part_dlopen(argv[2], atoi(argv[3]),
                          part[0] == 'l' ? RTLD_LAZY : RTLD_NOW | RTLD_GLOBAL);
#ifdef BESIDE
    else if (strcmp(part, "beside") == 0)
        got = part_beside();
#endif
    else if (strcmp(part, "bytes") == 0)
        return part_bytes();
    else if (strcmp(part, "orders") == 0)
        return part_orders();
    else if (strcmp(part, "threads") == 0)
        got = part_threads();
    else if (strcmp(part, "busy") == 0)
        return part_busy();
    else if (strcmp(part, "sealed") == 0)
        return part_sealed();
    else if (strcmp(part, "works") == 0)
        return printf("%d\n", works(atoi(argv[2]))) < 0;
    else if (strcmp(part, "children") == 0) {
        for (int i = 0; i < 3; i++) {
            pid_t child = fork();
            if (child == 0) {
                execl(argv[0], argv[0], "works", "30", NULL);
                _exit(99);
            }
            int status;
            waitpid(child, &status, 0);
            got += WEXITSTATUS(status) + (called_back(i) < 0);
        }
    }
    report();
    return got;
}
