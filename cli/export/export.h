/*
 * Exports: a run in the formats of other viewers. Each format is one function that writes to a
 * stream; what they share is here. Memory: the program's names, its calling context tree and its
 * call graph, never the calls.
 */
#ifndef FISQL_CLI_EXPORT_EXPORT_H
#define FISQL_CLI_EXPORT_EXPORT_H

#include "cli/run/call_cursor.h"
#include "cli/run/call_pauses.h"
#include "cli/run/call_values.h"

#include <stdio.h>

enum export_weight { WEIGHT_TIME, WEIGHT_CALLS, WEIGHT_BYTES };

struct export
{
    const struct run_view *view;
    const struct call_cut *cut;
    const bool *wanted; /* functions, as in call_cursor.h */
    struct call_values *values;
    enum export_weight weight;
    enum measure measure;
    long nodes_max; /* of a drawn call graph */
    FILE *out;
};

/* X(word, function, binary, calls, what it is): `calls`: it needs single calls even without a
 * cut. */
#define EXPORT_FORMATS(X)                                                                          \
    X("perfetto", export_perfetto, true, true, "protobuf for ui.perfetto.dev")                     \
    X("chrome", export_chrome, false, true, "JSON for chrome://tracing and Perfetto")              \
    X("speedscope", export_speedscope, false, true, "JSON for speedscope.app")                     \
    X("folded", export_folded, false, false, "folded stacks for flame graph scripts")              \
    X("callgrind", export_callgrind, false, false, "for KCachegrind and callgrind_annotate")       \
    X("pprof", export_pprof, true, false, "gzipped protobuf for go tool pprof")                    \
    X("dot", export_dot, false, false, "the call graph for graphviz")                              \
    X("mermaid", export_mermaid, false, false, "the call graph for Markdown pages")

/* Each returns 0, or 2 after saying what is wrong. The caller checks the stream. */
#define EXPORT_DECLARE(word, function, binary, calls, what)                                        \
    int function(const struct export *export);
EXPORT_FORMATS(EXPORT_DECLARE)
#undef EXPORT_DECLARE

/* ---- single calls ---- */

/* Gets a thread's calls as they nest: every enter has its leave. gap (NULL = not wanted): what the
 * recording took of the innermost call (table recording_gaps), within the piece; overlaps no other
 * call. A result other than 0 ends the walk with that status. */
struct export_sink {
    int (*enter)(void *context, const struct shown_call *call);
    int (*leave)(void *context, const struct shown_call *call);
    int (*gap)(void *context, int64_t start_ns, int64_t end_ns);
    void *context;
};
#define EXPORT_GAP_NAME "recording" /* in the place of a function's name */

int export_walk(const struct export *export, const struct run_thread *thread,
                const struct export_sink *sink);

/* How long the call that is left took within the piece, without what the recording took of it. */
int64_t export_time_ns(const struct shown_call *call);

/* How long the call was paused within the piece: no self time includes that. */
int64_t export_paused_ns(const struct export *export, const struct call_pauses *pauses,
                         const struct shown_call *call);

/* Begin to read a thread's faults (time, text), or the live memory (time, bytes), within the cut.
 * Return 0, or 2 after saying what is wrong. */
int export_faults_begin(const struct export *export, const struct run_thread *thread,
                        sqlite3_stmt **row);
int export_memory_begin(const struct export *export, sqlite3_stmt **row);

/* Does the export have this thread? */
bool export_has_thread(const struct export *export, const struct run_thread *thread);

/* ---- sums ---- */

/* By frames.id: calls, own time and bytes allocated. Either of the piece that the cut leaves, with
 * times as measured, or of the whole run, with the hooks' cost taken out. */
struct export_frames {
    int64_t *calls, *self_ns, *bytes;
};

int export_frames_read(const struct export *export, struct export_frames *frames);
void export_frames_release(struct export_frames *frames);

/* A direct call between functions. caller 0 = none. */
struct export_edge {
    uint32_t caller, callee;
    int64_t line; /* of the call in the caller; 0 = not known */
    int64_t calls, total_ns;
};

struct export_graph {
    struct export_edge *edges; /* by caller, then callee */
    size_t edges_count, edges_capacity;
    int64_t *self_ns, *total_ns, *calls; /* by functions.id */
};

int export_graph_read(const struct export *export, struct export_graph *graph);
void export_graph_release(struct export_graph *graph);

/* ---- text ---- */

/* A JSON string with its quotes: json_string(). */
void export_json_text(FILE *out, const char *text);

/* Text with control characters, the characters of `others` and what is not UTF-8 replaced by
 * `instead`, and other hidden ones (text.h) as (U+NNNN). */
void export_plain_text(FILE *out, const char *text, const char *others, char instead);

#endif
