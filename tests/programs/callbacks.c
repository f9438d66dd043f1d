/* Callbacks for its own calls (fisql.h: fisql_on_call), which tell and count what the log has, too.
 * The first argument says what to do. */
#define _GNU_SOURCE
#include "collector/fisql.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define UNSEEN __attribute__((no_instrument_function))

/* ---- what is called ---- */

struct point {
    int x, y;
};

struct halves {
    double first, second;
};

static volatile long sink;

APART long work_fall(int depth)
{
    long below = depth > 0 ? work_fall(depth - 1) : 0;
    return sink = below + depth;
}

APART double work_scale(double by, float more, short small, unsigned char byte)
{
    double scaled = by * (double)more + small + byte;
    sink = (long)scaled;
    return scaled;
}

APART const char *work_name(const char *first, const struct point *at, char letter, _Bool yes)
{
    sink = letter + yes + (at != NULL ? at->x : 0);
    return first != NULL ? first + 1 : NULL;
}

APART unsigned long long work_many(int a, long b, int c, long d, int e, long f, int g, long h,
                                   unsigned long long i)
{
    unsigned long long sum = i + (unsigned long long)(a + b + c + d + e + f + g + h);
    sink = (long)sum;
    return sum;
}

/* Their results are made behind the exit hook: in one register, in two, on the x87 stack. */
APART long work_sum(long a, long b)
{
    return a + b;
}

APART double work_ratio(double a, double b)
{
    return a / b;
}

APART struct halves work_halves(double x)
{
    return (struct halves){x / 2, x / 4};
}

APART long double work_twice(long double x)
{
    return x * 2;
}

APART void work_nothing(void)
{
    sink++;
}

APART void other_nothing(void)
{
    sink--;
}

APART long work_spin(long times)
{
    for (long i = 0; i < times; i++)
        sink += i;
    return sink;
}

/* ---- counting ---- */

static _Atomic long begun, ended, deepest, strangers;
static _Atomic unsigned threads[64];

UNSEEN static void count(const struct fisql_call *call, void *data)
{
    _Atomic unsigned *thread = threads;
    (void)data;
    if (call->ends)
        ended++;
    else
        begun++;
    if ((long)call->depth > deepest)
        deepest = (long)call->depth;
    for (; *thread != call->thread; thread++) {
        unsigned none = 0;
        if (thread == threads + 63 || atomic_compare_exchange_strong(thread, &none, call->thread))
            break;
    }
    if (call->thread != (unsigned)gettid())
        strangers++;
}

UNSEEN static void print_counts(void)
{
    int seen = 0;
    while (threads[seen] != 0)
        seen++;
    printf("begun %ld ended %ld deepest %ld threads %d strangers %ld\n", (long)begun, (long)ended,
           (long)deepest, seen, (long)strangers);
}

static void *run_thread(void *rounds)
{
    for (long i = 0; i < (long)rounds; i++) {
        work_fall((int)(i % 10));
        work_nothing();
        other_nothing();
    }
    return NULL;
}

static void counts(void)
{
    pthread_t running[4];
    printf("matches %d\n", FISQL_ON_CALL("work_*", count, NULL));
    for (long i = 0; i < 4; i++)
        pthread_create(&running[i], NULL, run_thread, (void *)(100 + i));
    for (int i = 0; i < 4; i++)
        pthread_join(running[i], NULL);
    work_fall(200);
    print_counts();
    printf("taken back %d\n", FISQL_OFF_CALL(count, NULL));
    work_fall(5);
    print_counts();
}

/* ---- telling ---- */

static struct {
    const void *function;
    const char *name;
} names[] = {
    {(const void *)work_fall, "work_fall"},       {(const void *)work_scale, "work_scale"},
    {(const void *)work_name, "work_name"},       {(const void *)work_many, "work_many"},
    {(const void *)work_nothing, "work_nothing"}, {(const void *)work_spin, "work_spin"},
    {(const void *)work_sum, "work_sum"},         {(const void *)work_ratio, "work_ratio"},
    {(const void *)work_halves, "work_halves"},   {(const void *)work_twice, "work_twice"}};

/* As the database has it; of what is not known nothing. */
UNSEEN static void print_value(FILE *out, const char *before, unsigned position,
                               const struct fisql_call_value *value)
{
    if (value->kind == FISQL_CALL_UNKNOWN)
        return;
    fprintf(out, "%s%u:", before, position);
    switch (value->kind) {
    case FISQL_CALL_INTEGER:
        fprintf(out, "%lld", value->is.integer);
        break;
    case FISQL_CALL_UNSIGNED:
        fprintf(out, "%llu", (unsigned long long)value->is.integer);
        break;
    case FISQL_CALL_POINTER:
        fprintf(out, "%lld", (long long)(uintptr_t)value->is.pointer);
        break;
    case FISQL_CALL_REAL:
        fprintf(out, "%.17g", value->is.real);
        break;
    case FISQL_CALL_TEXT:
        fprintf(out, "%.*s%s", (int)value->length, value->is.text, value->cut ? "\\..." : "");
        if (strlen(value->is.text) != value->length)
            fprintf(out, " (of another length)");
        break;
    default:
        fprintf(out, "%u bytes", value->length);
        break;
    }
}

UNSEEN static void tell(const struct fisql_call *call, void *data)
{
    FILE *out = data;
    const char *name = "?";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].function == call->function)
            name = names[i].name;
    fprintf(out, "%s%s", call->ends ? "end of " : "", name);
    for (unsigned i = 0; i < call->arguments_count; i++)
        print_value(out, " ", i + 1, &call->arguments[i]);
    if (call->result != NULL)
        print_value(out, " ", 0, call->result);
    fprintf(out, "\n");
    errno = EBADF;
}

