/* Functions that fill what their parameters point to, and this program's own account of it, a line a call: what
 * expressions have at the exit. Its argument chooses what it does. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noinline))

struct pair {
    int count, limit;
    const char *name;
};

static jmp_buf away;
static volatile int sink;

APART int out(int *to, char *text, long n)
{
    *to = (int)n * 2;
    snprintf(text, 16, "text %ld", n);
    return (int)n;
}

APART void grows(struct pair *p, int by)
{
    p->count += by;
    if (p->count > 4)
        p->name = "much";
    p = NULL; /* the parameter itself is another one at the end */
    by = -1;
    sink = by + (p == NULL);
}

/* Each level has its own. */
APART void deeper(int *at, int n)
{
    int below = 0;
    *at = n;
    if (n > 0)
        deeper(&below, n - 1);
    *at = (*at + below * 10) % 9973;
}

APART void leaves(int *at, int n)
{
    *at = n;
    if (n == 0)
        longjmp(away, 1);
    leaves(at, n - 1);
    sink = 1; /* no tail call */
}

APART void gone(int *at)
{
    munmap((void *)((unsigned long)at & ~4095ul), 4096);
}

APART double real(double x, float *half)
{
    *half = (float)(x / 2);
    return x * 3;
}

static void *work(void *from)
{
    for (int i = 0; i < 2000; i++) {
        int at = 0;
        deeper(&at, (int)(long)from + i % 3);
    }
    return NULL;
}

static void plain(void)
{
    char text[16] = "before";
    int to = -1;
    float half = -1;
    struct pair pair = {1, 9, "few"};
    for (long n = 0; n < 3; n++) {
        int result = out(&to, text, n);
        printf("out(*to at exit=%d, text at exit=\"%s\", text[5] at exit=%d '%c') = %d\n", to, text,
               text[5], text[5], result);
    }
    for (int by = 0; by < 4; by++) {
        struct pair before = pair;
        grows(&pair, by);
        printf("grows(p->count=%d, p->count at exit=%d, p->name at exit=\"%s\", by + p->limit at "
               "exit=%d)\n",
               before.count, pair.count, pair.name, by + pair.limit);
    }
    double tripled = real(1.5, &half);
    printf("real(*half at exit=%g) = %g\n", half, tripled);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int at = 0;
    if (strcmp(what, "plain") == 0)
        plain();
    if (strcmp(what, "jumps") == 0) {
        if (setjmp(away) == 0)
            leaves(&at, 3);
        deeper(&at, 2);
        if (setjmp(away) == 0)
            leaves(&at, 1);
        deeper(&at, 0);
    }
    if (strcmp(what, "deep") == 0)
        deeper(&at, 600);
    if (strcmp(what, "gone") == 0) {
        int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        gone(page);
        gone(NULL);
    }
    if (strcmp(what, "threads") == 0) {
        pthread_t all[4];
        for (long i = 0; i < 4; i++)
            pthread_create(&all[i], NULL, work, (void *)i);
        for (int i = 0; i < 4; i++)
            pthread_join(all[i], NULL);
    }
    return 0;
}
