/*
 * Calls that let other threads go on: they are known where calls into libraries were recorded (record
 * --library-calls). A condition's wait was ended by the last such call in it; a read of a pipe or a
 * socket by the last write that another thread, or process, began in it.
 */
#include "cli/whatif/graph_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

/* Of which functions: name, what a call of it does. A name may go on with what stands in (). */
static const struct {
    const char *name;
    enum signal_kind kind;
} functions[] = {{"pthread_cond_signal", SIGNAL_CONDITION},
                 {"pthread_cond_broadcast", SIGNAL_CONDITION},
                 {"cnd_signal", SIGNAL_CONDITION},
                 {"cnd_broadcast", SIGNAL_CONDITION},
                 {"std::condition_variable::notify_one", SIGNAL_CONDITION},
                 {"std::condition_variable::notify_all", SIGNAL_CONDITION},
                 {"sem_post", SIGNAL_SEMAPHORE},
                 {"pthread_create", SIGNAL_CREATE},
                 {"thrd_create", SIGNAL_CREATE},
                 {"write", SIGNAL_WRITE},
                 {"writev", SIGNAL_WRITE},
                 {"send", SIGNAL_WRITE},
                 {"sendto", SIGNAL_WRITE},
                 {"sendmsg", SIGNAL_WRITE},
                 {"shutdown", SIGNAL_WRITE},
                 {"close", SIGNAL_WRITE},
                 {"eventfd_write", SIGNAL_WRITE}};

static const char *const reading[] = {"read",   "readv",   "recv",   "recvfrom",    "recvmsg",
                                      "poll",   "ppoll",   "select", "pselect",     "epoll_wait",
                                      "accept", "accept4", "fread",  "epoll_pwait", "getline",
                                      "fgets",  "getc",    "fgetc",  "eventfd_read"};

static bool is_named(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && (name[length] == '\0' || name[length] == '(');
}

/* What calls of the function do; SIGNAL_NONE. */
static enum signal_kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (is_named(name, functions[i].name))
            return functions[i].kind;
    return SIGNAL_NONE;
}

bool signals_function_reads(const char *name)
{
    for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
        if (is_named(name, reading[i]))
            return true;
    return false;
}

static int by_kind(const void *left, const void *right)
{
    const struct signal_call *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int read_calls(struct building *building, const uint8_t *kinds)
{
    sqlite3_stmt *row = NULL;
    if (database_rows(building->database, "SELECT thread_id, frame_id, enter_ns FROM calls",
                      "the calls", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t frame = sqlite3_column_int64(row, 1);
        if (frame <= 0 || (uint64_t)frame >= building->graph->view->frames_count ||
            kinds[frame] == SIGNAL_NONE)
            continue;
        struct signal_call call = {.ns = run_within(sqlite3_column_int64(row, 2), 0, RUN_NS_MAX),
                                   .thread =
                                       thread_of_id(building->graph, sqlite3_column_int64(row, 0)),
                                   .kind = (enum signal_kind)kinds[frame]};
        if (call.thread != NONE && array_add(&building->signals, &building->signals_count,
                                             &building->signals_capacity, call, NULL) != 0)
            return database_rows_short(row);
    }
    array_sort(building->signals, building->signals_count, by_kind);
    return database_rows_end(row, "the calls");
}

int signals_read(struct building *building)
{
    const struct run_view *view = building->graph->view;
    uint8_t *kinds = calloc(view->frames_count + 1, 1);
    bool any = false;
    if (kinds == NULL)
        return fail("out of memory");
    for (size_t i = 1; i < view->frames_count; i++)
        if (view->frames[i].function != 0) {
            kinds[i] = (uint8_t)kind_of(view->functions[view->frames[i].function].short_name);
            any |= kinds[i] != SIGNAL_NONE;
        }
    int status = any ? read_calls(building, kinds) : 0;
    free(kinds);
    return status;
}

const struct signal_call *signal_before(const struct building *building, enum signal_kind kind,
                                        uint32_t thread, int64_t after_ns, int64_t ns)
{
    const struct run_thread *threads = building->graph->view->threads;
    const struct signal_call key = {.kind = kind, .ns = ns, .thread = UINT32_MAX};
    size_t low = 0, high = building->signals_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_kind(&building->signals[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && building->signals[low].kind == kind &&
           building->signals[low].ns > after_ns) {
        const struct signal_call *call = &building->signals[low];
        if (call->thread != thread && (kind == SIGNAL_WRITE || threads[call->thread].process_id ==
                                                                   threads[thread].process_id))
            return call;
    }
    return NULL;
}
