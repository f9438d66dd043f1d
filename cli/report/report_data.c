/*
 * The parts of a report that one statement gives each. The budgets add up to some 3.5 MB; the
 * timeline, the calling context tree and the names have budgets of their own (report_timeline.c,
 * report_frames.c, report_names.c), and the whole page stays under 5 MB.
 */
#include "cli/report/report.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <stddef.h>

static int write_parts(struct report *report, const struct report_part *parts, size_t count)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = report_part(report, &parts[i]);
    return status;
}
#define WRITE_PARTS(report, parts) write_parts(report, parts, sizeof parts / sizeof parts[0])

int report_run(struct report *report)
{
    static const struct report_part parts[] = {
        {"run", "SELECT key, value FROM run ORDER BY key", 20000},
        {"totals",
         "SELECT " DATABASE_PROCESSES " AS processes,"
         "       (SELECT count(*) FROM threads) AS threads,"
         "       (SELECT coalesce(sum(calls + counted_calls), 0) FROM threads) AS calls,"
         "       (SELECT coalesce(sum(calls), 0) FROM threads) AS call_rows,"
         "       (SELECT coalesce(max(end_ns), 0) FROM threads) AS end_ns,"
         "       (SELECT coalesce(sum(self_ns), 0) FROM threads) AS self_ns,"
         "       (SELECT coalesce(sum(raw_self_ns), 0) FROM threads) AS raw_self_ns,"
         "       (SELECT coalesce(sum(self_wait_ns), 0) FROM threads)"
         "         AS wait_ns,"
         "       (SELECT coalesce(sum(self_preempted_ns), 0) FROM threads)"
         "         AS preempted_ns,"
         "       (SELECT count(*) FROM functions WHERE instrumented) AS functions,"
         "       (SELECT count(*) FROM function_stats) AS functions_called,"
         "       (SELECT coalesce(sum(blocks), 0) FROM alloc_stacks) AS blocks,"
         "       (SELECT coalesce(sum(bytes), 0) FROM alloc_stacks) AS bytes,"
         "       (SELECT coalesce(sum(blocks - freed_blocks), 0) FROM alloc_stacks) AS live_blocks,"
         "       (SELECT coalesce(sum(bytes - freed_bytes), 0) FROM alloc_stacks) AS live_bytes,"
         "       (SELECT coalesce(sum(bytes), 0) FROM kept_stacks) AS kept_bytes,"
         "       (SELECT count(*) FROM frames) AS frames,"
         "       (SELECT count(*) FROM losses) AS losses,"
         "       (SELECT count(*) FROM anomalies) AS anomalies,"
         "       (SELECT count(*) FROM notes) + (SELECT count(*) FROM faults) AS notes",
         2000},
        {"processes",
         "SELECT id, pid, parent_id, origin, executable, command, start_ns, end_ns, how_ended,"
         "       status, signal FROM processes ORDER BY id",
         30000},
        {"threads",
         "SELECT id, process_id, tid, name, start_ns, end_ns, calls, counted_calls, self_ns,"
         "       self_wait_ns AS wait_ns,"
         "       self_preempted_ns AS preempted_ns,"
         "       cpu_ns AS cpu_ns"
         " FROM threads ORDER BY calls + counted_calls DESC, id",
         40000},
        {"modules", "SELECT id, path, name, symbols, problem FROM modules ORDER BY id", 40000},
        {"losses",
         "SELECT reason, process_id, thread_id, bytes, chunks, calls, events, from_ns, to_ns,"
         "       detail FROM losses ORDER BY id",
         30000},
        {"limits", "SELECT text FROM recording_limits", 10000},
        {"incidents",
         "SELECT i.kind, i.message, coalesce(left_frame.function_id, fr.function_id) AS "
         "function_id,"
         "       i.location, i.pid, i.tid, i.thread, i.ns"
         " FROM incident_details i LEFT JOIN frames fr ON fr.id = i.frame_id"
         "      LEFT JOIN calls c ON c.id = i.left_call_id"
         "      LEFT JOIN frames left_frame ON left_frame.id = c.frame_id"
         " ORDER BY i.kind = 'stacks', i.id",
         20000},
        {"anomalies",
         "SELECT kind, function_id, count(*) AS times, min(ns) AS first_ns, max(detail) AS detail"
         " FROM anomalies GROUP BY kind, function_id ORDER BY times DESC, kind, function_id",
         20000},
    };
    return WRITE_PARTS(report, parts);
}

