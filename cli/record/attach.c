/* See attach.h. */
#include "cli/record/attach.h"

#include "base/must.h"
#include "cli/record/attach_forks.h"
#include "cli/record/attach_points.h"
#include "cli/record/attach_seccomp.h"
#include "cli/record/remote.h"
#include "cli/record/stopped.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STOP_MS 3000u
#define NAP_MS 5
#define PATIENT_MS 200u /* waits so long for a thread that waits; then takes one that computes */
#define POINT_MS 10000u /* waits so long for a thread where code can be run */
#define OPEN_MS 20000u  /* dlopen() and the like may take so long */
#define FORKS_MS 1000u  /* waits so long for threads that may be about to call it */
#define LEAVE_MS 10000u /* waits so long until no thread is in the collector */

#if defined(__x86_64__)

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void nap_ms(long ms)
{
    const struct timespec nap = {0, ms * 1000000};
    nanosleep(&nap, NULL);
}

/* ---- a thread that works for us ---- */

/* Stops the process and takes a thread that may run code; tries again as the process runs. Lets all
 * go on failure. */
static int take(struct attach *attach, pid_t pid, struct stopped *stopped, struct remote *remote,
                struct error *error)
{
    uint64_t begun_ms = now_ms(), end_ms = begun_ms + POINT_MS;
    for (;;) {
        *stopped = (struct stopped){0};
        if (stopped_begin(stopped, pid, STOP_MS, error) != 0)
            return -1;
        if (attach_seccomp_check(stopped, attach->target.name, error) != 0) {
            stopped_end(stopped);
            return -1;
        }
        size_t at = attach_point(stopped, attach->target.musl, now_ms() - begun_ms > PATIENT_MS);
        if (at < stopped->count) {
            if (remote_begin(remote, stopped, at, error) == 0)
                return 0;
            stopped_end(stopped);
            return -1;
        }
        stopped_end(stopped);
        if (now_ms() >= end_ms)
            return error_set(error,
                             "%s: in %u s no thread of it came to a place where a library can be "
                             "opened or closed: none waits for anything, or all are in handlers of "
                             "signals. Try again",
                             attach->target.name, POINT_MS / 1000);
        nap_ms(NAP_MS);
    }
}

static void give_back(struct stopped *stopped, struct remote *remote)
{
    remote_end(remote);
    stopped_end(stopped);
}

/* Calls a function there with up to two arguments. */
static int call(struct remote *remote, const char *what, uint64_t function, uint64_t one,
                uint64_t two, uint64_t *result, struct error *error)
{
    return remote_function(remote, what, function, (const uint64_t[3]){one, two, 0}, OPEN_MS,
                           result, error);
}

static bool put(struct remote *remote, const void *bytes, size_t size)
{
    must(size <= REMOTE_ROOM_BYTES);
    return stopped_write(remote->stopped, remote_room(remote), bytes, size);
}

/* ---- descriptors ---- */

enum { FILE_LIBRARY, FILE_LIVE, FILE_LOG, FILES };

