/* Where encoded events are kept: see memory_store.h. */
#include "loader/memory/memory_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int memory_store_init(struct memory_store *store, const char *folder, size_t kept_bytes_max,
                      struct error *error)
{
    *store = (struct memory_store){.kept_bytes_max = kept_bytes_max, .folder = strdup(folder)};
    if (store->folder == NULL)
        return error_set(error, "out of memory");
    pthread_mutex_init(&store->lock, NULL);
    return 0;
}

void memory_store_release(struct memory_store *store)
{
    if (store->spilled)
        close(store->file);
    if (store->folder != NULL)
        pthread_mutex_destroy(&store->lock);
    free(store->folder);
    *store = (struct memory_store){0};
}

static int open_file(struct memory_store *store, struct error *error)
{
    store->file = open(store->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    store->spilled = store->file >= 0;
    if (store->spilled)
        return 0;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/.fisql-XXXXXX", store->folder);
    if (length > 0 && (size_t)length < sizeof path)
        store->file = mkostemp(path, O_CLOEXEC);
    if (store->file < 0)
        return error_set(error, "%s: cannot make a temporary file: %s", store->folder,
                         strerror(errno));
    store->spilled = true;
    unlink(path);
    return 0;
}

static int spill(const struct memory_store *store, const unsigned char *data, size_t bytes,
                 uint64_t offset, struct error *error)
{
    while (bytes > 0) {
        ssize_t done = pwrite(store->file, data, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set(error, "%s: cannot write the temporary file: %s", store->folder,
                             strerror(done < 0 ? errno : ENOSPC));
        data += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int memory_store_put(struct memory_store *store, const void *data, uint32_t bytes,
                     struct memory_piece *piece, struct error *error)
{
    int status = 0;
    pthread_mutex_lock(&store->lock);
    bool keep = store->kept_bytes + bytes <= store->kept_bytes_max;
    if (keep)
        store->kept_bytes += bytes;
    else if (!store->spilled)
        status = open_file(store, error);
    *piece = (struct memory_piece){.bytes = bytes, .offset = store->file_bytes};
    if (!keep)
        store->file_bytes += bytes;
    pthread_mutex_unlock(&store->lock);
    if (status < 0)
        return -1;
    if (!keep)
        return spill(store, data, bytes, piece->offset, error);
    piece->data = malloc(bytes);
    if (piece->data == NULL)
        return error_set(error, "out of memory");
    memcpy(piece->data, data, bytes);
    return 0;
}

int memory_store_read(const struct memory_store *store, const struct memory_piece *piece,
                      void *data, struct error *error)
{
    unsigned char *at = data;
    size_t left = piece->bytes;
    uint64_t offset = piece->offset;
    while (left > 0) {
        ssize_t done = pread(store->file, at, left, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set(error, "%s: cannot read the temporary file: %s", store->folder,
                             done < 0 ? strerror(errno) : "it is too short");
        at += done;
        left -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}
