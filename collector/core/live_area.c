/*
 * The live area: memory that outlives the process (formats/live.h). We map its head at start, a
 * slot when a thread takes it, because address space may be short. The program may close
 * descriptors or change its user or root folder, so mapping a slot needs neither descriptor nor
 * path: we map the mapped part again, further on (slot_map()). Setting its bit takes a slot.
 */
#include "collector/core/live_area.h"

#include "collector/core/chunk.h"
#include "collector/core/feature.h"
#include "collector/core/file.h"
#include "collector/core/filter.h"
#include "collector/core/lock.h"
#include "collector/process/process.h"
#include "collector/core/silent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_PAGE_MAX 65536u /* the parts behind the slots begin at multiples of it */
#define SLOTS_OWN 256u       /* in a live area that the collector makes itself */

#define HOP_BYTES ((off_t)4 << 20)

/* Open only if another image will need it. */
static int area_file = -1;
static ino_t area_inode;

static size_t area_bytes(uint32_t slots)
{
    return FISQL_LIVE_HEADER + (size_t)slots * FISQL_LIVE_SLOT_BYTES;
}

/* The first page of an area; NULL: it is none. */
static struct fisql_live_area *header_map(int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || (size_t)status.st_size < FISQL_LIVE_HEADER)
        return NULL;
    struct fisql_live_area *area =
        mmap(NULL, FISQL_LIVE_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (area == MAP_FAILED)
        return NULL;
    if (area->magic == FISQL_LIVE_MAGIC && area->version == FISQL_LIVE_VERSION)
        return area;
    munmap(area, FISQL_LIVE_HEADER);
    return NULL;
}

static bool area_map(int file)
{
    struct stat status;
    struct fisql_live_area *area = header_map(file);
    if (area == NULL)
        return false;
    if (area->slot_bytes != FISQL_LIVE_SLOT_BYTES || area->slots > FISQL_LIVE_SLOTS_MAX ||
        fstat(file, &status) != 0 || (size_t)status.st_size < area_bytes(area->slots)) {
        munmap(area, FISQL_LIVE_HEADER);
        return false;
    }
    process.area = area;
    process.run_id = area->run_id;
    return true;
}

static uint64_t inode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Shows fisql record that a process has the area. The lock belongs to the open file, which the
 * mapping keeps open: children inherit it with the mapping, and it ends with the last of them.
 * Fails if fisql record has ended the run. */
static bool area_lock(int file)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLK, &lock) == 0 || errno != EAGAIN; /* else it sees our slots */
}

