/* Long pauses of the disk: see live_relief.h.
 *
 * The writer holds the lock of struct live while it writes, so nothing here takes it. A slot is ours once its
 * state is PACKING, as the writer's is while it compresses, and until somebody who holds the lock takes it from
 * us: then our copy is dropped. We map slots ourselves: the writer may unmap its pieces when it goes on. */
#include "cli/record/live_relief.h"

#include "cli/out/clock.h"
#include "cli/record/live.h"
#include "cli/record/live_parts.h"
#include "cli/record/process_stat.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 1000000   /* the program fills the chunks that may wait in some milliseconds */
#define PAUSE_NS 2000000u /* a write that takes longer is a pause of the disk */
#define KEPT_BYTES_MAX ((uint64_t)256 << 20)

/* Does the thread wait for something, and not only for a processor? */
static bool waits(uint32_t tid)
{
    struct process_stat stat;
    return process_stat_read((long)tid, &stat) && (stat.state == 'D' || stat.state == 'S');
}

static bool is_paused(const struct live_relief *relief)
{
    uint64_t since_ns = __atomic_load_n(&relief->writing_ns, __ATOMIC_ACQUIRE);
    return since_ns != 0 && (uint64_t)clock_now_ns(CLOCK_MONOTONIC) - since_ns > PAUSE_NS &&
           waits(__atomic_load_n(&relief->writer, __ATOMIC_RELAXED));
}

void live_relief_writes(struct live_relief *relief, bool begins)
{
    if (relief == NULL)
        return;
    if (begins)
        __atomic_store_n(&relief->writer, (uint32_t)gettid(), __ATOMIC_RELAXED);
    __atomic_store_n(&relief->writing_ns, begins ? (uint64_t)clock_now_ns(CLOCK_MONOTONIC) : 0,
                     __ATOMIC_RELEASE);
}

/* Copies a chunk, compressed if it can be, and ready for the log. */
static struct kept *copy_of(struct live_relief *relief, const struct fisql_chunk *chunk,
                            uint32_t length)
{
    const struct fisql_chunk *packed = chunk_pack(&relief->packer, chunk, length);
    uint32_t bytes = packed != NULL ? packed->length : length;
    struct kept *kept = malloc(sizeof *kept + bytes);
    if (kept == NULL)
        return NULL;
    *kept = (struct kept){.bytes = bytes};
    memcpy(kept->chunk, packed != NULL ? packed : chunk, bytes);
    struct fisql_chunk *copy = (void *)kept->chunk;
    copy->length = bytes; /* the process may have changed it meanwhile */
    fisql_chunk_sign(copy);
    return kept;
}

static void add(struct live_relief *relief, struct kept *kept)
{
    pthread_mutex_lock(&relief->lock);
    *relief->last = kept;
    relief->last = &kept->next;
    relief->bytes += kept->bytes;
    relief->chunks++;
    if (relief->bytes > relief->bytes_most)
        relief->bytes_most = relief->bytes;
    pthread_mutex_unlock(&relief->lock);
}

struct kept *live_relief_take(struct live_relief *relief)
{
    pthread_mutex_lock(&relief->lock);
    struct kept *kept = relief->first;
    if (kept != NULL) {
        relief->first = kept->next;
        relief->bytes -= kept->bytes;
        if (relief->first == NULL)
            relief->last = &relief->first;
    }
    pthread_mutex_unlock(&relief->lock);
    return kept;
}

bool live_relief_keeps(struct live_relief *relief)
{
    if (relief->live == NULL)
        return false;
    pthread_mutex_lock(&relief->lock);
    bool keeps = relief->first != NULL;
    pthread_mutex_unlock(&relief->lock);
    return keeps;
}

static bool has_room(struct live_relief *relief)
{
    pthread_mutex_lock(&relief->lock);
    bool room = relief->bytes < KEPT_BYTES_MAX;
    pthread_mutex_unlock(&relief->lock);
    return room;
}

/* Takes what a slot holds, if it waits. */
static bool relieve_slot(struct live_relief *relief, uint32_t index)
{
    const struct live *live = relief->live;
    struct fisql_live_slot *slot = live_slot_map(live, index);
    if (slot == NULL)
        return false;
    bool taken = live_slot_claim(slot, FISQL_SLOT_WHOLE, FISQL_SLOT_PACKING);
    uint32_t length = taken ? live_slot_length(slot) : 0;
    struct kept *kept = length != 0 ? copy_of(relief, live_slot_chunk(slot), length) : NULL;
    if (taken && kept == NULL) { /* the writer will see to it */
        live_slot_claim(slot, FISQL_SLOT_PACKING, FISQL_SLOT_WHOLE);
        taken = false;
    }
    if (taken && live_slot_claim(slot, FISQL_SLOT_PACKING, FISQL_SLOT_RELIEVED)) {
        kept->epoch = slot->log_epoch;
        add(relief, kept);
        live_slot_free(live, slot, index);
    } else {
        taken = false;
        free(kept);
    }
    munmap(slot, FISQL_LIVE_SLOT_BYTES);
    return taken;
}

static bool relieve(struct live_relief *relief)
{
    bool any = false;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++) {
        uint32_t *handed = &relief->live->area->writer.handed[i];
        uint32_t index = __atomic_load_n(handed, __ATOMIC_ACQUIRE);
        if (index == 0 || index > relief->live->slots || !is_paused(relief) || !has_room(relief) ||
            !relieve_slot(relief, index - 1))
            continue;
        /* The slot may have been handed over again, and the writer have cleared the place. */
        __atomic_compare_exchange_n(handed, &index, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
        any = true;
    }
    return any;
}

static void *run(void *context)
{
    struct live_relief *relief = context;
    const struct timespec look = {0, LOOK_NS};
    bool relieved = false;
    sched_setscheduler(0, SCHED_IDLE,
                       &(struct sched_param){0}); /* as the writer: this thread alone */
    while (__atomic_load_n(&relief->stop, __ATOMIC_ACQUIRE) == 0) {
        bool paused = is_paused(relief);
        if (paused && relieve(relief)) {
            relief->pauses += !relieved;
            relieved = true;
            continue;
        }
        relieved &= paused;
        nanosleep(&look, NULL);
    }
    return NULL;
}

void live_relief_start(struct live_relief *relief, struct live *live, bool compress)
{
    *relief = (struct live_relief){.live = live};
    relief->last = &relief->first;
    pthread_mutex_init(&relief->lock, NULL);
    if (compress)
        chunk_packer_make(&relief->packer);
    relief->started = pthread_create(&relief->thread, NULL, run, relief) == 0;
    if (relief->started)
        live->relief = relief;
}

void live_relief_end(struct live_relief *relief)
{
    if (!relief->started)
        return;
    __atomic_store_n(&relief->stop, 1, __ATOMIC_RELEASE);
    pthread_join(relief->thread, NULL);
    relief->started = false;
}

void live_relief_release(struct live_relief *relief)
{
    struct kept *kept;
    if (relief->live == NULL)
        return;
    while ((kept = live_relief_take(relief)) != NULL)
        free(kept);
    chunk_packer_release(&relief->packer);
    pthread_mutex_destroy(&relief->lock);
    relief->live->relief = NULL;
    relief->live = NULL;
}
