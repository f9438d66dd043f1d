/* The resources: the schema of a run's database, and the manual of each canned query. */
#ifndef FISQL_CLI_MCP_RESOURCES_H
#define FISQL_CLI_MCP_RESOURCES_H

#include "cli/query/query_set.h"

#include <stddef.h>
#include <stdio.h>

/* Writes the description of the resource of a number; false if there is none (behind the last). */
bool resource_describe(const struct query_set *set, size_t number, FILE *out);

/* The same for a template of addresses. */
bool resource_template_describe(size_t number, FILE *out);

/* Writes the members of a result of resources/read, `"contents":[...]`, in at most bytes_max bytes.
 * Returns whether there is such a resource. */
bool resource_read(const struct query_set *set, const char *uri, size_t bytes_max, FILE *out);

#endif
