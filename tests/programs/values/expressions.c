/* Calls that print what expressions on their parameters come to, as the compiler has it: what is recorded by
 * --value is compared with that (tests/e2e/value_expressions.sh). */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noinline))
#define KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")
#define EACH static inline __attribute__((always_inline))

/* "FUNCTION: expression: value". MISSING has no value. */
#define SHOW(format, expression) printf("%s: %s: " format "\n", __func__, #expression, expression)
#define MISSING(expression) printf("%s: %s: ?\n", __func__, #expression)

enum state { IDLE, BUSY = 4, GONE = -1 };
enum flags { READ = 1, WRITE = 2, APPEND = 4 };
struct header {
    const char *key;
    int length;
    struct header *next;
};
struct opaque;
struct request {
    const char *method;
    char path[16];
    char tag[4]; /* without a NUL */
    struct header *headers;
    unsigned low : 3, high : 11;
    int score : 5;
    long wide : 40;
    enum state state;
    enum flags flags;
    bool open;
    char letter;
    unsigned char byte;
    double ratio;
    float share;
    long double extended;
    int codes[4];
    short grid[2][3];
    struct {
        int inner;
        union {
            int number;
            float fraction;
        };
    } in;
    unsigned long big;
    void *nothing;
    int (*action)(int);
    struct opaque *opaque;
};
struct pair {
    int a;
    long b;
};
struct huge {
    int filler[30];
    struct pair last;
};
struct opaque {
    int secret;
};

APART int twice(int a)
{
    return 2 * a;
}

/* Members of every kind, near and far. */
APART void members(struct request *r, int i)
{
    SHOW("\"%s\"", r->method);
    SHOW("\"%s\"", r->path);
    printf("%s: r->tag: \"%.4s\"\n", __func__, r->tag);
    SHOW("\"%s\"", r->headers->next->key);
    SHOW("%d", r->headers->next->length);
    SHOW("%d", (*(*r).headers).length);
    SHOW("%u", r->low);
    SHOW("%u", r->high);
    SHOW("%d", r->score);
    printf("%s: r->wide: %ld\n", __func__, (long)r->wide);
    printf("%s: r->state: %s\n", __func__, r->state == BUSY ? "BUSY" : "GONE");
    printf("%s: r->flags: %s\n", __func__, r->flags == (READ | APPEND) ? "READ|APPEND" : "WRITE");
    printf("%s: r->open: %s\n", __func__, r->open ? "true" : "false");
    printf("%s: r->letter: %d '%c'\n", __func__, r->letter, r->letter);
    SHOW("%d", r->byte);
    SHOW("%g", r->ratio);
    SHOW("%g", r->share);
    SHOW("%Lg", r->extended);
    SHOW("%d", r->codes[i]);
    SHOW("%d", r->grid[1][i]);
    SHOW("%d", r->grid[i & 1][2]);
    SHOW("%d", r->in.inner);
    SHOW("%d", r->in.number);
    SHOW("%lu", r->big);
    printf("%s: r->nothing: NULL\n", __func__);
    printf("%s: r->action: twice\n", __func__);
    SHOW("%d", r->opaque->secret);
    printf("%s: (r->path[i]): %d '%c'\n", __func__, r->path[i], r->path[i]);
}

/* POINTER[LENGTH] of bytes is a text of that length. */
struct counted {
    size_t length;
    unsigned char *bytes;
    const char *text;
    unsigned char used;
    char room[11];
};
#define TEXT(pointer, length, shown) printf("%s: " #pointer "[" #length "]: " shown "\n", __func__)
APART void texts(const struct counted *c, const signed char *raw, int n)
{
    printf("%s: c->bytes[c->length]: \"%.*s\"\n", __func__, (int)c->length, c->bytes);
    printf("%s: c->text[c->length - 1]: \"%.*s\"\n", __func__, (int)c->length - 1, c->text);
    printf("%s: c->room[c->used]: \"%.*s\"\n", __func__, c->used, c->room);
    printf("%s: (&c->room[2])[n]: \"%.*s\"\n", __func__, n, &c->room[2]);
    TEXT(raw, n, "\"a\\x00\\x01\"");
    SHOW("%d", (raw[n]));
    SHOW("%d", raw[n] + 0);
    SHOW("%d", raw[0]);
    printf("%s: c->room[4]: %d '%c'\n", __func__, c->room[4], c->room[4]);
}
APART void no_texts(const struct counted *c, const char *null, int n, const char *few)
{
    printf("%s: null[c->length]: NULL\n", __func__);
    printf("%s: few[n]: ?\n", __func__);
    printf("%s: few[c->used]: \"\"\n", __func__);
    printf("%s: few[n + 1]: \"\"\n", __func__);
    KEEP(c);
    KEEP(null);
    KEEP(n);
    KEEP(few);
}

/* Arithmetic as C has it. */
APART void sums(int i, short s, unsigned char c)
{
    SHOW("%d", i + 1);
    SHOW("%d", i * 2 - s);
    SHOW("%d", i / 3);
    SHOW("%d", i % 3);
    SHOW("%d", -i);
    SHOW("%d", ~i);
    SHOW("%d", i << 2);
    SHOW("%d", i >> 1);
    SHOW("%d", i & 0x0f | 010 ^ 3);
    SHOW("%d", s * c);
    SHOW("%d", c << 4);
    SHOW("%d", c + 'A');
    SHOW("%d", i < 0);
    SHOW("%d", !i);
    SHOW("%d", i && 10 / i > 1 || s == 2);
    SHOW("%d", (i + 2) * (s - 3) << 1);
}

