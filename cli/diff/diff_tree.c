/*
 * The calling context trees of two runs as one: contexts with the same functions (name and file)
 * along their stacks are one node with the figures of both. Marks: + only in B, - only in A, !
 * other numbers of calls. A node without a mark has marked ones below it, or --all is given.
 */
#include "cli/run/database.h"
#include "cli/diff/diff.h"
#include "cli/out/output.h"
#include "cli/out/pager.h"
#include "cli/run/run_view.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct node {
    uint32_t parent, child, sibling;
    const struct run_function *function;
    int64_t total_ns[2], calls[2];
    bool differs; /* itself or something below it */
};

struct trees {
    struct node *nodes; /* nodes[0] is above the roots */
    uint32_t count;
    const struct diff_tree_options *options;
};

static bool same_function(const struct run_function *a, const struct run_function *b)
{
    /* Every frame has its function. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    const char *left = a->file != NULL ? strrchr(a->file, '/') : NULL;
    const char *right = b->file != NULL ? strrchr(b->file, '/') : NULL;
    return strcmp(run_full_name(a), run_full_name(b)) == 0 &&
           strcmp(left != NULL ? left : "", right != NULL ? right : "") == 0;
}

static uint32_t find_node(struct trees *trees, uint32_t parent, const struct run_function *function)
{
    for (uint32_t at = trees->nodes[parent].child; at != 0; at = trees->nodes[at].sibling)
        if (same_function(trees->nodes[at].function, function))
            return at;
    uint32_t made = trees->count++;
    trees->nodes[made] = (struct node){
        .parent = parent, .sibling = trees->nodes[parent].child, .function = function};
    trees->nodes[parent].child = made;
    return made;
}

static int add_view(struct trees *trees, const struct run_view *view, int side)
{
    uint32_t *node_of = calloc(view->frames_count + 1, sizeof *node_of);
    if (node_of == NULL)
        return fail("out of memory");
    for (size_t id = 1; id < view->frames_count; id++) {
        const struct run_frame *frame = &view->frames[id];
        if (frame->function == 0)
            continue;
        const struct run_function *function = &view->functions[frame->function];
        uint32_t parent = frame->parent == 0 ? 0 : node_of[frame->parent];
        bool folded = parent != 0 && same_function(trees->nodes[parent].function, function);
        uint32_t at = folded ? parent : find_node(trees, parent, function);
        node_of[id] = at;
        run_add(&trees->nodes[at].calls[side], frame->calls);
        run_add(&trees->nodes[at].total_ns[side], folded ? 0 : frame->total_ns);
        if (parent == 0)
            run_add(&trees->nodes[0].total_ns[side], frame->total_ns);
    }
    free(node_of);
    return 0;
}

static void mark(struct trees *trees)
{
    for (uint32_t at = trees->count; at-- > 1;) {
        struct node *node = &trees->nodes[at];
        node->differs |= node->calls[0] != node->calls[1];
        trees->nodes[node->parent].differs |= node->differs;
    }
}

static int64_t larger(const struct node *node)
{
    return node->total_ns[0] > node->total_ns[1] ? node->total_ns[0] : node->total_ns[1];
}

static int by_time(const void *left, const void *right, void *context)
{
    const struct trees *trees = context;
    int64_t a = larger(&trees->nodes[*(const uint32_t *)left]);
    int64_t b = larger(&trees->nodes[*(const uint32_t *)right]);
    if (a != b)
        return a > b ? -1 : 1;
    return *(const uint32_t *)left < *(const uint32_t *)right ? -1 : 1;
}

static void print_node(const struct node *node, long level)
{
    char times[2][32], place[256];
    for (int i = 0; i < 2; i++)
        output_time((double)node->total_ns[i], times[i], sizeof times[i]);
    run_place(node->function, place, sizeof place);
    char sign = node->calls[0] == 0                ? '+'
                : node->calls[1] == 0              ? '-'
                : node->calls[0] != node->calls[1] ? '!'
                                                   : ' ';
    printf("%c %10s %10s %11" PRId64 " %11" PRId64 "  %*s", sign,
           node->calls[0] > 0 ? times[0] : "", node->calls[1] > 0 ? times[1] : "", node->calls[0],
           node->calls[1], (int)(2 * (level < 60 ? level : 60)), "");
    text_put(stdout, node->function->name);
    fputs("  ", stdout);
    text_put(stdout, place);
    fputc('\n', stdout);
}

static void print_below(struct trees *trees, uint32_t at, long level)
{
    const struct diff_tree_options *options = trees->options;
    if ((options->depth_max > 0 && level >= options->depth_max) || level > 500)
        return;
    uint32_t all = 0, count = 0;
    for (uint32_t child = trees->nodes[at].child; child != 0; child = trees->nodes[child].sibling)
        all++;
    uint32_t *children = malloc(((size_t)all + 1) * sizeof *children);
    double whole = (double)larger(&trees->nodes[0]) * options->min_percent / 100;
    for (uint32_t child = trees->nodes[at].child; children != NULL && child != 0;
         child = trees->nodes[child].sibling)
        if ((trees->nodes[child].differs || options->all) &&
            (double)larger(&trees->nodes[child]) >= whole)
            children[count++] = child;
    if (count > 1)
        qsort_r(children, count, sizeof *children, by_time, trees);
    for (uint32_t i = 0; children != NULL && i < count && !ferror(stdout); i++) {
        print_node(&trees->nodes[children[i]], level);
        print_below(trees, children[i], level + 1);
    }
    free(children);
}

int diff_tree(const char *a_path, const char *b_path, const struct diff_tree_options *options)
{
    const char *paths[2] = {a_path, b_path};
    sqlite3 *databases[2] = {NULL, NULL};
    struct run_view views[2] = {{.frames_count = 0}, {.frames_count = 0}};
    struct trees trees = {.count = 1, .options = options};
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++) {
        databases[i] = database_open(paths[i]);
        status = databases[i] == NULL
                     ? 2
                     : run_view_open(&views[i], databases[i], options->style, options->measure);
    }
    if (status == 0) {
        trees.nodes =
            calloc(views[0].frames_count + views[1].frames_count + 2, sizeof *trees.nodes);
        if (trees.nodes == NULL)
            status = fail("out of memory");
    }
    for (int i = 0; i < 2 && status == 0; i++)
        status = add_view(&trees, &views[i], i);
    if (status == 0) {
        mark(&trees);
        pager_start();
        printf("  %10s %10s %11s %11s\n", "total A", "total B", "calls A", "calls B");
        print_below(&trees, 0, 0);
        if (!trees.nodes[0].differs)
            puts("the trees have the same contexts with the same numbers of calls");
    }
    free(trees.nodes);
    for (int i = 0; i < 2; i++) {
        run_view_release(&views[i]);
        sqlite3_close(databases[i]);
    }
    return status;
}
