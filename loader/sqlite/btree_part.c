/*
 * Parts: rows in ascending order of rowids become leaf pages.
 *
 * A part takes an extent (adjacent pages) from the file, fills it page by page in memory, and
 * writes it with one pwrite when it is full. Extents grow from one page to 256 KiB, so a part with
 * few rows costs little. As soon as there are enough leaves, we make the page above them in the
 * same extents: a part's memory grows by 16 bytes for each such page only.
 *
 * Cells go to the end of a page's free space, their offsets to its start. A row with spare bytes
 * leaves a freeblock behind its cell. Rows fill a page downwards, so a new freeblock is always the
 * first of the page's list, which must be in the order of offsets.
 */
#include "base/must.h"
#include "loader/sqlite/btree_internal.h"

#include <stdlib.h>
#include <string.h>

enum { RUN_BYTES_MAX = 256 * 1024 };

static uint32_t extent_pages_max(const struct btree_file *file)
{
    return RUN_BYTES_MAX / file->page_bytes;
}

int btree_part_begin(struct btree_file *file, struct btree_part **out, struct error *error)
{
    struct btree_part *part = calloc(1, sizeof *part);
    *out = part;
    if (part == NULL)
        return error_set_file(error, ERROR_SYSTEM, file->path, "out of memory");
    part->file = file;
    part->extent_wanted = 1;
    pthread_mutex_lock(&file->lock);
    part->next = file->parts;
    part->at = &file->parts;
    if (part->next != NULL)
        part->next->at = &part->next;
    file->parts = part;
    pthread_mutex_unlock(&file->lock);
    return 0;
}

void btree_part_free(struct btree_part *part)
{
    struct btree_file *file = part->file;
    pthread_mutex_lock(&file->lock);
    must(*part->at == part);
    *part->at = part->next;
    if (part->next != NULL)
        part->next->at = part->at;
    pthread_mutex_unlock(&file->lock);
    btree_children_release(&part->head);
    btree_children_release(&part->tail);
    btree_children_release(&part->level1);
    free(part->buffer);
    free(part->kept);
    free(part);
}

/* Writes the complete pages of the extent. */
static int write_extent(struct btree_part *part, struct error *error)
{
    size_t bytes = (size_t)part->extent_used * part->file->page_bytes;
    return bytes == 0
               ? 0
               : btree_pages_write(part->file, part->extent.first, part->buffer, bytes, error);
}

/* Writes the extent and takes a new one. */
static int next_extent(struct btree_part *part, struct error *error)
{
    struct btree_file *file = part->file;
    if (part->buffer == NULL) {
        part->buffer = malloc((size_t)extent_pages_max(file) * file->page_bytes);
        if (part->buffer == NULL)
            return error_set_file(error, ERROR_SYSTEM, file->path, "out of memory");
    }
    if (write_extent(part, error) < 0)
        return -1;
    part->extent_used = 0;
    part->extent.count = 0;
    if (btree_pages_take(file, part->extent_wanted, &part->extent, error) < 0)
        return -1;
    if (part->extent_wanted * 2 <= extent_pages_max(file))
        part->extent_wanted *= 2;
    return 0;
}

/* Makes room for a page in memory. Returns its start, or NULL. extent_used++ completes it: the page
 * extent.first + extent_used. */
static unsigned char *next_page(struct btree_part *part, struct error *error)
{
    if (part->extent_used == part->extent.count && next_extent(part, error) < 0)
        return NULL;
    return part->buffer + (size_t)part->extent_used * part->file->page_bytes;
}

/* Notes a leaf for its parent page; makes that when there are enough leaves. */
static int add_leaf(struct btree_part *part, uint32_t page, int64_t last_rowid, struct error *error)
{
    const struct btree_file *file = part->file;
    struct btree_children *tail = &part->tail;
    struct btree_children *list = part->head.count < file->fanout ? &part->head : tail;
    if (btree_children_add(list, page, last_rowid) < 0)
        return error_set_file(error, ERROR_SYSTEM, file->path, "out of memory");
    if (tail->count < (size_t)file->fanout + 2)
        return 0;
    unsigned char *interior = next_page(part, error);
    if (interior == NULL)
        return -1;
    btree_interior_fill(file, interior, tail->items, file->fanout);
    if (btree_children_add(&part->level1, part->extent.first + part->extent_used,
                           tail->items[file->fanout - 1].last_rowid) < 0)
        return error_set_file(error, ERROR_SYSTEM, file->path, "out of memory");
    part->extent_used++;
    tail->count -= file->fanout;
    memmove(tail->items, tail->items + file->fanout, tail->count * sizeof *tail->items);
    return 0;
}

