/* The live area on the side of `fisql record`: see live.h. */
#include "cli/record/live.h"

#include "cli/record/live_layout.h"
#include "cli/record/live_parts.h"
#include "cli/record/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIECE_SLOTS 256u /* mapped at once */
#define PIECE_BYTES ((size_t)PIECE_SLOTS * FISQL_LIVE_SLOT_BYTES)
#define KEEP_SLOTS 512u /* taken before live_keep() looks for abandoned ones */

static bool put_at(int memory, const char *bytes, size_t count, size_t offset)
{
    for (size_t done = 0; done < count;) {
        ssize_t written = pwrite(memory, bytes + done, count - done, (off_t)(offset + done));
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

static void pieces_unmap(const struct live *live)
{
    for (uint32_t i = 0; i < live->pieces_count; i++) {
        if (live->pieces[i] != NULL)
            munmap(live->pieces[i], PIECE_BYTES);
        live->pieces[i] = NULL;
    }
}

/* NULL if not even one piece can be mapped. */
static struct fisql_live_slot *slot_at(const struct live *live, uint32_t index)
{
    uint32_t piece = index / PIECE_SLOTS;
    for (int attempt = 0; attempt < 2 && live->pieces[piece] == NULL; attempt++) {
        if (attempt > 0 && !live->pinned)
            pieces_unmap(live);
        void *memory = mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                            live->memory, (off_t)live_area_bytes(piece * PIECE_SLOTS));
        if (memory != MAP_FAILED)
            live->pieces[piece] = memory;
    }
    if (live->pieces[piece] == NULL)
        return NULL;
    return (struct fisql_live_slot *)(void *)(live->pieces[piece] + (size_t)(index % PIECE_SLOTS) *
                                                                        FISQL_LIVE_SLOT_BYTES);
}

static uint32_t slots_used(const struct live *live)
{
    uint32_t used = __atomic_load_n(&live->area->slots_used, __ATOMIC_ACQUIRE);
    return used < live->slots ? used : live->slots;
}

/* Reads the TSC and CLOCK_MONOTONIC together, the tightest of three tries, so that the program need
 * not wait to learn the TSC's rate. */
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

static uint64_t inode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

int live_make(struct live *live, int log, const struct record_options *options)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    *live = (struct live){.memory = memfd_create("fisql-live", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                          .log = log,
                          .log_before = -1};
    pthread_mutex_init(&live->lock, NULL);
    if (live->memory < 0)
        return -1;
    /* A limit on the size of files also limits memory files. Without slots the threads' chunks are
     * in memory of their own: all works, but a crash loses what is there. */
    uint32_t slots = FISQL_LIVE_SLOTS_MAX;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (slots > 0 && live_layout(slots, options).bytes > limit.rlim_cur)
            slots /= 2;
    const struct live_layout at = live_layout(slots, options);
    if (at.bytes > limit.rlim_cur) {
        errno = EFBIG; /* ftruncate() would raise SIGXFSZ */
        return -1;
    }
    if (fchmod(live->memory, 0600) != 0 || ftruncate(live->memory, (off_t)at.bytes) != 0)
        return -1;
    const struct fisql_live_part changes =
        live_part_make(live->memory, sizeof(struct fisql_changes), limit.rlim_cur);
    struct fisql_live_parts parts = {.filter = {at.filter, options->filter_bytes},
                                     .recipes = {at.recipes, options->values.recipes_bytes},
                                     .late = {at.late, live_late_bytes(options)},
                                     .faults = {at.faults, options->faults.room_bytes},
                                     .control = {at.control, at.control_bytes}};
    live_parts_add(&parts, live->memory, limit.rlim_cur, options->libs.budget > 0);
    errno = EFBIG;
    if (options->threads.text_bytes > parts.threads.bytes)
        return -1;
    /* A program that shortened the file would kill us by SIGBUS. The file may grow, as live_put()
     * needs; no program can add a seal that keeps us from writing. */
    if (fcntl(live->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
        return -1;
    if (!put_at(live->memory, options->filter, options->filter_bytes, at.filter) ||
        !put_at(live->memory, options->values.recipes, options->values.recipes_bytes, at.recipes) ||
        !put_at(live->memory, options->faults.area, options->faults.area_bytes, at.faults) ||
        !put_at(live->memory, options->threads.text, options->threads.text_bytes,
                parts.threads.offset +
                    parts.threads.bytes / 2)) /* the first one: struct fisql_control */
        return -1;
    live->slots = slots;
    live->pieces_count = (slots + PIECE_SLOTS - 1) / PIECE_SLOTS;
    live->pieces = calloc(live->pieces_count + 1, sizeof *live->pieces);
    live->area = live_map(live, (struct fisql_live_part){0, FISQL_LIVE_HEADER});
    if (live->area == NULL || live->pieces == NULL)
        return -1;
    *live->area = (struct fisql_live_area){
        .magic = FISQL_LIVE_MAGIC,
        .version = FISQL_LIVE_VERSION,
        .slot_bytes = FISQL_LIVE_SLOT_BYTES,
        .slots = slots,
        .process_next = 1,
        .recording = !options->start_off,
        .levels = {options->levels.functions, options->levels.values, {0}},
        .ring_chunks = options->kept.ring_chunks,
        .parts = parts,
        .control.threads = options->threads.text_bytes != 0,
        .control.threads_bytes = (uint32_t)options->threads.text_bytes,
        .control.marks = changes,
        .namespaces.pid = inode_of("/proc/self/ns/pid"),
        .namespaces.time = inode_of("/proc/self/ns/time"),
    };
    live->changes = live_map(live, changes);
    clock_pair_read(live->area);
    if (getrandom(&live->area->run_id, sizeof live->area->run_id, 0) < 0)
        return -1;
    return 0;
}

void *live_map(const struct live *live, struct fisql_live_part part)
{
    void *memory = mmap(NULL, part.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, live->memory,
                        (off_t)part.offset); /* of no bytes: fails */
    return memory != MAP_FAILED ? memory : NULL;
}

bool live_put(struct live *live, const void *bytes, size_t count, uint64_t *offset)
{
    struct rlimit limit;
    struct stat status;
    if (fstat(live->memory, &status) != 0)
        return false;
    *offset = live_page_from((size_t)status.st_size);
    bool fits = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
                *offset + count <= limit.rlim_cur;
    return fits && put_at(live->memory, bytes, count, *offset);
}

void live_release(struct live *live)
{
    if (live->pieces != NULL)
        pieces_unmap(live);
    free(live->pieces);
    live->pieces = NULL;
    chunk_packer_release(&live->packer);
    if (live->area != NULL)
        munmap(live->area, FISQL_LIVE_HEADER);
    if (live->memory >= 0)
        close(live->memory);
    if (live->changes != NULL)
        munmap(live->changes, sizeof *live->changes);
    live->area = NULL;
    live->changes = NULL;
    live->memory = -1;
}

/* ---- owners of slots ---- */

struct owner {
    pid_t pid;
    uint64_t start; /* 0 = unknown */
};

/* The owner of a slot; false if the slot is free or has no known owner yet. */
static bool owner_of(const struct fisql_live_slot *slot, struct owner *owner)
{
    /* The pid is 0 while owner and start change: if it reads the same before and after, they belong
     * together. */
    uint32_t pid = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);
    uint64_t start = __atomic_load_n(&slot->owner_start, __ATOMIC_ACQUIRE);
    *owner = (struct owner){(pid_t)pid, start};
    return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != FISQL_SLOT_FREE && pid != 0 &&
           pid <= INT32_MAX && __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE) == pid;
}

enum owner_state { OWNER_ALIVE, OWNER_GONE, OWNER_UNKNOWN };

/* Does the process still run? Another process may have got its pid. Unknown, if the process did not
 * give its start time, because its pid may be of another namespace, and if we may not look. */
static enum owner_state owner_ask(const struct owner *owner)
{
    struct process_stat stat;
    if (owner->start == 0)
        return OWNER_UNKNOWN;
    if (kill(owner->pid, 0) != 0 && errno == ESRCH)
        return OWNER_GONE;
    if (!process_stat_read(owner->pid, &stat))
        return kill(owner->pid, 0) != 0 && errno == ESRCH ? OWNER_GONE : OWNER_UNKNOWN;
    /* A zombie with threads is a process whose first thread has ended. */
    bool ended = (stat.state == 'Z' && stat.threads <= 1) || stat.state == 'X';
    return stat.start != owner->start || ended ? OWNER_GONE : OWNER_ALIVE;
}

/* The answer for the last owner, which often has the next slot, too. */
struct owner_memory {
    struct owner owner;
    enum owner_state state;
};

static enum owner_state owner_ask_once(struct owner_memory *memory, const struct owner *owner)
{
    if (memory->owner.pid != owner->pid || memory->owner.start != owner->start)
        *memory = (struct owner_memory){*owner, owner_ask(owner)};
    return memory->state;
}

/* Each process locks the area when it opens it. The lock belongs to the mapping: it lasts while one
 * process has the mapping, even by fork, whatever descriptors are closed. So the kernel knows when
 * the last process is gone. */
static struct flock whole_area(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

static bool area_shared(const struct live *live)
{
    struct flock lock = whole_area(F_WRLCK);
    return fcntl(live->memory, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool live_close(struct live *live)
{
    struct flock lock = whole_area(F_WRLCK);
    pthread_mutex_lock(&live->lock);
    if (fcntl(live->memory, F_OFD_SETLK, &lock) == 0)
        live->closed = true;
    pthread_mutex_unlock(&live->lock);
    return live->closed;
}

static bool is_busy(const struct live *live)
{
    struct owner_memory memory = {0};
    if (live->closed)
        return false;
    /* In this order: the new image of a process that called exec shares the area before it frees
     * the slots of the old one. */
    if (area_shared(live))
        return true;
    for (uint32_t i = 0, used = slots_used(live); i < used; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        struct owner owner;
        if (slot != NULL && owner_of(slot, &owner) &&
            owner_ask_once(&memory, &owner) == OWNER_ALIVE)
            return true;
    }
    return false;
}

bool live_busy(struct live *live)
{
    pthread_mutex_lock(&live->lock);
    bool busy = is_busy(live);
    pthread_mutex_unlock(&live->lock);
    return busy;
}

static void name_add(pid_t pid, char *text, size_t size)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(name, sizeof name, file) == NULL)
            name[0] = 0;
        fclose(file);
    }
    name[strcspn(name, "\n")] = 0;
    for (char *at = name; *at != 0; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%d (%s)", used == 0 ? ": " : ", ", (int)pid, name);
}

static void names_of(const struct live *live, char *text, size_t size)
{
    enum { NAMED = 8 };
    pid_t named[NAMED];
    size_t count = 0;
    struct owner_memory memory = {0};
    text[0] = 0;
    for (uint32_t i = 0, used = slots_used(live); i < used; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        struct owner owner;
        if (slot == NULL || !owner_of(slot, &owner) ||
            owner_ask_once(&memory, &owner) != OWNER_ALIVE)
            continue;
        size_t known = 0;
        while (known < count && named[known] != owner.pid)
            known++;
        if (known < count)
            continue;
        if (count == NAMED) {
            size_t length = strlen(text);
            snprintf(text + length, size - length, ", ...");
            return;
        }
        named[count++] = owner.pid;
        name_add(owner.pid, text, size);
    }
}

void live_names(struct live *live, char *text, size_t size)
{
    pthread_mutex_lock(&live->lock);
    names_of(live, text, size);
    pthread_mutex_unlock(&live->lock);
}

/* ---- what they left ---- */

/* Appends the chunk of a claimed slot (FISQL_SLOT_PACKING), or its packed form, unless the process
 * has taken it back. */
static void slot_append(struct live *live, struct fisql_live_slot *slot, uint32_t index,
                        const struct fisql_chunk *packed)
{
    struct fisql_chunk *chunk = live_slot_chunk(slot);
    int error = 0;
    if (!live_slot_claim(slot, FISQL_SLOT_PACKING, FISQL_SLOT_WRITING))
        return;
    uint32_t length = live_slot_length(slot), epoch = slot->log_epoch;
    if (packed != NULL) {
        error = live_log_append_left(live, packed, packed->length, epoch);
    } else if (length != 0) {
        chunk->checksum = 0;
        chunk->checksum = fisql_checksum(chunk, length);
        error = live_log_append_left(live, chunk, length, epoch);
    }
    if (error != 0)
        live_count_lost(live, chunk, error);
    live_slot_free(live, slot, index);
}

static void slot_collect(struct live *live, struct fisql_live_slot *slot, uint32_t index)
{
    if (live_slot_claim(slot, FISQL_SLOT_WHOLE, FISQL_SLOT_PACKING))
        slot_append(live, slot, index, NULL);
}

/* Appends the chunks that processes left whole because they could not write them. */
static void live_collect(struct live *live)
{
    for (uint32_t i = 0, used = slots_used(live); i < used; i++) {
        struct fisql_live_slot *slot = slot_at(live, i);
        if (slot != NULL && __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == FISQL_SLOT_WHOLE)
            slot_collect(live, slot, i);
    }
}

/* Chunks that may wait while one is compressed. */
#define PACK_WAITING 4u

static uint32_t handed_count(const struct live *live)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++)
        count += __atomic_load_n(&live->area->writer.handed[i], __ATOMIC_RELAXED) != 0;
    return count;
}