uint64_t live_owner_start(void)
{
    char text[1024];
    if (inode_of("/proc/self/ns/pid") != process.area->namespaces.pid ||
        inode_of("/proc/self/ns/time") != process.area->namespaces.time)
        return 0;
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    if (length <= 0)
        return 0;
    text[length] = 0;
    const char *at = strrchr(text, ')'); /* the name before it may contain anything */
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    uint64_t start = 0;
    for (at = at != NULL ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
        start = start * 10 + (uint64_t)(*at - '0');
    return start;
}

/* Offset of the changes in an area that we make ourselves; its size. */
static size_t own_changes_at(uint32_t slots)
{
    return (area_bytes(slots) + PART_PAGE_MAX - 1) / PART_PAGE_MAX * PART_PAGE_MAX;
}

static size_t own_bytes(uint32_t slots)
{
    return own_changes_at(slots) + sizeof(struct fisql_changes);
}

/* Without fisql record the live area is a file beside the log. We allocate its blocks before we
 * touch them: on a full disk a store into a hole would kill the program. */
static bool area_create(void)
{
    struct rlimit limit;
    uint32_t slots = SLOTS_OWN;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (slots > 0 && own_bytes(slots) > limit.rlim_cur)
            slots /= 2;
    unlink(process.live_path);
    int file = file_open(process.live_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file < 0)
        return false;
    struct fisql_live_area head = {
        .magic = FISQL_LIVE_MAGIC,
        .version = FISQL_LIVE_VERSION,
        .slot_bytes = FISQL_LIVE_SLOT_BYTES,
        .slots = slots,
        .process_next = 1,
        .recording = !process.options.start_off,
        .levels = {FISQL_LEVEL_MAX, FISQL_LEVEL_MAX, {0}},
        .ring_chunks = process.options.ring_chunks,
        .namespaces.pid = inode_of("/proc/self/ns/pid"),
        .namespaces.time = inode_of("/proc/self/ns/time"),
        .control.marks = {own_changes_at(slots), sizeof(struct fisql_changes)},
    };
    clock_pair(process.clock, &head.clock_tick, &head.clock_ns);
    if (getrandom(&head.run_id, sizeof head.run_id, GRND_NONBLOCK) != sizeof head.run_id)
        head.run_id = clock_system_ns() ^ (uint64_t)getpid() << 40;
    struct file_size files;
    file_size_begin(&files);
    bool done =
        write(file, &head, sizeof head) == (ssize_t)sizeof head &&
        ftruncate(file, (off_t)own_bytes(slots)) == 0 &&
        posix_fallocate(file, 0, FISQL_LIVE_HEADER) == 0 &&
        posix_fallocate(file, (off_t)own_changes_at(slots), sizeof(struct fisql_changes)) == 0 &&
        area_map(file);
    file_size_end(&files);
    close(file);
    if (!done)
        unlink(process.live_path);
    return done;
}

int live_area_descriptor(void)
{
    struct stat status;
    return area_file >= 0 && fstat(area_file, &status) == 0 && status.st_ino == area_inode
               ? area_file
               : -1;
}

/* The held descriptor, or a new one; area_close() closes only the latter. */
static int area_open(const char *path, int flags)
{
    int held = live_area_descriptor();
    return held >= 0 ? held : file_open(path, flags);
}

static void area_close(int file)
{
    if (file >= 0 && file != area_file)
        close(file);
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
    int file = area_open(path, O_RDWR);
    struct fisql_live_area *area = file >= 0 ? header_map(file) : NULL;
    area_close(file);
    return area;
}

static void *part_map(uint64_t offset, uint64_t size_bytes, int rights, int flags)
{
    struct stat status;
    uint64_t before = offset % PART_PAGE_MAX;
    int file = area_open(process.live_path, O_RDWR);
    void *memory = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && (uint64_t)status.st_size >= size_bytes &&
        (uint64_t)status.st_size - size_bytes >= offset)
        memory = mmap(NULL, size_bytes + before, rights, flags, file, (off_t)(offset - before));
    area_close(file);
    return memory != MAP_FAILED ? (unsigned char *)memory + before : NULL;
}

void *live_area_part(uint64_t offset, uint64_t size_bytes, bool writes)
{
    return part_map(offset, size_bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ,
                    writes ? MAP_SHARED : MAP_PRIVATE);
}

void *live_area_part_own(uint64_t offset, uint64_t size_bytes)
{
    return part_map(offset, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE);
}

void live_area_starting(bool inside)
{
    struct fisql_start *start = &process.area->start;
    if (process.with_parent && start->program == (uint32_t)getpid() &&
        inode_of("/proc/self/ns/pid") == process.area->namespaces.pid)
        __atomic_store_n(&start->inside, inside, __ATOMIC_RELEASE);
}

bool live_area_open(void)
{
    const char *path = process_variable(FISQL_VARIABLE_LIVE);
    if (path != NULL && strlen(path) < sizeof process.live_path) {
        strcpy(process.live_path, path);
        process.with_parent = strncmp(path, "/proc/", 6) == 0;
        int file = area_open(path, O_RDWR);
        bool mapped = file >= 0 && (!process.with_parent || area_lock(file)) && area_map(file);
        if (mapped)
            live_area_starting(true);
        mapped = mapped && filter_load(file, process.area->parts.filter.offset,
                                       process.area->parts.filter.bytes);
        if (mapped)
            FEATURES_CALL(load)(&process.area->parts);
        area_close(file);
        process.with_parent &= mapped;
        return mapped;
    }
    return area_create();
}