static int complete_leaf(struct btree_part *part, struct error *error)
{
    unsigned char *leaf = part->leaf;
    uint32_t cells_end = BTREE_LEAF_HEADER + 2 * part->cells;
    must(part->cells > 0 && cells_end <= part->content);
    must(part->extent_used < part->extent.count);
    btree_put2(leaf + 3, part->cells);
    btree_put2(leaf + 5, part->content);
    memset(leaf + cells_end, 0, part->content - cells_end);
    part->leaf = NULL;
    uint32_t page = part->extent.first + part->extent_used++;
    return add_leaf(part, page, part->last_rowid, error);
}

static int next_leaf(struct btree_part *part, struct error *error)
{
    const struct btree_file *file = part->file;
    if (part->leaf != NULL && complete_leaf(part, error) < 0)
        return -1;
    unsigned char *leaf = next_page(part, error);
    if (leaf == NULL)
        return -1;
    memset(leaf, 0, BTREE_LEAF_HEADER);
    memset(leaf + file->usable_bytes, 0, file->page_bytes - file->usable_bytes);
    leaf[0] = BTREE_LEAF;
    part->leaf = leaf;
    part->cells = 0;
    part->content = file->usable_bytes;
    return 0;
}

/* Why a row cannot be appended. */
static int refuse(const struct btree_part *part, int64_t rowid, uint32_t record_bytes,
                  uint32_t spare, struct error *error)
{
    const char *path = part->file->path;
    if (part->ended)
        return error_set_file(error, ERROR_SYSTEM, path, "row %lld comes after the end of its part",
                              (long long)rowid);
    if (part->rows > 0 && rowid <= part->last_rowid)
        return error_set_file(error, ERROR_SYSTEM, path, "row %lld comes after row %lld",
                              (long long)rowid, (long long)part->last_rowid);
    if (spare > 0 && spare < BTREE_FREEBLOCK_MIN)
        return error_set_file(error, ERROR_SYSTEM, path, "row %lld: %u spare bytes are too few",
                              (long long)rowid, spare);
    return error_set_file(error, ERROR_SYSTEM, path,
                          "row %lld: a record of %u bytes does not fit into a page",
                          (long long)rowid, record_bytes);
}

/* Puts a freeblock at `offset` in front of all others of the page. */
static void put_first_freeblock(unsigned char *page, uint32_t offset, uint32_t bytes)
{
    memcpy(page + offset, page + 1, 2);
    btree_put2(page + offset + 2, bytes);
    btree_put2(page + 1, offset);
}

int btree_append(struct btree_part *part, int64_t rowid, const void *record, uint32_t record_bytes,
                 uint32_t spare, struct btree_place *place, struct error *error)
{
    uint32_t record_max = btree_record_max(part->file);
    if (part->ended || (part->rows > 0 && rowid <= part->last_rowid) ||
        (spare > 0 && spare < BTREE_FREEBLOCK_MIN) || record_bytes > record_max ||
        spare > record_max - record_bytes)
        return refuse(part, rowid, record_bytes, spare, error);

    unsigned char head[2 * BTREE_VARINT_MAX];
    uint32_t head_bytes = btree_put_varint(head, record_bytes);
    head_bytes += btree_put_varint(head + head_bytes, (uint64_t)rowid);
    uint32_t cell_bytes = head_bytes + record_bytes;
    if (cell_bytes < BTREE_CELL_MIN)
        cell_bytes = BTREE_CELL_MIN;
    uint32_t needed = cell_bytes + spare + 2;
    if (part->leaf == NULL || part->content - BTREE_LEAF_HEADER - 2 * part->cells < needed) {
        if (next_leaf(part, error) < 0)
            return -1;
        must(part->content - BTREE_LEAF_HEADER >= needed); /* refuse() saw to it */
    }
    unsigned char *leaf = part->leaf;
    part->content -= cell_bytes + spare;
    uint32_t cell = part->content;
    memcpy(leaf + cell, head, head_bytes);
    memcpy(leaf + cell + head_bytes, record, record_bytes);
    btree_put2(leaf + BTREE_LEAF_HEADER + 2 * part->cells, cell);
    if (spare > 0)
        put_first_freeblock(leaf, cell + cell_bytes, spare);
    if (place != NULL)
        *place = (struct btree_place){.page = part->extent.first + part->extent_used,
                                      .cell = (uint16_t)cell,
                                      .record = (uint16_t)(cell + head_bytes),
                                      .spare = (uint16_t)spare};
    part->cells++;
    if (part->rows++ == 0)
        part->first_rowid = rowid;
    part->last_rowid = rowid;
    return 0;
}

/* The page in memory, or NULL if it is written. */
static unsigned char *page_in_memory(const struct btree_part *part, uint32_t page)
{
    if (page == part->kept_page)
        return part->kept;
    if (part->buffer == NULL || page < part->extent.first ||
        page - part->extent.first >= part->extent.count)
        return NULL;
    return part->buffer + (size_t)(page - part->extent.first) * part->file->page_bytes;
}

