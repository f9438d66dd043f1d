/*
 * The live area: the memory that outlives the process (log_format.h). It is mapped whole and once,
 * so that nothing depends on a descriptor that the program may close; pages that no thread uses
 * cost nothing. Slots are taken and released by any process of the run with one atomic exchange.
 */
#include "collector/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS_OWN 256u /* in a live area that the collector makes itself */

/* Held only where another image will need it. */
static int area_file = -1;
static ino_t area_inode;

static struct thread_log *slot_at(uint32_t index)
{
    return (struct thread_log *)((unsigned char *)process.area + FISQL_LIVE_HEADER +
                                 (size_t)index * FISQL_LIVE_SLOT_BYTES);
}

static size_t area_bytes(uint32_t slots)
{
    return FISQL_LIVE_HEADER + (size_t)slots * FISQL_LIVE_SLOT_BYTES;
}

static bool is_area(const struct fisql_live_area *area)
{
    return area->magic == FISQL_LIVE_MAGIC && area->version == FISQL_LOG_VERSION;
}

static bool area_map(int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || (size_t)status.st_size < FISQL_LIVE_HEADER)
        return false;
    struct fisql_live_area *area = mmap(NULL, FISQL_LIVE_HEADER, PROT_READ, MAP_SHARED, file, 0);
    if (area == MAP_FAILED)
        return false;
    bool sound = is_area(area) && area->slot_bytes == FISQL_LIVE_SLOT_BYTES &&
                 area->slots < 1u << 20 && (size_t)status.st_size >= area_bytes(area->slots);
    size_t size_bytes = sound ? area_bytes(area->slots) : 0;
    munmap(area, FISQL_LIVE_HEADER);
    if (!sound)
        return false;
    area = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (area == MAP_FAILED)
        return false;
    process.area = area;
    process.run_id = area->run_id;
    return true;
}

static uint64_t inode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Shows fisql record that a process has the area. The lock is the open file's, which the mapping
 * keeps open: it passes on to children with the mapping, and ends with the last process that has
 * it. Refused when fisql record has ended the run. */
static bool area_lock(int file)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLK, &lock) == 0 || errno != EAGAIN; /* other: it sees our slots */
}

