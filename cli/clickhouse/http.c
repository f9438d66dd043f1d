/* HTTP to a ClickHouse server: see http.h. */
#include "cli/clickhouse/http.h"

#if __has_include(<curl/curl.h>)

#include "cli/clickhouse/curl_library.h"
#include "base/memory_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

enum { ANSWER_KEPT = 400, TRIES = 4, CONNECT_SECONDS = 10 };

/* Bounds on what a server may cost us. SECONDS holds where FISQL_SERVER_SECONDS is not set. */
enum {
    SECONDS = 300,
    SECONDS_MAX = 1000000,
    /* We expect this much in that time, both directions together. A server that works on a query
     * sends nothing. */
    SLOW_BYTES = 64 << 10,
    HEADERS_BYTES_MAX = 256 << 10,
};

struct http {
    char *base; /* scheme, host and port */
    char *database;
    void *easy;
    long seconds; /* FISQL_SERVER_SECONDS */
};

/* The bound that an answer exceeded. */
enum bound { BOUND_NONE, BOUND_HEADERS, BOUND_BYTES, BOUND_SLOW, BOUND_WHOLE };

/* An answer. We keep its first bytes: an exception would be in them; or those of an exception that
 * follows something else. */
struct answer {
    const struct http_request *request;
    void *easy;
    char kept[ANSWER_KEPT];
    size_t kept_bytes;
    struct error *error;
    bool failed;    /* take() failed */
    bool exception; /* the server says that it failed, whatever the status */
    enum bound bound;
    long seconds;
    int64_t bytes, headers_bytes;
    int64_t moved_bytes; /* in both directions, when it was last fast enough */
    double begun_s, moved_s;
};

/* ---- the URL ---- */

static bool is_name(const char *text)
{
    return *text != '\0' && strlen(text) < 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               strlen(text) &&
           (*text < '0' || *text > '9');
}

/* Reads FISQL_SERVER_SECONDS. Returns -1 with the error. */
static long seconds_of_environment(struct error *error)
{
    const char *text = getenv("FISQL_SERVER_SECONDS");
    char *end = NULL;
    if (text == NULL || *text == '\0')
        return SECONDS;
    long seconds = strtol(text, &end, 10);
    if (*end == '\0' && seconds > 0 && seconds <= SECONDS_MAX)
        return seconds;
    return error_set_kind(
        error, ERROR_USAGE,
        "FISQL_SERVER_SECONDS=%s: wants seconds, 1 to %d, after which a server that is "
        "silent is given up",
        text, (int)SECONDS_MAX);
}

struct http *http_open(const char *url, struct error *error)
{
    const char *host = strstr(url, "://");
    const char *slash = host != NULL ? strchr(host + 3, '/') : NULL;
    if (host != NULL && strcspn(host + 3, "@") < strcspn(host + 3, "/")) {
        error_set_kind(
            error, ERROR_USAGE,
            "the URL: user and password are for CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or a "
            "netrc file: others can see a command's arguments");
        return NULL;
    }
    if (slash == NULL || slash == host + 3 || !is_name(slash + 1)) {
        error_set_kind(
            error, ERROR_USAGE,
            "%s: wants http://HOST:PORT/DATABASE, the database's name of letters, digits and _",
            url);
        return NULL;
    }
    long seconds = seconds_of_environment(error);
    if (seconds < 0 || curl_library_open(error) != 0)
        return NULL;
    struct http *http = calloc(1, sizeof *http);
    if (http != NULL) {
        http->seconds = seconds;
        http->base = strndup(url, (size_t)(slash - url));
        http->database = strdup(slash + 1);
        http->easy = curl_library.easy_init();
    }
    if (http == NULL || http->base == NULL || http->database == NULL || http->easy == NULL) {
        error_set(error, "out of memory");
        http_close(http);
        return NULL;
    }
    return http;
}