/* Without fisql record: allocates a slot's blocks on the disk. */
static bool slot_allocate(uint32_t index)
{
    if (process.with_parent)
        return true;
    int file = file_open(process.live_path, O_RDWR | O_NOFOLLOW);
    if (file < 0)
        return false;
    bool done = posix_fallocate(file, (off_t)area_bytes(index), FISQL_LIVE_SLOT_BYTES) == 0;
    close(file);
    return done;
}

/* ---- mapping slots ---- */

/* A slot's mapping: whole pages, of any size. */
struct window {
    off_t offset;
    size_t bytes, before; /* before the slot */
};

static struct window window_of(uint32_t slot)
{
    size_t page = getauxval(AT_PAGESZ);
    size_t start = area_bytes(slot), before = start % page;
    size_t bytes = (before + FISQL_LIVE_SLOT_BYTES + page - 1) / page * page;
    return (struct window){(off_t)(start - before), bytes, before};
}

#define MAPPED_KEPT 32

struct mapped {
    struct thread_log *log; /* NULL = none */
    uint32_t slot;
};

static uint32_t slots_lock; /* guards the variables below; taken with signals blocked */
/* Slots that are still mapped after they were given back or handed over. */
static struct mapped kept[MAPPED_KEPT];
static uint32_t kept_next; /* the one to give up next */
static struct mapped near; /* the last one mapped, to reach its neighbours from */

static void slot_unmap(struct mapped *mapped)
{
    struct window window = window_of(mapped->slot);
    if (near.log == mapped->log)
        near.log = NULL;
    if (!silent())
        munmap((unsigned char *)mapped->log - window.before, window.bytes);
    mapped->log = NULL;
}

/* mremap() with an old size of 0 maps a shared mapping once more (mremap(2)), and may extend beyond
 * its end: so we reach a far slot in hops. Returns MAP_FAILED if that fails. */
static unsigned char *map_further(unsigned char *at, off_t position, const struct window *window)
{
    for (bool first = true;; first = false) {
        off_t hop = window->offset - position;
        if (hop > HOP_BYTES)
            hop = HOP_BYTES;
        unsigned char *next = mremap(at, 0, (size_t)hop + window->bytes, MREMAP_MAYMOVE);
        if (!first)
            munmap(at, window->bytes);
        if (next == MAP_FAILED)
            return next;
        if (hop > 0)
            munmap(next, (size_t)hop);
        at = next + hop;
        position += hop;
        if (position == window->offset)
            return at;
    }
}

static unsigned char *map_file(const struct window *window)
{
    int file = area_open(process.live_path, O_RDWR);
    if (file < 0)
        return MAP_FAILED;
    unsigned char *at = mmap(NULL, window->bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_NORESERVE, file, window->offset);
    area_close(file);
    return at;
}

static struct thread_log *slot_map(uint32_t slot)
{
    struct window window = window_of(slot);
    unsigned char *from = (unsigned char *)process.area;
    off_t position = 0;
    if (near.log != NULL && near.slot < slot) {
        struct window nearest = window_of(near.slot);
        from = (unsigned char *)near.log - nearest.before;
        position = nearest.offset;
    }
    unsigned char *at = map_further(from, position, &window);
    if (at == MAP_FAILED)
        at = map_file(&window);
    if (at == MAP_FAILED)
        return NULL;
    near = (struct mapped){(struct thread_log *)(void *)(at + window.before), slot};
    return near.log;
}

/* To be called before the chunk of the slot is left whole. */
static void log_choose(struct thread_log *slot)
{
    slot->live.log_epoch = __atomic_load_n(&process.area->writer.log_epoch, __ATOMIC_SEQ_CST);
}

/* Did this process hand it over, and is it not appended yet? */
static bool kept_handed(const struct mapped *mapped)
{
    const struct thread_log *log = mapped->log;
    uint32_t state =
        log != NULL ? __atomic_load_n(&log->live.state, __ATOMIC_ACQUIRE) : FISQL_SLOT_FREE;
    return (state == FISQL_SLOT_WHOLE || state == FISQL_SLOT_PACKING ||
            state == FISQL_SLOT_WRITING) &&
           log->live.process_key == process.key && fisql_slot_taken(process.area, mapped->slot);
}

