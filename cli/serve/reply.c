/* Answers to requests: see reply.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/reply.h"

#include "base/memory_text.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *request_text(const struct request *request, const char *name)
{
    return mhd.lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

bool request_integer(const struct request *request, const char *name, int64_t least, int64_t most,
                     int64_t otherwise, int64_t *value)
{
    const char *text = request_text(request, name);
    char *end;
    *value = otherwise;
    if (text == NULL)
        return true;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < least || number > most)
        return false;
    *value = number;
    return true;
}

bool request_is_gone(const struct request *request)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info == NULL)
        return false;
    struct pollfd client = {.fd = info->connect_fd, .events = POLLRDHUP};
    return poll(&client, 1, 0) > 0 && (client.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

enum MHD_Result reply_response(struct MHD_Connection *connection, unsigned status, const char *type,
                               struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    if (response == NULL)
        return MHD_NO;
    bool whole = mhd.add_response_header(response, "Content-Type", type) == MHD_YES;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        whole = mhd.add_response_header(response, headers[i][0], headers[i][1]) == MHD_YES && whole;
    enum MHD_Result result = whole ? mhd.queue_response(connection, status, response) : MHD_NO;
    mhd.destroy_response(response);
    return result;
}

enum MHD_Result reply_text(struct MHD_Connection *connection, unsigned status, const char *type,
                           const char *text, size_t length)
{
    return reply_response(
        connection, status, type,
        mhd.create_response_from_buffer(length, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result reply_page(struct MHD_Connection *connection, const char *type, const char *text)
{
    return reply_response(connection, MHD_HTTP_OK, type,
                          mhd.create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                          MHD_RESPMEM_PERSISTENT));
}

static const char busy[] = "{\"error\":\"too many large answers are being sent: try again\"}\n";

bool answer_begin(struct answer *answer)
{
    *answer = (struct answer){.text = NULL};
    answer->json.out = memory_text_open(&answer->text, &answer->length);
    return answer->json.out != NULL;
}

void answer_drop(struct answer *answer)
{
    bool whole = fclose(answer->json.out) == 0;
    (void)whole; /* nobody reads it */
    free(answer->text);
    *answer = (struct answer){.text = NULL};
}

/* Answers that are being sent, whole, in memory. */
static size_t held_bytes; /* atomic */
#define HELD_BYTES_MAX ((size_t)48 << 20)

/* An answer's text, with its length before it. */
struct held {
    char *text;
    size_t length;
};

static void held_free(void *context)
{
    struct held *held = context;
    __atomic_fetch_sub(&held_bytes, held->length, __ATOMIC_RELAXED);
    free(held->text);
    free(held);
}

/* A response of the text, which it frees; NULL: there is no memory, or too much is held. */
static struct MHD_Response *hold(char *text, size_t length)
{
    struct held *held = malloc(sizeof *held);
    if (held == NULL) {
        free(text);
        return NULL;
    }
    *held = (struct held){text, length};
    bool room = __atomic_add_fetch(&held_bytes, length, __ATOMIC_RELAXED) <= HELD_BYTES_MAX;
    struct MHD_Response *response =
        room ? mhd.create_response_from_held(length, text, held_free, held) : NULL;
    if (response == NULL)
        held_free(held);
    return response;
}

void reply_was_made(struct MHD_Connection *connection)
{
    /* its clock starts anew when it is switched on */
    mhd.set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
    mhd.set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)REPLY_SILENCE_S);
}

/* The stream is closed, and its text freed, whatever happens. */
static enum MHD_Result send_answer(struct answer *answer, struct MHD_Connection *connection,
                                   unsigned status)
{
    fputc('\n', answer->json.out);
    bool whole = fclose(answer->json.out) == 0;
    char *text = answer->text;
    answer->text = NULL;
    if (!whole) {
        free(text);
        return MHD_NO;
    }
    struct MHD_Response *response = hold(text, answer->length);
    if (response == NULL && status == MHD_HTTP_OK)
        return reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "application/json", busy,
                          sizeof busy - 1);
    return reply_response(connection, status, "application/json", response);
}

enum MHD_Result reply_problem(struct MHD_Connection *connection, unsigned status,
                              const char *format, ...)
{
    struct answer answer;
    char *words = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&words, format, arguments);
    va_end(arguments);
    if (length < 0)
        return MHD_NO;
    enum MHD_Result result = MHD_NO;
    if (answer_begin(&answer)) {
        json_open(&answer.json, '{');
        json_key(&answer.json, "error");
        json_text(&answer.json, words, SIZE_MAX);
        json_close(&answer.json, '}');
        result = send_answer(&answer, connection, status);
    }
    free(words);
    return result;
}

enum MHD_Result answer_end(struct answer *answer, const struct request *request,
                           const char *problem)
{
    if (problem == NULL)
        return send_answer(answer, request->connection, MHD_HTTP_OK);
    answer_drop(answer);
    return reply_problem(request->connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s", problem);
}

bool request_rest_number(const struct request *request, int64_t *number)
{
    char *end;
    *number = strtoll(request->rest, &end, 10);
    return end != request->rest && *end == '\0' && *number >= 0;
}
#else
extern const int reply_is_not_built_in; /* ISO C forbids an empty file */
#endif
