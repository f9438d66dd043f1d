/*
 * Exports of the call graph: callgrind's format for KCachegrind, and drawings for graphviz and
 * Mermaid, which show the functions with the most time up to a limit.
 *
 * Callgrind: https://valgrind.org/docs/manual/cl-format.html. Costs are nanoseconds. A function's
 * file and name are numbered at their first use.
 */
#include "base/utf8.h"
#include "cli/export/export.h"
#include "cli/out/say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- callgrind ---- */

struct callgrind {
    const struct export *export;
    const struct run_view *view;
    bool *named;      /* by functions.id: the name has its number */
    uint32_t *files;  /* by functions.id: number of its file */
    bool *file_named; /* by number */
};

static int compare_files(const void *left, const void *right, void *context)
{
    const struct run_view *view = context;
    const char *a = view->functions[*(const uint32_t *)left].file;
    const char *b = view->functions[*(const uint32_t *)right].file;
    return strcmp(a != NULL ? a : "???", b != NULL ? b : "???");
}

/* Numbers the files: functions of one path get one number. */
static int number_files(struct callgrind *out)
{
    size_t count = 0;
    uint32_t *order = calloc(out->view->functions_count + 1, sizeof *order), number = 0;
    if (order == NULL)
        return fail("out of memory");
    for (uint32_t id = 1; id < out->view->functions_count; id++)
        if (out->view->functions[id].name != NULL)
            order[count++] = id;
    if (count > 1)
        qsort_r(order, count, sizeof *order, compare_files, (void *)(uintptr_t)out->view);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_files(&order[i - 1], &order[i], (void *)(uintptr_t)out->view) != 0)
            number++;
        out->files[order[i]] = number;
    }
    free(order);
    return 0;
}

static void put_file(struct callgrind *out, const char *key, uint32_t function)
{
    const char *file = out->view->functions[function].file;
    uint32_t number = out->files[function];
    fprintf(out->export->out, "%s=(%u)", key, number);
    if (!out->file_named[number]) {
        fputc(' ', out->export->out);
        export_plain_text(out->export->out, file != NULL ? file : "???", "", ' ');
        out->file_named[number] = true;
    }
    fputc('\n', out->export->out);
}

static void put_name(struct callgrind *out, const char *key, uint32_t function)
{
    fprintf(out->export->out, "%s=(%u)", key, function);
    if (!out->named[function]) {
        fputc(' ', out->export->out);
        export_plain_text(out->export->out, out->view->functions[function].name, "", ' ');
        out->named[function] = true;
    }
    fputc('\n', out->export->out);
}

static void put_edges(struct callgrind *out, const struct export_graph *graph, size_t *at,
                      uint32_t caller)
{
    for (; *at < graph->edges_count && graph->edges[*at].caller <= caller; (*at)++) {
        const struct export_edge *edge = &graph->edges[*at];
        if (edge->caller != caller)
            continue;
        int64_t line = out->view->functions[edge->callee].line;
        put_file(out, "cfi", edge->callee);
        put_name(out, "cfn", edge->callee);
        fprintf(out->export->out, "calls=%" PRId64 " %" PRId64 "\n%" PRId64 " %" PRId64 "\n",
                edge->calls, line, edge->line, edge->total_ns);
    }
}

static int put_callgrind(struct callgrind *out, const struct export_graph *graph)
{
    FILE *file = out->export->out;
    int64_t sum_ns = 0;
    size_t at = 0;
    for (size_t id = 1; id < out->view->functions_count; id++)
        run_add(&sum_ns, graph->self_ns[id]);
    fputs("# callgrind format\nversion: 1\ncreator: fisql\ncmd: ", file);
    export_plain_text(file, out->view->command != NULL ? out->view->command : "?", "", ' ');
    fprintf(file, "\npositions: line\nevents: ns\nsummary: %" PRId64 "\n", sum_ns);
    for (uint32_t id = 1; id < out->view->functions_count; id++) {
        if (graph->calls[id] == 0 || out->view->functions[id].name == NULL)
            continue;
        fputc('\n', file);
        put_file(out, "fl", id);
        put_name(out, "fn", id);
        fprintf(file, "%" PRId64 " %" PRId64 "\n", out->view->functions[id].line,
                graph->self_ns[id]);
        put_edges(out, graph, &at, id);
    }
    fprintf(file, "\ntotals: %" PRId64 "\n", sum_ns);
    return 0;
}

int export_callgrind(const struct export *export)
{
    struct callgrind out = {.export = export, .view = export->view};
    struct export_graph graph;
    size_t count = export->view->functions_count + 2;
    int status = export_graph_read(export, &graph);
    out.named = calloc(count, sizeof *out.named);
    out.file_named = calloc(count, sizeof *out.file_named);
    out.files = calloc(count, sizeof *out.files);
    if (status == 0 && (out.named == NULL || out.file_named == NULL || out.files == NULL))
        status = fail("out of memory");
    if (status == 0)
        status = number_files(&out);
    if (status == 0)
        status = put_callgrind(&out, &graph);
    free(out.named);
    free(out.file_named);
    free(out.files);
    export_graph_release(&graph);
    return status;
}

