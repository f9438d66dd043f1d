/*
 * wordstat: counts the words of made-up documents with two indexing threads, and prints the
 * commonest. It is what `make demo` records. It runs well and prints the right answer; what is to
 * be found in it lies in how it runs, and each such place is marked FIND with the query that shows
 * it.
 *
 *   main --documents--> queue --> index-1, index-2 --> table --> report
 */
#define _GNU_SOURCE /* pthread_setname_np() */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENTS 400
#define WORDS_PER_DOCUMENT 60
#define QUEUE_ROOM 16
#define WORKERS 2

struct document {
    char *title;
    char *text;
    size_t length, room; /* of text, bytes */
    unsigned checksum;   /* of the text, where one is asked for */
};

struct entry {
    struct entry *next;
    char *word;
    unsigned count;
};

struct table {
    pthread_mutex_t mutex;
    struct entry **buckets;
    size_t bucket_count, entry_count;
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct document *items[QUEUE_ROOM];
    size_t first, count;
    int closed;
};

static struct queue queue = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                             .changed = PTHREAD_COND_INITIALIZER};
static struct table table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- locks ---- */

static void lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
}

static void unlock(pthread_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
}

/* ---- words ---- */

/* FIND inline-candidates: called for every byte, and by hash_word alone. */
static unsigned hash_byte(unsigned hash, char byte)
{
    return (hash ^ (unsigned char)byte) * 16777619u;
}

static unsigned hash_word(const char *word)
{
    unsigned hash = 2166136261u;
    for (; *word != '\0'; word++)
        hash = hash_byte(hash, *word);
    return hash;
}

static int bytes_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* FIND proxies: each call does nothing but call bytes_equal. */
static int words_equal(const char *a, const char *b)
{
    return bytes_equal(a, b);
}

static char *copy_text(const char *text)
{
    return strdup(text);
}

/* ---- the table ---- */

static struct entry *entry_new(const char *word)
{
    struct entry *entry = calloc(1, sizeof *entry); /* FIND pool-candidates: blocks of one size */
    entry->word = copy_text(word);
    return entry;
}

static void table_grow(void)
{
    size_t count = table.bucket_count == 0 ? 8 : table.bucket_count * 4;
    struct entry **buckets = calloc(count, sizeof *buckets);
    for (size_t i = 0; i < table.bucket_count; i++) {
        for (struct entry *entry = table.buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            size_t at = hash_word(entry->word) % count;
            entry->next = buckets[at];
            buckets[at] = entry;
        }
    }
    free(table.buckets);
    table.buckets = buckets;
    table.bucket_count = count;
}

static void table_add(const char *word)
{
    if (table.entry_count >= table.bucket_count)
        table_grow();
    struct entry **slot = &table.buckets[hash_word(word) % table.bucket_count];
    for (struct entry *entry = *slot; entry != NULL; entry = entry->next) {
        if (words_equal(entry->word, word)) {
            entry->count++;
            return;
        }
    }
    struct entry *entry = entry_new(word);
    entry->count = 1;
    entry->next = *slot;
    *slot = entry;
    table.entry_count++;
}

/* FIND dead-code: nothing removes words. */
int table_remove(const char *word)
{
    struct entry **slot = &table.buckets[hash_word(word) % table.bucket_count];
    for (; *slot != NULL; slot = &(*slot)->next) {
        if (words_equal((*slot)->word, word)) {
            struct entry *entry = *slot;
            *slot = entry->next;
            free(entry->word);
            free(entry);
            return 1;
        }
    }
    return 0;
}

static void table_free(void)
{
    for (size_t i = 0; i < table.bucket_count; i++) {
        for (struct entry *entry = table.buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            free(entry->word);
            free(entry);
        }
    }
    free(table.buckets);
}

/* ---- documents ---- */

/* FIND realloc-chains, allocators: the text grows by 32 bytes at a time. */
static void text_append(struct document *document, const char *word)
{
    size_t length = strlen(word);
    while (document->length + length + 2 > document->room) {
        document->room += 32;
        document->text = realloc(document->text, document->room);
    }
    memcpy(document->text + document->length, word, length);
    document->length += length;
    document->text[document->length++] = ' ';
    document->text[document->length] = '\0';
}

