/*
 * An index, or a table WITHOUT ROWID, which is stored like one, from its entries: we know them all,
 * so each page gets an even share and nothing moves.
 *
 * Unlike a table's, the entries of an index's interior pages are not in its leaves again: between
 * any two neighbouring pages of a level lies one entry, in a page above them.
 *
 * Pages are like a table's (btree_internal.h), but 10 is a leaf and 2 an interior page. A leaf's
 * cell is varint(record's length), record; an interior page's begins with the 4-byte page of the
 * child before it. An index's record is (key, rowid), such a table's has the primary key first.
 */
#include <stdlib.h>
#include <string.h>

#include "loader/sqlite/btree_internal.h"
#include "loader/sqlite/sqlite_record.h"

#define INDEX_LEAF 10
#define INDEX_INTERIOR 2

/* A record whose length takes one byte, and which SQLite does not continue on an overflow page. */
static uint32_t record_most(const struct btree_file *file)
{
    uint32_t local = (file->usable_bytes - 12) * 64 / 255 - 23;
    return local < 127 ? local : 127;
}

struct builder {
    struct btree_file *file;
    btree_entry_writer *write;
    const void *entries;
    uint32_t cell_max; /* bytes of the longest cell in a leaf, with its place in the page's list */
    unsigned char *page;
    uint32_t content, cells;
};

static void page_begin(struct builder *builder, int type)
{
    memset(builder->page, 0, builder->file->page_bytes);
    builder->page[0] = (unsigned char)type;
    builder->content = builder->file->usable_bytes;
    builder->cells = 0;
}

/* child: the page before the entry, 0 = this is a leaf. */
static void page_add(struct builder *builder, uint32_t entry, uint32_t child)
{
    uint32_t header = child != 0 ? 12 : 8;
    struct record record;
    builder->write(&record, entry, builder->entries);
    must(record_bytes(&record) + 3 <= builder->cell_max);
    unsigned char *page = builder->page;
    builder->content -= record_bytes(&record);
    memcpy(page + builder->content, record_data(&record), record_bytes(&record));
    page[--builder->content] = (unsigned char)record_bytes(&record);
    if (child != 0)
        btree_put4(page + (builder->content -= 4), child);
    btree_put2(page + header + 2 * builder->cells++, builder->content);
}

/* root: the page's number; 0 = a new page. */
static int page_end(struct builder *builder, uint32_t root, uint32_t *number, struct error *error)
{
    struct btree_extent extent = {root, 1};
    btree_put2(builder->page + 3, builder->cells);
    btree_put2(builder->page + 5, builder->content);
    if (root == 0 && btree_pages_take(builder->file, 1, &extent, error) != 0)
        return -1;
    *number = extent.first;
    return btree_pages_write(builder->file, *number, builder->page, builder->file->page_bytes,
                             error);
}

/* The pages of one level, and the entries between them. */
struct level {
    uint32_t *pages, *entries;
    uint32_t count; /* pages; entries are one less */
};

static int level_init(struct level *level, uint32_t pages, struct error *error)
{
    *level =
        (struct level){calloc(pages, sizeof(uint32_t)), calloc(pages, sizeof(uint32_t)), pages};
    return level->pages == NULL || level->entries == NULL ? error_set(error, "out of memory") : 0;
}

static void level_release(struct level *level)
{
    free(level->pages);
    free(level->entries);
}

/* The number of things before page i, if pages have even shares. */
static uint32_t share(uint64_t things, uint32_t pages, uint32_t i)
{
    return (uint32_t)(things * i / pages);
}

static int make_leaves(struct builder *builder, uint32_t count, uint32_t root, struct level *out,
                       struct error *error)
{
    uint32_t most = (builder->file->usable_bytes - 8) / builder->cell_max;
    uint32_t pages = count / (most + 1) + 1; /* as many as hold them, with one between each two */
    uint32_t in_leaves = count - (pages - 1), entry = 0;
    if (level_init(out, pages, error) != 0)
        return -1;
    for (uint32_t i = 0; i < pages; i++) {
        page_begin(builder, INDEX_LEAF);
        for (uint32_t end = share(in_leaves, pages, i + 1) + i; entry < end; entry++)
            page_add(builder, entry, 0);
        if (page_end(builder, pages == 1 ? root : 0, &out->pages[i], error) != 0)
            return -1;
        out->entries[i] = entry++;
    }
    return 0;
}

static int make_parents(struct builder *builder, const struct level *below, uint32_t root,
                        struct level *out, struct error *error)
{
    uint32_t most = (builder->file->usable_bytes - 12) / (4 + builder->cell_max) + 1; /* children */
    uint32_t pages = (below->count + most - 1) / most, child = 0;
    if (level_init(out, pages, error) != 0)
        return -1;
    for (uint32_t i = 0; i < pages; i++) {
        page_begin(builder, INDEX_INTERIOR);
        uint32_t last = share(below->count, pages, i + 1) - 1;
        for (; child < last; child++)
            page_add(builder, below->entries[child], below->pages[child]);
        btree_put4(builder->page + 8, below->pages[child]);
        if (page_end(builder, pages == 1 ? root : 0, &out->pages[i], error) != 0)
            return -1;
        out->entries[i] = below->entries[child++];
    }
    return 0;
}

