/* Answers that a command of fisql makes: see child.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHILDREN_MAX = 8,
    WHOLE_BYTES = 1 << 18, /* larger answers are sent as they come */
    NOTES_BYTES = 2048,
    STALLED_MS = 4000,
    TICK_MS = 100
};
#ifdef __SANITIZE_ADDRESS__ /* reserves terabytes of addresses */
#define MEMORY_BYTES RLIM_INFINITY
#else
#define MEMORY_BYTES ((rlim_t)2 << 30) /* addresses, of which a child uses a part */
#endif

struct child {
    struct server *server;
    struct request request; /* for its connection */
    pid_t pid;              /* 0 = it has ended */
    int out, err;
    int64_t deadline_ms;
    const char *stopped; /* why we ended it; NULL = we did not */
    int status;          /* of waitpid, once it has ended */
    char *head;          /* the first bytes of the answer */
    size_t head_length, head_sent;
    char notes[NOTES_BYTES];
    size_t notes_length;
    int64_t read_ms; /* when the client took bytes last; under the lock */
};

/* The children that run. */
static struct {
    pthread_mutex_t lock;
    struct child *items[CHILDREN_MAX];
} children = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- turns ---- */

/* Ends a child that waits for a client who reads nothing, as others wait for its place: that is
 * free then. The client's connection ends when libmicrohttpd asks for more, or at its time. */
static void end_stalled(void)
{
    int64_t now = server_now_ms();
    for (int i = 0; i < CHILDREN_MAX; i++) {
        const struct child *child = children.items[i];
        int64_t read_ms = child != NULL ? __atomic_load_n(&child->read_ms, __ATOMIC_RELAXED) : 0;
        if (read_ms != 0 && now - read_ms > STALLED_MS && child->pid > 0) {
            kill(child->pid, SIGKILL);
            children.items[i] = NULL;
            return;
        }
    }
}

static bool try_turn(struct child *child)
{
    pthread_mutex_lock(&children.lock);
    bool taken = false;
    for (int i = 0; i < CHILDREN_MAX && !taken; i++)
        if (children.items[i] == NULL) {
            children.items[i] = child;
            taken = true;
        }
    if (!taken)
        end_stalled();
    pthread_mutex_unlock(&children.lock);
    return taken;
}

/* False: the client went before its turn came, or the server ends. */
static bool wait_turn(struct child *child)
{
    while (!try_turn(child)) {
        if (__atomic_load_n(&child->server->stopping, __ATOMIC_RELAXED) ||
            request_is_gone(&child->request))
            return false;
        poll(NULL, 0, TICK_MS / 4);
    }
    return true;
}

static void give_turn(const struct child *child)
{
    pthread_mutex_lock(&children.lock);
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children.items[i] == child)
            children.items[i] = NULL;
    pthread_mutex_unlock(&children.lock);
}

/* ---- a child's life ---- */

static int spawn(struct child *child, const char *program, char **argv, int out, int err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0); /* a Ctrl-C is for the server */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (result == 0)
        result = posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (result == 0)
        result = posix_spawn_file_actions_adddup2(&actions, err, 2);
    if (result == 0)
        result = posix_spawnp(&child->pid, program, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return result;
}

static int child_start(struct child *child, const char *program, char **argv)
{
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(err, O_CLOEXEC) != 0) {
        int problem = errno;
        close(out[0]);
        close(out[1]);
        return problem;
    }
    int problem = spawn(child, program, argv, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    child->out = out[0];
    child->err = err[0];
    fcntl(child->err, F_SETFL, O_NONBLOCK);
    if (problem != 0)
        child->pid = 0;
    const struct rlimit memory = {MEMORY_BYTES, MEMORY_BYTES};
    if (problem == 0 && prlimit(child->pid, RLIMIT_AS, &memory, NULL) != 0 && errno != ESRCH)
        child->stopped = "its memory cannot be limited";
    return problem;
}

static void read_notes(struct child *child)
{
    char rest[512];
    ssize_t got;
    for (;;) {
        size_t room = NOTES_BYTES - 1 - child->notes_length;
        got = room > 0 ? read(child->err, child->notes + child->notes_length, room)
                       : read(child->err, rest, sizeof rest);
        if (got <= 0)
            return;
        child->notes_length += room > 0 ? (size_t)got : 0;
    }
}