uint64_t live_owner_start(void)
{
    char text[1024];
    if (inode_of("/proc/self/ns/pid") != process.area->pid_namespace ||
        inode_of("/proc/self/ns/time") != process.area->time_namespace)
        return 0;
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    if (length <= 0)
        return 0;
    text[length] = 0;
    const char *at = strrchr(text, ')'); /* the name before it may hold anything */
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    uint64_t start = 0;
    for (at = at != NULL ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
        start = start * 10 + (uint64_t)(*at - '0');
    return start;
}

/* Without fisql record the live area is a file beside the log. Its blocks are allocated before they
 * are touched: on a full disk a store into a hole would kill the program. */
static bool area_create(void)
{
    struct rlimit limit;
    uint32_t slots = SLOTS_OWN;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (slots > 0 && area_bytes(slots) > limit.rlim_cur)
            slots /= 2;
    unlink(process.live_path);
    int file = file_open(process.live_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file < 0)
        return false;
    struct fisql_live_area head = {
        .magic = FISQL_LIVE_MAGIC,
        .version = FISQL_LOG_VERSION,
        .slot_bytes = FISQL_LIVE_SLOT_BYTES,
        .slots = slots,
        .process_next = 1,
        .recording = !process.options.start_off,
        .ring_chunks = process.options.ring_chunks,
        .pid_namespace = inode_of("/proc/self/ns/pid"),
        .time_namespace = inode_of("/proc/self/ns/time"),
    };
    clock_pair(process.clock, &head.clock_tick, &head.clock_ns);
    if (getrandom(&head.run_id, sizeof head.run_id, GRND_NONBLOCK) != sizeof head.run_id)
        head.run_id = clock_system_ns() ^ (uint64_t)getpid() << 40;
    struct file_size files;
    file_size_begin(&files);
    bool done = write(file, &head, sizeof head) == (ssize_t)sizeof head &&
                ftruncate(file, (off_t)area_bytes(slots)) == 0 &&
                posix_fallocate(file, 0, FISQL_LIVE_HEADER) == 0 && area_map(file);
    file_size_end(&files);
    close(file);
    if (!done)
        unlink(process.live_path);
    return done;
}

static struct fisql_live_area *header_map(int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || (size_t)status.st_size < FISQL_LIVE_HEADER)
        return NULL;
    struct fisql_live_area *area =
        mmap(NULL, FISQL_LIVE_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (area == MAP_FAILED)
        return NULL;
    if (is_area(area))
        return area;
    munmap(area, FISQL_LIVE_HEADER);
    return NULL;
}

int live_area_descriptor(void)
{
    struct stat status;
    return area_file >= 0 && fstat(area_file, &status) == 0 && status.st_ino == area_inode
               ? area_file
               : -1;
}

static void area_hold(int file)
{
    struct stat status;
    area_file = file_move_high(file);
    area_inode = fstat(area_file, &status) == 0 ? status.st_ino : 0;
}

void live_area_keep(const char *path)
{
    int file = live_area_descriptor() < 0 ? file_open(path, O_RDWR) : -1;
    if (file >= 0)
        area_hold(file);
}

bool live_area_adopt(int file, uint64_t *run_id)
{
    struct fisql_live_area *area = header_map(file);
    if (area == NULL)
        return false;
    *run_id = area->run_id;
    munmap(area, FISQL_LIVE_HEADER);
    area_hold(file);
    return true;
}

struct fisql_live_area *live_area_header(const char *path)
{
    int held = live_area_descriptor();
    int file = held < 0 ? file_open(path, O_RDWR) : held;
    struct fisql_live_area *area = file >= 0 ? header_map(file) : NULL;
    if (file >= 0 && held < 0)
        close(file);
    return area;
}

bool live_area_open(void)
{
    const char *path = secure_getenv("FISQL_LIVE");
    if (path != NULL && strlen(path) < sizeof process.live_path) {
        strcpy(process.live_path, path);
        process.with_parent = strncmp(path, "/proc/", 6) == 0;
        int held = live_area_descriptor();
        int file = held < 0 ? file_open(path, O_RDWR) : held;
        bool mapped = file >= 0 && (!process.with_parent || area_lock(file)) && area_map(file) &&
                      filter_load(file, process.area->filter_offset, process.area->filter_bytes);
        if (file >= 0 && held < 0)
            close(file);
        if (mapped)
            return true;
        process.with_parent = false;
        return false;
    }
    return area_create();
}

/* Without fisql record: makes sure that a slot's blocks are on the disk. */
static bool slot_allocate(uint32_t index)
{
    if (process.with_parent)
        return true;
    int file = file_open(process.live_path, O_RDWR | O_NOFOLLOW);
    if (file < 0)
        return false;
    off_t offset = (off_t)FISQL_LIVE_HEADER + (off_t)index * FISQL_LIVE_SLOT_BYTES;
    bool done = posix_fallocate(file, offset, FISQL_LIVE_SLOT_BYTES) == 0;
    close(file);
    return done;
}

static bool slot_claim(uint32_t index)
{
    uint32_t expected = FISQL_SLOT_FREE;
    return __atomic_compare_exchange_n(&slot_at(index)->live.state, &expected, FISQL_SLOT_TAKEN,
                                       false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

struct thread_log *live_slot_take(void)
{
    struct fisql_live_area *area = process.area;
    if (area == NULL)
        return NULL;
    uint32_t used = __atomic_load_n(&area->slots_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used && i < area->slots; i++)
        if (__atomic_load_n(&slot_at(i)->live.state, __ATOMIC_RELAXED) == FISQL_SLOT_FREE &&
            slot_claim(i))
            return slot_at(i);
    while (used < area->slots) {
        if (!__atomic_compare_exchange_n(&area->slots_used, &used, used + 1, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        if (!slot_allocate(used))
            return NULL;
        if (slot_claim(used))
            return slot_at(used);
        used = __atomic_load_n(&area->slots_used, __ATOMIC_ACQUIRE);
    }
    return NULL;
}

void live_slot_own(struct thread_log *log)
{
    log->live.process_key = process.key;
    __atomic_store_n(&log->live.owner_start, process.owner_start, __ATOMIC_RELEASE);
    __atomic_store_n(&log->live.pid, process.pid, __ATOMIC_RELEASE);
}

void live_slot_release(struct thread_log *log)
{
    __atomic_store_n(&log->live.pid, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&log->live.state, FISQL_SLOT_FREE, __ATOMIC_RELEASE);
}

bool live_area_leave(const void *chunk, size_t size_bytes)
{
    struct thread_log *log =
        process.with_parent && size_bytes <= FISQL_LIVE_CHUNK_BYTES ? live_slot_take() : NULL;
    if (log == NULL)
        return false;
    live_slot_own(log);
    memcpy((unsigned char *)log + FISQL_SLOT_HEADER, chunk, size_bytes);
    __atomic_store_n(&log->live.state, FISQL_SLOT_WHOLE, __ATOMIC_RELEASE);
    return true;
}

uint64_t live_area_salvage_exec(void)
{
    struct fisql_live_area *area = process.area;
    uint64_t before = 0;
    uint32_t used = area != NULL ? __atomic_load_n(&area->slots_used, __ATOMIC_ACQUIRE) : 0;
    for (uint32_t i = 0; i < used && i < area->slots; i++) {
        struct thread_log *log = slot_at(i);
        uint32_t state = __atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE);
        if (state == FISQL_SLOT_FREE || state == FISQL_SLOT_WHOLE || log->live.pid != process.pid ||
            log->live.process_key == process.key)
            continue;
        /* The image that this process was before exec: its threads are gone. */
        struct fisql_chunk *chunk =
            (struct fisql_chunk *)((unsigned char *)log + FISQL_SLOT_HEADER);
        if (log->live.process_key > before)
            before = log->live.process_key;
        uint32_t units = fisql_word_units(log->live.word);
        bool sound =
            state == FISQL_SLOT_LIVE && units <= CHUNK_UNITS - 4 && units * 2 >= sizeof *chunk &&
            chunk->open_calls <= FISQL_SNAPSHOT_MAX &&
            units * 2 >= sizeof *chunk + chunk->open_calls * sizeof(struct fisql_open_call);
        if (sound &&
            units * 2 > sizeof *chunk + chunk->open_calls * sizeof(struct fisql_open_call)) {
            uint64_t tick, ns;
            clock_pair(process.clock, &tick, &ns);
            chunk->flags |= FISQL_FLAG_SALVAGED;
            uint32_t length = fisql_chunk_finish(chunk, log->live.word, tick, ns, 0);
            log_file_write(chunk, length, chunk->calls);
        }
        live_slot_release(log);
    }
    return before;
}

void live_area_remove(void)
{
    struct fisql_live_area *area = process.area;
    if (area == NULL || process.with_parent ||
        __atomic_load_n(&area->lost_chunks, __ATOMIC_ACQUIRE) != 0)
        return; /* what was lost stands nowhere else */
    uint32_t used = __atomic_load_n(&area->slots_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used && i < area->slots; i++) {
        const struct thread_log *log = slot_at(i);
        if (__atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE) == FISQL_SLOT_LIVE &&
            (log->live.process_key != process.key ||
             fisql_word_units(log->live.word) != log->min_units))
            return;
    }
    unlink(process.live_path);
}
