/*
 * The b-tree writer's file, from its opening to its end: its conditions and its header.
 *
 * btree_close cuts off free pages at the file's end. The others go to SQLite's freelist: trunk
 * pages with the numbers of free pages, a list from offset 32 of the file's header.
 */
#include "base/array.h"
#include "loader/sqlite/btree_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

/* Offsets in the header of the file, the first 100 bytes of page 1. */
enum {
    HEADER_PAGE_SIZE = 16,
    HEADER_WRITE_VERSION = 18,
    HEADER_READ_VERSION = 19,
    HEADER_RESERVED_BYTES = 20,
    HEADER_CHANGE_COUNTER = 24,
    HEADER_PAGES = 28,
    HEADER_FREELIST_FIRST = 32,
    HEADER_FREELIST_PAGES = 36,
    HEADER_SCHEMA_FORMAT = 44,
    HEADER_AUTO_VACUUM = 52,
    HEADER_VERSION_VALID_FOR = 92,
    HEADER_BYTES = 100,
};

#define LOCK_BYTE 0x40000000u

extern const char btree_open_sql_tables[];

static int add_table(struct btree_file *file, const char *name, const char *index_of, uint32_t root,
                     uint32_t indexes)
{
    if (name == NULL || index_of == NULL ||
        array_reserve(&file->tables, &file->tables_room, file->tables_count + 1, NULL) != 0)
        return SQLITE_NOMEM;
    struct btree_table *table = &file->tables[file->tables_count];
    *table = (struct btree_table){.name = strdup(name),
                                  .index_of = index_of[0] != 0 ? strdup(index_of) : NULL,
                                  .root = root,
                                  .indexes = indexes};
    file->tables_count++;
    return table->name == NULL || (index_of[0] != 0 && table->index_of == NULL) ? SQLITE_NOMEM
                                                                                : SQLITE_OK;
}

/* Remembers the root pages of tables and indexes: sqlite3 cannot read the file later, when its
 * header is behind its contents. */
static int read_tables(struct btree_file *file, struct error *error)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_open_v2(file->path, &database, SQLITE_OPEN_READONLY, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_prepare_v2(database, btree_open_sql_tables, -1, &statement, NULL);
    while (status == SQLITE_OK && (status = sqlite3_step(statement)) == SQLITE_ROW)
        status = add_table(file, (const char *)sqlite3_column_text(statement, 0),
                           (const char *)sqlite3_column_text(statement, 1),
                           (uint32_t)sqlite3_column_int64(statement, 2),
                           (uint32_t)sqlite3_column_int(statement, 3));
    if (status != SQLITE_DONE)
        error_set_file(error, ERROR_SYSTEM, file->path, "cannot read its schema: %s",
                       sqlite3_errstr(status));
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return status == SQLITE_DONE ? 0 : -1;
}

static int read_header(struct btree_file *file, struct error *error)
{
    unsigned char header[HEADER_BYTES];
    struct stat status;
    if (fstat(file->fd, &status) != 0)
        return error_set_file(error, ERROR_SYSTEM, file->path, "%s", strerror(errno));
    if (btree_bytes_read(file, 0, header, sizeof header, error) < 0)
        return -1;
    file->page_bytes = btree_get2(header + HEADER_PAGE_SIZE);
    if (file->page_bytes == 1)
        file->page_bytes = 65536;
    uint32_t reserved = header[HEADER_RESERVED_BYTES];
    const char *problem = NULL;
    if (memcmp(header, "SQLite format 3", 16) != 0)
        problem = "not an SQLite database";
    else if (file->page_bytes < 512 || (file->page_bytes & (file->page_bytes - 1)) != 0 ||
             file->page_bytes - reserved < 480)
        problem = "its page size is impossible";
    else if (header[HEADER_WRITE_VERSION] != 1 || header[HEADER_READ_VERSION] != 1)
        problem = "it is in WAL mode";
    else if (btree_get4(header + HEADER_AUTO_VACUUM) != 0)
        problem = "it is in auto-vacuum mode";
    else if (btree_get4(header + HEADER_SCHEMA_FORMAT) != 4)
        problem = "its schema format is not 4";
    else if (status.st_size % file->page_bytes != 0 || status.st_size == 0 ||
             (uint64_t)status.st_size / file->page_bytes != btree_get4(header + HEADER_PAGES))
        problem = "its size differs from what its header says";
    if (problem != NULL)
        return error_set_file(error, ERROR_UNSUPPORTED, file->path,
                              "cannot write tables directly: %s", problem);
    file->usable_bytes = file->page_bytes - reserved;
    file->pages = (uint64_t)status.st_size / file->page_bytes;
    file->lock_page = LOCK_BYTE / file->page_bytes + 1;
    file->fanout = (file->usable_bytes - BTREE_INTERIOR_HEADER) / (4 + BTREE_VARINT_MAX + 2) + 1;
    return 0;
}