/* Under the lock, so that nobody kills another process that has its number. */
static void reap(struct child *child)
{
    if (child->pid == 0)
        return;
    pid_t pid = child->pid;
    if (child->stopped != NULL)
        kill(pid, SIGKILL);
    read_notes(child);
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    pthread_mutex_lock(&children.lock);
    child->pid = 0;
    while (waitpid(pid, &child->status, 0) < 0 && errno == EINTR)
        continue;
    pthread_mutex_unlock(&children.lock);
    read_notes(child);
}

/* Why it has to end now; NULL = it may go on. */
static const char *must_stop(const struct child *child)
{
    if (child->stopped != NULL)
        return child->stopped;
    if (__atomic_load_n(&child->server->stopping, __ATOMIC_RELAXED))
        return "fisql serve ends";
    if (server_now_ms() > child->deadline_ms)
        return "it took too long: ask for less, or allow it more time (seconds=)";
    return request_is_gone(&child->request) ? "its client is gone" : NULL;
}

/* The child's next bytes: 0 = it has ended, or has to. */
static size_t child_read(struct child *child, char *to, size_t size)
{
    while ((child->stopped = must_stop(child)) == NULL) {
        struct pollfd files[2] = {{.fd = child->out, .events = POLLIN},
                                  {.fd = child->err, .events = POLLIN}};
        poll(files, 2, TICK_MS);
        if (files[1].revents & POLLIN)
            read_notes(child);
        if (files[0].revents == 0) {
            if (files[1].revents & POLLHUP) /* it closed stderr before stdout */
                poll(NULL, 0, 1);
            continue;
        }
        ssize_t got = read(child->out, to, size);
        if (got > 0)
            return (size_t)got;
        if (got == 0 || errno != EINTR)
            break;
    }
    reap(child);
    return 0;
}

static void child_free(void *context)
{
    struct child *child = context;
    if (child->stopped == NULL)
        child->stopped = "its client is gone";
    reap(child);
    give_turn(child);
    if (child->out >= 0)
        close(child->out);
    if (child->err >= 0)
        close(child->err);
    __atomic_fetch_sub(&child->server->working, 1, __ATOMIC_RELAXED);
    free(child->head);
    free(child);
}

/* ---- the answer ---- */

static bool child_failed(const struct child *child)
{
    return child->stopped != NULL || !WIFEXITED(child->status) || WEXITSTATUS(child->status) > 1;
}

/* libmicrohttpd asks for more to send. */
static ssize_t more(void *context, uint64_t position, char *to, size_t size)
{
    struct child *child = context;
    (void)position;
    if (child->head_sent < child->head_length) {
        size_t rest = child->head_length - child->head_sent, part = rest < size ? rest : size;
        memcpy(to, child->head + child->head_sent, part);
        child->head_sent += part;
        return (ssize_t)part;
    }
    __atomic_store_n(&child->read_ms, 0, __ATOMIC_RELAXED);
    size_t got = child->pid != 0 ? child_read(child, to, size) : 0;
    __atomic_store_n(&child->read_ms, server_now_ms(), __ATOMIC_RELAXED);
    reply_was_made(child->request.connection);
    if (got > 0)
        return (ssize_t)got;
    return child_failed(child) ? MHD_CONTENT_READER_END_WITH_ERROR
                               : MHD_CONTENT_READER_END_OF_STREAM;
}

/* "fisql: a: b\n" to what an error says. */
static const char *words_of(struct child *child)
{
    static const char own[] = "fisql: ";
    char *words = child->notes;
    child->notes[child->notes_length] = '\0';
    if (strncmp(words, own, sizeof own - 1) == 0)
        words += sizeof own - 1;
    while (child->notes_length > 0 && child->notes[child->notes_length - 1] == '\n')
        child->notes[--child->notes_length] = '\0';
    return words;
}

static enum MHD_Result reply_failure(struct child *child)
{
    struct MHD_Connection *connection = child->request.connection;
    if (child->stopped != NULL)
        return reply_problem(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "stopped: %s",
                             child->stopped);
    const char *words = words_of(child);
    if (WIFEXITED(child->status) && words[0] != '\0')
        return reply_problem(connection, MHD_HTTP_BAD_REQUEST, "%s", words);
    return reply_problem(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                         "the command ended early (%s %d): it may have needed too much memory",
                         WIFSIGNALED(child->status) ? "signal" : "status",
                         WIFSIGNALED(child->status) ? WTERMSIG(child->status)
                                                    : WEXITSTATUS(child->status));
}

