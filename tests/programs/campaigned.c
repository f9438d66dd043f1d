/*
 * Programs for campaigns (fisql faults), by their first word:
 *   sum        adds the numbers on standard input; a thread and a child process each allocate a block
 *   daemon     leaves processes running: a child, and one in a session of its own, that write into the file "alive"
 *   slow       a few dozen calls of malloc in contexts of their own, 20 ms each
 *   recurse    allocates in a recursion, at each depth
 *   temporary  leaves a file in $TMPDIR, and one beside it that is named by its pid
 *   status     exits with 3; with 4 where malloc fails
 *   spin       calls a function without end where malloc fails
 *   overwrite  writes to the file "there" that was there before
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

APART static int take(size_t size)
{
    char *block = malloc(size);
    if (block == NULL)
        return -1;
    memset(block, 1, size);
    __asm__ volatile("" : : "r"(block) : "memory"); /* gcc 16 leaves out blocks that nobody sees */
    free(block);
    return 0;
}

APART static void *thread_takes(void *result)
{
    *(int *)result = take(100);
    return NULL;
}

APART static int child_takes(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(take(200) != 0);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

APART static int sum(void)
{
    int number, all = 0, failed = 0;
    pthread_t thread;
    while (scanf("%d", &number) == 1)
        all += number;
    if (pthread_create(&thread, NULL, thread_takes, &failed) != 0 ||
        pthread_join(thread, NULL) != 0 || failed != 0)
        return 1;
    if (child_takes() != 0)
        return 2;
    printf("%d\n", all);
    return 0;
}

APART static int leave_daemon(void)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            if (i == 1 && (setsid() < 0 || fork() != 0))
                _exit(0);
            for (;;) {
                int file = open("alive", O_WRONLY | O_CREAT, 0600);
                close(file);
                usleep(10000);
            }
        }
    usleep(50000);
    return take(10) != 0;
}

APART static int recurse(int depth)
{
    if (depth == 0)
        return 0;
    return take((size_t)depth) != 0 ? depth : recurse(depth - 1);
}

#define STEP(n)                                                                                    \
    APART static int step_##n(void)                                                                \
    {                                                                                              \
        usleep(20000);                                                                             \
        return take(n);                                                                            \
    }
/* clang-format off */
STEP(1)
STEP(2)
STEP(3)
STEP(4)
STEP(5)
STEP(6)
STEP(7)
STEP(8)
STEP(9)
STEP(10)
STEP(11)
STEP(12)
/* clang-format on */

APART static int slow(void)
{
    static int (*const steps[])(void) = {step_1, step_2, step_3, step_4,  step_5,  step_6,
                                         step_7, step_8, step_9, step_10, step_11, step_12};
    int failed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        failed += steps[i]() != 0;
    return failed;
}

APART static int temporary(void)
{
    char path[4096];
    FILE *own;
    snprintf(path, sizeof path, "%s/left", getenv("TMPDIR"));
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    snprintf(path, sizeof path, "by-%d", (int)getpid());
    own = fopen(path, "w");
    if (file < 0 || own == NULL)
        return 1;
    close(file);
    fclose(own);
    own = fopen("fixed", "w");
    if (own == NULL)
        return 1;
    fputs(take(10) == 0 ? "right" : "wrong", own);
    return fclose(own) != 0;
}

APART static int is_ready(int ready)
{
    return ready;
}

APART static int spin(void)
{
    int ready = take(7) == 0;
    while (!is_ready(ready))
        ;
    return 0;
}

APART static int overwrite(void)
{
    char text[16] = "";
    int file = open("there", O_RDWR);
    if (file < 0 || read(file, text, 3) != 3 || strcmp(text, "old") != 0)
        return 1;
    if (take(5) == 0 && pwrite(file, "new", 3, 0) != 3)
        return 1;
    close(file);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "sum") == 0)
        return sum();
    if (strcmp(what, "daemon") == 0)
        return leave_daemon();
    if (strcmp(what, "slow") == 0)
        return slow();
    if (strcmp(what, "recurse") == 0)
        return recurse(4);
    if (strcmp(what, "temporary") == 0)
        return temporary();
    if (strcmp(what, "status") == 0)
        return take(1) == 0 ? 3 : 4;
    if (strcmp(what, "spin") == 0)
        return spin();
    if (strcmp(what, "overwrite") == 0)
        return overwrite();
    return 9;
}