/* ---- drawings ---- */

/* By functions.id: is it one of those with the most time? The caller frees it. */
static bool *choose_nodes(const struct export *export, const struct export_graph *graph,
                          long *left_out)
{
    size_t count = export->view->functions_count;
    bool *chosen = calloc(count + 1, sizeof *chosen);
    *left_out = 0;
    for (long i = 0; chosen != NULL; i++) {
        size_t best = 0;
        for (size_t id = 1; id < count; id++)
            if (graph->calls[id] > 0 && !chosen[id] &&
                (best == 0 || graph->total_ns[id] > graph->total_ns[best]))
                best = id;
        if (best == 0)
            break;
        if (i < export->nodes_max) {
            chosen[best] = true;
            continue;
        }
        for (size_t id = 1; id < count; id++)
            *left_out += graph->calls[id] > 0 && !chosen[id];
        break;
    }
    return chosen;
}

enum { LABEL_WIDTH = 24, LABEL_BYTES_MAX = 1000 };

/* Where the first line of a long name ends: behind one of the separators, or 0. */
static size_t break_behind(const char *name, const char *separators)
{
    for (size_t end = LABEL_WIDTH; end > LABEL_WIDTH / 3; end--)
        if (strchr(separators, name[end - 1]) != NULL && name[end] != ':')
            return end;
    return 0;
}

/* How the two languages write a node, a box around those of a module, and an edge. */
struct drawing {
    const char *begin, *end;
    const char *special; /* characters that mean something in a label */
    void (*escape)(FILE *out, char special);
    const char *line_break;            /* in a label */
    const char *node_begin, *node_end; /* around the label */
    const char *group_begin;           /* a word, then its number */
    const char *group_label_begin;
    const char *group_label_end, *group_end;
    void (*edge)(FILE *out, uint32_t caller, uint32_t callee, int64_t calls);
};

static void put_escaped(FILE *out, char *text, const struct drawing *drawing)
{
    for (char *at = text; *at != '\0';) {
        size_t plain = strcspn(at, drawing->special);
        char special = at[plain];
        at[plain] = '\0';
        export_plain_text(out, at, "", '\'');
        at += plain;
        if (special != '\0') {
            drawing->escape(out, special);
            at++;
        }
    }
}

/* Writes a name in lines of some LABEL_WIDTH bytes, so that boxes stay narrow. It breaks between
 * parts of the name, within one only if that is as long as a line; a very long name is cut. */
static void put_wrapped(FILE *out, const char *name, const struct drawing *drawing)
{
    const char *begin = name;
    while (*name != '\0') {
        char line[LABEL_WIDTH + 8];
        size_t end = strlen(name);
        if (end > LABEL_WIDTH + 4) {
            end = break_behind(name, ":<,( ");
            end = end > 0 ? end : break_behind(name, "_.");
            end = end > 0 ? end : LABEL_WIDTH;
            size_t whole = utf8_cut(name, strlen(name), end); /* not within a character */
            end = whole > 0 ? whole : end;
        }
        snprintf(line, sizeof line, "%.*s", (int)end, name);
        name += strlen(line);
        put_escaped(out, line, drawing);
        fputs(*name != '\0' ? drawing->line_break : "", out);
        if (*name != '\0' && name - begin > LABEL_BYTES_MAX) {
            fputs("…", out);
            return;
        }
    }
}

static void put_node(const struct export *export, const struct export_graph *graph, uint32_t id,
                     int64_t whole_ns, const struct drawing *drawing)
{
    const struct run_function *function = &export->view->functions[id];
    char place[256];
    run_place(function, place, sizeof place);
    fprintf(export->out, "  n%u%s", id, drawing->node_begin);
    put_wrapped(export->out, function->name, drawing);
    fputs(drawing->line_break, export->out);
    put_wrapped(export->out, place, drawing);
    fprintf(export->out, "%s%.1f%% self, %" PRId64 " calls%s\n", drawing->line_break,
            whole_ns > 0 ? 100.0 * (double)graph->self_ns[id] / (double)whole_ns : 0,
            graph->calls[id], drawing->node_end);
}