/* Packs the chunk of a claimed slot and appends it. Packing takes long, so it runs without the
 * lock, which is held before and after. The slot stays mapped, as it is pinned, and ours: nobody
 * else leaves a slot claimed without the lock. */
static void slot_pack(struct live *live, struct fisql_live_slot *slot, uint32_t index)
{
    const struct fisql_chunk *packed = NULL;
    live->pinned = true;
    pthread_mutex_unlock(&live->lock);
    uint32_t length = live_slot_length(slot);
    if (length != 0)
        packed = chunk_pack(&live->packer, live_slot_chunk(slot), length);
    pthread_mutex_lock(&live->lock);
    live->pinned = false;
    slot_append(live, slot, index, packed);
}

static void handed_append(struct live *live, uint32_t index, bool may_pack)
{
    struct fisql_live_slot *slot = index < live->slots ? slot_at(live, index) : NULL;
    if (slot == NULL || !live_slot_claim(slot, FISQL_SLOT_WHOLE, FISQL_SLOT_PACKING))
        return;
    if (may_pack && handed_count(live) <= PACK_WAITING)
        slot_pack(live, slot, index);
    else
        slot_append(live, slot, index, NULL);
}

void live_keys_look(const struct live *live,
                    void (*look)(void *context, uint64_t process_key, uint32_t thread),
                    void *context)
{
    for (uint32_t i = 0, used = slots_used(live); i < used; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        if (slot != NULL && __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != FISQL_SLOT_FREE)
            look(context, slot->process_key, slot->thread);
    }
}

