/* What the tools share: their list, a call of one with its arguments, and its answer. */
#ifndef FISQL_CLI_MCP_TOOL_PARTS_H
#define FISQL_CLI_MCP_TOOL_PARTS_H

#include "cli/mcp/answer.h"
#include "cli/mcp/json_reader.h"
#include "cli/mcp/mcp.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TOOL_PARAMETERS_MAX = 16 };

enum tool_type { TOOL_TEXT, TOOL_INTEGER, TOOL_NUMBER, TOOL_BOOLEAN, TOOL_OBJECT, TOOL_LIST };

struct tool_parameter {
    const char *name; /* NULL ends the list */
    enum tool_type type;
    bool required;
    const char *words; /* of which a text is one, with | between them; NULL = any text */
    const char *what;
};

struct tool_call;

struct tool {
    const char *name, *title, *what;
    const struct tool_parameter *parameters;
    bool records; /* runs programs: only with --allow-record */
    /* Writes the answer to call->answer.stream. Returns 0, or 2 after saying what is wrong. */
    int (*run)(struct tool_call *call);
};

struct tool_call {
    const struct mcp_options *options;
    const struct tool *tool;
    struct json_reader *reader;
    struct json_value values[TOOL_PARAMETERS_MAX]; /* in the order of tool->parameters */
    int64_t deadline_ns;
    const int *stop;
    struct ask_watch watch; /* over `database`, from tool_open() on */
    struct answer answer;
    FILE *said; /* what is said goes there, into said_text: see fflush() */
    char *said_text;
    size_t said_size;
    bool notes_given; /* the tool put what was said into its answer */
    sqlite3 *database;
    char path[PATH_MAX]; /* of it */
};

/* ---- arguments ---- */

/* By the parameter's name, which the tool has. The text is NULL if the argument is not given. */
const char *tool_text(const struct tool_call *call, const char *name);
int64_t tool_integer(const struct tool_call *call, const char *name, int64_t otherwise);
double tool_number(const struct tool_call *call, const char *name, double otherwise);
bool tool_flag(const struct tool_call *call, const char *name);

/* The rows that are wanted, within what an answer may have. */
long tool_limit(const struct tool_call *call, long otherwise);

/* ---- databases ---- */

/* Finds the database that the argument names, the first one if it is not given. Returns 0, or 2
 * after saying that it may not be read. */
int tool_path(const struct tool_call *call, const char *parameter, char path[PATH_MAX]);

/* Opens that of the argument as call->database, which is closed with the call, and
 * begins the watch. Returns 0, or 2 after saying what is wrong. */
int tool_open(struct tool_call *call, const char *parameter);

/* What is left of the request's time; 1 if nothing is. */
int64_t tool_time_left_ns(const struct tool_call *call);

/* Begins the watch over call->database anew: a question has its own (cli/ask/ask.h). */
void tool_watch(struct tool_call *call, int64_t time_ns);

/* The last parameter of a tool that asks one run. */
#define TOOL_DATABASE                                                                              \
    {                                                                                              \
        "database", TOOL_TEXT, false, NULL,                                                        \
            "the run: a path as the tool runs lists it; the first one by default"                  \
    }

/* ---- rows ---- */

/* Bounds for rows behind `head`, members of an object in JSON. */
struct ask_limits tool_limits(const struct tool_call *call, const char *head, long rows_max);

/* Writes the answer: an object of the head, the rows (JSON), what is left out of them, and what was
 * said. */
void tool_put_rows(struct tool_call *call, const char *head, const char *rows,
                   const struct ask_answer *answer);

/* ---- the tools ---- */

extern const struct tool tool_runs, tool_digest, tool_queries, tool_query, tool_sql, tool_tree,
    tool_call_of, tool_source, tool_diff, tool_record;

#endif