APART void wide_sums(int i, unsigned u, long l, unsigned long w, short s)
{
    SHOW("%u", u - 7);
    SHOW("%ld", u + 4294967295);
    SHOW("%u", u + 0xffffffff);
    SHOW("%u", u * u);
    SHOW("%u", u / 2);
    SHOW("%u", u >> 4);
    SHOW("%u", i + u);
    SHOW("%ld", l * 3);
    SHOW("%ld", l - u);
    SHOW("%ld", l % 1000);
    SHOW("%lu", w + 1);
    SHOW("%lu", l + w);
    SHOW("%lu", w / 3);
    SHOW("%lu", w >> 63);
    SHOW("%d", (i > s) + (u >= 3) + (l <= 0) + (w == 5) + (i != s));
    SHOW("%d", i < u);
}

/* Pointers into arrays. */
APART void pointers(int *p, int *q, const char *text, char **words, int n)
{
    SHOW("%d", *p);
    SHOW("%d", p[n]);
    SHOW("%d", *(p + n));
    SHOW("%d", p[n + 1] - p[0]);
    SHOW("%ld", q - p);
    SHOW("%d", q == p + 3);
    SHOW("%d", q[-1]);
    SHOW("\"%s\"", words[n]);
    SHOW("\"%s\"", *words);
    printf("%s: words[0][1]: %d '%c'\n", __func__, words[0][1], words[0][1]);
    SHOW("\"%s\"", text + 2);
    SHOW("%d", *&p[1]);
    SHOW("%ld", &p[3] - &p[1]);
}

/* What cannot be read, or computed. */
APART void missing(struct request *r, int zero, struct header *gone, int least,
                   struct header *chain)
{
    MISSING(r->method);
    MISSING(r->headers->key);
    MISSING(100 / zero);
    MISSING(100 % zero);
    MISSING(least / (zero - 1));
    MISSING(1 << (zero + 32));
    MISSING(gone->length);
    MISSING(gone->key);
    MISSING(chain->next->next->next->next->next->length);
    SHOW("%d", chain->next->next->length);
    SHOW("%d", r && r->score);
    SHOW("%d", zero == 0 || 1 / zero);
}

/* Structs by value; not all builds know where they lie. */
APART void by_value(struct pair s, struct huge h, int i)
{
    SHOW("%d", s.a);
    SHOW("%ld", s.b + i);
    SHOW("%d", h.filler[2]);
    SHOW("%d", h.filler[i]);
    SHOW("%ld", h.last.b);
}

EACH int copy(const struct header *h, int i)
{
    SHOW("%d", h->length + i);
    SHOW("\"%s\"", h->key);
    return i;
}

APART int two_copies(const struct header *h)
{
    return copy(h, 1) + copy(h->next, 2);
}

APART void thread_step(const struct request *r, int i)
{
    flockfile(stdout);
    SHOW("%d", r->codes[0] * 1000 + i);
    SHOW("\"%s\"", r->method);
    funlockfile(stdout);
}

static void *thread_main(void *argument)
{
    struct request *r = calloc(1, sizeof *r);
    r->codes[0] = *(int *)argument;
    r->method = *(int *)argument % 2 == 0 ? "even" : "odd";
    for (int i = 0; i < 200; i++)
        thread_step(r, i);
    free(r);
    return NULL;
}

int main(int count, char **arguments)
{
    char *words[] = {"first", "second", "third", NULL};
    int numbers[] = {10, 20, 30, 40};
    struct header third = {"c", 3, NULL}, second = {"b", -2, &third}, first = {"a", 1, &second};
    struct opaque opaque = {77};
    struct request r = {"GET",
                        "/index",
                        {'a', 'b', 'c', 'd'},
                        &first,
                        5,
                        1234,
                        -3,
                        -123456789012,
                        BUSY,
                        READ | APPEND,
                        true,
                        'x',
                        200,
                        2.5,
                        0.25f,
                        1.75L,
                        {10, 20, 30, 40},
                        {{1, 2, 3}, {4, 5, -6}},
                        {9, {-8}},
                        18446744073709551610u,
                        NULL,
                        twice,
                        &opaque};
    struct huge huge = {{1, 2, 3, 4}, {5, 6}};
    struct request *heap = malloc(sizeof *heap);
    struct header *gone =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    members(&r, 1);
    *heap = r;
    heap->method = "";
    strcpy(heap->path, "/a\"b");
    heap->state = GONE;
    heap->flags = WRITE;
    heap->open = false;
    heap->score = 7;
    heap->codes[2] = -1;
    strcpy(heap->path, "0123456789abcde");
    members(heap, 2);
    struct counted counted = {5, (unsigned char *)"hello world", "goodbye", 4, "abcd, more"};
    texts(&counted, (const signed char *)"a\0\1\2", 3);
    counted.used = 0;
    no_texts(&counted, NULL, -1, "few");
    sums(7, 2, 255);
    sums(-7, -300, 0);
    sums(0, 2, 1);
    wide_sums(7, 3, -5000000000, 18446744073709551615u, 2);
    wide_sums(-7, 4000000000u, 5, 5, -300);
    wide_sums(0, 0, 0, 0, 2);
    pointers(numbers, numbers + 3, words[0], words, 1);
    munmap(gone, 4096);
    missing(NULL, 0, gone, -2147483647 - 1, &first);
    by_value((struct pair){1, -2}, huge, 3);
    two_copies(&first);
    free(heap);
    pthread_t threads[4];
    int ids[] = {1, 2, 3, 4};
    for (int i = 0; count > 1 && i < 4; i++)
        pthread_create(&threads[i], NULL, thread_main, &ids[i]);
    for (int i = 0; count > 1 && i < 4; i++)
        pthread_join(threads[i], NULL);
    return arguments == NULL;
}
