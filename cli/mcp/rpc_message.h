/* One message of JSON-RPC 2.0 as the Model Context Protocol allows it: an object, with an id that
 * is a string or an integer. */
#ifndef FISQL_CLI_MCP_RPC_MESSAGE_H
#define FISQL_CLI_MCP_RPC_MESSAGE_H

#include "cli/mcp/json_reader.h"

#include <stddef.h>

enum {
    RPC_ID_BYTES = 256, /* the longest id, as JSON */

    /* JSON-RPC's codes, and the protocol's own. */
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_UNSUPPORTED_VERSION = -32022
};

enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESPONSE, /* to nothing: we send no requests */
    RPC_WRONG
};

struct rpc_message {
    enum rpc_kind kind;
    char id[RPC_ID_BYTES + 1]; /* as JSON; "" = none, or not known */
    char *method;              /* owned; NULL unless it is a request or notification */
    struct json_value params;  /* an object, or absent */
    /* What is wrong. */
    int code;
    const char *problem;
};

/* Reads a line. Release the message in any case. */
void rpc_read(struct json_reader *reader, const char *line, size_t length,
              struct rpc_message *message);
void rpc_release(struct rpc_message *message);

/* Writes a string or an integer as the id that it is in JSON; false if it is another value, or too
 * long. */
bool rpc_id(const struct json_value *value, char id[RPC_ID_BYTES + 1]);

#endif
