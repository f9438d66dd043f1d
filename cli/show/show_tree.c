/*
 * The calling context tree as text: see show_tree.h.
 *
 * The database's frames distinguish call sites; people want one line for a function under its
 * caller. So we merge frames into nodes by function and parent node. A child's node has a larger
 * index than its parent's, so totals over subtrees are sums from the end to the start.
 *
 * By value, we make nodes of single calls: each value of an argument is a root, a node whose
 * function number lies beyond the run's.
 */
#include "cli/show/show_tree.h"

#include "base/array.h"
#include "base/intern.h"
#include "cli/run/call_cursor.h"
#include "cli/run/calls_by_value.h"
#include "cli/query/time_doubt.h"
#include "cli/run/database.h"
#include "cli/run/own_code.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 26 };

struct node {
    uint32_t parent, function;
    uint32_t child, sibling; /* first child, next sibling; 0 = none */
    int64_t total_ns, self_ns, paused_ns, calls, bytes, all_calls;
    bool cut; /* its own time is known in part */
};

struct tree {
    const struct run_view *view;
    struct node *nodes; /* nodes[0] is above the roots */
    uint32_t count;
    size_t capacity;
    struct intern places; /* (parent, function): nodes are numbered by them from 1 on */
    const struct show_tree_request *request;
    FILE *out;
    double doubt_ns; /* by which a call's time may be off */
    bool colour;
    uint32_t left_out;
    char **marks; /* by functions.id, what they are: an initializer or the like; NULL = nothing */
    /* by value */
    uint32_t valued;       /* functions.id of the function */
    const char *parameter; /* its name, or result */
    char **texts;          /* of the values, in the order in which they came */
    size_t texts_count, texts_capacity;
};

/* The node above the roots. */
static int plant(struct tree *tree)
{
    if (array_reserve(&tree->nodes, &tree->capacity, 1, NULL) != 0)
        return fail("out of memory");
    tree->nodes[0] = (struct node){0};
    tree->count = 1;
    return 0;
}

/* The node of a function under a parent. 0, or 2 without memory. */
static int find_node(struct tree *tree, uint32_t parent, uint32_t function, uint32_t *node)
{
    if (tree->count > NODES_MAX || intern_add(&tree->places, parent, function, node, NULL) != 0 ||
        array_reserve(&tree->nodes, &tree->capacity, (size_t)tree->count + 1, NULL) != 0)
        return fail("out of memory for %u contexts", tree->count);
    if (++*node < tree->count)
        return 0;
    tree->nodes[tree->count++] =
        (struct node){.parent = parent, .function = function, .sibling = tree->nodes[parent].child};
    tree->nodes[parent].child = *node;
    return 0;
}

/* Adds what lies below to each node; the root gets the roots' times. */
static void sum_up(struct tree *tree)
{
    for (uint32_t at = tree->count; at-- > 1;) {
        struct node *node = &tree->nodes[at], *parent = &tree->nodes[node->parent];
        run_add(&node->all_calls, node->calls);
        run_add(&parent->all_calls, node->all_calls);
        run_add(&parent->bytes, node->bytes);
        if (node->parent == 0)
            run_add(&parent->total_ns, node->total_ns);
    }
}

static int build(struct tree *tree, const bool *from)
{
    const struct run_view *view = tree->view;
    uint32_t *node_of = calloc(view->frames_count + 1, sizeof *node_of);
    int status = node_of == NULL ? fail("out of memory") : plant(tree);
    for (size_t id = 1; status == 0 && id < view->frames_count; id++) {
        const struct run_frame *frame = &view->frames[id];
        if (frame->function == 0)
            continue;
        uint32_t parent = frame->parent == 0 ? 0 : node_of[frame->parent];
        bool root = parent == 0 && (from != NULL ? from[frame->function] : frame->parent == 0);
        if (parent == 0 && !root)
            continue;
        bool folded = parent != 0 && tree->nodes[parent].function == frame->function;
        uint32_t at = parent;
        if (!folded && (status = find_node(tree, parent, frame->function, &at)) != 0)
            break;
        struct node *node = &tree->nodes[at];
        node_of[id] = at;
        run_add(&node->total_ns, folded ? 0 : frame->total_ns);
        run_add(&node->self_ns, frame->self_ns);
        run_add(&node->paused_ns, frame->paused_ns);
        node->cut |= frame->cut;
        run_add(&node->calls, frame->calls);
        run_add(&node->bytes, frame->alloc_bytes);
    }
    free(node_of);
    sum_up(tree);
    return status;
}