void http_close(struct http *http)
{
    if (http == NULL)
        return;
    if (http->easy != NULL)
        curl_library.easy_cleanup(http->easy);
    free(http->base);
    free(http->database);
    free(http);
}

const char *http_database(const struct http *http)
{
    return http->database;
}

/* Adds &NAME=VALUE, the value escaped. */
static void put_parameter(FILE *out, void *easy, const char *name, const char *value)
{
    char *escaped = curl_library.easy_escape(easy, value, 0);
    fprintf(out, "&%s=%s", name, escaped != NULL ? escaped : "");
    curl_library.free(escaped);
}

/* The whole URL of a request. A SELECT waits for its whole result, so an error has its own
 * status. */
static char *url_of(const struct http *http, const struct http_request *request)
{
    char *text = NULL, name[96];
    size_t size = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "%s/?wait_end_of_query=1", http->base);
    if (!request->without_database)
        fprintf(out, "&database=%s", http->database);
    if (request->settings != NULL)
        fprintf(out, "&%s", request->settings);
    if (request->body != NULL || request->tables_count > 0)
        put_parameter(out, http->easy, "query", request->query);
    for (size_t i = 0; i < request->tables_count; i++) {
        snprintf(name, sizeof name, "%s_structure", request->tables[i].name);
        put_parameter(out, http->easy, name, request->tables[i].structure);
        snprintf(name, sizeof name, "%s_format", request->tables[i].name);
        put_parameter(out, http->easy, name, "RowBinary");
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- sending ---- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Counts received bytes, of headers or of the body. Returns false if the answer exceeds the
 * bound. */
static bool count_bytes(struct answer *answer, int64_t *counted, size_t size, int64_t max,
                        enum bound bound)
{
    /* The time that the server worked before its answer does not count against the answer. */
    if (answer->bytes + answer->headers_bytes == 0)
        answer->moved_s = now_s();
    *counted += (int64_t)size;
    if (*counted > max)
        answer->bound = bound;
    return *counted <= max;
}

static size_t take_header(char *bytes, size_t one, size_t count, void *context)
{
    static const char exception[] = "X-ClickHouse-Exception-Code:";
    struct answer *answer = context;
    if (one * count >= sizeof exception - 1 &&
        strncasecmp(bytes, exception, sizeof exception - 1) == 0)
        answer->exception = true;
    return count_bytes(answer, &answer->headers_bytes, one * count, HEADERS_BYTES_MAX,
                       BOUND_HEADERS)
               ? one * count
               : 0;
}

/* Looks for an exception in what is kept and puts it to the front. */
static void find_exception(struct answer *answer)
{
    static const char code[] = "Code: ", mark[] = "DB::Exception";
    char *at = memmem(answer->kept, answer->kept_bytes, mark, sizeof mark - 1);
    if (at == NULL)
        return;
    for (char *back = at; back > answer->kept && *back != '\n'; back--)
        if (strncmp(back - 1, code, sizeof code - 1) == 0)
            at = back - 1;
    answer->kept_bytes -= (size_t)(at - answer->kept);
    memmove(answer->kept, at, answer->kept_bytes);
    answer->exception = true;
}

/* Keeps what there is room for. What gives no rows has nothing to say but what went wrong: ClickHouse
 * writes it behind what it has sent already, with the status 200. There we look at all bytes. */
static void keep(struct answer *answer, const char *bytes, size_t size, bool all)
{
    enum { OVERLAP = 64 }; /* code and mark may come in two pieces */
    for (;;) {
        size_t room = sizeof answer->kept - 1 - answer->kept_bytes;
        size_t more = size < room ? size : room;
        memcpy(answer->kept + answer->kept_bytes, bytes, more);
        answer->kept_bytes += more;
        bytes += more;
        size -= more;
        if (all && !answer->exception)
            find_exception(answer);
        if (size == 0 || !all ||
            (answer->exception && answer->kept_bytes == sizeof answer->kept - 1))
            break;
        if (!answer->exception) {
            memmove(answer->kept, answer->kept + answer->kept_bytes - OVERLAP, OVERLAP);
            answer->kept_bytes = OVERLAP;
        }
    }
    answer->kept[answer->kept_bytes] = '\0';
}

static size_t take_answer(char *bytes, size_t one, size_t count, void *context)
{
    struct answer *answer = context;
    size_t size = one * count;
    long status = 0;
    curl_library.easy_getinfo(answer->easy, CURLINFO_RESPONSE_CODE, &status);
    bool wanted = status == 200 && answer->request->take != NULL;
    keep(answer, bytes, size, status == 200 && !wanted);
    if (!count_bytes(answer, &answer->bytes, size,
                     wanted ? HTTP_ANSWER_BYTES_MAX : HTTP_SHORT_BYTES_MAX, BOUND_BYTES))
        return 0;
    if (!wanted)
        return size;
    if (answer->request->take(answer->request->context, bytes, size, answer->error) != 0) {
        answer->failed = true;
        return 0;
    }
    return size;
}

/* libcurl calls this about once a second in any case. A result other than 0 ends the transfer. */
static int watch_time(void *context, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                      curl_off_t up)
{
    struct answer *answer = context;
    double now = now_s();
    int64_t moved = answer->headers_bytes + answer->bytes + (int64_t)up;
    (void)down_all;
    (void)down;
    (void)up_all;
    if (moved - answer->moved_bytes >= SLOW_BYTES) {
        answer->moved_bytes = moved;
        answer->moved_s = now;
    }
    if (now - answer->begun_s > (double)answer->seconds * HTTP_WHOLE_FACTOR)
        answer->bound = BOUND_WHOLE;
    else if (now - answer->moved_s > (double)answer->seconds)
        answer->bound = BOUND_SLOW;
    return answer->bound != BOUND_NONE;
}

static void set_access(void *easy)
{
    const char *user = getenv("CLICKHOUSE_USER"), *password = getenv("CLICKHOUSE_PASSWORD");
    const char *netrc = getenv("NETRC"), *certificates = getenv("SSL_CERT_FILE");
    if (user != NULL || password != NULL) {
        curl_library.easy_setopt(easy, CURLOPT_USERNAME, user != NULL ? user : "default");
        curl_library.easy_setopt(easy, CURLOPT_PASSWORD, password != NULL ? password : "");
    } else {
        curl_library.easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
        if (netrc != NULL && *netrc != '\0')
            curl_library.easy_setopt(easy, CURLOPT_NETRC_FILE, netrc);
    }
    if (certificates != NULL && *certificates != '\0')
        curl_library.easy_setopt(easy, CURLOPT_CAINFO, certificates);
}

static void set_common(void *easy, const char *url, struct answer *answer)
{
    curl_library.easy_reset(easy);
    curl_library.easy_setopt(easy, CURLOPT_URL, url);
    curl_library.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_library.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
#if LIBCURL_VERSION_NUM >= 0x074000
    curl_library.easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
#endif
    curl_library.easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_library.easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, watch_time);
    curl_library.easy_setopt(easy, CURLOPT_XFERINFODATA, answer);
    curl_library.easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_library.easy_setopt(easy, CURLOPT_HEADERDATA, answer);
    curl_library.easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl_library.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
    curl_library.easy_setopt(easy, CURLOPT_WRITEDATA, answer);
    set_access(easy);
}