/* Puts it in an empty place, or replaces a slot that we need not take back. False: none. */
static bool kept_put(struct mapped mapped)
{
    uint32_t at = 0;
    while (at < MAPPED_KEPT && kept[at].log != NULL)
        at++;
    for (uint32_t tries = 0; at == MAPPED_KEPT && tries < MAPPED_KEPT; tries++, kept_next++)
        if (!kept_handed(&kept[kept_next % MAPPED_KEPT]))
            at = kept_next % MAPPED_KEPT;
    if (at == MAPPED_KEPT)
        return false;
    if (kept[at].log != NULL)
        slot_unmap(&kept[at]);
    kept[at] = mapped;
    return true;
}

/* A free slot that is still mapped, if there is one; else a free slot's number. */
static struct mapped kept_take(void)
{
    for (int i = 0; i < MAPPED_KEPT; i++) {
        struct mapped mapped = kept[i];
        if (mapped.log == NULL || !fisql_slot_claim(process.area, mapped.slot))
            continue;
        kept[i].log = NULL;
        return mapped;
    }
    return (struct mapped){NULL, silent() ? FISQL_SLOT_NONE : fisql_slot_take(process.area)};
}

struct thread_log *live_slot_take(void)
{
    if (process.area == NULL)
        return NULL;
    lock_acquire(&slots_lock);
    struct mapped mapped = kept_take();
    if (mapped.log == NULL && mapped.slot != FISQL_SLOT_NONE && slot_allocate(mapped.slot))
        mapped.log = slot_map(mapped.slot);
    if (mapped.log == NULL && mapped.slot != FISQL_SLOT_NONE)
        fisql_slot_free(process.area, mapped.slot);
    lock_release(&slots_lock);
    if (mapped.log == NULL)
        return NULL;
    /* In this order: a reader that sees it taken also sees its owner. */
    memset(mapped.log, 0, sizeof *mapped.log);
    mapped.log->in_area = mapped.slot + 1;
    live_slot_own(mapped.log);
    __atomic_store_n(&mapped.log->live.state, FISQL_SLOT_TAKEN, __ATOMIC_RELEASE);
    return mapped.log;
}

void live_slots_reserve(void)
{
    struct thread_log *taken[MAPPED_KEPT];
    int count = 0;
    while (count < MAPPED_KEPT && (taken[count] = live_slot_take()) != NULL)
        count++;
    while (count > 0)
        live_slot_release(taken[--count]);
}

void live_slot_own(struct thread_log *log)
{
    log->live.process_key = process.key;
    __atomic_store_n(&log->live.owner_start, process.owner_start, __ATOMIC_RELEASE);
    __atomic_store_n(&log->live.pid, process.pid, __ATOMIC_RELEASE);
}

void live_slot_release(struct thread_log *log)
{
    uint32_t slot = log->in_area - 1;
    struct mapped mapped = {log, slot};
    __atomic_store_n(&log->live.pid, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&log->live.state, FISQL_SLOT_FREE, __ATOMIC_RELEASE);
    lock_acquire(&slots_lock);
    if (!kept_put(mapped))
        slot_unmap(&mapped);
    fisql_slot_free(process.area, slot);
    lock_release(&slots_lock);
}

bool live_slot_hand(struct thread_log *slot)
{
    lock_acquire(&slots_lock);
    bool kept_it = kept_put((struct mapped){slot, slot->in_area - 1});
    log_choose(slot);
    if (kept_it)
        __atomic_store_n(&slot->live.state, FISQL_SLOT_WHOLE, __ATOMIC_SEQ_CST);
    lock_release(&slots_lock);
    return kept_it;
}