static int files_send(int socket, const int files[FILES])
{
    char byte = 0, room[CMSG_SPACE(FILES * sizeof(int))] = "";
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(FILES * sizeof(int));
    memcpy(CMSG_DATA(header), files, FILES * sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* In the process's memory: a message that takes them in. */
struct receiving {
    struct msghdr message;
    struct iovec data;
    char room[CMSG_SPACE(FILES * sizeof(int))];
    int pair[2];
};

static long there(struct remote *remote, long number, uint64_t one, uint64_t two, uint64_t three,
                  uint64_t four)
{
    return remote_system_call(remote, number, (const uint64_t[6]){one, two, three, four, 0, 0});
}

/* Takes them out of the socket there. */
static long files_receive(struct remote *remote, int socket, int files[FILES])
{
    uint64_t room = remote_room(remote);
    struct receiving receiving = {
        .message = {.msg_iov = (struct iovec *)(uintptr_t)(room + offsetof(struct receiving, data)),
                    .msg_iovlen = 1,
                    .msg_control = (void *)(uintptr_t)(room + offsetof(struct receiving, room)),
                    .msg_controllen = sizeof receiving.room},
        .data = {(void *)(uintptr_t)(room + offsetof(struct receiving, pair)), 1}};
    if (!put(remote, &receiving, sizeof receiving))
        return -EFAULT;
    long got = there(remote, SYS_recvmsg, (uint64_t)socket, room, MSG_CMSG_CLOEXEC, 0);
    if (got < 0)
        return got;
    if (!stopped_read(remote->stopped, room, &receiving, sizeof receiving))
        return -EFAULT;
    receiving.message.msg_control = receiving.room;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&receiving.message);
    if (header == NULL || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(FILES * sizeof(int)))
        return -EMFILE;
    memcpy(files, CMSG_DATA(header), FILES * sizeof(int));
    return 0;
}

/* Gives the process descriptors of ours, whatever its user, root folder and namespaces are. Returns
 * 0, or -errno. */
static long files_give(struct remote *remote, const int ours[FILES], int theirs[FILES])
{
    uint64_t room = remote_room(remote) + offsetof(struct receiving, pair);
    int pair[2] = {-1, -1};
    long result = there(remote, SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, room);
    if (result < 0)
        return result;
    if (!stopped_read(remote->stopped, room, pair, sizeof pair))
        return -EFAULT;
    int process = (int)syscall(SYS_pidfd_open, remote->stopped->pid, 0);
    int end = process >= 0 ? (int)syscall(SYS_pidfd_getfd, process, pair[0], 0) : -1;
    result = end >= 0 && files_send(end, ours) == 0 ? 0 : -errno;
    if (result == 0)
        result = files_receive(remote, pair[1], theirs);
    there(remote, SYS_close, (uint64_t)pair[0], 0, 0, 0);
    there(remote, SYS_close, (uint64_t)pair[1], 0, 0, 0);
    if (end >= 0)
        close(end);
    if (process >= 0)
        close(process);
    return result;
}

static void files_close(struct remote *remote, const int files[FILES])
{
    for (int i = 0; i < FILES; i++)
        there(remote, SYS_close, (uint64_t)files[i], 0, 0, 0);
}

/* ---- bringing it in ---- */

/* A copy of the library that nobody replaces. */
static int memory_make(struct attach *attach, const struct attach_orders *orders,
                       struct error *error)
{
    const char *library = orders->library;
    struct stat status;
    int file = open(library, O_RDONLY | O_CLOEXEC);
    off_t at = 0;
    attach->memory = memfd_create(ATTACH_MEMORY_NAME, MFD_CLOEXEC);
    bool done = file >= 0 && attach->memory >= 0 && fstat(file, &status) == 0;
    while (done && at < status.st_size)
        done = sendfile(attach->memory, file, &at, (size_t)(status.st_size - at)) > 0;
    if (done && attach->target.musl) /* it stays: no more of it than the process needs */
        done = ftruncate(attach->memory, (off_t)attach_stay_bytes(library, (uint64_t)at)) == 0;
    done = done && fstat(attach->memory, &status) == 0;
    int number = errno;
    if (file >= 0)
        close(file);
    if (!done)
        return error_set(error, "%s: %s", library, strerror(number));
    if (attach->target.musl && fstat(orders->live, &status) != 0)
        return error_set(error, "the live area: %s", strerror(errno));
    attach->inode = status.st_ino;
    return 0;
}

/* What dlerror() says there. */
static void reason_read(struct attach *attach, struct remote *remote, char *text, size_t size)
{
    uint64_t at = 0;
    struct error ignored;
    snprintf(text, size, "?");
    if (call(remote, "dlerror()", attach->target.dlerror, 0, 0, &at, &ignored) != 0 || at == 0)
        return;
    size_t used = 0;
    while (used + 1 < size && stopped_read(remote->stopped, at + used, text + used, 1) &&
           text[used] != 0)
        used++;
    text[used] = 0;
}

static int symbol_find(struct attach *attach, struct remote *remote, const char *name,
                       uint64_t *address, struct error *error)
{
    if (!put(remote, name, strlen(name) + 1) ||
        call(remote, "dlsym()", attach->target.dlsym, attach->handle, remote_room(remote), address,
             error) != 0)
        return -1;
    return *address != 0 ? 0 : error_set(error, "%s: %s is missing", attach->target.name, name);
}

#define SAID "fisql_attached"

/* The library is there, by this handle, or as one that stayed: where are its functions? */
static int symbols_find(struct attach *attach, struct remote *remote, struct error *error)
{
    const struct {
        const char *name;
        uint64_t *address;
    } symbols[] = {
        {"fisql_attach_start", &attach->start},   {"fisql_attach_prepare", &attach->prepare},
        {"fisql_attach_patch", &attach->patch},   {"fisql_attach_leave", &attach->leave},
        {"fisql_attach_forget", &attach->forget}, {SAID, &attach->attached}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (attach->stay.bias != 0)
            *symbols[i].address = attach_stay_symbol(&attach->stay, symbols[i].name);
        else if (symbol_find(attach, remote, symbols[i].name, symbols[i].address, error) != 0)
            return -1;
    return 0;
}

static int library_open(struct attach *attach, struct remote *remote, int library,
                        struct error *error)
{
    char path[64], reason[512];
    snprintf(path, sizeof path, "%s%d", FISQL_ATTACH_PATH, library);
    if (!put(remote, path, strlen(path) + 1))
        return error_set(error, "%s: its memory cannot be written", attach->target.name);
    if (call(remote, "dlopen()", attach->target.dlopen, remote_room(remote), RTLD_NOW,
             &attach->handle, error) != 0)
        return -1;
    if (attach->handle == 0) {
        reason_read(attach, remote, reason, sizeof reason);
        return error_set(error, "%s: the collector cannot be opened in it: %s", attach->target.name,
                         reason);
    }
    return 0;
}

/* Puts the library of musl that stays back to what it was when it was opened. */
static void stay_restore(const struct attach *attach, const struct stopped *stopped)
{
    struct fisql_attached said = {.version = 0};
    if (stopped_read(stopped, attach->attached, &said, sizeof said))
        attach_stay_restore(&attach->stay, stopped,
                            said.version == FISQL_ATTACH_VERSION ? said.block_slot : 0);
}

static void library_close(struct attach *attach, struct remote *remote)
{
    uint64_t ignored;
    struct error error;
    if (attach->target.musl)
        stay_restore(attach, remote->stopped);
    else if (attach->handle != 0)
        call(remote, "dlclose()", attach->target.dlclose, attach->handle, 0, &ignored, &error);
    attach->handle = 0;
}

static int collector_start(struct attach *attach, struct remote *remote,
                           const struct attach_orders *orders, const int files[FILES],
                           struct error *error)
{
    uint64_t result = 0;
    orders->orders->live = files[FILE_LIVE];
    orders->orders->log = files[FILE_LOG];
    snprintf(orders->orders->live_path, sizeof orders->orders->live_path, "%s%d", FISQL_ATTACH_PATH,
             files[FILE_LIVE]);
    if (!put(remote, orders->orders, sizeof *orders->orders))
        return error_set(error, "%s: its memory cannot be written", attach->target.name);
    if (call(remote, "fisql_attach_start()", attach->start, remote_room(remote), 0, &result,
             error) != 0)
        return -1;
    return (int)result == 0
               ? 0
               : error_set(error,
                           "%s: the collector does not start: its limits leave no memory (ulimit "
                           "-v), or it may not read the processor's clock (PR_SET_TSC)",
                           attach->target.name);
}

/* All is stopped: descriptors go to the process at numbers that no other thread gets meanwhile. */
static int bring_in(struct attach *attach, struct stopped *stopped, struct remote *remote,
                    const struct attach_orders *orders, struct error *error)
{
    const int ours[FILES] = {attach->memory, orders->live, orders->log};
    int theirs[FILES] = {-1, -1, -1};
    long result = files_give(remote, ours, theirs);
    if (result < 0)
        return error_set(error, "%s: it cannot be given files: %s%s", attach->target.name,
                         strerror((int)-result),
                         result == -EPERM || result == -EACCES ? " (seccomp, or Linux before 5.6)"
                                                               : "");
    int status =
        attach->target.musl ? attach_stay_look(&attach->stay, orders->library, stopped, error) : 0;
    size_t at = stopped_find(stopped, remote->tid);
    stopped_keep_one(stopped, at); /* dlopen() may wait for locks that others hold */
    if (status == 0 && attach->stay.bias != 0)
        attach->handle = attach->stay.bias;
    else if (status == 0)
        status = library_open(attach, remote, theirs[FILE_LIBRARY], error);
    if (status == 0)
        status = symbols_find(attach, remote, error);
    if (status == 0 && attach->target.musl)
        status = attach_stay_keep(&attach->stay, stopped, SAID, attach->attached, error);
    if (status == 0)
        status = collector_start(attach, remote, orders, theirs, error);
    if (status != 0) {
        library_close(attach, remote);
        files_close(remote, theirs);
    } else {
        there(remote, SYS_close, (uint64_t)theirs[FILE_LIBRARY], 0, 0, 0);
    }
    return status;
}

int attach_begin(struct attach *attach, const struct attach_orders *orders, struct error *error)
{
    struct stopped stopped;
    struct remote *remote = malloc(sizeof *remote);
    attach->memory = -1;
    if (remote == NULL)
        return error_set(error, "out of memory");
    int status = memory_make(attach, orders, error) == 0 &&
                         take(attach, attach->target.pid, &stopped, remote, error) == 0
                     ? 0
                     : -1;
    if (status == 0) {
        status = bring_in(attach, &stopped, remote, orders, error);
        give_back(&stopped, remote);
    }
    free(remote);
    return status;
}

/* ---- patching ---- */

static int patch_stopped(struct attach *attach, struct stopped *stopped, struct remote *remote,
                         struct error *error)
{
    struct patch_attached *alone = &attach->left_alone;
    uint64_t result = 0;
    alone->pid = attach->target.pid;
    int status = attach_text_clear(&attach->text, stopped, &alone->left_out, &alone->count, error);
    size_t count = alone->count;
    if (count > REMOTE_ROOM_BYTES / sizeof *alone->left_out)
        count = REMOTE_ROOM_BYTES / sizeof *alone->left_out; /* thousands of handlers at work */
    if (status == 0 && !put(remote, alone->left_out, count * sizeof *alone->left_out))
        status = error_set(error, "%s: its memory cannot be written", attach->target.name);
    if (status == 0)
        status = call(remote, "fisql_attach_patch()", attach->patch, remote_room(remote), count,
                      &result, error);
    attach->patched = (uint32_t)result;
    return status;
}

int attach_patch(struct attach *attach, struct error *error)
{
    struct stopped stopped;
    uint64_t ignored;
    struct remote *remote = malloc(sizeof *remote);
    if (remote == NULL)
        return error_set(error, "out of memory");
    int status = take(attach, attach->target.pid, &stopped, remote, error);
    if (status == 0) {
        size_t at = stopped_find(&stopped, remote->tid);
        stopped_keep_one(&stopped, at);
        status = call(remote, "fisql_attach_prepare()", attach->prepare, 0, 0, &ignored, error);
        if (status == 0)
            status = stopped_all_again(&stopped, STOP_MS, error);
        if (status == 0)
            status = attach_text_read(&attach->text, &stopped, attach->attached, error);
        if (status == 0 && attach->text.attached.block_slot != 0 &&
            !attach_blocks_made(&stopped, attach->text.attached.block_slot))
            status = error_set(error,
                               "%s: its C library is musl before 1.1.22, which allocates a "
                               "thread's variables where they are used: run it by `fisql record "
                               "PROGRAM`",
                               attach->target.name);
        if (status == 0)
            status = patch_stopped(attach, &stopped, remote, error);
        give_back(&stopped, remote);
    }
    free(remote);
    return status;
}

/* ---- leaving ---- */

/* Lets the collector complete its log and give its memory back, unless it did (*out); closes the library. 0; 1 = not yet: a
 * thread may be about to call it; -1 with *error set. */
static int put_out(struct attach *attach, struct stopped *stopped, struct remote *remote, bool *out,
                   struct error *error)
{
    uint64_t ignored;
    if (!*out && call(remote, "fisql_attach_leave()", attach->leave, 0, 0, &ignored, error) != 0)
        return -1;
    *out = true;
    if (attach->target.musl) { /* its dlclose() does nothing */
        stay_restore(attach, stopped);
        return 0;
    }
    /* While the others are stopped: a child that they forked meanwhile would find locks of the C library
     * taken that exit() wants, for ever. */
    remote->alone = true;
    if (call(remote, "fisql_attach_forget()", attach->forget, 0, 0, &ignored, error) != 0)
        return -1;
    stopped_keep_one(stopped, stopped_find(stopped, remote->tid));
    bool passed = attach_forks_passed(stopped->pid, remote->tid, FORKS_MS);
    if (stopped_all_again(stopped, STOP_MS, error) != 0)
        return -1;
    if (!passed || attach_inside(&attach->text, stopped) != stopped->count)
        return 1;
    remote->alone = true;
    return call(remote, "dlclose()", attach->target.dlclose, attach->handle, 0, &ignored, error);
}

/* Takes the changes back. Returns whether no thread is in the collector. */
static bool take_back(const struct attach *attach, const struct stopped *stopped)
{
    attach_text_restore(&attach->text, stopped);
    attach_slots_restore(&attach->text, stopped);
    return attach_inside(&attach->text, stopped) == stopped->count;
}

/* Is our collector in the process, not left yet? Children that came by fork have it. We have the live
 * area, too, and so do processes that we forked. */
static bool is_within(const struct attach *attach, pid_t pid)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool library = false, found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && !(library && found) && getline(&line, &size, file) > 0) {
        unsigned long long inode = 0;
        library |= strstr(line, "/memfd:" ATTACH_MEMORY_NAME) != NULL;
        found |= strstr(line, "/memfd:fisql-") != NULL &&
                 sscanf(line, "%*x-%*x %*s %*x %*s %llu", &inode) == 1 && inode == attach->inode;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return library && found;
}

/* Tries once to leave a process. 0 = done; 1 = not yet; -1 with *error set. *out: the collector has given
 * back its memory, which may be the program's by now: nothing is written there any more. */
static int leave_once(struct attach *attach, pid_t pid, struct remote *remote, bool impatient,
                      bool *out, struct error *error)
{
    struct stopped stopped = {0};
    int status = 1;
    if (stopped_begin(&stopped, pid, STOP_MS, error) != 0)
        return is_within(attach, pid) ? 1 : -1;
    bool left = *out ? attach_inside(&attach->text, &stopped) == stopped.count
                     : take_back(attach, &stopped);
    size_t at = left ? attach_point(&stopped, attach->target.musl, impatient) : stopped.count;
    if (at < stopped.count && remote_begin(remote, &stopped, at, error) == 0) {
        status = put_out(attach, &stopped, remote, out, error);
        remote_end(remote);
    }
    stopped_end(&stopped);
    return status;
}

/* Leaves one process. As attach_leave(). */
static int leave(struct attach *attach, pid_t pid, struct error *error)
{
    struct remote *remote = malloc(sizeof *remote);
    uint64_t begun_ms = now_ms();
    int status = 1;
    if (remote == NULL)
        return error_set(error, "out of memory");
    bool out = false;
    for (bool last = false; status > 0 && !last; nap_ms(NAP_MS)) {
        uint64_t passed_ms = now_ms() - begun_ms;
        last = passed_ms >= LEAVE_MS;
        status = leave_once(attach, pid, remote, passed_ms > PATIENT_MS, &out, error);
    }
    if (status > 0)
        error_set(error,
                  "%s: recording has ended, but the collector stays in it: a thread does not stop, "
                  "or is in a signal's handler that interrupted the collector",
                  attach->target.name);
    free(remote);
    return status;
}

/* Leaves all children that it forked meanwhile. Returns how many, -1 if one could not be left. */
static int children_leave(struct attach *attach, struct error *error)
{
    int count = 0, failed = 0;
    DIR *folder = opendir("/proc");
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == attach->target.pid || pid == getpid() || !is_within(attach, pid))
            continue;
        count++;
        failed |= leave(attach, pid, error) != 0 && is_within(attach, pid);
    }
    if (folder != NULL)
        closedir(folder);
    return failed ? -1 : count;
}

int attach_leave(struct attach *attach, struct error *error)
{
    if (attach->handle == 0)
        return 0;
    int status = leave(attach, attach->target.pid, error);
    if (status < 0 && !is_within(attach, attach->target.pid))
        status = 0; /* it has ended, or runs another program */
    for (int tries = 0, left = 1; tries < 10 && left > 0; tries++) {
        left = children_leave(attach, error);
        if (left < 0 && status == 0)
            status = 1;
    }
    attach->handle = 0;
    return status;
}

void attach_release(struct attach *attach)
{
    attach_text_release(&attach->text);
    attach_stay_release(&attach->stay);
    free(attach->left_alone.left_out);
    attach->left_alone = (struct patch_attached){.left_out = NULL};
    if (attach->memory >= 0)
        close(attach->memory);
    attach->memory = -1;
}

#endif
