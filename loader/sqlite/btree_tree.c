/*
 * From parts to a table: the pages above the leaves, and the root.
 *
 * All leaves of a b-tree lie at the same depth, and an interior page has at least two children.
 * Each part comes with its first leaves (head), finished pages of the level above (level1), and its
 * last leaves (tail). We gather leaves without a parent across the parts' borders and divide them
 * evenly among as few parents as possible. We make higher levels in the same way, until one page
 * can hold the rest: we write it over the table's root, whose number cannot change.
 */
#include "base/must.h"
#include "loader/sqlite/btree_internal.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct btree_file *file;
    unsigned char *page;
    struct btree_children below; /* pages that have no parent yet */
    struct btree_children above; /* their parents */
};

static int out_of_memory(const struct builder *builder, struct error *error)
{
    return error_set_file(error, ERROR_SYSTEM, builder->file->path, "out of memory");
}

static int append(struct builder *builder, struct btree_children *list,
                  const struct btree_children *more, struct error *error)
{
    for (size_t i = 0; i < more->count; i++)
        if (btree_children_add(list, more->items[i].page, more->items[i].last_rowid) < 0)
            return out_of_memory(builder, error);
    return 0;
}

/* Writes parents of all pages in `below`, at least two, and empties it. */
static int make_parents(struct builder *builder, struct error *error)
{
    struct btree_file *file = builder->file;
    size_t count = builder->below.count;
    size_t parents = (count + file->fanout - 1) / file->fanout;
    for (size_t i = 0; i < parents; i++) {
        size_t from = count * i / parents;
        size_t to = count * (i + 1) / parents;
        struct btree_extent extent;
        must(from < to && builder->below.items != NULL);
        if (btree_pages_take(file, 1, &extent, error) < 0)
            return -1;
        btree_interior_fill(file, builder->page, builder->below.items + from, to - from);
        if (btree_pages_write(file, extent.first, builder->page, file->page_bytes, error) < 0)
            return -1;
        if (btree_children_add(&builder->above, extent.first,
                               builder->below.items[to - 1].last_rowid) < 0)
            return out_of_memory(builder, error);
    }
    builder->below.count = 0;
    return 0;
}

/* Joins the parts. Afterwards `below` is empty, or one page can hold its leaves and `above` is
 * empty. */
static int join_parts(struct builder *builder, struct btree_part *const *parts, uint32_t count,
                      struct error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct btree_part *part = parts[i];
        if (append(builder, &builder->below, &part->head, error) < 0)
            return -1;
        /* If level1 has pages, head is full: there are two leaves or more here. */
        if (part->level1.count > 0 && (make_parents(builder, error) < 0 ||
                                       append(builder, &builder->above, &part->level1, error) < 0))
            return -1;
        if (append(builder, &builder->below, &part->tail, error) < 0)
            return -1;
    }
    /* A part with level1 has two leaves or more in its tail. */
    if (builder->above.count == 0 && builder->below.count <= builder->file->fanout)
        return 0;
    return make_parents(builder, error);
}

static int write_root(struct builder *builder, uint32_t root, struct error *error)
{
    struct btree_file *file = builder->file;
    const struct btree_children *top = &builder->below;
    if (top->count == 1) { /* a table of one page: it moves to the root's place */
        struct btree_extent extent = {top->items[0].page, 1};
        if (btree_page_read(file, extent.first, builder->page, error) < 0 ||
            btree_pages_return(file, extent, error) < 0)
            return -1;
    } else {
        btree_interior_fill(file, builder->page, top->items, top->count);
    }
    return btree_pages_write(file, root, builder->page, file->page_bytes, error);
}

/* Checks that the parts are complete and in order; writes their last changes. */
static int check_parts(const struct btree_file *file, const char *table,
                       struct btree_part *const *parts, uint32_t count, struct error *error)
{
    const struct btree_part *before = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct btree_part *part = parts[i];
        if (!part->ended)
            return error_set_file(error, ERROR_SYSTEM, file->path,
                                  "a part of table %s is not ended", table);
        if (btree_part_flush(parts[i], error) < 0)
            return -1;
        if (part->rows == 0)
            continue;
        if (before != NULL && part->first_rowid <= before->last_rowid)
            return error_set_file(error, ERROR_SYSTEM, file->path,
                                  "table %s: row %lld of one part comes after row %lld", table,
                                  (long long)part->first_rowid, (long long)before->last_rowid);
        before = part;
    }
    return 0;
}

/* The table's root page; 0 = it is not the empty leaf of a rowid table. */
static uint32_t find_root(struct builder *builder, const char *name, struct error *error)
{
    struct btree_file *file = builder->file;
    const struct btree_table *table = btree_find(file, name, false);
    if (table == NULL) {
        error_set_file(error, ERROR_SYSTEM, file->path, "no table %s", name);
        return 0;
    }
    if (btree_page_read(file, table->root, builder->page, error) < 0)
        return 0;
    if (table->indexes > 0 || builder->page[0] != BTREE_LEAF ||
        btree_get2(builder->page + 3) != 0) {
        error_set_file(error, ERROR_SYSTEM, file->path,
                       "table %s is not an empty rowid table without indexes", name);
        return 0;
    }
    return table->root;
}

int btree_finish(struct btree_file *file, const char *table, struct btree_part *const *parts,
                 uint32_t count, struct error *error)
{
    struct builder builder = {.file = file, .page = malloc(file->page_bytes)};
    int status = -1;
    uint32_t root = 0;
    if (builder.page == NULL)
        out_of_memory(&builder, error);
    else if ((root = find_root(&builder, table, error)) != 0 &&
             check_parts(file, table, parts, count, error) == 0)
        status = join_parts(&builder, parts, count, error);
    while (status == 0 && (builder.above.count > 0 || builder.below.count > file->fanout)) {
        if (builder.above.count > 0) { /* the parents become the next level */
            struct btree_children empty = builder.below;
            builder.below = builder.above;
            builder.above = empty;
            builder.above.count = 0;
        }
        if (builder.below.count > file->fanout)
            status = make_parents(&builder, error);
    }
    if (status == 0 && builder.below.count > 0)
        status = write_root(&builder, root, error);
    btree_children_release(&builder.below);
    btree_children_release(&builder.above);
    free(builder.page);
    for (uint32_t i = 0; i < count; i++)
        btree_part_free(parts[i]);
    return status;
}
