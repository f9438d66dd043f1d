/* What the tables of a run's database are: see schema_help.h.
 *
 * The tables and their comments are read from schema.sql, which is compiled in. Its statements begin
 * at the start of a line, with the name and, behind "-- ", what the table is; comments go on in lines
 * that begin with "--". Only the subjects are listed here: each table has one, or the test of
 * `fisql schema` fails.
 */
#include "cli/run/schema_help.h"

#include "base/must.h"
#include "queries/embedded.h"

#include <ctype.h>
#include <string.h>

#define TABLES_MAX SCHEMA_NAMES_MAX
#define LINE_MAX_COLUMNS 2000

/* ---- subjects ---- */

struct subject {
    const char *title;
    const char *names; /* parted by spaces */
};

/* The first is a choice; each table is in one of the others. */
static const struct subject subjects[] = {
    {"The twelve that most questions need",
     "functions function_stats frames frame_stacks edges calls call_details call_text allocs"
     " alloc_stacks gaps threads"},
    {"The run, its threads and its code", "run command_again processes last_images threads modules "
                                          "module_map mapped_functions plain_modules mappings"
                                          " files functions function_details sites site_details"},
    {"Calls, one by one",
     "calls call_details recorded_calls call_times long_calls slices hook_costs recording_gaps "
     "cut_calls pauses slow_calls"},
    {"Calls, added up", "frames frame_details frame_stacks recorded_frames function_stats "
                        "thread_functions durations intervals"
                        " recursions context_roles object_roles function_marks"},
    {"Who calls whom, and in which order",
     "edges edge_details tail_calls context_edges callee_runs callee_transitions call_sequences"},
    {"Time off the processor, and locks",
     "gaps locks lock_details lock_waits lock_holds lock_orders lock_cycles lock_misuses"},
    {"Memory",
     "allocs alloc_stacks alloc_sizes alloc_distances alloc_owners alloc_chains alloc_wrappers"
     " alloc_places block_flows block_groups block_group_places free_places free_errors "
     "memory_steps kept_sites kept_stacks"},
    {"Arguments and results",
     "parameters enumerators call_values call_arguments listed_arguments call_text call_changes"
     " call_blocks block_places valued_calls parameter_stats value_counts value_count_texts "
     "value_costs"
     " argument_repeats result_flows"},
    {"What the program said, and what went wrong",
     "notes note_values objects diaries object_references incidents incident_details"
     " incident_stacks incident_frames fault_rules faults fault_marks trace_marks campaign"
     " experiments experiment_functions"},
    {"What is missing", "losses anomalies recording_changes recording_limits"},
};
#define SUBJECTS_COUNT (sizeof subjects / sizeof subjects[0])

/* ---- tables ---- */

struct table {
    const char *start, *name; /* in embedded_schema */
    size_t bytes, name_bytes; /* bytes: of the statement */
};

/* The statement at the start of a line; false if it makes neither a table nor a view. */
static bool read_table(const char *line, struct table *table)
{
    static const char *const begins[] = {"CREATE TABLE ", "CREATE VIEW "};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        size_t length = strlen(begins[i]);
        if (strncmp(line, begins[i], length) != 0)
            continue;
        table->start = line;
        table->name = line + length;
        table->name_bytes = strcspn(table->name, "( \n");
        const char *end = line; /* a semicolon that no line of the statement follows */
        while ((end = strstr(end, ";\n")) != NULL && end[2] == ' ')
            end++;
        table->bytes = end != NULL ? (size_t)(end + 1 - line) : strlen(line);
        return true;
    }
    return false;
}

static size_t read_tables(struct table tables[TABLES_MAX])
{
    size_t count = 0;
    for (const char *line = embedded_schema; line != NULL && count < TABLES_MAX;) {
        count += read_table(line, &tables[count]);
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return count;
}

/* Copies what the table is: the comment behind its name up to a full stop, in one line. */
static void read_comment(const struct table *table, char comment[LINE_MAX_COLUMNS])
{
    const char *at = strstr(table->start, "-- ");
    size_t used = 0;
    const char *line_end = strchr(table->start, '\n');
    if (at == NULL || line_end == NULL || at > line_end)
        at = "";
    while (strncmp(at, "-- ", 3) == 0) {
        at += 3;
        size_t length = strcspn(at, "\n");
        if (used + length + 2 > LINE_MAX_COLUMNS)
            break;
        used += (size_t)snprintf(comment + used, LINE_MAX_COLUMNS - used, "%s%.*s",
                                 used > 0 ? " " : "", (int)length, at);
        at += length;
        at += strspn(at, "\n ");
    }
    comment[used] = 0;
    for (char *stop = comment; (stop = strstr(stop, ". ")) != NULL; stop++)
        if (isupper((unsigned char)stop[2])) { /* not "e.g. command" */
            *stop = 0;
            break;
        }
}

/* ---- printing ---- */

/* Prints a table's line, its comment broken at blanks. */
static void print_line(const struct table *table, int columns, FILE *out)
{
    char comment[LINE_MAX_COLUMNS];
    const int indent = 24;
    int room = columns > indent + 30 ? columns - indent : 30;
    read_comment(table, comment);
    fprintf(out, "  %-21.*s", (int)table->name_bytes, table->name);
    for (const char *at = comment; *at != 0;) {
        int length = (int)strlen(at), cut = length;
        if (length > room)
            for (cut = room; cut > 0 && at[cut] != ' '; cut--)
                continue;
        if (cut == 0)
            cut = length;
        fprintf(out, "%s%.*s\n", at != comment ? "                        " : " ", cut, at);
        at += cut;
        at += strspn(at, " ");
    }
    if (comment[0] == 0)
        fputc('\n', out);
}

static const struct table *find(const struct table *tables, size_t count, const char *name,
                                size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i].name_bytes == length && strncmp(tables[i].name, name, length) == 0)
            return &tables[i];
    return NULL;
}

void schema_help_all(int columns, FILE *out)
{
    struct table tables[TABLES_MAX];
    size_t count = read_tables(tables);
    for (size_t i = 0; i < SUBJECTS_COUNT; i++) {
        fprintf(out, "%s%s:\n", i > 0 ? "\n" : "", subjects[i].title);
        for (const char *name = subjects[i].names; *name != 0;) {
            size_t length = strcspn(name, " ");
            const struct table *table = find(tables, count, name, length);
            must(table != NULL);
            print_line(table, columns, out);
            name += length;
            name += strspn(name, " ");
        }
    }
}

bool schema_help_one(const char *name, FILE *out)
{
    struct table tables[TABLES_MAX];
    size_t count = read_tables(tables);
    const struct table *table = find(tables, count, name, strlen(name));
    if (table != NULL)
        fprintf(out, "%.*s\n", (int)table->bytes, table->start);
    return table != NULL;
}

size_t schema_help_names(char names[SCHEMA_NAMES_MAX][SCHEMA_NAME_BYTES])
{
    struct table tables[TABLES_MAX];
    size_t count = read_tables(tables);
    for (size_t i = 0; i < count; i++)
        snprintf(names[i], SCHEMA_NAME_BYTES, "%.*s", (int)tables[i].name_bytes, tables[i].name);
    return count;
}
