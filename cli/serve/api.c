/* What can be asked for: see api.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"

#include <stdlib.h>
#include <string.h>

struct line {
    const char *name, *method, *path;
    bool asks;
    const char *parameters, *what;
    enum MHD_Result (*answer)(struct request *request);
};

#define LINE(name, method, path, asks, parameters, what)                                           \
    {#name, method, path, asks, parameters, what, api_##name},
static const struct line lines[] = {SERVE_API(LINE)};
#undef LINE
enum { LINES_COUNT = sizeof lines / sizeof lines[0] };

/* The line for a path; *rest gets what follows it. */
static const struct line *find(const char *path, const char **rest)
{
    for (size_t i = 0; i < LINES_COUNT; i++) {
        size_t length = strlen(lines[i].path);
        bool prefix = lines[i].path[length - 1] == '/';
        if (prefix ? strncmp(path, lines[i].path, length) == 0 && path[length] != '\0'
                   : strcmp(path, lines[i].path) == 0) {
            *rest = path + length;
            return &lines[i];
        }
    }
    return NULL;
}

bool api_takes_body(const char *method, const char *path)
{
    const char *rest;
    const struct line *line = find(path, &rest);
    return line != NULL && strcmp(line->method, "POST") == 0 && strcmp(method, "POST") == 0;
}

enum MHD_Result api_answer(struct request *request, const char *method, const char *path)
{
    const struct line *line = find(path, &request->rest);
    int64_t number;
    if (line == NULL)
        return reply_problem(request->connection, MHD_HTTP_NOT_FOUND,
                             "there is no such address: `fisql serve --api` lists what there is");
    if (strcmp(method, line->method) != 0 &&
        !(strcmp(method, "HEAD") == 0 && strcmp(line->method, "GET") == 0))
        return reply_problem(request->connection, MHD_HTTP_METHOD_NOT_ALLOWED, "wants %s",
                             line->method);
    if (line->asks) {
        if (!request_integer(request, "db", 0, request->server->bases_count - 1, 0, &number))
            return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                                 "db: wants a number that /api/databases names");
        request->base = &request->server->bases[number];
    }
    return line->answer(request);
}
#else
extern const int api_is_not_built_in; /* ISO C forbids an empty file */
#endif
