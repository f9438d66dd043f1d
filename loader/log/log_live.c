/*
 * Takes what the live area still holds. A program that ran without `fisql record` has its live area
 * in the file RUN.bin.live beside the log (formats/live.h). If it is killed, only this file has
 * what its threads had not yet written. We only read the area: `fisql record` and the collector
 * alone write it. Each slot whose owner is gone gives one more chunk, finished on a copy. We count
 * slots whose owner still runs: their content is not final.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file_look.h"
#include "formats/live.h"
#include "loader/log/log_index_parts.h"

#define SLOTS_MAX (1u << 20)
#define UNRECORDED_MAX 1000u

/* Field 22 of /proc/PID/stat: when the process started. 0 where there is none. */
static uint64_t process_start(uint32_t pid)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t bytes = read(fd, text, sizeof text - 1);
    close(fd);
    if (bytes <= 0)
        return 0;
    text[bytes] = '\0';
    const char *at = strrchr(text, ')'); /* the name before it may hold anything */
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at == NULL ? 0 : strtoull(at + 1, NULL, 10);
}

static bool owner_is_alive(const struct fisql_live_slot *slot)
{
    if (slot->pid == 0 || slot->pid > INT32_MAX)
        return false;
    if (kill((pid_t)slot->pid, 0) != 0 && errno == ESRCH)
        return false;
    return slot->owner_start == 0 || process_start(slot->pid) == slot->owner_start;
}

static int read_slot(struct log_index *index, int fd, uint64_t offset, struct error *error)
{
    struct fisql_live_slot slot;
    if (pread(fd, &slot, sizeof slot, (off_t)offset) != (ssize_t)sizeof slot)
        return 0;
    if (slot.state != FISQL_SLOT_LIVE || owner_is_alive(&slot))
        return 0;
    struct fisql_chunk *chunk = calloc(1, FISQL_LIVE_CHUNK_BYTES);
    if (chunk == NULL)
        return error_set(error, "out of memory");
    ssize_t bytes = pread(fd, chunk, FISQL_LIVE_CHUNK_BYTES, (off_t)(offset + FISQL_SLOT_HEADER));
    /* A clock_ns of 0 says that there is no clock pair. */
    if (bytes < (ssize_t)sizeof *chunk ||
        fisql_slot_finish(&slot, chunk, index->run_id, slot.last_tick[fisql_word_toggle(slot.word)],
                          0) == 0) {
        free(chunk);
        return 0;
    }
    /* It shrinks: a slot has room for more than most hold. */
    struct fisql_chunk *fitted = realloc(chunk, chunk->length);
    if (fitted != NULL)
        chunk = fitted;
    struct log_salvaged *salvaged = &index->salvaged;
    if (array_reserve(&salvaged->chunks, &salvaged->capacity, salvaged->count + 1, error) != 0) {
        free(chunk);
        return -1;
    }
    salvaged->chunks[salvaged->count++] = chunk;
    return log_index_take(index, chunk, salvaged->count - 1, true, error);
}

/* Programs that were not recorded, where no process was left to say so. */
static int take_unrecorded(struct log_index *index, const struct fisql_unrecorded_images *images,
                           const char *words, struct error *error)
{
    for (uint32_t i = 0; i < images->count && i < UNRECORDED_MAX; i++) {
        char detail[256];
        bool named = i < images->named && i < FISQL_UNRECORDED_NAMES;
        snprintf(detail, sizeof detail, "%.63s: %s", named ? images->names[i] : "?", words);
        struct log_loss loss = log_loss_of("program not recorded");
        loss.detail = detail;
        if (log_index_add_loss(index, &loss, error) != 0)
            return -1;
    }
    return 0;
}

static int read_area(struct log_index *index, int fd, struct error *error)
{
    struct fisql_live_area area;
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        pread(fd, &area, sizeof area, 0) != (ssize_t)sizeof area)
        return 0;
    if (area.magic != FISQL_LIVE_MAGIC || area.version != FISQL_LIVE_VERSION ||
        area.run_id != index->run_id || area.slot_bytes != FISQL_LIVE_SLOT_BYTES)
        return 0;
    if (area.lost_chunks != 0) {
        struct log_loss loss = log_loss_of("write failed");
        char detail[128];
        snprintf(detail, sizeof detail, "%s", strerror((int)(area.lost_errno & 0xfff)));
        loss.chunks = area.lost_chunks;
        loss.calls = area.lost_calls;
        loss.bytes = area.lost_bytes;
        loss.detail = detail;
        loss.unwritten = true;
        if (log_index_add_loss(index, &loss, error) != 0)
            return -1;
    }
#define TAKE(constant, number, words)                                                              \
    if (number != FISQL_UNRECORDED_FOLLOWED &&                                                     \
        take_unrecorded(index, &area.unrecorded[number], words, error) != 0)                       \
        return -1;
    FISQL_UNRECORDED(TAKE)
#undef TAKE
    uint32_t slots = area.slots_used < area.slots ? area.slots_used : area.slots;
    if (slots > SLOTS_MAX)
        slots = SLOTS_MAX;
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t offset = FISQL_LIVE_HEADER + (uint64_t)i * FISQL_LIVE_SLOT_BYTES;
        if (offset >= (uint64_t)status.st_size)
            break;
        if (read_slot(index, fd, offset, error) != 0)
            return -1;
    }
    return 0;
}

int log_live_read(struct log_index *index, struct error *error)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s.live", index->path) >= sizeof path)
        return 0;
    struct stat status;
    int fd = file_open_regular(path, O_RDONLY | O_NOFOLLOW, &status);
    if (fd < 0)
        return 0; /* the usual case: there is none */
    int failed = read_area(index, fd, error);
    close(fd);
    return failed;
}
