/*
 * Where encoded events are kept until memory_pair: in memory up to options.spool_bytes over all
 * threads, then in a temporary file without a name in the database's folder.
 */
#include "loader/memory/memory_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_spill(struct memory *memory, struct error *error)
{
    memory->spill = open(memory->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (memory->spill >= 0)
        return 0;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/.fisql-XXXXXX", memory->folder);
    if (length > 0 && (size_t)length < sizeof path)
        memory->spill = mkostemp(path, O_CLOEXEC);
    if (memory->spill < 0)
        return error_set(error, "%s: cannot make a temporary file: %s", memory->folder,
                         strerror(errno));
    unlink(path);
    return 0;
}

static int spill(const struct memory *memory, const unsigned char *data, size_t bytes,
                 uint64_t offset, struct error *error)
{
    while (bytes > 0) {
        ssize_t done = pwrite(memory->spill, data, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set(error, "%s: cannot write the temporary file: %s", memory->folder,
                             strerror(done < 0 ? errno : ENOSPC));
        data += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int memory_store_put(struct memory *memory, struct memory_thread *thread, const void *data,
                     uint32_t bytes, struct error *error)
{
    if (array_reserve(&thread->pieces, &thread->pieces_capacity, thread->pieces_count + 1, error))
        return -1;
    struct memory_piece *piece = &thread->pieces[thread->pieces_count];
    *piece = (struct memory_piece){.bytes = bytes};
    int status = 0;
    pthread_mutex_lock(&memory->lock);
    bool keep = memory->kept_bytes + bytes <= memory->options.spool_bytes;
    if (keep)
        memory->kept_bytes += bytes;
    else if (memory->spill < 0)
        status = open_spill(memory, error);
    piece->offset = memory->spill_bytes;
    if (!keep)
        memory->spill_bytes += bytes;
    pthread_mutex_unlock(&memory->lock);
    if (status < 0)
        return -1;
    if (!keep) {
        status = spill(memory, data, bytes, piece->offset, error);
    } else if ((piece->data = malloc(bytes)) == NULL) {
        status = error_set(error, "out of memory");
    } else {
        memcpy(piece->data, data, bytes);
    }
    thread->pieces_count += status == 0;
    return status;
}

int memory_store_read(const struct memory *memory, const struct memory_piece *piece, void *data,
                      struct error *error)
{
    unsigned char *at = data;
    size_t left = piece->bytes;
    uint64_t offset = piece->offset;
    while (left > 0) {
        ssize_t done = pread(memory->spill, at, left, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set(error, "%s: cannot read the temporary file: %s", memory->folder,
                             done < 0 ? strerror(errno) : "it is too short");
        at += done;
        left -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}
