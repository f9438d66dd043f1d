/* Questions that may take long: query, compare, report, history. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"
#include "cli/serve/child.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARGUMENTS_MAX = 100,
    SECONDS = 60,
    SECONDS_MOST = 3600,
    MOMENTS = 2000,
    MOMENTS_MOST = 100000
};

/* The words of a command; each is the list's. */
struct words {
    char *items[ARGUMENTS_MAX];
    int count;
    bool failed; /* too many, or no memory */
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0 || words->count + 1 >= ARGUMENTS_MAX) {
        if (length >= 0)
            free(text);
        words->failed = true;
        return;
    }
    words->items[words->count++] = text;
}

static void words_release(struct words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->items[i]);
}

/* Runs it; the first word is the child's name, which child_reply() sets. */
static enum MHD_Result run(struct request *request, struct words *words, int64_t seconds)
{
    if (words->failed)
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST, "too many parameters");
    char *argv[ARGUMENTS_MAX];
    memcpy(argv, words->items, sizeof argv);
    argv[words->count] = NULL;
    return child_reply(request, argv, "application/json", seconds);
}

/* p.NAME=VALUE to --param=NAME=VALUE. */
static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    struct words *words = context;
    (void)kind;
    if (strncmp(name, "p.", 2) == 0)
        add(words, "--param=%s=%s", name + 2, value != NULL ? value : "");
    return MHD_YES;
}

static void add_options(const struct request *request, struct words *words)
{
    static const char *const valued[] = {"limit",  "sort",   "demangle", "function", "file",
                                         "module", "thread", "since",    "until"};
    static const char *const plain[][2] = {{"reverse", "--reverse"}, {"all_code", "--all-code"}};
    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; i++) {
        const char *value = request_text(request, valued[i]);
        if (value != NULL)
            add(words, "--%s=%s", valued[i], value);
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        const char *value = request_text(request, plain[i][0]);
        if (value != NULL && strcmp(value, "1") == 0)
            add(words, "%s", plain[i][1]);
    }
    mhd.get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, add_parameter, words);
}

static enum MHD_Result wants_seconds(const struct request *request)
{
    return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                         "seconds: wants a number from 1 to %d", SECONDS_MOST);
}

enum MHD_Result api_query(struct request *request)
{
    struct words words = {.count = 0};
    int64_t seconds;
    if (query_set_find(&request->server->queries, request->rest) == NULL)
        return reply_problem(request->connection, MHD_HTTP_NOT_FOUND,
                             "there is no such query: /api/queries lists them");
    if (!request_integer(request, "seconds", 1, SECONDS_MOST, SECONDS, &seconds))
        return wants_seconds(request);
    add(&words, "fisql");
    add(&words, "query");
    add(&words, "--format=json");
    add_options(request, &words);
    add(&words, "--");
    add(&words, "%s", request->rest);
    add(&words, "%s", request->base->path);
    enum MHD_Result result = run(request, &words, seconds);
    words_release(&words);
    return result;
}

enum MHD_Result api_compare(struct request *request)
{
    struct words words = {.count = 0};
    const struct server *server = request->server;
    int64_t seconds, other;
    if (!request_integer(request, "seconds", 1, SECONDS_MOST, SECONDS, &seconds))
        return wants_seconds(request);
    if (!request_integer(request, "with", 0, server->bases_count - 1, -1, &other) || other < 0)
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "with: wants a number that /api/databases names");
    add(&words, "fisql");
    add(&words, "report");
    add(&words, "--diff");
    add(&words, "--format=json");
    add(&words, "--output=-");
    add(&words, "--");
    add(&words, "%s", request->base->path);
    add(&words, "%s", server->bases[other].path);
    enum MHD_Result result = run(request, &words, seconds);
    words_release(&words);
    return result;
}

/* The object, in the words of `fisql history`; false if the request names none. */
static bool add_object(const struct request *request, struct words *words)
{
    const char *block = request_text(request, "block");
    const char *argument = request_text(request, "argument");
    int64_t call;
    if (block != NULL && *block != '\0') {
        add(words, "block");
        add(words, "%s", block);
        return true;
    }
    if (!request_integer(request, "call", 1, INT64_MAX, 0, &call) || call == 0 || argument == NULL)
        return false;
    add(words, "call");
    add(words, "%lld.%s", (long long)call, argument);
    return true;
}

enum MHD_Result api_history(struct request *request)
{
    struct words words = {.count = 0};
    int64_t seconds, last;
    if (!request_integer(request, "seconds", 1, SECONDS_MOST, SECONDS, &seconds))
        return wants_seconds(request);
    if (!request_integer(request, "last", 1, MOMENTS_MOST, MOMENTS, &last))
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                             "last: wants a number from 1 to %d", MOMENTS_MOST);
    add(&words, "fisql");
    add(&words, "history");
    add(&words, "--format=json");
    add(&words, "--last=%lld", (long long)last);
    add(&words, "--");
    add(&words, "%s", request->base->path);
    enum MHD_Result result =
        add_object(request, &words)
            ? run(request, &words, seconds)
            : reply_problem(request->connection, MHD_HTTP_BAD_REQUEST,
                            "wants block=ADDRESS, or call=ID and argument=NAME");
    words_release(&words);
    return result;
}

enum MHD_Result api_report(struct request *request)
{
    struct words words = {.count = 0};
    int64_t seconds;
    if (!request_integer(request, "seconds", 1, SECONDS_MOST, SECONDS, &seconds))
        return wants_seconds(request);
    add(&words, "fisql");
    add(&words, "report");
    add(&words, "--format=json");
    add(&words, "--calls=0"); /* the timeline asks for its own */
    add(&words, "--output=-");
    add(&words, "--");
    add(&words, "%s", request->base->path);
    enum MHD_Result result = run(request, &words, seconds);
    words_release(&words);
    return result;
}
#else
extern const int api_asks_is_not_built_in; /* ISO C forbids an empty file */
#endif
