/* Builds trees and frees them. POOL: nodes come from a list of free ones. */
#include "work.h"

#ifdef SHORT
enum { TREES = 3 };
#else
enum { TREES = 40 };
#endif
enum { NODES = 40000, LOOK_STEPS = 20 };

struct node {
    struct node *left, *right;
    uint64_t key;
};

#ifdef POOL
static struct node *free_nodes;
#endif

PART struct node *node_new(uint64_t key)
{
    struct node *node;
#ifdef POOL
    if (free_nodes == NULL) {
        struct node *chunk = malloc(1000 * sizeof *chunk);
        for (int i = 0; i < 1000; i++) {
            chunk[i].left = free_nodes;
            free_nodes = &chunk[i];
        }
    }
    node = free_nodes;
    free_nodes = node->left;
#else
    node = malloc(sizeof *node);
#endif
    node->left = node->right = NULL;
    node->key = key;
    return node;
}

PART void node_free(struct node *node)
{
#ifdef POOL
    node->left = free_nodes;
    free_nodes = node;
#else
    free(node);
#endif
}

PART uint64_t look(uint64_t value)
{
    for (int i = 0; i < LOOK_STEPS; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value;
}

static struct node *nodes[NODES];

int main(void)
{
    uint64_t key = 1;
    for (int t = 0; t < TREES; t++) {
        for (int i = 0; i < NODES; i++) {
            key = look(key);
            nodes[i] = node_new(key);
        }
        for (int i = 0; i < NODES; i++)
            node_free(nodes[i]);
    }
    return key == 0;
}