static int64_t weight(const struct tree *tree, uint32_t at)
{
    const struct node *node = &tree->nodes[at];
    return tree->request->sort == TREE_BY_TIME    ? node->total_ns
           : tree->request->sort == TREE_BY_CALLS ? node->all_calls
                                                  : node->bytes;
}

static int by_weight(const void *left, const void *right, void *context)
{
    const struct tree *tree = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int64_t a_weight = weight(tree, a), b_weight = weight(tree, b);
    return a_weight != b_weight ? (a_weight > b_weight ? -1 : 1) : (a < b ? -1 : a > b);
}

/* "fib(n=3)", or "fib = 2" for a result. */
static void put_value(const struct tree *tree, const char *text)
{
    bool result = strcmp(tree->parameter, "result") == 0;
    text_put(tree->out, tree->view->functions[tree->valued].name);
    fputs(result ? " = " : "(", tree->out);
    text_put(tree->out, result ? "" : tree->parameter);
    fputs(result ? "" : "=", tree->out);
    text_put(tree->out, text);
    fputs(result ? "" : ")", tree->out);
}

/* The functions' marks, if the database has any. Returns 0, or 2 after saying what is wrong. */
static int read_marks(struct tree *tree, sqlite3 *database)
{
    sqlite3_stmt *row;
    tree->marks = calloc(tree->view->functions_count + 1, sizeof *tree->marks);
    if (tree->marks == NULL)
        return fail("out of memory");
    if (database_rows(database, "SELECT function_id, mark FROM function_marks", "tree", &row) != 0)
        return 2;
    while (database_row(row)) {
        int64_t id = sqlite3_column_int64(row, 0);
        if (id <= 0 || (uint64_t)id >= tree->view->functions_count || tree->marks[id] != NULL)
            continue;
        tree->marks[id] = database_copy(row, 1);
        if (tree->marks[id] == NULL)
            break;
    }
    return database_rows_end(row, "tree");
}

static void put_mark(const struct tree *tree, uint32_t function)
{
    if (tree->marks == NULL || tree->marks[function] == NULL)
        return;
    fputs(tree->colour ? "  \033[2m(" : "  (", tree->out);
    text_put(tree->out, tree->marks[function]);
    fputs(tree->colour ? ")\033[0m" : ")", tree->out);
}

static void free_marks(struct tree *tree)
{
    for (size_t i = 0; tree->marks != NULL && i < tree->view->functions_count; i++)
        free(tree->marks[i]);
    free(tree->marks);
}

static const char *shade(const struct tree *tree, double share)
{
    return !tree->colour ? "" : share >= 20 ? "\033[31m" : share >= 5 ? "\033[33m" : "";
}

static void put_name(const struct tree *tree, uint32_t function)
{
    char place[256];
    run_place(&tree->view->functions[function], place, sizeof place);
    fputs(tree->colour ? "\033[1m" : "", tree->out);
    text_put(tree->out, tree->view->functions[function].name);
    fputs(tree->colour ? "\033[0m\033[2m  " : "  ", tree->out);
    text_put(tree->out, place);
    fputs(tree->colour ? "\033[0m" : "", tree->out);
}

static void print_node(const struct tree *tree, uint32_t at, const char *lines, bool last,
                       bool root)
{
    const struct node *node = &tree->nodes[at];
    char total[32], self[32], bytes[32] = "";
    double doubt_ns = tree->doubt_ns * (double)node->calls;
    output_doubtful_time((double)node->total_ns, doubt_ns, total, sizeof total);
    self[0] = '>';
    output_doubtful_time((double)node->self_ns, doubt_ns, self + node->cut, sizeof self - 1);
    if (node->bytes > 0)
        output_bytes((double)node->bytes, bytes, sizeof bytes);
    bool is_value = node->function >= tree->view->functions_count;
    int64_t whole = weight(tree, 0);
    double share = whole > 0 ? 100.0 * (double)weight(tree, at) / (double)whole : 0;
    const char *begin = shade(tree, share);
    fprintf(tree->out, "%10s %s%5.1f%%%s %10s %11" PRId64 " %10s  %s%s", total, begin, share,
            begin[0] != '\0' ? "\033[0m" : "", self, node->calls, bytes, lines,
            root   ? ""
            : last ? "└─ "
                   : "├─ ");
    if (is_value) {
        put_value(tree, tree->texts[node->function - tree->view->functions_count]);
    } else {
        put_name(tree, node->function);
        put_mark(tree, node->function);
    }
    if (node->paused_ns > 0) {
        output_time((double)node->paused_ns, total, sizeof total);
        fprintf(tree->out, "  (paused %s)", total);
    }
    fputc('\n', tree->out);
}