/* Packs the body with gzip: this costs almost nothing with a local server and saves time with a
 * remote one. */
static void *packed(const void *bytes, size_t size_bytes, size_t *packed_bytes)
{
    z_stream stream = {0};
    const int gzip_window = 15 + 16;
    if (deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t room = deflateBound(&stream, size_bytes);
    void *out = malloc(room);
    stream.next_in = (unsigned char *)(uintptr_t)bytes;
    stream.avail_in = (unsigned)size_bytes;
    stream.next_out = out;
    stream.avail_out = (unsigned)room;
    bool whole = out != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *packed_bytes = stream.total_out;
    deflateEnd(&stream);
    if (whole)
        return out;
    free(out);
    return NULL;
}

/* What we send: one body, or parts. */
struct sent {
    void *bytes;
    curl_mime *parts;
    struct curl_slist *headers;
};

static int set_body(void *easy, const struct http_request *request, struct sent *sent)
{
    const char *body = request->query;
    size_t size = strlen(body);
    for (size_t i = 0; i < request->tables_count; i++) {
        if (sent->parts == NULL)
            sent->parts = curl_library.mime_init(easy);
        curl_mimepart *part = curl_library.mime_addpart(sent->parts);
        curl_library.mime_name(part, request->tables[i].name);
        curl_library.mime_filename(part, request->tables[i].name);
        curl_library.mime_data(part, request->tables[i].bytes, request->tables[i].size_bytes);
    }
    if (sent->parts != NULL)
        return curl_library.easy_setopt(easy, CURLOPT_MIMEPOST, sent->parts) == CURLE_OK ? 0 : -1;
    sent->headers = curl_library.slist_append(NULL, "Content-Type: application/octet-stream");
    sent->headers = curl_library.slist_append(sent->headers, "Expect:");
    if (request->body != NULL) {
        sent->bytes = packed(request->body, request->body_bytes, &size);
        body = sent->bytes;
        sent->headers = curl_library.slist_append(sent->headers, "Content-Encoding: gzip");
    }
    if (body == NULL || sent->headers == NULL)
        return -1;
    curl_library.easy_setopt(easy, CURLOPT_HTTPHEADER, sent->headers);
    curl_library.easy_setopt(easy, CURLOPT_POST, 1L);
    curl_library.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    return curl_library.easy_setopt(easy, CURLOPT_POSTFIELDS, body) == CURLE_OK ? 0 : -1;
}

static void release_sent(struct sent *sent)
{
    free(sent->bytes);
    if (sent->parts != NULL)
        curl_library.mime_free(sent->parts);
    if (sent->headers != NULL)
        curl_library.slist_free_all(sent->headers);
}

/* We have sent nothing yet, so we can safely try again. */
static bool unreached(CURLcode result)
{
    return result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST;
}

/* Reports the server's exception, in one line. */
static int fail_exception(const struct http *http, struct answer *answer, long status, int *code,
                          struct error *error)
{
    if (sscanf(answer->kept, "Code: %d", code) != 1)
        *code = 0;
    for (char *at = answer->kept; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    if (status == 401 || status == 403 || *code == 192 || *code == 193 || *code == 194 ||
        *code == 516)
        return error_set_kind(
            error, ERROR_USAGE,
            "%s: wrong user or password: set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or "
            "write a netrc file",
            http->base);
    if (*code == 243)
        return error_set(error, "%s: its disk is full: %s", http->base, answer->kept);
    if (*code == 0 && answer->exception)
        return error_set(error, "%s: the server failed: %.200s", http->base, answer->kept);
    if (*code == 0)
        return error_set_kind(
            error, ERROR_USAGE,
            "%s: HTTP status %ld: is it ClickHouse's HTTP port (8123)? It says: %.200s", http->base,
            status, answer->kept);
    return error_set(error, "%s: %s", http->base, answer->kept);
}

/* Reports the bound that the answer exceeded. */
static int fail_bound(const struct http *http, const struct answer *answer, struct error *error)
{
    static const char wait[] =
        "is the server overloaded, or another one? FISQL_SERVER_SECONDS is how long to wait";
    switch (answer->bound) {
    case BOUND_HEADERS:
        return error_set_kind(
            error, ERROR_DAMAGE,
            "%s: its answer has more than %d KiB of headers: is it ClickHouse's HTTP "
            "port (8123)?",
            http->base, HEADERS_BYTES_MAX >> 10);
    case BOUND_BYTES:
        return error_set_kind(
            error, ERROR_DAMAGE,
            "%s: its answer has more than %lld MiB, which is more than it was asked for: "
            "is it ClickHouse's HTTP port (8123)?",
            http->base,
            (long long)((answer->bytes > HTTP_ANSWER_BYTES_MAX ? HTTP_ANSWER_BYTES_MAX
                                                               : HTTP_SHORT_BYTES_MAX) >>
                        20));
    case BOUND_WHOLE:
        return error_set(error, "%s: its answer was not whole after %ld s: %s", http->base,
                         answer->seconds * HTTP_WHOLE_FACTOR, wait);
    case BOUND_SLOW:
        return error_set(error, "%s: gave less than %d KiB in %ld s: %s", http->base,
                         SLOW_BYTES >> 10, answer->seconds, wait);
    case BOUND_NONE:
        break;
    }
    return -1;
}

static int fail_transfer(const struct http *http, CURLcode result, struct error *error)
{
    /* A server without TLS fails the handshake, or waits for the end of a line that never comes. */
    bool silent_or_plain =
        strncmp(http->base, "https:", 6) == 0 &&
        (result == CURLE_SSL_CONNECT_ERROR || result == CURLE_OPERATION_TIMEDOUT);
    const char *advice = unreached(result) ? ": is the server running, and is that its HTTP port?"
                         : result == CURLE_PEER_FAILED_VERIFICATION
                             ? ": SSL_CERT_FILE can name the certificate that signs the server's"
                         : silent_or_plain ? ": does that port speak TLS, as https:// says?"
                                           : "";
    return error_set(error, "%s: %s%s", http->base, curl_library.easy_strerror(result), advice);
}

static void pause_before_try(int try)
{
    const struct timespec pause = {.tv_sec = (1 << try) / 4,
                                   .tv_nsec = (1 << try) % 4 * 250000000L};
    nanosleep(&pause, NULL);
}

int http_send(struct http *http, const struct http_request *request, int *code, struct error *error)
{
    char *url = url_of(http, request);
    struct answer answer = {
        .request = request, .easy = http->easy, .error = error, .seconds = http->seconds};
    struct sent sent = {0};
    CURLcode result = CURLE_OUT_OF_MEMORY;
    long status = 0;
    *code = 0;
    if (url != NULL)
        set_common(http->easy, url, &answer);
    if (url != NULL && set_body(http->easy, request, &sent) == 0) {
        answer.begun_s = answer.moved_s = now_s();
        result = curl_library.easy_perform(http->easy);
        for (int try = 0; try < TRIES && unreached(result); try++) {
            pause_before_try(try);
            result = curl_library.easy_perform(http->easy);
        }
    }
    curl_library.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    release_sent(&sent);
    free(url);
    if (answer.failed)
        return -1;
    if (answer.bound != BOUND_NONE)
        return fail_bound(http, &answer, error);
    if (result != CURLE_OK && !answer.exception) /* it closes the connection after one */
        return fail_transfer(http, result, error);
    /* The status may have been sent before the server met the error. */
    return status == 200 && !answer.exception ? 0
                                              : fail_exception(http, &answer, status, code, error);
}

#else /* no libcurl to build with */

struct http *http_open(const char *url, struct error *error)
{
    error_set_kind(
        error, ERROR_UNSUPPORTED,
        "%s: this fisql was built without libcurl, which speaks to servers: install its headers "
        "(README.md) and build it again, or push to a file",
        url);
    return NULL;
}

void http_close(struct http *http)
{
    (void)http;
}

const char *http_database(const struct http *http)
{
    (void)http;
    return "";
}

int http_send(struct http *http, const struct http_request *request, int *code, struct error *error)
{
    (void)http;
    (void)request;
    *code = 0;
    return error_set(error, "no libcurl");
}
#endif
