/*
 * The pages of the file under the b-tree writer: reading, writing and giving them out.
 *
 * Pages come in extents, first from returned ones, then from the end of the file, under a lock: it
 * does not matter, for extents are large. No extent has the lock-byte page.
 */
#include "base/array.h"
#include "loader/sqlite/btree_internal.h"
#include "loader/sqlite/write_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGES_MAX 0xfffffffeu

uint32_t btree_record_max(const struct btree_file *file)
{
    return file->usable_bytes - 35; /* a leaf cell without overflow pages */
}

struct btree_table *btree_find(struct btree_file *file, const char *name, bool index)
{
    for (size_t i = 0; i < file->tables_count; i++)
        if ((file->tables[i].index_of != NULL) == index && strcmp(file->tables[i].name, name) == 0)
            return &file->tables[i];
    return NULL;
}

int btree_bytes_write(struct btree_file *file, uint64_t offset, const void *data, size_t bytes,
                      struct error *error)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        ssize_t done = pwrite(file->fd, at, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set_file(error, ERROR_SYSTEM, file->path, "cannot write: %s",
                                  strerror(done < 0 ? errno : ENOSPC));
        at += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int btree_bytes_read(struct btree_file *file, uint64_t offset, void *data, size_t bytes,
                     struct error *error)
{
    unsigned char *at = data;
    while (bytes > 0) {
        ssize_t done = pread(file->fd, at, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_set_file(error, ERROR_SYSTEM, file->path, "cannot read: %s",
                                  done < 0 ? strerror(errno) : "the file is too short");
        at += done;
        bytes -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int btree_pages_write(struct btree_file *file, uint32_t page, const void *data, size_t bytes,
                      struct error *error)
{
    uint64_t clock = write_out_clock(file->write_out, bytes);
    int result =
        btree_bytes_write(file, (uint64_t)(page - 1) * file->page_bytes, data, bytes, error);
    write_out_copied(file->write_out, bytes, clock);
    return result;
}

int btree_page_read(struct btree_file *file, uint32_t page, void *data, struct error *error)
{
    return btree_bytes_read(file, (uint64_t)(page - 1) * file->page_bytes, data, file->page_bytes,
                            error);
}

static int free_add(struct btree_file *file, struct btree_extent extent)
{
    if (extent.count == 0)
        return 0;
    if (array_reserve(&file->free, &file->free_room, file->free_count + 1, NULL) != 0)
        return -1;
    file->free[file->free_count++] = extent;
    return 0;
}

/* Takes pages from the end of the file, around the lock-byte page. */
static int take_from_end(struct btree_file *file, uint32_t wanted, struct btree_extent *extent)
{
    if (file->pages + 1 == file->lock_page)
        file->pages++;
    if (file->pages + wanted > PAGES_MAX)
        return -1;
    *extent = (struct btree_extent){.first = (uint32_t)file->pages + 1, .count = wanted};
    if (extent->first < file->lock_page && extent->first + wanted > file->lock_page)
        extent->count = file->lock_page - extent->first;
    file->pages += extent->count;
    return 0;
}

int btree_pages_take(struct btree_file *file, uint32_t wanted, struct btree_extent *extent,
                     struct error *error)
{
    int status = 0;
    pthread_mutex_lock(&file->lock);
    if (file->free_count > 0) {
        struct btree_extent *last = &file->free[file->free_count - 1];
        *extent = (struct btree_extent){last->first, last->count < wanted ? last->count : wanted};
        last->first += extent->count;
        last->count -= extent->count;
        if (last->count == 0)
            file->free_count--;
    } else {
        status = take_from_end(file, wanted, extent);
    }
    pthread_mutex_unlock(&file->lock);
    if (status < 0)
        return error_set_file(error, ERROR_UNSUPPORTED, file->path,
                              "the database has more pages than SQLite allows");
    return 0;
}

int btree_pages_return(struct btree_file *file, struct btree_extent extent, struct error *error)
{
    pthread_mutex_lock(&file->lock);
    int status = free_add(file, extent);
    pthread_mutex_unlock(&file->lock);
    return status < 0 ? error_set_file(error, ERROR_SYSTEM, file->path, "out of memory") : 0;
}