static bool state_take(struct thread_log *slot, uint32_t state)
{
    return __atomic_compare_exchange_n(&slot->live.state, &state, FISQL_SLOT_LENT, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Takes a slot that was handed over and not appended out of kept[]; NULL if there is none. The
 * caller has the log of `epoch` open; fisql record appends what belongs to another one. */
static struct thread_log *handed_take(bool dead, uint32_t epoch)
{
    struct thread_log *found = NULL;
    lock_acquire(&slots_lock);
    for (int i = 0; i < MAPPED_KEPT && found == NULL; i++) {
        struct thread_log *log = kept[i].log;
        if (!kept_handed(&kept[i]) || (!dead && log->live.log_epoch / 2 != epoch / 2) ||
            !(state_take(log, FISQL_SLOT_WHOLE) || state_take(log, FISQL_SLOT_PACKING) ||
              (dead && state_take(log, FISQL_SLOT_WRITING))))
            continue;
        found = log;
        kept[i].log = NULL;
    }
    lock_release(&slots_lock);
    return found;
}

void live_slots_take_back(bool dead, uint32_t epoch,
                          void (*write)(struct thread_log *slot, const void *context),
                          const void *context)
{
    for (struct thread_log *slot; (slot = handed_take(dead, epoch)) != NULL;) {
        write(slot, context);
        live_slot_release(slot);
    }
}

uint32_t live_slots_handed(void)
{
    uint32_t count = 0;
    lock_acquire(&slots_lock);
    for (int i = 0; i < MAPPED_KEPT; i++)
        count += kept_handed(&kept[i]);
    lock_release(&slots_lock);
    return count;
}

void live_area_forked(void)
{
    lock_forked(&slots_lock);
    memset(kept, 0, sizeof kept); /* another thread may have been changing it */
    near.log = NULL;
}

/* ---- what others left ---- */

/* Reads them from the file: mapping them all would take address space. */
void live_slots_look(bool (*each)(uint32_t slot, const struct thread_log *copy, void *context),
                     void *context)
{
    struct fisql_live_area *area = process.area;
    int file = area_open(process.live_path, O_RDONLY);
    uint32_t used = file >= 0 ? __atomic_load_n(&area->slots_used, __ATOMIC_ACQUIRE) : 0;
    for (uint32_t slot = 0; slot < used && slot < area->slots; slot++) {
        struct thread_log copy;
        if (fisql_slot_taken(area, slot) &&
            pread(file, &copy, sizeof copy, (off_t)area_bytes(slot)) == (ssize_t)sizeof copy &&
            copy.live.state != FISQL_SLOT_FREE && !each(slot, &copy, context))
            break;
    }
    area_close(file);
}

struct thread_log *live_slot_map(uint32_t slot)
{
    lock_acquire(&slots_lock);
    struct thread_log *log = slot_map(slot);
    lock_release(&slots_lock);
    return log;
}

void live_slot_unmap(struct thread_log *log, uint32_t slot)
{
    struct mapped mapped = {log, slot};
    lock_acquire(&slots_lock);
    slot_unmap(&mapped);
    lock_release(&slots_lock);
}

bool live_area_leave(const void *chunk, size_t size_bytes)
{
    struct thread_log *log =
        process.with_parent && size_bytes <= FISQL_LIVE_CHUNK_BYTES ? live_slot_take() : NULL;
    if (log == NULL)
        return false;
    memcpy(chunk_of_slot(log), chunk, size_bytes);
    uint32_t slot = log->in_area - 1;
    log_choose(log);
    __atomic_store_n(&log->live.state, FISQL_SLOT_WHOLE, __ATOMIC_RELEASE);
    live_slot_unmap(log, slot); /* fisql record frees the slot */
    return true;
}

static bool find_live(uint32_t slot, const struct thread_log *copy, void *context)
{
    bool *found = context;
    (void)slot;
    /* Another process may still fill it, unless that process is gone. */
    bool others = copy->live.process_key != process.key &&
                  (kill((pid_t)copy->live.pid, 0) == 0 || errno != ESRCH);
    *found = copy->live.state == FISQL_SLOT_LIVE &&
             (others || fisql_word_units(copy->live.word) != copy->min_units);
    return !*found;
}

void live_area_remove(void)
{
    bool found = false;
    struct fisql_live_area *area = process.area;
    if (area == NULL || process.with_parent ||
        __atomic_load_n(&area->lost_chunks, __ATOMIC_ACQUIRE) != 0)
        return; /* only this file says what was lost */
    live_slots_look(find_live, &found);
    if (!found)
        unlink(process.live_path);
}
