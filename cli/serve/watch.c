/* Clients that go: see watch.h. */
#include "cli/serve/watch.h"

#include "cli/out/say.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>

enum { TICK_MS = 100 };

static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    const struct server *server;
    bool ends; /* atomic */
    int *stops[WATCHED_MAX];
    struct pollfd sockets[WATCHED_MAX];
    int count;
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void look(void)
{
    bool stopping = __atomic_load_n(&watched.server->stopping, __ATOMIC_RELAXED);
    pthread_mutex_lock(&watched.lock);
    if (watched.count > 0 && (stopping || poll(watched.sockets, (nfds_t)watched.count, 0) > 0))
        for (int i = 0; i < watched.count; i++)
            if (stopping || (watched.sockets[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
                __atomic_store_n(watched.stops[i], 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&watched.lock);
}

static void *run(void *context)
{
    (void)context;
    while (!__atomic_load_n(&watched.ends, __ATOMIC_RELAXED)) {
        poll(NULL, 0, TICK_MS);
        look();
    }
    return NULL;
}

int watch_begin(struct server *server)
{
    watched.server = server;
    int refused = pthread_create(&watched.thread, NULL, run, NULL);
    return refused == 0 ? 0 : fail("serve: no thread can be started: %s", strerror(refused));
}

void watch_end(void)
{
    __atomic_store_n(&watched.ends, true, __ATOMIC_RELAXED);
    pthread_join(watched.thread, NULL);
}

bool watch_add(int socket, int *stop)
{
    pthread_mutex_lock(&watched.lock);
    bool room = watched.count < WATCHED_MAX;
    if (room) {
        watched.stops[watched.count] = stop;
        watched.sockets[watched.count++] = (struct pollfd){.fd = socket, .events = POLLRDHUP};
    }
    pthread_mutex_unlock(&watched.lock);
    return room;
}

void watch_remove(const int *stop)
{
    pthread_mutex_lock(&watched.lock);
    for (int i = 0; i < watched.count; i++)
        if (watched.stops[i] == stop) {
            watched.count--;
            watched.stops[i] = watched.stops[watched.count];
            watched.sockets[i] = watched.sockets[watched.count];
            break;
        }
    pthread_mutex_unlock(&watched.lock);
}