static int build(struct builder *builder, uint32_t count, uint32_t root, struct error *error)
{
    struct level level;
    int status = make_leaves(builder, count, root, &level, error);
    while (status == 0 && level.count > 1) {
        struct level above;
        status = make_parents(builder, &level, root, &above, error);
        level_release(&level);
        level = above;
    }
    level_release(&level);
    return status;
}

/* cell_max: of a leaf. root: the page of the empty tree. */
static int fill(struct btree_file *file, uint32_t root, uint32_t count, uint32_t cell_max,
                btree_entry_writer *write, const void *entries, struct error *error)
{
    struct builder builder = {.file = file,
                              .write = write,
                              .entries = entries,
                              .cell_max = cell_max,
                              .page = malloc(file->page_bytes)};
    int status = builder.page == NULL ? error_set(error, "out of memory")
                                      : build(&builder, count, root, error);
    free(builder.page);
    return status;
}

/* ---- an index ---- */

struct index_entries {
    const uint32_t *keys;   /* by rowid - 1 */
    const uint32_t *rowids; /* in the index's order */
};

static void write_index_entry(struct record *record, uint32_t entry, const void *context)
{
    const struct index_entries *entries = context;
    /* sort() gave each entry its row. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
    uint32_t rowid = entries->rowids[entry];
    record_begin(record, 2);
    record_id_or_null(record, entries->keys[rowid - 1]);
    record_int(record, rowid);
}

/* A number's bytes in a record, besides its type. */
static uint32_t number_bytes(uint32_t number)
{
    return number < 0x80 ? 1 : number < 0x8000 ? 2 : number < 0x800000 ? 3 : number >> 31 ? 6 : 4;
}

static uint32_t greatest(const uint32_t *keys, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = keys[i] > most ? keys[i] : most;
    return most;
}

/* The rowids by key, then ascending. most: the greatest key. NULL without memory. */
static uint32_t *sort(const uint32_t *keys, uint32_t count, uint32_t most)
{
    uint32_t *starts = calloc((size_t)most + 2, sizeof *starts);
    uint32_t *rowids = malloc(((size_t)count + 1) * sizeof *rowids);
    if (starts == NULL || rowids == NULL) {
        free(starts);
        free(rowids);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        starts[keys[i] + 1]++;
    for (uint32_t key = 0; key < most; key++)
        starts[key + 1] += starts[key];
    for (uint32_t i = 0; i < count; i++)
        rowids[starts[keys[i]]++] = i + 1;
    free(starts);
    return rowids;
}

int btree_index_fill(struct btree_file *file, const char *name, const uint32_t *keys,
                     uint32_t count, struct error *error)
{
    struct btree_table *index = btree_find(file, name, true);
    if (index == NULL || index->indexes == 0)
        return error_set_file(error, ERROR_SYSTEM, file->path, "no empty index %s", name);
    index->indexes = 0;
    struct btree_table *table = btree_find(file, index->index_of, false);
    if (table != NULL)
        table->indexes--;
    if (count == 0)
        return 0;
    uint32_t most = greatest(keys, count), *rowids = sort(keys, count, most);
    /* Its length, the record's header of 3 bytes, two numbers, and its offset of 2 bytes. */
    uint32_t cell_max = 1 + 3 + number_bytes(most) + number_bytes(count) + 2;
    const struct index_entries entries = {keys, rowids};
    int status = rowids == NULL
                     ? error_set(error, "out of memory")
                     : fill(file, index->root, count, cell_max, write_index_entry, &entries, error);
    free(rowids);
    return status;
}

/* ---- a table WITHOUT ROWID ---- */

/* Its root page, which must be an empty leaf. 0: it is none. */
static int find_root(struct btree_file *file, const char *name, uint32_t *root, struct error *error)
{
    const struct btree_table *table = btree_find(file, name, false);
    unsigned char *page = malloc(file->page_bytes);
    int status = page == NULL ? error_set(error, "out of memory")
                 : table == NULL
                     ? error_set_file(error, ERROR_SYSTEM, file->path, "no table %s", name)
                     : btree_page_read(file, table->root, page, error);
    if (status == 0 && (table->indexes > 0 || page[0] != INDEX_LEAF || btree_get2(page + 3) != 0))
        status = error_set_file(error, ERROR_SYSTEM, file->path,
                                "table %s is not an empty table WITHOUT ROWID and indexes", name);
    if (status == 0)
        *root = table->root;
    free(page);
    return status;
}

int btree_keyed_fill(struct btree_file *file, const char *name, uint32_t count,
                     btree_entry_writer *write, const void *entries, struct error *error)
{
    uint32_t root = 0, most = 0;
    struct record record;
    if (find_root(file, name, &root, error) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        write(&record, i, entries);
        uint32_t bytes = record_bytes(&record);
        most = bytes > most ? bytes : most;
    }
    if (most > record_most(file))
        return error_set_file(error, ERROR_SYSTEM, file->path, "a row of %s is too long", name);
    return count == 0 ? 0 : fill(file, root, count, 1 + most + 2, write, entries, error);
}
