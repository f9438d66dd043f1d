/* The tools: their list, and calls of them. */
#ifndef FISQL_CLI_MCP_TOOL_H
#define FISQL_CLI_MCP_TOOL_H

#include "cli/mcp/json_reader.h"
#include "cli/mcp/mcp.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes the description of the tool of a number, as the protocol has it; false if there is none
 * (behind the last one). */
bool tool_describe(const struct mcp_options *options, size_t number, FILE *out);

/* Is there a tool of that name? */
bool tool_exists(const struct mcp_options *options, const char *name);

/* Calls it with arguments (a JSON object; NULL = none) and writes the members of the result,
 * `"content":...,"isError":...`, in at most bytes_max bytes. Returns whether it was stopped: then
 * there is no result. */
bool tool_run(const struct mcp_options *options, struct json_reader *reader, const char *name,
              const char *arguments, const int *stop, size_t bytes_max, FILE *out);

#endif