/* The children of a node that are large enough, sorted, as a malloc'ed list. */
static uint32_t *children_of(struct tree *tree, uint32_t at, uint32_t *count)
{
    uint32_t all = 0;
    for (uint32_t child = tree->nodes[at].child; child != 0; child = tree->nodes[child].sibling)
        all++;
    uint32_t *list = malloc(((size_t)all + 1) * sizeof *list);
    *count = 0;
    for (uint32_t child = tree->nodes[at].child; list != NULL && child != 0;
         child = tree->nodes[child].sibling) {
        if (100.0 * (double)weight(tree, child) >=
            tree->request->min_percent * (double)weight(tree, 0))
            list[(*count)++] = child;
        else
            tree->left_out++;
    }
    if (*count > 1)
        qsort_r(list, *count, sizeof *list, by_weight, tree);
    return list;
}

enum { LINES_MAX = 4096, LEVELS_MAX = 600, VALUES_MAX = 1000 };

static void print_below(struct tree *tree, uint32_t at, char *lines, long level)
{
    uint32_t count;
    if (tree->request->depth_max > 0 && level >= tree->request->depth_max)
        return;
    if (level >= LEVELS_MAX) {
        fprintf(tree->out, "%53s  %s…\n", "", lines);
        return;
    }
    uint32_t *children = children_of(tree, at, &count);
    size_t length = strlen(lines);
    for (uint32_t i = 0; children != NULL && i < count && !ferror(tree->out); i++) {
        bool last = i + 1 == count;
        print_node(tree, children[i], lines, last, level == 0);
        if (level > 0)
            snprintf(lines + length, LINES_MAX - length, "%s", last ? "   " : "│  ");
        print_below(tree, children[i], lines, level + 1);
        lines[length] = '\0';
    }
    free(children);
}

/* ---- by value ---- */

/* The value's number; -1 without memory. Values are few, or else nobody can read the tree. */
static int64_t number_of(struct tree *tree, const char *text)
{
    for (size_t i = 0; i < tree->texts_count; i++)
        if (strcmp(tree->texts[i], text) == 0)
            return (int64_t)i;
    if (tree->texts_count == VALUES_MAX)
        text = "(others)";
    if (tree->texts_count > VALUES_MAX)
        return VALUES_MAX;
    if (array_reserve(&tree->texts, &tree->texts_capacity, tree->texts_count + 1, NULL) != 0 ||
        (tree->texts[tree->texts_count] = strdup(text)) == NULL)
        return -1;
    return (int64_t)tree->texts_count++;
}

struct open_call {
    int64_t last;
    uint32_t node;
};

/* Adds a call below the innermost one that it lies in, or as a root of its value. */
static int add_call(struct tree *tree, const struct call_by_value *call, struct open_call *around,
                    uint32_t *node)
{
    uint32_t parent = 0, function = call->function;
    if (around != NULL)
        parent = around->node;
    if (call->text != NULL) {
        int64_t number = number_of(tree, call->text);
        if (number < 0)
            return fail("out of memory");
        function = (uint32_t)tree->view->functions_count + (uint32_t)number;
    }
    bool folded = parent != 0 && tree->nodes[parent].function == function;
    *node = parent;
    if (!folded && function != 0 && find_node(tree, parent, function, node) != 0)
        return 2;
    struct node *at = &tree->nodes[*node];
    run_add(&at->total_ns, folded || function == 0 ? 0 : call->time_ns);
    run_add(&at->calls, function != 0);
    run_add(&at->self_ns, call->time_ns);
    run_add(&at->self_ns, -call->paused_by_measure_ns);
    run_add(&at->paused_ns, call->paused_ns);
    if (around != NULL)
        run_add(&tree->nodes[around->node].self_ns, -call->time_ns);
    return 0;
}

