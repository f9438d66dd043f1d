/*
 * What only calls of libraries show: a text is measured in each step of a loop, and appended to from its beginning;
 * a file is written byte by byte; another one is looked for in vain, again and again; a thread sleeps to look whether
 * another one has ended. And two functions whose calls take longer the more often they are called: names are looked
 * for one by one, and sorted anew after each that is new (quick calls, so that their number shows it).
 *
 * With -DSOUND the same work as it should be done.
 */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))
#define NAMES 4000
#define SORTED 1200

static char text[40001];
static uint32_t names[NAMES], sorted[SORTED];
static int names_count, sorted_count, compared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int over;

FUNCTION void to_lower(char *word)
{
#ifdef SOUND
    for (size_t i = 0, length = strlen(word); i < length; i++)
#else
    for (size_t i = 0; i < strlen(word); i++)
#endif
        word[i] = (char)tolower((unsigned char)word[i]);
}

FUNCTION size_t join(char *line, int words)
{
    char *end = line;
    for (int i = 0; i < words; i++)
#ifdef SOUND
        end = stpcpy(end, "word, ");
#else
        strcat(line, "word, ");
#endif
    return strlen(line) + (size_t)(end - line);
}

FUNCTION void put(int file, const char *from, size_t length)
{
    size_t step = 1;
#ifdef SOUND
    step = length;
#endif
    for (size_t i = 0; i < length; i += step)
        if (write(file, from + i, step) < 0)
            abort();
}

FUNCTION int settings(int number)
{
    static int file = -2;
#ifdef SOUND
    if (file == -2)
#endif
        file = open("/nonexistent/settings", O_RDONLY);
    return file + number;
}

FUNCTION int find(uint32_t name)
{
#ifdef SOUND
    return name % 7 != 0;
#endif
    for (int i = 0; i < names_count; i++)
        if (names[i] == name)
            return i;
    return -1;
}

FUNCTION int compare(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    compared++;
    return one < other ? -1 : one > other;
}

FUNCTION void sort_all(void)
{
    qsort(sorted, (size_t)sorted_count, sizeof *sorted, compare);
}

FUNCTION void add_sorted(uint32_t name)
{
    sorted[sorted_count++] = name;
#ifndef SOUND
    sort_all();
    __asm__ volatile("" ::: "memory"); /* not the last thing: no tail call */
#endif
}

FUNCTION void *works(void *unused)
{
    usleep(300000);
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

FUNCTION int is_over(void)
{
    return __atomic_load_n(&over, __ATOMIC_ACQUIRE);
}

FUNCTION void await(void)
{
#ifdef SOUND
    pthread_mutex_lock(&lock);
    while (!over)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
#else
    while (!is_over())
        usleep(20);
#endif
}

int main(void)
{
    static char line[30000];
    pthread_t thread;
    uint32_t seed = 42;
    int file = open("/dev/null", O_WRONLY), found = 0;
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)('A' + i % 26);
    to_lower(text);
    size_t length = join(line, 4000);
    put(file, text, sizeof text - 1);
    for (int i = 0; i < 20000; i++)
        found += settings(i) >= 0;
    for (int i = 0; i < 2 * NAMES; i++) {
        seed = seed * 1103515245u + 12345u;
        uint32_t name = seed >> 8;
        if (find(name) >= 0)
            found++;
        else if (names_count < NAMES)
            names[names_count++] = name;
        if (i < SORTED)
            add_sorted(name);
    }
    pthread_create(&thread, NULL, works, NULL);
    await();
    pthread_join(thread, NULL);
    printf("%d %d %d\n", found > 0, length > 0, sorted_count);
    return 0;
}