int btree_open(const char *path, struct btree_file **out, struct error *error)
{
    struct btree_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (file == NULL)
        return error_set_file(error, ERROR_SYSTEM, path, "out of memory");
    file->fd = -1;
    pthread_mutex_init(&file->lock, NULL);
    file->path = strdup(path);
    if (file->path == NULL) {
        error_set_file(error, ERROR_SYSTEM, path, "out of memory");
        goto failed;
    }
    if (read_tables(file, error) < 0)
        goto failed;
    file->fd = open(path, O_RDWR | O_CLOEXEC);
    if (file->fd < 0) {
        error_set_file(error, ERROR_SYSTEM, path, "cannot open: %s", strerror(errno));
        goto failed;
    }
    if (read_header(file, error) < 0)
        goto failed;
    *out = file;
    return 0;
failed:
    btree_abandon(file);
    return -1;
}

void btree_set_write_out(struct btree_file *file, struct write_out *out)
{
    file->write_out = out;
}

void btree_abandon(struct btree_file *file)
{
    if (file == NULL)
        return;
    while (file->parts != NULL)
        btree_part_free(file->parts);
    for (size_t i = 0; i < file->tables_count; i++) {
        free(file->tables[i].index_of);
        free(file->tables[i].name);
    }
    if (file->fd >= 0)
        close(file->fd);
    pthread_mutex_destroy(&file->lock);
    free(file->tables);
    free(file->free);
    free(file->path);
    free(file);
}

static int compare_runs(const void *left, const void *right)
{
    uint32_t a = ((const struct btree_extent *)left)->first;
    uint32_t b = ((const struct btree_extent *)right)->first;
    return a < b ? -1 : a > b;
}

/* Cuts free pages off the end of the file. */
static void drop_free_end(struct btree_file *file)
{
    if (file->free_count > 1)
        qsort(file->free, file->free_count, sizeof *file->free, compare_runs);
    while (file->free_count > 0) {
        struct btree_extent last = file->free[file->free_count - 1];
        if (file->pages == file->lock_page && last.first + last.count == file->lock_page)
            file->pages--;
        if (last.first + (uint64_t)last.count != file->pages + 1)
            break;
        file->pages = last.first - 1;
        file->free_count--;
    }
    if (file->pages == file->lock_page)
        file->pages--;
}

/* Takes one page of the free extents. */
static uint32_t take_free_page(struct btree_file *file)
{
    struct btree_extent *extent = &file->free[file->free_count - 1];
    uint32_t page = extent->first++;
    if (--extent->count == 0)
        file->free_count--;
    return page;
}

/* Puts all free pages on the freelist, before its old pages. */
static int write_freelist(struct btree_file *file, unsigned char *header, struct error *error)
{
    unsigned char *trunk = calloc(1, file->page_bytes);
    if (trunk == NULL)
        return error_set_file(error, ERROR_SYSTEM, file->path, "out of memory");
    /* Old versions of SQLite do not read the last six entries of a trunk page. */
    uint32_t entries_max = file->usable_bytes / 4 - 8;
    uint32_t next = btree_get4(header + HEADER_FREELIST_FIRST);
    uint32_t pages = btree_get4(header + HEADER_FREELIST_PAGES);
    int status = 0;
    while (status == 0 && file->free_count > 0) {
        uint32_t page = take_free_page(file);
        uint32_t entries = 0;
        while (entries < entries_max && file->free_count > 0)
            btree_put4(trunk + 8 + 4 * entries++, take_free_page(file));
        btree_put4(trunk, next);
        btree_put4(trunk + 4, entries);
        status = btree_pages_write(file, page, trunk, file->page_bytes, error);
        next = page;
        pages += 1 + entries;
    }
    btree_put4(header + HEADER_FREELIST_FIRST, next);
    btree_put4(header + HEADER_FREELIST_PAGES, pages);
    free(trunk);
    return status;
}

int btree_close(struct btree_file *file, struct error *error)
{
    unsigned char header[HEADER_BYTES];
    int status = file->parts != NULL
                     ? error_set_file(error, ERROR_SYSTEM, file->path, "a part is in no table")
                     : btree_bytes_read(file, 0, header, sizeof header, error);
    if (status == 0) {
        drop_free_end(file);
        status = write_freelist(file, header, error);
    }
    if (status == 0) {
        uint32_t change = btree_get4(header + HEADER_CHANGE_COUNTER) + 1;
        btree_put4(header + HEADER_CHANGE_COUNTER, change);
        btree_put4(header + HEADER_VERSION_VALID_FOR, change);
        btree_put4(header + HEADER_PAGES, (uint32_t)file->pages);
        status = btree_bytes_write(file, 0, header, sizeof header, error);
    }
    if (status == 0 && ftruncate(file->fd, (off_t)(file->pages * file->page_bytes)) != 0)
        status = error_set_file(error, ERROR_SYSTEM, file->path, "cannot set its size: %s",
                                strerror(errno));
    if (status == 0) {
        int fd = file->fd;
        file->fd = -1;
        if (close(fd) != 0)
            status = error_set_file(error, ERROR_SYSTEM, file->path, "cannot write: %s",
                                    strerror(errno));
    }
    btree_abandon(file);
    return status;
}