static int add_calls(struct tree *tree, struct calls_by_value *of)
{
    struct open_call *open = NULL;
    size_t count = 0, capacity = 0;
    struct call_by_value call;
    int more, status = 0;
    while (status == 0 && (more = calls_by_value_next(of, &call)) > 0) {
        while (count > 0 && (call.text != NULL || open[count - 1].last < call.id))
            count--;
        uint32_t node = 0;
        status = add_call(tree, &call, count > 0 ? &open[count - 1] : NULL, &node);
        if (status == 0 && array_reserve(&open, &capacity, count + 1, NULL) != 0)
            status = fail("out of memory");
        if (status == 0)
            open[count++] = (struct open_call){call.last, node};
    }
    free(open);
    return status != 0 || more < 0 ? 2 : 0;
}

static int build_by_value(struct tree *tree, const struct show_tree_request *request)
{
    struct calls_by_value of;
    int status = calls_by_value_open(&of, tree->view, request->measure, request->by_value);
    if (status == 0)
        status = plant(tree);
    if (status == 0) {
        tree->parameter = of.name;
        tree->valued = of.function;
        status = add_calls(tree, &of);
    }
    calls_by_value_close(&of);
    for (uint32_t at = 1; status == 0 && at < tree->count; at++)
        if (tree->nodes[at].self_ns < 0) /* the hooks' cost is a mean */
            tree->nodes[at].self_ns = 0;
    if (status == 0)
        sum_up(tree);
    return status;
}

/* Builds the tree below some functions, or the whole. */
static int build_from(struct tree *tree, const char *function)
{
    bool *from = NULL;
    const struct call_cut cut = {.function = function};
    int status = call_cut_functions(&cut, "--from", tree->view, &from);
    if (status == 0)
        status = build(tree, from);
    free(from);
    return status;
}

static int print_tree(struct tree *tree)
{
    const struct show_tree_request *request = tree->request;
    char lines[LINES_MAX] = "";
    int status =
        request->by_value != NULL ? build_by_value(tree, request) : build_from(tree, request->from);
    if (status != 0)
        return status;
    tree->colour = tree->out == stdout && colour_start(request->colour);
    fprintf(tree->out, "%10s %6s %10s %11s %10s\n", "total", "share", "self", "calls", "allocated");
    print_below(tree, 0, lines, 0);
    if (tree->left_out > 0)
        fprintf(tree->out, "\n%u contexts below %.4g %% are left out (--min-percent)\n",
                tree->left_out, request->min_percent);
    return 0;
}

/* Folds the database into own code, unless the request is for all of it. */
static int fold(const struct show_tree_request *request, sqlite3 *database)
{
    bool folded = false;
    if (request->all_code || request->by_value != NULL || own_code_has_external(database) ||
        (request->from != NULL && own_code_none_named(database, request->from)))
        return 0;
    int status = own_code_fold(database, &folded);
    if (status == 0 && folded)
        note("functions of system headers count as part of their callers: --all-code shows them");
    return status;
}

int show_tree(sqlite3 *database, const char *path, const struct show_tree_request *request,
              FILE *out)
{
    struct tree tree = {.request = request, .out = out};
    struct run_view view = {0};
    int status = fold(request, database);
    if (status == 0)
        status = run_view_open(&view, database, request->style, request->measure);
    tree.view = &view;
    if (status == 0 && request->by_value != NULL && !run_has_calls(database, path, "--by-value"))
        status = 2;
    if (status == 0)
        status = read_marks(&tree, database);
    if (status == 0 && request->measure != MEASURE_WAIT)
        tree.doubt_ns = time_doubt_a_call(database);
    if (status == 0) {
        database_say_state(database, path);
        status = print_tree(&tree);
    }
    free_marks(&tree);
    free(tree.nodes);
    intern_release(&tree.places);
    for (size_t i = 0; i < tree.texts_count; i++)
        free(tree.texts[i]);
    free(tree.texts);
    run_view_release(&view);
    return status;
}
