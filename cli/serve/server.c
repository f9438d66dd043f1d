/* The server: see server.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/server.h"

#include "base/array.h"
#include "cli/ask/ask.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/serve/api.h"
#include "cli/serve/bases.h"
#include "cli/serve/guard.h"
#include "cli/serve/listen.h"
#include "cli/serve/watch.h"
#include "page/page.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CLIENTS_MAX = 160,
    BODY_BYTES_MAX = 1 << 20,
    HEAD_BYTES_MAX = 1 << 16,
    STACK_BYTES = 1 << 20,
    ARENAS = 4
};
#define SQLITE_BYTES ((int64_t)64 << 20)

/* ---- requests ---- */

/* A request as it comes in: libmicrohttpd calls us with its head, with parts of its body, and then
 * for the answer. */
struct incoming {
    char *body; /* owned */
    size_t length, capacity;
    bool too_long;
};

static enum MHD_Result refuse(struct MHD_Connection *connection, enum guard_answer answer)
{
    if (answer == GUARD_FOREIGN)
        return reply_problem(connection, MHD_HTTP_FORBIDDEN,
                             "this server answers its own page and its own address alone");
    return reply_problem(connection, MHD_HTTP_UNAUTHORIZED,
                         "open the address that fisql serve printed: it has a token");
}

/* Takes the token out of the address, into a cookie. */
static enum MHD_Result give_cookie(const struct guard *guard, struct MHD_Connection *connection)
{
    char cookie[160];
    snprintf(cookie, sizeof cookie, "%s=%s; Path=/; HttpOnly; SameSite=Strict", guard->cookie,
             guard->token);
    struct MHD_Response *response =
        mhd.create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    if (response == NULL || mhd.add_response_header(response, "Set-Cookie", cookie) != MHD_YES ||
        mhd.add_response_header(response, "Location", "/") != MHD_YES)
        return MHD_NO;
    return reply_response(connection, MHD_HTTP_SEE_OTHER, "text/plain", response);
}