/* By module of the user's map, those without one first; then by id. */
static int compare_modules(const void *left, const void *right, void *context)
{
    const struct run_view *view = context;
    const uint32_t *a = left, *b = right;
    const char *a_module = view->functions[*a].mapped, *b_module = view->functions[*b].mapped;
    int order = strcmp(a_module != NULL ? a_module : "", b_module != NULL ? b_module : "");
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* Writes the chosen functions, those of a module of the user's map within a box of its name. */
static int put_nodes(const struct export *export, const struct export_graph *graph,
                     const bool *chosen, int64_t whole_ns, const struct drawing *drawing)
{
    const struct run_view *view = export->view;
    uint32_t *order = calloc(view->functions_count + 1, sizeof *order);
    size_t count = 0;
    if (order == NULL)
        return fail("out of memory");
    for (uint32_t id = 1; id < view->functions_count; id++)
        if (chosen[id])
            order[count++] = id;
    if (count > 1)
        qsort_r(order, count, sizeof *order, compare_modules, (void *)(uintptr_t)view);
    const char *module = NULL; /* whose box is open */
    unsigned groups = 0;
    for (size_t i = 0; i < count; i++) {
        const char *mapped = view->functions[order[i]].mapped;
        if (mapped != NULL && *mapped == '\0')
            mapped = NULL;
        if (mapped != NULL && (module == NULL || strcmp(module, mapped) != 0)) {
            fputs(module != NULL ? drawing->group_end : "", export->out);
            fprintf(export->out, "%s%u%s", drawing->group_begin, ++groups,
                    drawing->group_label_begin);
            put_wrapped(export->out, mapped, drawing);
            fputs(drawing->group_label_end, export->out);
        }
        module = mapped;
        put_node(export, graph, order[i], whole_ns, drawing);
    }
    fputs(module != NULL ? drawing->group_end : "", export->out);
    free(order);
    return 0;
}

static int draw(const struct export *export, const struct drawing *drawing)
{
    const struct run_view *view = export->view;
    struct export_graph graph;
    long left_out = 0;
    int64_t whole_ns = 0;
    int status = export_graph_read(export, &graph);
    bool *chosen = status == 0 ? choose_nodes(export, &graph, &left_out) : NULL;
    if (status == 0 && chosen == NULL)
        status = fail("out of memory");
    for (size_t id = 1; status == 0 && id < view->functions_count; id++)
        run_add(&whole_ns, graph.self_ns[id]);
    fputs(status == 0 ? drawing->begin : "", export->out);
    if (status == 0)
        status = put_nodes(export, &graph, chosen, whole_ns, drawing);
    for (size_t i = 0; status == 0 && i < graph.edges_count; i++) {
        const struct export_edge *edge = &graph.edges[i];
        if (edge->caller == 0 || !chosen[edge->caller] || !chosen[edge->callee])
            continue;
        int64_t calls = edge->calls;
        while (i + 1 < graph.edges_count && graph.edges[i + 1].caller == edge->caller &&
               graph.edges[i + 1].callee == edge->callee)
            run_add(&calls, graph.edges[++i].calls);
        drawing->edge(export->out, edge->caller, edge->callee, calls);
    }
    fputs(status == 0 ? drawing->end : "", export->out);
    if (left_out > 0)
        note("%ld functions with less time are left out (--nodes)", left_out);
    free(chosen);
    export_graph_release(&graph);
    return status;
}

/* Graphviz reads entities in labels, as in HTML. */
static void dot_escape(FILE *out, char special)
{
    fprintf(out, special == '&' ? "%camp;" : "\\%c", special);
}

static void dot_edge(FILE *out, uint32_t caller, uint32_t callee, int64_t calls)
{
    fprintf(out, "  n%u -> n%u [label=\"%" PRId64 "\"];\n", caller, callee, calls);
}

int export_dot(const struct export *export)
{
    static const struct drawing dot = {
        /* At most 31 inches, which are 2,976 pixels. */
        .begin = "digraph calls {\n  graph [size=\"31,31\", nodesep=0.15, ranksep=0.4];\n"
                 "  node [shape=box, fontname=\"sans-serif\"];\n",
        .end = "}\n",
        .special = "\"\\&",
        .escape = dot_escape,
        .line_break = "\\n",
        .node_begin = " [label=\"",
        .node_end = "\"];",
        .group_begin = "  subgraph cluster_",
        .group_label_begin = " {\n  label=\"",
        .group_label_end = "\"; fontname=\"sans-serif\"; style=rounded;\n",
        .group_end = "  }\n",
        .edge = dot_edge};
    return draw(export, &dot);
}

static void mermaid_escape(FILE *out, char special)
{
    fprintf(out, "#%d;", special);
}

static void mermaid_edge(FILE *out, uint32_t caller, uint32_t callee, int64_t calls)
{
    fprintf(out, "  n%u -->|%" PRId64 "| n%u\n", caller, calls, callee);
}

int export_mermaid(const struct export *export)
{
    static const struct drawing mermaid = {.begin = "flowchart TD\n",
                                           .end = "",
                                           .special =
                                               "\"`#;<>&%\\", /* %% begins a comment or an order */
                                           .escape = mermaid_escape,
                                           .line_break = "<br>",
                                           .node_begin = "[\"",
                                           .node_end = "\"]",
                                           .group_begin = "  subgraph m",
                                           .group_label_begin = "[\"",
                                           .group_label_end = "\"]\n",
                                           .group_end = "  end\n",
                                           .edge = mermaid_edge};
    return draw(export, &mermaid);
}