/* A call with its arguments and result, of a function with recorded values. */
#define CALL_TEXT                                                                                  \
    "CASE WHEN EXISTS (SELECT 1 FROM parameters p WHERE p.function_id = s.function_id)"            \
    " THEN (SELECT t.text FROM call_text t WHERE t.call_id = c.id) END"

int report_functions(struct report *report)
{
    static const struct report_part parts[] = {
        {"functions",
         "SELECT s.function_id, s.calls, s.total_ns, s.self_ns, s.raw_self_ns, s.finished,"
         "       s.min_ns, s.max_ns, s.mean_ns,"
         "       s.wait_ns AS wait_ns,"
         "       s.preempted_ns AS preempted_ns,"
         "       s.self_wait_ns AS self_wait_ns,"
         "       s.self_preempted_ns AS self_preempted_ns,"
         "       s.self_waits AS self_waits, s.paused_ns,"
         "       s.median_ns AS median_ns,"
         "       s.p99_ns AS p99_ns,"
         "       CASE WHEN s.finished > 1 THEN sqrt(s.m2 / (s.finished - 1)) END AS deviation_ns,"
         "       s.allocs, s.alloc_bytes, s.total_alloc_bytes, s.free_bytes, s.callers, s.callees,"
         "       s.recursive_calls, s.depth_max, s.unwound, s.open, f.size"
         " FROM function_stats s JOIN functions f ON f.id = s.function_id"
         " ORDER BY s.total_ns + 4 * s.self_ns + 16 * s.calls + s.alloc_bytes DESC, s.function_id",
         450000},
        {"edges",
         "SELECT caller_id, site_id, callee_id, calls,"
         "       cpu_ns AS cpu_ns,"
         "       self_cpu_ns AS self_cpu_ns,"
         "       wait_ns AS wait_ns FROM edges"
         " ORDER BY total_ns + self_ns + 16 * calls DESC, id",
         300000},
        {"durations",
         "SELECT function_id, group_concat(log2 || ' ' || count, ' ') AS histogram FROM durations"
         " GROUP BY function_id ORDER BY sum(count * (1 << min(log2, 30))) DESC, function_id",
         250000},
        {"fastest",
         "SELECT s.function_id, c.id, c.frame_id, c.thread_id, c.depth, c.enter_ns, c.duration_ns,"
         "       c.descendants, " CALL_TEXT " AS text"
         " FROM (SELECT * FROM function_stats ORDER BY total_ns + 4 * self_ns + 16 * calls DESC"
         "       LIMIT 3000) s"
         " CROSS JOIN calls c ON c.id = s.fastest_call_id",
         200000},
        {"slowest",
         "SELECT s.function_id, c.id, c.frame_id, c.thread_id, c.depth, c.enter_ns, c.duration_ns,"
         "       c.descendants, " CALL_TEXT " AS text"
         " FROM (SELECT * FROM function_stats ORDER BY total_ns + 4 * self_ns + 16 * calls DESC"
         "       LIMIT 3000) s"
         " CROSS JOIN calls c ON c.id = s.slowest_call_id",
         250000},
    };
    return WRITE_PARTS(report, parts);
}

int report_memory(struct report *report)
{
    static const struct report_part parts[] = {
        {"alloc_stacks",
         "SELECT frame_id, site_id, kind, blocks, bytes, blocks - freed_blocks AS live_blocks,"
         "       bytes - freed_bytes AS live_bytes, live_bytes_max, peak_blocks, peak_bytes,"
         "       min_size, max_size, lifetime_ns / max(1, freed_blocks) AS lifetime_ns,"
         "       cross_thread_frees"
         " FROM alloc_stacks,"
         "      (SELECT max(1, sum(bytes)) AS all_bytes,"
         "              max(1, sum(bytes - freed_bytes)) AS all_live,"
         "              max(1, sum(peak_bytes)) AS all_peak FROM alloc_stacks)"
         " ORDER BY max(1.0 * bytes / all_bytes, 1.0 * (bytes - freed_bytes) / all_live,"
         "              1.0 * peak_bytes / all_peak) DESC, id",
         200000},
        {"memory",
         "SELECT end_ns, live_bytes, max_live_bytes, live_blocks FROM memory_steps"
         " WHERE thread_id = 0 ORDER BY step",
         90000},
    };
    return WRITE_PARTS(report, parts);
}