static enum MHD_Result answer_page(struct MHD_Connection *connection, const char *path)
{
    static const struct {
        const char *path, *type, *text;
    } pages[] = {{"/", "text/html; charset=utf-8", serve_page_html},
                 {"/serve.js", "text/javascript; charset=utf-8", serve_page_script},
                 {"/serve.css", "text/css; charset=utf-8", serve_page_style}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (strcmp(path, pages[i].path) == 0)
            return reply_page(connection, pages[i].type, pages[i].text);
    return reply_problem(connection, MHD_HTTP_NOT_FOUND, "there is no such page");
}

static enum MHD_Result answer(struct server *server, struct MHD_Connection *connection,
                              const char *path, const char *method, const struct incoming *incoming)
{
    struct request request = {.server = server,
                              .connection = connection,
                              .body = incoming->body != NULL ? incoming->body : "",
                              .body_length = incoming->length};
    enum guard_answer guarded = guard_check(server->guard, connection);
    if (guarded == GUARD_FOREIGN || guarded == GUARD_STRANGER)
        return refuse(connection, guarded);
    if (incoming->too_long)
        return reply_problem(connection, MHD_HTTP_CONTENT_TOO_LARGE,
                             "a request has at most %d bytes", BODY_BYTES_MAX);
    if (strncmp(path, "/api/", 5) == 0)
        return api_answer(&request, method, path);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return reply_problem(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "wants GET");
    if (guarded == GUARD_BY_ADDRESS && strcmp(path, "/") == 0)
        return give_cookie(server->guard, connection);
    return answer_page(connection, path);
}

/* Keeps a part of the body, up to the limit. */
static void keep_body(struct incoming *incoming, const char *data, size_t size, bool wanted)
{
    if (!wanted)
        return;
    if (incoming->length + size > BODY_BYTES_MAX) {
        incoming->too_long = true;
        return;
    }
    if (array_reserve(&incoming->body, &incoming->capacity, incoming->length + size + 1, NULL) !=
        0) {
        incoming->too_long = true;
        return;
    }
    memcpy(incoming->body + incoming->length, data, size);
    incoming->length += size;
    incoming->body[incoming->length] = '\0';
}

static enum MHD_Result take(void *context, struct MHD_Connection *connection, const char *path,
                            const char *method, const char *version, const char *data,
                            size_t *data_size, void **state)
{
    struct server *server = context;
    struct incoming *incoming = *state;
    (void)version;
    if (incoming == NULL) {
        *state = calloc(1, sizeof *incoming);
        __atomic_fetch_add(&server->working, 1, __ATOMIC_RELAXED);
        return *state != NULL ? MHD_YES : MHD_NO;
    }
    if (*data_size > 0) {
        keep_body(incoming, data, *data_size, api_takes_body(method, path));
        *data_size = 0;
        return MHD_YES;
    }
    enum MHD_Result result = answer(server, connection, path, method, incoming);
    reply_was_made(connection);
    return result;
}

static void request_ended(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_RequestTerminationCode code)
{
    struct server *server = context;
    struct incoming *incoming = *state;
    (void)connection;
    (void)code;
    if (incoming == NULL)
        return;
    __atomic_fetch_sub(&server->working, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&server->last_use_ms, server_now_ms(), __ATOMIC_RELAXED);
    free(incoming->body);
    free(incoming);
}

/* Texts of addresses are ours to keep as they are; what libmicrohttpd says is for nobody. */
static void say_nothing(void *context, const char *format, va_list arguments)
{
    (void)context;
    (void)format;
    (void)arguments;
}

/* ---- the daemon ---- */

static struct MHD_Daemon *start(struct server *server, int socket)
{
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    return mhd.start_daemon(
        flags, 0, NULL, NULL, take, server, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
        MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_NOTIFY_COMPLETED, request_ended, server,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLIENTS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)REPLY_SILENCE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES_MAX,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES, MHD_OPTION_END);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

static void block_signals(sigset_t *signals)
{
    sigemptyset(signals);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaddset(signals, ends[i]);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static bool is_idle(const struct server *server, int64_t idle_ms)
{
    return idle_ms > 0 && __atomic_load_n(&server->working, __ATOMIC_RELAXED) == 0 &&
           server_now_ms() - __atomic_load_n(&server->last_use_ms, __ATOMIC_RELAXED) > idle_ms;
}

/* Until a signal comes, or nobody asks any more. */
static void wait_for_end(const struct server *server, const struct server_options *options,
                         const sigset_t *signals)
{
    const struct timespec tick = {0, 200000000};
    while (!is_idle(server, options->idle_ms))
        if (sigtimedwait(signals, NULL, &tick) >= 0)
            return;
    note("serve: ends, as nobody asked for %lld s", (long long)options->idle_ms / 1000);
}

/* xdg-open is what desktops have; its child goes on without us. */
static void open_browser(const char *address)
{
    const char *browser = getenv("BROWSER");
    char program[] = "xdg-open";
    char *argv[] = {browser != NULL && browser[0] != '\0' ? (char *)(uintptr_t)browser : program,
                    (char *)(uintptr_t)address, NULL};
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t pid;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int problem = posix_spawnp(&pid, argv[0], NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (problem != 0)
        note("--open: %s: %s: open the address yourself, or name a browser in BROWSER", argv[0],
             strerror(problem));
    else
        signal(SIGCHLD, SIG_DFL);
}

static int serve(struct server *server, const struct server_options *options,
                 struct listening *listening)
{
    sigset_t signals;
    block_signals(&signals);
    if (watch_begin(server) != 0)
        return 2;
    server->last_use_ms = server_now_ms();
    struct MHD_Daemon *daemon = start(server, listening->socket);
    if (daemon == NULL) {
        watch_end();
        return fail("serve: the server cannot be started: %s", strerror(errno));
    }
    printf("%s\n", listening->address);
    if (flush_output() == 0) {
        listen_say(server);
        if (options->open)
            open_browser(listening->address);
        wait_for_end(server, options, &signals);
    }
    __atomic_store_n(&server->stopping, true, __ATOMIC_RELAXED);
    mhd.stop_daemon(daemon); /* closes the socket, too */
    listening->socket = -1;
    watch_end();
    return 0;
}

int server_run(const struct server_options *options)
{
    struct guard guard = {.port = 0};
    struct server server = {.guard = &guard};
    struct listening listening = {.socket = -1};
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, ARENAS); /* a heap for each thread would keep what one large answer took */
#endif
    int status = mhd_library_open();
    if (status == 0)
        status = ask_begin(SQLITE_BYTES);
    if (status == 0)
        status = query_set_load(&server.queries);
    if (status == 0)
        status = bases_open(&server, options->paths, options->paths_count);
    if (status == 0)
        status = guard_begin(&guard);
    if (status == 0)
        status = listen_begin(&listening, options, &guard);
    if (status == 0)
        status = serve(&server, options, &listening);
    listen_end(&listening);
    bases_close(&server);
    query_set_release(&server.queries);
    return status;
}
#else
#include "cli/out/say.h"
#include "cli/serve/server.h"

int server_run(const struct server_options *options)
{
    (void)options;
    return fail("serve: this fisql was built without libmicrohttpd's headers: install "
                "libmicrohttpd-dev (Debian) or libmicrohttpd-devel, and build it again");
}
#endif
