/* Answers to requests: JSON, pages, refusals; all with the headers that keep a browser from doing
 * anything but showing our page. */
#ifndef FISQL_CLI_SERVE_REPLY_H
#define FISQL_CLI_SERVE_REPLY_H

#include "cli/out/json.h"
#include "cli/serve/bases.h"
#include "cli/serve/mhd_library.h"
#include "cli/serve/server.h"

#include <stddef.h>

/* A request that passed the guard. */
struct request {
    struct server *server;
    struct MHD_Connection *connection;
    struct base *base; /* that it asks; NULL where its line of the list needs none */
    const char *rest;  /* of the path, behind what the list names */
    const char *body;  /* of a POST; ends with a NUL */
    size_t body_length;
};

/* A parameter of the address; NULL = not given. */
const char *request_text(const struct request *request, const char *name);

/* One that is a whole number, within these bounds; `otherwise` if it is not given. Returns whether
 * it is sound. */
bool request_integer(const struct request *request, const char *name, int64_t least, int64_t most,
                     int64_t otherwise, int64_t *value);

/* Has the client gone? */
bool request_is_gone(const struct request *request);

/* A client that takes and sends nothing for so long is left. */
enum { REPLY_SILENCE_S = 30 };

/* To be called when an answer, or a part of one, took its time to make: the client was not silent
 * meanwhile, it waited. */
void reply_was_made(struct MHD_Connection *connection);

/* Each queues an answer; the texts are copied. */
enum MHD_Result reply_text(struct MHD_Connection *connection, unsigned status, const char *type,
                           const char *text, size_t length);
enum MHD_Result reply_page(struct MHD_Connection *connection, const char *type, const char *text);
enum MHD_Result reply_response(struct MHD_Connection *connection, unsigned status, const char *type,
                               struct MHD_Response *response);
/* {"error": "..."} */
enum MHD_Result reply_problem(struct MHD_Connection *connection, unsigned status,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A JSON answer in the making. */
struct answer {
    struct json json;
    char *text;
    size_t length;
};

/* Returns whether there is memory. */
bool answer_begin(struct answer *answer);

/* Drops it. */
void answer_drop(struct answer *answer);

/* Queues it, or says what is wrong where `problem` is not NULL. */
enum MHD_Result answer_end(struct answer *answer, const struct request *request,
                           const char *problem);

/* The number that follows the path. */
bool request_rest_number(const struct request *request, int64_t *number);

#endif
