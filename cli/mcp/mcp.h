/*
 * A server of the Model Context Protocol (https://modelcontextprotocol.io, revisions 2026-07-28 and
 * 2025-11-25) on two descriptors: JSON-RPC 2.0, a message a line. Coding agents ask by it what the
 * commands of fisql print for people.
 *
 *   mcp.c        the two threads: one reads, the other answers one request after another. So a
 *                client can cancel the request that is being answered
 *   lines, json_reader, rpc_message   from bytes to a request
 *   protocol.c   the methods, of both revisions
 *   tool.c       the list of tools, their arguments, and what surrounds an answer
 *   tool_*.c     the tools
 *   resources.c  the schema, the queries' manual
 *
 * The newest revision has no session: each request names its revision in _meta. The one before
 * begins with `initialize`. A client may use either, or both.
 *
 * Bounds: a line read, requests that wait, the bytes of an answer with all that is around it, the
 * time of a request, SQLite's memory. Databases are those named when the server began, and those in
 * the folder that it works in.
 */
#ifndef FISQL_CLI_MCP_MCP_H
#define FISQL_CLI_MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

enum {
    MCP_ANSWER_BYTES = 50000,    /* some 12,000 to 25,000 tokens */
    MCP_ANSWER_BYTES_MIN = 8192, /* the largest description of a tool fits */
    MCP_DATABASES_MAX = 64
};

struct mcp_options {
    const char *databases[MCP_DATABASES_MAX]; /* the first one is asked if a request names none */
    size_t databases_count;                   /* 0 = run.db in the working folder */
    size_t answer_bytes;                      /* of a line that is written, without its newline */
    int64_t time_ns;                          /* of a request */
    bool allow_record;                        /* has the tool record */
    rlim_t file_bytes;                        /* RLIMIT_FSIZE of what it runs */
};

/* Serves until `in` ends or nobody reads `out`: requests that wait are answered before it returns,
 * within some seconds. Writes nothing but protocol to `out`. ask_begin() was called. Returns 0, or 2
 * after saying what is wrong. */
int mcp_serve(const struct mcp_options *options, int in, int out);

#endif
