/* The writer of `fisql record`: see live_writer.h. */
#include "cli/record/live_writer.h"

#include "cli/out/clock.h"
#include "cli/record/live_parts.h"
#include "cli/record/robust.h"

#include <inttypes.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Processes wake us if work for longer than this waits. */
#define LOOK_NS 5000000
#define SILENT_LOOK_NS 500000
#define KEEP_NS 50000000 /* as live_keep() goes through all slots */

/* Sleeps until processes have handed over enough to wake us, or for LOOK_NS. */
static void writer_sleep(struct fisql_writer *shared)
{
    struct timespec timeout = {0, LOOK_NS};
    uint32_t seen = __atomic_load_n(&shared->wake, __ATOMIC_SEQ_CST);
    __atomic_store_n(&shared->asleep, 1, __ATOMIC_SEQ_CST);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++)
        waiting |= __atomic_load_n(&shared->handed[i], __ATOMIC_SEQ_CST);
    if (waiting == 0)
        word_wait(&shared->wake, seen, &timeout);
    __atomic_store_n(&shared->asleep, 0, __ATOMIC_SEQ_CST);
}

/* Calls live_keep() from time to time. */
static void writer_keep(struct live *live, int64_t *kept_ns)
{
    int64_t now_ns = clock_now_ns(CLOCK_MONOTONIC_COARSE);
    if (now_ns - *kept_ns < KEEP_NS)
        return;
    *kept_ns = now_ns;
    live_keep(live);
}

/* Polls: these processes cannot wake us. */
static void *writer_of_silent(void *context)
{
    struct live_writer *writer = context;
    uint32_t *silent = &writer->live->area->writer.silent;
    const struct timespec look = {0, SILENT_LOOK_NS};
    while (__atomic_load_n(silent, __ATOMIC_ACQUIRE) == 0)
        word_wait(silent, 0, NULL);
    while (__atomic_load_n(&writer->stop, __ATOMIC_ACQUIRE) == 0)
        if (!live_append_handed(writer->live, false))
            nanosleep(&look, NULL);
    return NULL;
}

/* Appends what was kept in a pause of the disk. */
static bool append_kept(struct live_writer *writer)
{
    if (!live_relief_keeps(&writer->relief))
        return false;
    pthread_mutex_lock(&writer->live->lock);
    live_log_append_kept(writer->live);
    pthread_mutex_unlock(&writer->live->lock);
    return true;
}

static void *writer_run(void *context)
{
    struct live_writer *writer = context;
    struct fisql_writer *shared = &writer->live->area->writer;
    struct robust robust;
    robust_set(&robust, &shared->alive);
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}); /* this thread alone */
    __atomic_store_n(&shared->alive, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    for (int64_t kept_ns = 0; __atomic_load_n(&writer->stop, __ATOMIC_ACQUIRE) == 0;) {
        bool any = live_append_handed(writer->live, true);
        writer_keep(writer->live, &kept_ns);
        any |= append_kept(writer);
        if (!any)
            writer_sleep(shared);
    }
    robust_clear(&robust);
    return NULL;
}

void live_writer_start(struct live_writer *writer, struct live *live, bool compress)
{
    cpu_set_t processors;
    *writer = (struct live_writer){.live = live};
    if (sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) < 2)
        return;
    bool packs = compress && chunk_packer_make(&live->packer);
    writer->started = pthread_create(&writer->thread, NULL, writer_run, writer) == 0;
    live->area->writer.packs = writer->started && packs;
    if (writer->started)
        live_relief_start(&writer->relief, live, compress);
    writer->second_started =
        writer->started && pthread_create(&writer->second, NULL, writer_of_silent, writer) == 0;
    live->area->writer.serves_silent = writer->second_started;
}

void live_writer_keep(struct live_writer *writer)
{
    if (!writer->started)
        live_keep(writer->live);
}

/* The log says that the disk paused. */
static void say_pauses(struct live_writer *writer)
{
    const struct live_relief *relief = &writer->relief;
    char text[128];
    if (relief->chunks == 0)
        return;
    snprintf(text, sizeof text,
             "%" PRIu64 "; %" PRIu64 " chunks waited in memory, %.1f MiB at most", relief->pauses,
             relief->chunks, (double)relief->bytes_most / (1 << 20));
    live_append_fact(writer->live, FISQL_FACT_RUN_DISK_PAUSES, text);
}

void live_writer_end(struct live_writer *writer)
{
    if (!writer->started)
        return;
    struct fisql_writer *shared = &writer->live->area->writer;
    __atomic_store_n(&shared->alive, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&writer->stop, 1, __ATOMIC_RELEASE);
    live_append_handed(writer->live, false); /* the writer may not get a processor for long */
    __atomic_fetch_add(&shared->wake, 1, __ATOMIC_SEQ_CST);
    word_wake(&shared->wake);
    pthread_join(writer->thread, NULL);
    if (writer->second_started) {
        __atomic_store_n(&shared->silent, 1, __ATOMIC_RELEASE);
        word_wake(&shared->silent);
        pthread_join(writer->second, NULL);
    }
    live_relief_end(&writer->relief);
    append_kept(writer);
    say_pauses(writer);
    live_relief_release(&writer->relief);
    writer->started = false;
}
