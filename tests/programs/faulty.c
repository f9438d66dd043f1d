/* Calls of every kind that can be made to fail; what they gave, and that their callers' registers are
 * as they were. The argument says how: calls (or nothing), threads, forks, loop N. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Texts of errors are strerrordesc_np()'s: strerror() of newer C libraries allocates. */

/* Callers must not know what a function returns: gcc 14 would leave out their checks. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

struct pair {
    long first, second;
};
enum colour { RED, GREEN = 7 };

/* Apart, for compilers think that malloc() leaves errno alone. */
APART int error(int instead);
APART int error(int instead)
{
    int now = errno;
    errno = instead;
    return now;
}

APART int twice(int n);
APART int twice(int n)
{
    char text[32];
    snprintf(text, sizeof text, "%d", n);
    return 2 * atoi(text);
}

/* Keeps all its arguments over a call: it has to save its caller's registers before it is recorded. */
APART long mix(long a, long b, long c, long d, long e, long f);
APART long mix(long a, long b, long c, long d, long e, long f)
{
    long sum = twice((int)a);
    return sum + a * b + c * d + e * f;
}

APART double half(double value);
APART double half(double value)
{
    return value / 2;
}

APART float third(float value);
APART float third(float value)
{
    return value / 3;
}

APART bool is_even(int n);
APART bool is_even(int n)
{
    return n % 2 == 0;
}

APART enum colour colour_of(int n);
APART enum colour colour_of(int n)
{
    return n > 0 ? GREEN : RED;
}

APART const char *skip(const char *text, int n);
APART const char *skip(const char *text, int n)
{
    return text + n;
}

APART struct pair pair_of(long n);
APART struct pair pair_of(long n)
{
    return (struct pair){n, -n};
}

static int told;
APART void tell(int n);
APART void tell(int n)
{
    told += n;
}

APART int room_on_stack(int n);
APART int room_on_stack(int n)
{
    volatile char room[n + 1]; /* the frame's size is not known beforehand */
    room[n] = (char)n;
    return room[n];
}

static inline __attribute__((always_inline)) int inlined(int n)
{
    return n + 1;
}

APART int deep(int n);
APART int deep(int n)
{
    return n == 0 ? 0 : 1 + deep(n - 1);
}

APART void *parse_item(int n);
APART void *parse_item(int n)
{
    error(0);
    void *block = malloc((size_t)n + 10);
    printf("parse_item %d: %s\n", n, block != NULL ? "block" : strerrordesc_np(error(0)));
    return block;
}

APART void *other_item(int n);
APART void *other_item(int n)
{
    void *block = malloc((size_t)n + 10);
    printf("other_item %d: %s\n", n, block != NULL ? "block" : "NULL");
    return block;
}

APART void allocate(void);
APART void allocate(void)
{
    void *aligned = NULL;
    error(0);
    void *volatile block = calloc(3, 5);
    printf("calloc %s, errno %d\n", block != NULL ? "block" : "NULL", error(0));
    char *text = malloc(8);
    strcpy(text, "kept");
    char *larger = realloc(text, 4000);
    printf("realloc %s, %s\n", larger != NULL ? "block" : "NULL", larger != NULL ? larger : text);
    error(0);
    int failed = posix_memalign(&aligned, 64, 100);
    printf("posix_memalign %d, errno %d\n", failed, error(0));
    free(block);
    free(larger != NULL ? larger : text);
    free(failed == 0 ? aligned : NULL);
}

APART void use_files(const char *path);
APART void use_files(const char *path)
{
    char text[16];
    error(0);
    int file = open(path, O_RDONLY);
    printf("open %s: %s\n", path, file >= 0 ? "file" : strerrordesc_np(error(0)));
    if (file >= 0) {
        ssize_t got = read(file, text, 4);
        printf("read %zd, errno %d\n", got, error(0));
        int closed = close(file), why = error(0);
        printf("close %d, errno %d, %s\n", closed, why,
               fcntl(file, F_GETFD) < 0 ? "closed" : "still open");
    }
    FILE *stream = fopen(path, "r");
    printf("fopen %s\n", stream != NULL ? "stream" : strerrordesc_np(error(0)));
    if (stream != NULL) {
        size_t items = fread(text, 1, 4, stream);
        printf("fread %zu, error %d\n", items, ferror(stream) != 0);
        fclose(stream);
    }
}

static void calls(void)
{
    volatile long kept[6] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 4; i++) {
        long a = kept[0], b = kept[1], c = kept[2], d = kept[3], e = kept[4], f = kept[5];
        long mixed = mix(a, b, c, d, e, f);
        printf("mix %ld, %ld %ld %ld %ld %ld %ld\n", mixed, a, b, c, d, e, f);
    }
    for (int i = 0; i < 4; i++)
        printf("twice %d\n", twice(i));
    printf("half %g third %g\n", half(7), (double)third(6));
    printf("is_even %d colour_of %d\n", is_even(3), (int)colour_of(1));
    volatile int one = 1; /* clang would not pass constants */
    const char *volatile path = "/etc/x";
    const char *skipped = skip(path, one);
    printf("skip %s\n", skipped != NULL ? skipped : "NULL");
    struct pair pair = pair_of(3);
    printf("pair_of %ld %ld\n", pair.first, pair.second);
    tell(5);
    printf("told %d\n", told);
    printf("room_on_stack %d inlined %d deep %d\n", room_on_stack(20), inlined(told), deep(5));
    for (int i = 0; i < 3; i++) {
        free(parse_item(i));
        free(other_item(i));
    }
    allocate();
    use_files("/etc/passwd");
}

static void *thread(void *argument)
{
    long *failed = argument;
    for (int i = 0; i < 10; i++)
        *failed += twice(i) == -1;
    return NULL;
}

static void threads(void)
{
    pthread_t id[4];
    long failed[4] = {0}, sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&id[i], NULL, thread, &failed[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
        sum += failed[i];
    }
    printf("failed %ld: %ld %ld %ld %ld\n", sum, failed[0], failed[1], failed[2], failed[3]);
}

static void forks(void)
{
    int failed = twice(1) == -1, status;
    fflush(NULL);
    pid_t child = fork();
    for (int i = 0; i < 3; i++)
        failed += twice(i) == -1;
    if (child == 0)
        _exit(failed);
    waitpid(child, &status, 0);
    printf("parent %d child %d\n", failed, WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "calls";
    long sum = 0;
    if (strcmp(how, "threads") == 0)
        threads();
    else if (strcmp(how, "forks") == 0)
        forks();
    else if (strcmp(how, "loop") == 0)
        for (long i = 0; i < atol(argv[2]); i++)
            sum += is_even((int)i);
    else
        calls();
    return sum < 0;
}