/* FIND outliers: quick, but for every 25th document, whose text it reads bit by bit (CRC-32). */
static unsigned checksum(const struct document *document, unsigned number)
{
    if (number % 25 != 0)
        return 0;
    unsigned sum = ~0u;
    for (size_t i = 0; i < document->length; i++) {
        sum ^= (unsigned char)document->text[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static struct document *document_make(unsigned number)
{
    static const char *const stems[] = {"call",  "heap",  "stack", "thread",
                                        "query", "frame", "site"};
    struct document *document = calloc(1, sizeof *document);
    char word[40];
    snprintf(word, sizeof word, "Report %u", number);
    document->title = copy_text(word);
    for (unsigned i = 0; i < WORDS_PER_DOCUMENT; i++) {
        unsigned pick = (number * 31 + i * i * 7) % 1009;
        snprintf(word, sizeof word, "%s%u", stems[pick % 7], pick % 150);
        text_append(document, word);
    }
    document->checksum = checksum(document, number);
    return document;
}

/* FIND not-freed: every hundredth title is forgotten. cross-thread-frees: main made what is freed
 * here. */
static void document_free(struct document *document, unsigned number)
{
    if (number % 100 != 0)
        free(document->title);
    free(document->text);
    free(document);
}

/* ---- the queue ---- */

static void queue_put(struct document *document)
{
    lock(&queue.mutex);
    while (queue.count == QUEUE_ROOM)
        pthread_cond_wait(&queue.changed, &queue.mutex);
    queue.items[(queue.first + queue.count++) % QUEUE_ROOM] = document;
    pthread_cond_broadcast(&queue.changed);
    unlock(&queue.mutex);
}

static struct document *queue_take(void)
{
    struct document *document = NULL;
    lock(&queue.mutex);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.changed, &queue.mutex);
    if (queue.count > 0) {
        document = queue.items[queue.first++ % QUEUE_ROOM];
        queue.count--;
        pthread_cond_broadcast(&queue.changed);
    }
    unlock(&queue.mutex);
    return document;
}

static void queue_close(void)
{
    lock(&queue.mutex);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.changed);
    unlock(&queue.mutex);
}

/* ---- threads ---- */

static void index_document(struct document *document)
{
    char *text = copy_text(document->text); /* FIND temporary-allocations: strtok_r wants a copy */
    char *rest = NULL;
    lock(&table.mutex);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        table_add(word);
    unlock(&table.mutex);
    free(text);
}

static void *index_thread(void *unused)
{
    for (struct document *document; (document = queue_take()) != NULL;) {
        unsigned number = (unsigned)atoi(document->title + strlen("Report "));
        if (checksum(document, number) != document->checksum)
            exit(1);
        index_document(document);
        document_free(document, number);
    }
    return unused;
}

static int by_count(const void *a, const void *b)
{
    const struct entry *left = *(struct entry *const *)a, *right = *(struct entry *const *)b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return strcmp(left->word, right->word);
}

/* FIND thread-exclusive: this and by_count run in the thread "report" alone. */
static void *report_thread(void *unused)
{
    struct entry **sorted = malloc(table.entry_count * sizeof(struct entry *));
    size_t count = 0;
    for (size_t i = 0; i < table.bucket_count; i++)
        for (struct entry *entry = table.buckets[i]; entry != NULL; entry = entry->next)
            sorted[count++] = entry;
    qsort(sorted, count, sizeof(struct entry *), by_count);
    for (size_t i = 0; i < 3 && i < count; i++)
        printf("%5u %s\n", sorted[i]->count, sorted[i]->word);
    free(sorted);
    return unused;
}

static pthread_t start(void *(*body)(void *), const char *name)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) != 0)
        exit(1);
    pthread_setname_np(thread, name);
    return thread;
}

int main(void)
{
    pthread_t workers[WORKERS];
    workers[0] = start(index_thread, "index-1");
    workers[1] = start(index_thread, "index-2");
    for (unsigned i = 1; i <= DOCUMENTS; i++)
        queue_put(document_make(i));
    queue_close();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(start(report_thread, "report"), NULL);
    table_free();
    return 0;
}