/* Notes as a header, whose bytes are letters. */
static bool add_notes(struct child *child, struct MHD_Response *response)
{
    char encoded[3 * NOTES_BYTES + 1];
    size_t used = 0;
    const char *words = words_of(child);
    for (const char *at = words; *at != '\0'; at++)
        used += (size_t)snprintf(encoded + used, 4,
                                 *at > ' ' && *at < 127 && *at != '%' ? "%c" : "%%%02X",
                                 (unsigned char)*at);
    return used == 0 || mhd.add_response_header(response, "X-Fisql-Notes", encoded) == MHD_YES;
}

/* Reads the head; true: the answer is longer. */
static bool read_head(struct child *child)
{
    size_t got = 1;
    while (child->head_length < WHOLE_BYTES && got > 0) {
        got = child_read(child, child->head + child->head_length, WHOLE_BYTES - child->head_length);
        child->head_length += got;
    }
    return got > 0;
}

/* The child is freed here, or when the answer was sent. */
static enum MHD_Result reply(struct child *child, const char *type)
{
    struct MHD_Connection *connection = child->request.connection;
    struct MHD_Response *response;
    enum MHD_Result result;
    if (read_head(child)) {
        __atomic_store_n(&child->read_ms, server_now_ms(), __ATOMIC_RELAXED);
        response =
            mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, 1 << 16, more, child, child_free);
        if (response != NULL)
            return reply_response(connection, MHD_HTTP_OK, type, response);
        result = MHD_NO;
    } else if (child_failed(child)) {
        result = reply_failure(child);
    } else {
        response =
            mhd.create_response_from_buffer(child->head_length, child->head, MHD_RESPMEM_MUST_COPY);
        result = response != NULL && add_notes(child, response)
                     ? reply_response(connection, MHD_HTTP_OK, type, response)
                     : MHD_NO;
    }
    child_free(child);
    return result;
}

/* A child that has its turn; NULL: *problem says why there is none, or is NULL as nobody waits for
 * it. */
static struct child *child_begin(struct request *request, int64_t seconds_max, const char **problem)
{
    struct child *child = malloc(sizeof *child);
    char *head = malloc(WHOLE_BYTES + 1);
    *problem = "out of memory";
    if (child == NULL || head == NULL) {
        free(child);
        free(head);
        return NULL;
    }
    *child = (struct child){
        .server = request->server, .request = *request, .out = -1, .err = -1, .head = head};
    __atomic_fetch_add(&child->server->working, 1, __ATOMIC_RELAXED);
    if (!wait_turn(child)) {
        child_free(child);
        *problem = NULL;
        return NULL;
    }
    child->deadline_ms = server_now_ms() + 1000 * seconds_max;
    return child;
}

enum MHD_Result child_reply(struct request *request, char **argv, const char *type,
                            int64_t seconds_max)
{
    static char name[] = "fisql";
    const char *without;
    struct child *child = child_begin(request, seconds_max, &without);
    if (child == NULL)
        return without != NULL
                   ? reply_problem(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", without)
                   : MHD_NO;
    argv[0] = name;
    int problem = child_start(child, "/proc/self/exe", argv);
    if (problem != 0) {
        child_free(child);
        return reply_problem(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "fisql cannot be started: %s", strerror(problem));
    }
    return reply(child, type);
}

char *child_collect(struct request *request, const char *program, char **argv, int64_t seconds_max,
                    const char **problem)
{
    struct child *child = child_begin(request, seconds_max, problem);
    if (child == NULL) {
        if (*problem == NULL)
            *problem = "its client is gone";
        return NULL;
    }
    char *text = NULL;
    int start = child_start(child, program, argv);
    if (start == ENOENT) {
        *problem = "objdump is not installed: it is part of binutils (apt-get install binutils)";
    } else if (start != 0) {
        *problem = "objdump cannot be started";
    } else {
        bool longer = read_head(child);
        bool failed = child_failed(child) || WEXITSTATUS(child->status) != 0;
        *problem = longer || !failed ? NULL : "objdump cannot read the file";
        if (*problem == NULL) {
            child->head[child->head_length] = '\0';
            text = child->head;
            child->head = NULL;
        }
    }
    child_free(child);
    return text;
}
#else
extern const int child_is_not_built_in; /* ISO C forbids an empty file */
#endif
