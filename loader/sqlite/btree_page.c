/* Interior pages and the lists of their children: see btree_internal.h. */
#include "base/array.h"
#include "base/must.h"
#include "loader/sqlite/btree_internal.h"

#include <stdlib.h>
#include <string.h>

uint32_t btree_get_varint(const unsigned char *at, uint64_t *value)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 8; i++) {
        sum = sum << 7 | (at[i] & 0x7f);
        if (at[i] < 0x80) {
            *value = sum;
            return i + 1;
        }
    }
    *value = sum << 8 | at[8];
    return 9;
}

int btree_children_add(struct btree_children *children, uint32_t page, int64_t last_rowid)
{
    if (array_reserve(&children->items, &children->room, children->count + 1, NULL) != 0)
        return -1;
    children->items[children->count++] = (struct btree_child){last_rowid, page};
    return 0;
}

void btree_children_release(struct btree_children *children)
{
    free(children->items);
    *children = (struct btree_children){0};
}

void btree_interior_fill(const struct btree_file *file, unsigned char *page,
                         const struct btree_child *children, size_t count)
{
    must(count >= 1);
    uint32_t content = file->usable_bytes;
    uint32_t cells = (uint32_t)count - 1;
    memset(page, 0, file->page_bytes);
    for (uint32_t i = 0; i < cells; i++) {
        unsigned char cell[4 + BTREE_VARINT_MAX];
        /* There are two at least. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        btree_put4(cell, children[i].page);
        uint32_t bytes = 4 + btree_put_varint(cell + 4, (uint64_t)children[i].last_rowid);
        content -= bytes;
        memcpy(page + content, cell, bytes);
        btree_put2(page + BTREE_INTERIOR_HEADER + 2 * i, content);
    }
    must(content >= BTREE_INTERIOR_HEADER + 2 * cells);
    page[0] = BTREE_INTERIOR;
    btree_put2(page + 3, cells);
    btree_put2(page + 5, content);
    btree_put4(page + 8, children[cells].page);
}
