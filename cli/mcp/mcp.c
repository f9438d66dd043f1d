/* The threads of the server: see mcp.h. */
#include "cli/mcp/mcp.h"

#include "base/must.h"
#include "cli/mcp/lines.h"
#include "cli/mcp/protocol.h"
#include "cli/out/say.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE_BYTES_MAX = 256 << 10,
    WAITING_MAX = 64,  /* requests */
    GRACE_SECONDS = 10 /* for what waits when the client has closed our input */
};

struct server {
    int in, out;
    struct protocol protocol;  /* the answering thread's */
    struct json_reader reader; /* the reading thread's */
    pthread_mutex_t writing;
    bool gone; /* nobody reads our output; under `writing` */

    /* Under `lock`. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct rpc_message waiting[WAITING_MAX]; /* a ring */
    size_t first, count;
    char answering[RPC_ID_BYTES + 1]; /* the id of the request in hand; "" = none */
    bool ended;                       /* nothing more is read */
    bool done;                        /* nothing more is answered */
    int stop;                         /* the request in hand; also read without the lock */
};

/* ---- writing ---- */

/* Writes the line with its newline, whole or not at all as far as other threads see. */
static void write_line(struct server *server, char *line, size_t size)
{
    pthread_mutex_lock(&server->writing);
    line[size] = '\n'; /* in place of the NUL */
    for (size_t at = 0; at <= size && !server->gone;) {
        ssize_t put = write(server->out, line + at, size + 1 - at);
        if (put > 0)
            at += (size_t)put;
        else if (put == 0 || errno != EINTR)
            server->gone = true;
    }
    line[size] = '\0';
    pthread_mutex_unlock(&server->writing);
}

static bool is_gone(struct server *server)
{
    pthread_mutex_lock(&server->writing);
    bool gone = server->gone;
    pthread_mutex_unlock(&server->writing);
    return gone;
}

static void refuse(struct server *server, struct rpc_message *message, int code,
                   const char *problem)
{
    char *line = NULL;
    size_t size = 0;
    message->code = code;
    message->problem = problem;
    protocol_wrong(message, &line, &size);
    if (line != NULL)
        write_line(server, line, size);
    free(line);
}

/* ---- reading ---- */

/* Takes a request over; false if too many wait. */
static bool put_in_line(struct server *server, struct rpc_message *message)
{
    pthread_mutex_lock(&server->lock);
    bool room = server->count < WAITING_MAX;
    if (room) {
        server->waiting[(server->first + server->count++) % WAITING_MAX] = *message;
        *message = (struct rpc_message){.kind = RPC_WRONG};
        pthread_cond_broadcast(&server->changed);
    }
    pthread_mutex_unlock(&server->lock);
    return room;
}

/* Stops the request of that id, and removes those that wait. */
static void cancel(struct server *server, const char *id)
{
    size_t kept = 0;
    pthread_mutex_lock(&server->lock);
    if (strcmp(server->answering, id) == 0)
        __atomic_store_n(&server->stop, 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < server->count; i++) {
        struct rpc_message *message = &server->waiting[(server->first + i) % WAITING_MAX];
        if (strcmp(message->id, id) == 0)
            rpc_release(message);
        else
            server->waiting[(server->first + kept++) % WAITING_MAX] = *message;
    }
    server->count = kept;
    pthread_mutex_unlock(&server->lock);
}

static void notice(struct server *server, const struct rpc_message *message)
{
    struct json_value request;
    char id[RPC_ID_BYTES + 1];
    if (strcmp(message->method, "notifications/cancelled") != 0 ||
        message->params.type != JSON_OBJECT)
        return;
    json_reader_find(&server->reader, message->params.text, "requestId", &request);
    if (rpc_id(&request, id))
        cancel(server, id);
    json_value_release(&request);
}