int btree_patch(struct btree_part *part, const struct btree_place *place, uint32_t offset,
                const void *data, uint32_t bytes, struct error *error)
{
    struct btree_file *file = part->file;
    uint64_t at = (uint64_t)place->record + offset;
    if (at + bytes > file->usable_bytes)
        return error_set_file(error, ERROR_SYSTEM, file->path, "a patch lies outside its page");
    unsigned char *page = page_in_memory(part, place->page);
    if (page == NULL)
        return btree_bytes_write(file, (uint64_t)(place->page - 1) * file->page_bytes + at, data,
                                 bytes, error);
    memcpy(page + at, data, bytes);
    return 0;
}

int btree_part_flush(struct btree_part *part, struct error *error)
{
    uint32_t page = part->kept_page;
    part->kept_page = 0;
    if (page == 0)
        return 0;
    return btree_pages_write(part->file, page, part->kept, part->file->page_bytes, error);
}

/* A page for btree_replace. Keeps a written page in memory until the next one. */
static unsigned char *keep_page(struct btree_part *part, uint32_t page, struct error *error)
{
    unsigned char *found = page_in_memory(part, page);
    if (found != NULL)
        return found;
    if (btree_part_flush(part, error) < 0)
        return NULL;
    if (part->kept == NULL && (part->kept = malloc(part->file->page_bytes)) == NULL) {
        error_set_file(error, ERROR_SYSTEM, part->file->path, "out of memory");
        return NULL;
    }
    if (btree_page_read(part->file, page, part->kept, error) < 0)
        return NULL;
    part->kept_page = page;
    return part->kept;
}

/* Moves a page's freeblock to another offset within its old length. */
static void move_freeblock(unsigned char *page, uint32_t from, uint32_t to, uint32_t bytes)
{
    unsigned char *link = page + 1;
    while (btree_get2(link) != from)
        link = page + btree_get2(link);
    uint32_t next = btree_get2(page + from);
    btree_put2(link, to);
    btree_put2(page + to, next);
    btree_put2(page + to + 2, bytes);
}

/* Replaces a record within its page. Returns -1 if it does not fit. */
static int replace_in_page(unsigned char *page, struct btree_place *place, const void *record,
                           uint32_t record_bytes)
{
    unsigned char *cell = page + place->cell;
    unsigned char head[2 * BTREE_VARINT_MAX];
    uint64_t old_record_bytes, rowid;
    uint32_t old_head = btree_get_varint(cell, &old_record_bytes);
    old_head += btree_get_varint(cell + old_head, &rowid);
    uint32_t old_cell = old_head + (uint32_t)old_record_bytes;
    if (old_cell < BTREE_CELL_MIN)
        old_cell = BTREE_CELL_MIN;
    uint32_t new_head = btree_put_varint(head, record_bytes);
    new_head += btree_put_varint(head + new_head, rowid);
    uint32_t new_cell = new_head + record_bytes;
    if (new_cell < BTREE_CELL_MIN)
        new_cell = BTREE_CELL_MIN;
    uint32_t room = old_cell + place->spare;
    if (place->spare == 0 ? new_cell != room : new_cell + BTREE_FREEBLOCK_MIN > room)
        return -1;
    uint32_t spare = room - new_cell;
    if (spare > 0)
        move_freeblock(page, place->cell + old_cell, place->cell + new_cell, spare);
    memcpy(cell, head, new_head);
    memcpy(cell + new_head, record, record_bytes);
    place->record = (uint16_t)(place->cell + new_head);
    place->spare = (uint16_t)spare;
    return 0;
}

int btree_replace(struct btree_part *part, struct btree_place *place, const void *record,
                  uint32_t record_bytes, struct error *error)
{
    struct btree_file *file = part->file;
    unsigned char *page = keep_page(part, place->page, error);
    if (page == NULL)
        return -1;
    if (record_bytes > btree_record_max(file) ||
        replace_in_page(page, place, record, record_bytes) < 0)
        return error_set_file(error, ERROR_SYSTEM, file->path,
                              "a record of %u bytes does not fit into the place of another",
                              record_bytes);
    return 0;
}

int btree_part_end(struct btree_part *part, struct error *error)
{
    struct btree_file *file = part->file;
    if (part->ended)
        return 0;
    part->ended = true;
    if ((part->leaf != NULL && complete_leaf(part, error) < 0) || write_extent(part, error) < 0)
        return -1;
    must(part->extent_used <= part->extent.count);
    struct btree_extent rest = {part->extent.first + part->extent_used,
                                part->extent.count - part->extent_used};
    part->extent = (struct btree_extent){0, 0};
    free(part->buffer);
    part->buffer = NULL;
    return btree_pages_return(file, rest, error);
}