bool live_append_handed(struct live *live, bool may_pack)
{
    bool any = false;
    for (uint32_t i = 0; i < FISQL_HANDED_MAX; i++) {
        uint32_t *handed = &live->area->writer.handed[i];
        uint32_t index = __atomic_load_n(handed, __ATOMIC_ACQUIRE);
        if (index == 0)
            continue;
        pthread_mutex_lock(&live->lock); /* again for each: others wait for one write at most */
        handed_append(live, index - 1, may_pack);
        pthread_mutex_unlock(&live->lock);
        __atomic_store_n(handed, 0, __ATOMIC_RELEASE);
        any = true;
    }
    return any;
}

static void slot_salvage(struct live *live, struct fisql_live_slot *slot)
{
    uint32_t lent = slot->chunk_slot;
    struct fisql_live_slot *with_chunk = lent == 0             ? slot
                                         : lent <= live->slots ? slot_at(live, lent - 1)
                                                               : NULL;
    if (with_chunk == NULL)
        return;
    struct fisql_chunk *chunk = live_slot_chunk(with_chunk);
    /* The process's clock is gone. */
    uint32_t length = fisql_slot_finish(slot, chunk, live->area->run_id, 0, 0);
    if (length == 0)
        return;
    int error = live_log_append(live, chunk, length);
    if (error == 0) {
        live->salvaged_chunks++;
        live->salvaged_calls += chunk->calls;
        return;
    }
    live_count_lost(live, chunk, error);
}

