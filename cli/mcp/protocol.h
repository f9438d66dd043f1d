/* The methods of the protocol: from a request to its answer. */
#ifndef FISQL_CLI_MCP_PROTOCOL_H
#define FISQL_CLI_MCP_PROTOCOL_H

#include "cli/mcp/mcp.h"
#include "cli/mcp/rpc_message.h"

#include <stdio.h>

/* What is kept between requests, by one thread. */
struct protocol {
    const struct mcp_options *options;
    struct json_reader reader;
    bool initialized; /* by a client of the revision before the newest */
};

/* Answers a request: *line gets the response without its newline, owned by the caller; NULL if it
 * was stopped (`stop` is set by another thread) or there is no memory. */
void protocol_answer(struct protocol *protocol, const struct rpc_message *request, const int *stop,
                     char **line, size_t *size);

/* The response to what is wrong with a message. */
void protocol_wrong(const struct rpc_message *message, char **line, size_t *size);

#endif