static void tells(const char *path)
{
    static const char text[] =
        "0123456789012345678901234567890123456789012345678901234567890123456789";
    FILE *out = fopen(path, "w");
    struct point at = {7, 8};
    double results = 0;
    printf("matches %d\n", FISQL_ON_CALL("work_*", tell, out));
    errno = 0;
    for (int i = 0; i < 3; i++) {
        work_fall(i);
        work_scale(1.5 * i, 0.25F, (short)-i, (unsigned char)(200 + i));
        work_name(i == 2 ? NULL : text + 60 * (i == 0), i == 1 ? &at : NULL, 'x', i == 1);
        work_many(i, -i, 3, 1L << 40, 5, 6, 7, -8, ~0ULL - (unsigned)i);
        work_nothing();
        struct halves halves = work_halves(i + 0.5);
        results += (double)work_sum(i, 1L << 40) + work_ratio(i, 4) + halves.first + halves.second +
                   (double)work_twice(i + 0.125L);
    }
    printf("errno %d results %.17g\n", errno, results);
    FISQL_OFF_CALL(tell, out);
    fclose(out);
}

/* ---- awkward ---- */

static void *kept;
static volatile int handled;

static void on_signal(int number)
{
    (void)number;
    work_nothing();
    other_nothing();
    handled++;
}

UNSEEN static void awkward(const struct fisql_call *call, void *data)
{
    (void)data;
    free(malloc(1000));
    if (kept == NULL)
        kept = malloc(12345);
    if (!call->ends) {
        work_nothing(); /* neither recorded nor told */
        raise(SIGUSR1);
        fprintf(stderr, "a line\n");
    }
    begun += !call->ends;
    ended += call->ends;
    errno = ENOSPC;
}

static void disturbed(void)
{
    signal(SIGUSR1, on_signal);
    FISQL_ON_CALL("work_fall", awkward, NULL);
    errno = EDOM;
    work_fall(3);
    int kept_errno = errno;
    free(malloc(77)); /* recorded */
    FISQL_OFF_CALL(awkward, NULL);
    raise(SIGUSR1);
    printf("begun %ld ended %ld errno %s handled %d\n", (long)begun, (long)ended,
           kept_errno == EDOM ? "kept" : "changed", handled);
}

/* ---- slow ---- */

UNSEEN static void slow(const struct fisql_call *call, void *data)
{
    struct timespec now;
    (void)data;
    unsigned long long end = call->ns + 2000000;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec < end);
}

static void slowed(void)
{
    FISQL_ON_CALL("work_spin", slow, NULL);
    for (int i = 0; i < 20; i++)
        work_spin(10);
}

/* ---- forbidden, but survived ---- */

static jmp_buf out_of_it;

UNSEEN static void jump(const struct fisql_call *call, void *data)
{
    (void)call, (void)data;
    longjmp(out_of_it, 1);
}

static void jumped(void)
{
    FISQL_ON_CALL("work_spin", jump, NULL);
    if (setjmp(out_of_it) == 0)
        work_spin(1);
    FISQL_OFF_CALL(jump, NULL);
    work_fall(4);
    puts("behind the jump");
}

/* ---- children ---- */

static void forked(void)
{
    FISQL_ON_CALL("work_*", count, NULL);
    work_nothing();
    fflush(stdout);
    if (fork() == 0) {
        work_fall(9);
        print_counts();
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    print_counts();
}

/* ---- the end, and changes, from within ---- */

UNSEEN static void leave(const struct fisql_call *call, void *data)
{
    if (!call->ends && ++begun == 3)
        exit((int)(long)data);
}

static void exits(void)
{
    FISQL_ON_CALL("work_nothing", leave, (void *)3L);
    for (int i = 0; i < 5; i++)
        work_nothing();
}

/* Takes itself back, and asks for other calls in its place. */
UNSEEN static void change(const struct fisql_call *call, void *data)
{
    (void)call;
    printf("%d", fisql_off_call(change, data));
    printf(" %d\n", fisql_on_call("work_spin", count, NULL));
}

static void changes(void)
{
    FISQL_ON_CALL("work_nothing", change, NULL);
    work_nothing();
    work_spin(1);
    work_nothing();
    work_spin(1);
    print_counts();
}

/* ---- what is refused ---- */

static void refused(void)
{
    char longer[300] = "";
    memset(longer, 'x', sizeof longer - 1);
    printf("%d %d %d %d\n", FISQL_ON_CALL("", count, NULL), FISQL_ON_CALL(NULL, count, NULL),
           FISQL_ON_CALL(longer, count, NULL), FISQL_ON_CALL("no_such_function", count, NULL));
    int given = 1;
    while (FISQL_ON_CALL("no_such_function", count, NULL) == 0)
        given++;
    printf("%d callbacks, %d taken back\n", given, FISQL_OFF_CALL(count, NULL));
    printf("%d\n", FISQL_ON_CALL("work_noth?ng", count, NULL));
    work_nothing();
    printf("%ld\n", (long)begun);
}

int main(int count_of_arguments, char **arguments)
{
    const char *what = count_of_arguments > 1 ? arguments[1] : "counts";
    if (strcmp(what, "counts") == 0)
        counts();
    else if (strcmp(what, "tells") == 0)
        tells(arguments[2]);
    else if (strcmp(what, "disturbed") == 0)
        disturbed();
    else if (strcmp(what, "slowed") == 0)
        slowed();
    else if (strcmp(what, "jumped") == 0)
        jumped();
    else if (strcmp(what, "forked") == 0)
        forked();
    else if (strcmp(what, "exits") == 0)
        exits();
    else if (strcmp(what, "changes") == 0)
        changes();
    else if (strcmp(what, "refused") == 0)
        refused();
    else
        run_thread((void *)50);
    return 0;
}
