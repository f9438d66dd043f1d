/*
 * Memory by wrappers: what queries have to book to the functions that wanted the blocks. Built at -O0, or with its
 * functions kept apart.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

struct node {
    struct node *next;
    long value;
};
struct leaf {
    struct leaf *next;
    char text[24];
};

static size_t limit = 1 << 20;

/* A wrapper may call what uses no memory itself. */
APART static void within_limit(size_t size)
{
    if (size > limit)
        abort();
}

/* As large code projects have it: two tries, and words for each way to fail. */
APART static void *get_or(size_t size, int gently)
{
    within_limit(size);
    void *block = malloc(size);
    if (block == NULL && size == 0)
        block = malloc(1);
    if (block == NULL && gently)
        fprintf(stderr, "no memory: %s\n", strerror(errno));
    else if (block == NULL)
        abort();
    return block;
}

APART static void *get(size_t size)
{
    return get_or(size, 0);
}

/* With one caller alone, but it does nothing else. */
APART static void *get_gently(size_t size)
{
    return get_or(size, 1);
}

/* Passes on: a wrapper of a wrapper. */
APART static void *get_zeroed(size_t size)
{
    return memset(get(size), 0, size);
}

APART static void *resize(void *block, size_t size)
{
    block = realloc(block, size);
    if (block == NULL)
        abort();
    return block;
}

APART static void put(void *block)
{
    free(block);
}

/* A constructor is none: it makes one size. */
APART static struct node *node_new(struct node *next, long value)
{
    struct node *node = get(sizeof *node);
    *node = (struct node){next, value};
    return node;
}

APART static struct leaf *leaf_list(int count)
{
    struct leaf *list = NULL;
    for (int i = 0; i < count; i++) {
        struct leaf *leaf = get_zeroed(sizeof *leaf);
        leaf->next = list;
        list = leaf;
    }
    return list;
}

APART static struct node *node_list(int count)
{
    struct node *list = NULL;
    for (int i = 0; i < count; i++)
        list = node_new(list, i);
    return list;
}

APART static struct node *one_more(struct node *list)
{
    return node_new(list, -1);
}

APART static void drop_nodes(struct node *list)
{
    while (list != NULL) {
        struct node *next = list->next;
        put(list);
        list = next;
    }
}

APART static void drop_leaves(struct leaf *list)
{
    while (list != NULL) {
        struct leaf *next = list->next;
        put(list);
        list = next;
    }
}

APART static int grow(int steps)
{
    char *text = NULL;
    for (int i = 1; i <= steps; i++)
        text = resize(text, (size_t)i * 100);
    text[0] = 'x';
    int first = text[0];
    free(text);
    return first;
}

APART static int grow_again(int steps)
{
    char *text = resize(NULL, 7);
    for (int i = 1; i <= steps; i++)
        text = resize(text, 70 + (size_t)i);
    text[0] = 'y';
    int first = text[0];
    free(text);
    return first;
}

APART static void texts(int count)
{
    for (int i = 1; i <= count; i++) {
        char *text = get_gently((size_t)i * 10);
        memset(text, 'z', (size_t)i * 10);
        put(text);
    }
}

int main(void)
{
    texts(8);
    struct leaf *leaves = leaf_list(200);
    struct node *nodes = one_more(node_list(300));
    leaves->next = leaves->next != NULL ? leaves->next : get_zeroed(sizeof *leaves);
    drop_nodes(nodes);
    drop_leaves(leaves);
    void *text = get_zeroed(77);
    put(text);
    return grow(20) + grow_again(9) == 0;
}
