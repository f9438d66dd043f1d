/* The live area on the side of `fisql record`: see live.h. */
#include "cli/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static size_t area_bytes(uint32_t slots)
{
    return FISQL_LIVE_HEADER + (size_t)slots * FISQL_LIVE_SLOT_BYTES;
}

static struct fisql_live_slot *slot_at(const struct live *live, uint32_t index)
{
    return (struct fisql_live_slot *)(void *)((unsigned char *)live->area + FISQL_LIVE_HEADER +
                                              (size_t)index * FISQL_LIVE_SLOT_BYTES);
}

static uint32_t slots_used(const struct live *live)
{
    uint32_t used = __atomic_load_n(&live->area->slots_used, __ATOMIC_ACQUIRE);
    return used < LIVE_SLOTS ? used : LIVE_SLOTS;
}

/* Reads the TSC and CLOCK_MONOTONIC, the tightest of three tries, so that the program need not wait
 * to learn the TSC's rate. */
static void clock_pair_read(struct fisql_live_area *area)
{
#if defined(__x86_64__)
    uint64_t best = UINT64_MAX;
    for (int attempt = 0; attempt < 3; attempt++) {
        struct timespec now;
        uint64_t before = __builtin_ia32_rdtsc();
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t after = __builtin_ia32_rdtsc();
        if (after - before < best) {
            best = after - before;
            area->clock_tick = before + best / 2;
            area->clock_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        }
    }
#else
    (void)area;
#endif
}

int live_make(struct live *live, int log, bool recording, uint32_t ring_chunks)
{
    struct rlimit limit;
    *live = (struct live){.memory = memfd_create("fisql-live", MFD_CLOEXEC), .log = log};
    if (live->memory < 0)
        return -1;
    /* A limit on the size of files holds for memory files too. Without slots the threads' chunks
     * lie in memory of their own: all works, but what a crash leaves there is lost. */
    uint32_t slots = LIVE_SLOTS;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (slots > 0 && area_bytes(slots) > limit.rlim_cur)
            slots /= 2;
    if (ftruncate(live->memory, (off_t)area_bytes(slots)) != 0)
        return -1;
    void *memory = mmap(NULL, area_bytes(slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        live->memory, 0);
    if (memory == MAP_FAILED)
        return -1;
    live->area = memory;
    *live->area = (struct fisql_live_area){
        .magic = FISQL_LIVE_MAGIC,
        .version = FISQL_LOG_VERSION,
        .slot_bytes = FISQL_LIVE_SLOT_BYTES,
        .slots = slots,
        .process_next = 1,
        .recording = recording,
        .ring_chunks = ring_chunks,
    };
    clock_pair_read(live->area);
    if (getrandom(&live->area->run_id, sizeof live->area->run_id, 0) < 0)
        return -1;
    return 0;
}

void live_release(struct live *live)
{
    if (live->area != NULL)
        munmap(live->area, area_bytes(live->area->slots));
    if (live->memory >= 0)
        close(live->memory);
    live->area = NULL;
    live->memory = -1;
}

static int append(const struct live *live, const void *chunk, size_t size_bytes)
{
    ssize_t written = write(live->log, chunk, size_bytes);
    if (written == (ssize_t)size_bytes)
        return 0;
    return written < 0 ? errno : ENOSPC;
}

/* The parent of a process; 0 if it is gone. *zombie: it has ended. */
static pid_t parent_of(pid_t pid, bool *zombie)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = 0;
    const char *after = strrchr(line, ')');
    char state;
    int parent;
    if (after == NULL || sscanf(after + 1, " %c %d", &state, &parent) != 2)
        return 0;
    *zombie = state == 'Z' || state == 'X';
    return (pid_t)parent;
}

/* Does this pid still belong to a process of ours? We are the reaper of all that the program
 * starts, so one that does not descend from us only has the number of one that is gone. */
