/* Answering what api_list.h lists. */
#ifndef FISQL_CLI_SERVE_API_H
#define FISQL_CLI_SERVE_API_H

#include "cli/serve/api_list.h"
#include "cli/serve/quick.h"

#define SERVE_API_DECLARE(name, method, path, asks, parameters, what)                              \
    enum MHD_Result api_##name(struct request *request);
SERVE_API(SERVE_API_DECLARE)
#undef SERVE_API_DECLARE

/* Answers a request for /api/... */
enum MHD_Result api_answer(struct request *request, const char *method, const char *path);

/* Does a request of this kind have a body that we read? */
bool api_takes_body(const char *method, const char *path);

#endif
