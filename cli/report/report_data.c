/*
 * The parts of a report that one statement gives each. The budgets add up to some 3.5 MB; the
 * timeline, the calling context tree and the names have budgets of their own (report_timeline.c,
 * report_frames.c, report_names.c), and the whole page stays under 5 MB.
 */
#include "cli/report/report.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <stddef.h>

/* report_data.sql */
extern const char report_data_sql_totals[], report_data_sql_processes[], report_data_sql_threads[],
    report_data_sql_losses[], report_data_sql_incidents[], report_data_sql_anomalies[],
    report_data_sql_functions[], report_data_sql_edges[], report_data_sql_durations[],
    report_data_sql_fastest[], report_data_sql_slowest[], report_data_sql_alloc_stacks[],
    report_data_sql_memory[], report_data_sql_parameters[], report_data_sql_values[],
    report_data_sql_value_costs[], report_data_sql_file_nodes[], report_data_sql_file_edges[],
    report_data_sql_module_nodes[], report_data_sql_module_edges[], report_data_sql_module_names[],
    report_data_sql_function_modules[];

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
        {"totals", report_data_sql_totals, 2000},
        {"processes", report_data_sql_processes, 30000},
        {"threads", report_data_sql_threads, 40000},
        {"modules", "SELECT id, path, name, symbols, problem FROM modules ORDER BY id", 40000},
        {"losses", report_data_sql_losses, 30000},
        {"limits", "SELECT text FROM recording_limits", 10000},
        {"incidents", report_data_sql_incidents, 20000},
        {"anomalies", report_data_sql_anomalies, 20000},
    };
    return WRITE_PARTS(report, parts);
}

int report_functions(struct report *report)
{
    static const struct report_part parts[] = {
        {"functions", report_data_sql_functions, 450000},
        {"edges", report_data_sql_edges, 300000},
        {"durations", report_data_sql_durations, 250000},
        {"fastest", report_data_sql_fastest, 200000},
        {"slowest", report_data_sql_slowest, 250000},
    };
    return WRITE_PARTS(report, parts);
}

int report_memory(struct report *report)
{
    static const struct report_part parts[] = {
        {"alloc_stacks", report_data_sql_alloc_stacks, 200000},
        {"memory", report_data_sql_memory, 90000},
    };
    return WRITE_PARTS(report, parts);
}

/* Of each parameter and result: what it was, its commonest values, calls by integer values. */
int report_values(struct report *report)
{
    static const struct report_part parts[] = {
        {"parameters", report_data_sql_parameters, 150000},
        {"values", report_data_sql_values, 250000},
        {"value_costs", report_data_sql_value_costs, 200000},
    };
    return WRITE_PARTS(report, parts);
}

/* Self time and calls of each file or module, the calls from one to another, and the modules that
 * functions have by the user's map. */
int report_graph(struct report *report)
{
    static const struct report_part parts[] = {
        {"file_nodes", report_data_sql_file_nodes, 40000},
        {"file_edges", report_data_sql_file_edges, 60000},
        {"module_nodes", report_data_sql_module_nodes, 20000},
        {"module_edges", report_data_sql_module_edges, 30000},
        {"module_names", report_data_sql_module_names, 20000},
        {"function_modules", report_data_sql_function_modules, 80000},
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