static void take(struct server *server, const char *line, size_t length)
{
    struct rpc_message message;
    if (line[strspn(line, " \t\r")] == '\0' && strlen(line) == length)
        return; /* nothing */
    rpc_read(&server->reader, line, length, &message);
    if (message.kind == RPC_NOTIFICATION)
        notice(server, &message);
    else if (message.kind == RPC_WRONG)
        refuse(server, &message, message.code, message.problem);
    else if (message.kind == RPC_REQUEST && !put_in_line(server, &message))
        refuse(server, &message, RPC_INTERNAL_ERROR,
               "too many requests wait for their answer: send fewer at once");
    rpc_release(&message);
}

/* Lets requests that wait be answered for some time, then stops the one in hand and drops them. */
static void leave(struct server *server)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += GRACE_SECONDS;
    pthread_mutex_lock(&server->lock);
    server->ended = true;
    pthread_cond_broadcast(&server->changed);
    int late = 0;
    while (!server->done && late == 0)
        late = pthread_cond_timedwait(&server->changed, &server->lock, &until);
    if (!server->done) {
        while (server->count > 0)
            rpc_release(&server->waiting[(server->first + --server->count) % WAITING_MAX]);
        __atomic_store_n(&server->stop, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&server->lock);
}

static void *read_all(void *context)
{
    struct server *server = context;
    struct lines lines = {.file = server->in, .bytes_max = LINE_BYTES_MAX};
    enum lines_result result;
    char *line;
    size_t length;
    while ((result = lines_next(&lines, &line, &length)) != LINES_END &&
           result != LINES_NO_MEMORY) {
        struct rpc_message none = {.kind = RPC_WRONG};
        if (result == LINES_LINE)
            take(server, line, length);
        else
            refuse(server, &none, RPC_INVALID_REQUEST,
                   "the line is longer than 262,144 bytes, which no message may be");
        if (is_gone(server))
            break;
    }
    if (result == LINES_NO_MEMORY)
        fail("mcp: out of memory");
    lines_release(&lines);
    leave(server);
    return NULL;
}

/* ---- answering ---- */

/* Waits for the next request; false at the end. */
static bool next_request(struct server *server, struct rpc_message *message)
{
    pthread_mutex_lock(&server->lock);
    server->answering[0] = '\0';
    while (server->count == 0 && !server->ended)
        pthread_cond_wait(&server->changed, &server->lock);
    bool any = server->count > 0;
    if (any) {
        *message = server->waiting[server->first];
        server->first = (server->first + 1) % WAITING_MAX;
        server->count--;
        memcpy(server->answering, message->id, sizeof server->answering);
        __atomic_store_n(&server->stop, 0, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&server->lock);
    return any;
}

static void answer_all(struct server *server)
{
    struct rpc_message message;
    while (next_request(server, &message)) {
        char *line = NULL;
        size_t size = 0;
        protocol_answer(&server->protocol, &message, &server->stop, &line, &size);
        if (line != NULL)
            write_line(server, line, size);
        free(line);
        rpc_release(&message);
        if (is_gone(server))
            break;
    }
    pthread_mutex_lock(&server->lock);
    server->done = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

static int run(struct server *server)
{
    pthread_t reading;
    if (pthread_create(&reading, NULL, read_all, server) != 0)
        return fail("mcp: a thread cannot be made: %s", strerror(errno));
    answer_all(server);
    if (is_gone(server)) {
        pthread_detach(reading); /* it may wait for input for ever */
        return 2;
    }
    pthread_join(reading, NULL);
    return 0;
}

int mcp_serve(const struct mcp_options *options, int in, int out)
{
    /* Static: the reading thread, which may wait for input, outlives the call if nobody reads our
     * output. */
    static struct server server;
    must(options->answer_bytes >= MCP_ANSWER_BYTES_MIN);
    server = (struct server){.in = in, .out = out, .protocol.options = options};
    pthread_mutex_init(&server.writing, NULL);
    pthread_mutex_init(&server.lock, NULL);
    pthread_cond_init(&server.changed, NULL);
    signal(SIGPIPE, SIG_IGN);
    int status = json_reader_open(&server.protocol.reader);
    if (status == 0)
        status = json_reader_open(&server.reader);
    if (status == 0)
        status = run(&server);
    if (status == 0) {
        json_reader_close(&server.reader);
        json_reader_close(&server.protocol.reader);
    }
    return status;
}