/* Takes what a slot holds if its process is gone. A lent slot is freed the next time: by then the
 * log whose chunk lies in it has been salvaged. */
static void slot_look(struct live *live, struct fisql_live_slot *slot, uint32_t index, bool gone)
{
    uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
    if (state == FISQL_SLOT_WHOLE) {
        slot_collect(live, slot, index);
        return;
    }
    if (state == FISQL_SLOT_FREE || state == FISQL_SLOT_RELIEVED || !gone)
        return;
    if (state == FISQL_SLOT_PACKING) { /* by the writer, while we replace the log */
        slot_append(live, slot, index, NULL);
        return;
    }
    if (state == FISQL_SLOT_LENT) {
        __atomic_store_n(&slot->state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
        return;
    }
    if (state == FISQL_SLOT_LIVE)
        slot_salvage(live, slot);
    live_slot_free(live, slot, index);
}

static void salvage(struct live *live)
{
    struct owner_memory memory = {0};
    uint32_t used = slots_used(live);
    live->used_seen = used;
    for (uint32_t i = 0; i < used; i++) {
        struct fisql_live_slot *slot = slot_at(live, i);
        struct owner owner;
        if (slot == NULL)
            continue;
        bool gone = live->closed ||
                    (owner_of(slot, &owner) && owner_ask_once(&memory, &owner) == OWNER_GONE);
        slot_look(live, slot, i, gone);
    }
}

void live_salvage(struct live *live)
{
    pthread_mutex_lock(&live->lock);
    salvage(live);
    pthread_mutex_unlock(&live->lock);
}

/* A chunk that is being packed is appended as it is: the writer may get no processor for long, and
 * then finds that it has gone. */
void live_drain(struct live *live)
{
    live_log_append_kept(live);
    salvage(live);
    for (uint32_t i = 0, used = slots_used(live); i < used; i++) {
        struct fisql_live_slot *slot = slot_at(live, i);
        uint32_t state =
            slot != NULL ? __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) : FISQL_SLOT_FREE;
        if (state == FISQL_SLOT_WHOLE)
            slot_collect(live, slot, i);
        else if (state == FISQL_SLOT_PACKING)
            slot_append(live, slot, i, NULL);
    }
}