static bool alive(pid_t pid)
{
    pid_t own = getpid();
    for (int tries = 0; tries < 100; tries++) {
        pid_t at = pid;
        bool zombie = false;
        for (int level = 0; level < 1000 && at > 1 && at != own && !zombie; level++) {
            pid_t parent = parent_of(at, &zombie);
            if (at == pid && (zombie || parent == 0))
                return false;
            at = parent;
        }
        if (at == own)
            return true;
        if (!zombie && at != 0)
            return false; /* it descends from somebody else */
        /* An ancestor ended while we looked: the process has got us for a parent meanwhile. */
    }
    return false;
}

/* Is the chunk in the slot sound enough to be finished? */
static bool slot_sound(const struct fisql_live_slot *slot, const struct fisql_chunk *chunk)
{
    uint32_t units = fisql_word_units(slot->word);
    size_t before = sizeof *chunk + chunk->open_calls * sizeof(struct fisql_open_call);
    return chunk->magic == FISQL_CHUNK_MAGIC && chunk->kind == FISQL_CHUNK_EVENTS &&
           chunk->open_calls <= FISQL_SNAPSHOT_MAX && units * 2 <= FISQL_LIVE_CHUNK_BYTES - 8 &&
           units * 2 > before;
}

static void count_lost(const struct live *live, const struct fisql_chunk *chunk, int error)
{
    if (live->area->lost_chunks == 0)
        live->area->lost_errno = (uint64_t)error;
    live->area->lost_chunks++;
    live->area->lost_calls += chunk->calls;
    live->area->lost_bytes += chunk->length;
}

static void slot_collect(const struct live *live, struct fisql_live_slot *slot)
{
    struct fisql_chunk *chunk =
        (struct fisql_chunk *)(void *)((unsigned char *)slot + FISQL_SLOT_HEADER);
    bool sound = chunk->magic == FISQL_CHUNK_MAGIC && chunk->length >= sizeof *chunk &&
                 chunk->length <= FISQL_LIVE_CHUNK_BYTES && chunk->length % 8 == 0;
    int error = sound ? append(live, chunk, chunk->length) : 0;
    if (error != 0)
        count_lost(live, chunk, error);
    __atomic_store_n(&slot->state, FISQL_SLOT_FREE, __ATOMIC_RELEASE);
}

void live_collect(struct live *live)
{
    uint32_t used = slots_used(live);
    for (uint32_t i = 0; i < used; i++)
        if (__atomic_load_n(&slot_at(live, i)->state, __ATOMIC_ACQUIRE) == FISQL_SLOT_WHOLE)
            slot_collect(live, slot_at(live, i));
}

static void slot_salvage(struct live *live, struct fisql_live_slot *slot)
{
    struct fisql_chunk *chunk =
        (struct fisql_chunk *)(void *)((unsigned char *)slot + FISQL_SLOT_HEADER);
    if (!slot_sound(slot, chunk))
        return;
    chunk->flags |= FISQL_FLAG_SALVAGED;
    uint32_t length =
        fisql_chunk_finish(chunk, slot->word, 0, 0, 0); /* the process's clock is gone */
    int error = append(live, chunk, length);
    if (error == 0) {
        live->salvaged_chunks++;
        live->salvaged_calls += chunk->calls;
        return;
    }
    count_lost(live, chunk, error);
}

void live_salvage(struct live *live)
{
    uint32_t used = slots_used(live);
    for (uint32_t i = 0; i < used; i++) {
        struct fisql_live_slot *slot = slot_at(live, i);
        uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
        if (state == FISQL_SLOT_WHOLE)
            slot_collect(live, slot);
        if (state == FISQL_SLOT_FREE || state == FISQL_SLOT_WHOLE || alive((pid_t)slot->pid))
            continue;
        if (state == FISQL_SLOT_LIVE)
            slot_salvage(live, slot);
        __atomic_store_n(&slot->state, FISQL_SLOT_FREE, __ATOMIC_RELEASE);
    }
}

bool live_busy(const struct live *live)
{
    uint32_t used = slots_used(live);
    for (uint32_t i = 0; i < used; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != FISQL_SLOT_FREE &&
            alive((pid_t)slot->pid))
            return true;
    }
    return false;
}

