/* Blocks that are made one by one and freed by one call, by a recursion, by another thread, and the reverse. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next, *left, *right;
};

static struct node *list, *tree, *queue, *batch[50];

/* A wrapper of free: who calls it frees. */
__attribute__((noinline)) static void release(struct node *node)
{
    free(node);
}

__attribute__((noinline)) static struct node *new_node(struct node *next)
{
    struct node *node = calloc(1, sizeof *node);
    if (node == NULL)
        abort();
    node->next = next;
    return node;
}

__attribute__((noinline)) static struct node *add(struct node *to)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->next = to;
    return node;
}

__attribute__((noinline)) static void list_free(void)
{
    while (list != NULL) {
        struct node *next = list->next;
        release(list);
        list = next;
    }
}

__attribute__((noinline)) static struct node *grow(int depth)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->left = depth > 0 ? grow(depth - 1) : NULL;
    node->right = depth > 0 ? grow(depth - 1) : NULL;
    return node;
}

__attribute__((noinline)) static void tree_free(struct node *node)
{
    if (node == NULL)
        return;
    tree_free(node->left);
    tree_free(node->right);
    free(node);
}

__attribute__((noinline)) static void make_batch(void)
{
    for (int i = 0; i < 50; i++)
        if ((batch[i] = malloc(64)) == NULL)
            abort();
}

__attribute__((noinline)) static void drop(int i)
{
    free(batch[i]);
}

__attribute__((noinline)) static void drain(int most)
{
    for (; most > 0 && queue != NULL; most--) {
        struct node *next = queue->next;
        free(queue);
        queue = next;
    }
}

static void *consume(void *unused)
{
    drain(15);
    drain(45);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 200; i++)
        list = add(list);
    struct node *last = list;
    list = list->next;
    release(last); /* one of them alone */
    tree = grow(5);
    make_batch();
    for (int i = 0; i < 60; i++)
        queue = new_node(queue);
    if (pthread_create(&thread, NULL, consume, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    list_free();
    tree_free(tree);
    for (int i = 0; i < 50; i++)
        drop(i);
    return 0;
}