void live_keep(struct live *live)
{
    pthread_mutex_lock(&live->lock);
    uint32_t used = slots_used(live);
    live_collect(live);
    if (used - live->used_seen >= KEEP_SLOTS || used > live->slots / 2)
        salvage(live);
    pthread_mutex_unlock(&live->lock);
}

bool live_holds_events(struct live *live)
{
    bool holds = false;
    pthread_mutex_lock(&live->lock);
    uint32_t used = slots_used(live);
    for (uint32_t i = 0; i < used && !holds; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        struct fisql_live_slot now;
        if (slot == NULL)
            continue;
        now = *slot; /* its thread still writes */
        holds = now.chunk_slot == 0 &&
                fisql_slot_sound(&now, live_slot_chunk((struct fisql_live_slot *)(uintptr_t)slot),
                                 live->area->run_id);
    }
    pthread_mutex_unlock(&live->lock);
    return holds;
}

uint64_t live_process_key(struct live *live, pid_t pid)
{
    uint64_t key = 0;
    pthread_mutex_lock(&live->lock);
    uint32_t used = slots_used(live);
    for (uint32_t i = 0; i < used; i++) {
        const struct fisql_live_slot *slot = slot_at(live, i);
        if (slot != NULL && slot->state != FISQL_SLOT_FREE && (pid_t)slot->pid == pid &&
            slot->process_key > key)
            key = slot->process_key;
    }
    pthread_mutex_unlock(&live->lock);
    return key;
}