uint64_t live_process_key(const struct live *live, pid_t pid)
{
    uint64_t key = 0;
    uint32_t used = slots_used(live);
    for (uint32_t i = 0; i < used; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        if (slot->state != FISQL_SLOT_FREE && (pid_t)slot->pid == pid && slot->process_key > key)
            key = slot->process_key;
    }
    return key;
}

/* A chunk of facts, which is freed by the caller; NULL without memory. Its length is made at least
 * size_min; pairs may be NULL: no facts. */
static struct fisql_chunk *facts_chunk(const struct live *live, enum fisql_chunk_kind kind,
                                       uint64_t process_key, pid_t pid,
                                       const char *const (*pairs)[2], size_t size_min)
{
    size_t size_bytes = sizeof(struct fisql_chunk) + 8;
    for (size_t i = 0; pairs != NULL && pairs[i][0] != NULL; i++)
        size_bytes += strlen(pairs[i][0]) + strlen(pairs[i][1]) + 2;
    size_bytes = (size_bytes > size_min ? size_bytes : size_min) & ~(size_t)7;
    struct fisql_chunk *chunk = calloc(1, size_bytes);
    if (chunk == NULL)
        return NULL;
    char *at = (char *)(chunk + 1);
    for (size_t i = 0; pairs != NULL && pairs[i][0] != NULL; i++) {
        at = stpcpy(at, pairs[i][0]) + 1;
        at = stpcpy(at, pairs[i][1]) + 1;
    }
    chunk->magic = FISQL_CHUNK_MAGIC;
    chunk->version = FISQL_LOG_VERSION;
    chunk->kind = (uint16_t)kind;
    chunk->length = (uint32_t)size_bytes;
    chunk->run_id = live->area->run_id;
    chunk->process_key = process_key;
    chunk->pid = chunk->tid = (uint32_t)pid;
    chunk->checksum = fisql_checksum(chunk, size_bytes);
    return chunk;
}

int live_append_facts(const struct live *live, enum fisql_chunk_kind kind, uint64_t process_key,
                      pid_t pid, const char *const (*pairs)[2])
{
    struct fisql_chunk *chunk = facts_chunk(live, kind, process_key, pid, pairs, 0);
    if (chunk == NULL)
        return ENOMEM;
    int error = append(live, chunk, chunk->length);
    free(chunk);
    return error;
}

#define RESERVE_BYTES 512u

int live_reserve(struct live *live)
{
    struct fisql_chunk *chunk =
        facts_chunk(live, FISQL_CHUNK_RUN, 0, getpid(), NULL, RESERVE_BYTES);
    if (chunk == NULL)
        return ENOMEM;
    int error = append(live, chunk, chunk->length);
    off_t end = lseek(live->log, 0, SEEK_CUR);
    if (error == 0 && end >= (off_t)chunk->length)
        live->reserve_offset = (uint64_t)end - chunk->length;
    free(chunk);
    return error;
}

int live_tell(struct live *live, enum fisql_chunk_kind kind, pid_t pid,
              const char *const (*pairs)[2])
{
    struct fisql_chunk *chunk = facts_chunk(live, kind, 0, pid, pairs, RESERVE_BYTES);
    if (chunk == NULL)
        return ENOMEM;
    int error = EINVAL;
    if (chunk->length == RESERVE_BYTES && live->reserve_offset != 0) {
        /* With O_APPEND pwrite() would append. */
        int flags = fcntl(live->log, F_GETFL);
        ssize_t written = -1;
        if (flags >= 0 && fcntl(live->log, F_SETFL, flags & ~O_APPEND) == 0)
            written = pwrite(live->log, chunk, chunk->length, (off_t)live->reserve_offset);
        error = written == (ssize_t)chunk->length ? 0 : written < 0 ? errno : ENOSPC;
        fcntl(live->log, F_SETFL, flags);
        live->reserve_offset = 0;
    }
    free(chunk);
    return error == 0 ? 0 : live_append_facts(live, kind, 0, pid, pairs);
}