/* Arguments and results: what each parameter was, its commonest values, and calls by integer arguments. */
int report_values(struct report *report)
{
#define DEAREST(count)                                                                             \
    " FROM (SELECT function_id, total_ns + 4 * self_ns AS weight FROM function_stats"              \
    "       ORDER BY weight DESC, function_id LIMIT " #count ") s"                                 \
    " CROSS JOIN parameters p ON p.function_id = s.function_id AND p.position <= 30"
#define IN_ORDER " ORDER BY s.weight DESC, s.function_id, p.position"
    static const struct report_part parts[] = {
        {"parameters",
         "SELECT p.function_id, p.position, p.name, p.type, v.calls,"
         "       v.absent + v.unreadable + v.no_room AS unknown, v.distinct_values, v.counted,"
         "       CASE WHEN p.kind IN ('signed', 'unsigned', 'float')"
         "            THEN CAST(v.min_value AS TEXT) END AS least,"
         "       CASE WHEN p.kind IN ('signed', 'unsigned', 'float')"
         "            THEN CAST(v.max_value AS TEXT) END AS greatest" DEAREST(
             1000) " CROSS JOIN parameter_stats v ON v.parameter_id = p.id" IN_ORDER,
         150000},
        {"values",
         "SELECT p.function_id, p.position, t.text, k.calls, k.cpu_ns, k.slowest_call_id" DEAREST(
             1000) " CROSS JOIN value_counts k ON k.parameter_id = p.id AND k.rank <= 5"
                   " CROSS JOIN value_count_texts t ON t.parameter_id = p.id AND t.rank = k.rank"
                   " WHERE k.calls > 0" IN_ORDER ", k.rank",
         250000},
        {"value_costs",
         "SELECT p.function_id, p.position, round(v.mean_value, 1) AS value, v.calls,"
         "       v.descendants, v.cpu_ns, v.max_ns" DEAREST(
             300) " CROSS JOIN value_costs v ON v.parameter_id = p.id" IN_ORDER ", v.low",
         200000},
    };
#undef IN_ORDER
#undef DEAREST
    return WRITE_PARTS(report, parts);
}

/* Self time and calls of each file or module, and the calls from one to another. */
int report_graph(struct report *report)
{
    static const struct report_part parts[] = {
        {"file_nodes",
         "SELECT f.file_id, count(*) AS functions, sum(s.calls) AS calls,"
         "       sum(s.self_ns) AS self_ns, sum(s.alloc_bytes) AS alloc_bytes,"
         "       min(f.module_id) AS module"
         " FROM function_stats s JOIN functions f ON f.id = s.function_id"
         " GROUP BY f.file_id ORDER BY sum(s.self_ns) DESC, f.file_id",
         40000},
        {"file_edges",
         "SELECT a.file_id AS from_file_id, b.file_id AS to_file_id, sum(e.calls) AS calls,"
         "       sum(e.total_ns) AS total_ns, count(DISTINCT e.callee_id) AS callees"
         " FROM edges e JOIN functions a ON a.id = e.caller_id"
         "              JOIN functions b ON b.id = e.callee_id"
         " GROUP BY a.file_id, b.file_id ORDER BY sum(e.calls) DESC, a.file_id, b.file_id",
         60000},
        {"module_nodes",
         "SELECT f.module_id AS module, count(*) AS functions, sum(s.calls) AS calls,"
         "       sum(s.self_ns) AS self_ns, sum(s.alloc_bytes) AS alloc_bytes"
         " FROM function_stats s JOIN functions f ON f.id = s.function_id"
         " GROUP BY f.module_id ORDER BY sum(s.self_ns) DESC, f.module_id",
         20000},
        {"module_edges",
         "SELECT a.module_id AS from_module, b.module_id AS to_module, sum(e.calls) AS calls,"
         "       sum(e.total_ns) AS total_ns, count(DISTINCT e.callee_id) AS callees"
         " FROM edges e JOIN functions a ON a.id = e.caller_id"
         "              JOIN functions b ON b.id = e.callee_id"
         " GROUP BY a.module_id, b.module_id ORDER BY sum(e.calls) DESC, a.module_id, b.module_id",
         30000},
    };
    return WRITE_PARTS(report, parts);
}

int report_write(struct report *report)
{
    static const struct {
        int (*write)(struct report *);
        bool alone; /* only in the page of one run */
    } parts[] = {{report_run, false},    {report_findings, false}, {report_functions, false},
                 {report_memory, false}, {report_graph, true},     {report_timeline, false},
                 {report_values, true},  {report_frames, false},   {report_names, false}};
    json_open(&report->json, '{');
    int status = 0;
    report_timeline_begin(report);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == 0; i++) {
        if (!parts[i].alone || report->percent == 100)
            status = parts[i].write(report);
    }
    report_timeline_end(report);
    json_close(&report->json, '}');
    return status;
}
