/* The table context_edges: some thirty contexts share a row. A query would have to sort all
 * contexts to find that. */
#include "base/intern.h"
#include "loader/tables/tables_parts.h"

static int add_frame(struct intern *edges, const struct frames *frames, const struct frame *frame,
                     struct error *error)
{
    static const struct frame none;
    uint32_t index;
    const struct frame *parent = frame->parent != 0 ? &frames->items[frame->parent - 1] : &none;
    return intern_add(edges, intern_pack(parent->function_id, parent->site_id),
                      intern_pack(frame->site_id, frame->function_id), &index, error);
}

int tables_write_context_edges(const struct tables *tables, sqlite3 *database, struct error *error)
{
    const struct frames *frames = tables->frames;
    struct intern edges = {0};
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < frames_count(frames); i++)
        result = add_frame(&edges, frames, &frames->items[i], error);
    if (result == 0) {
        struct insert insert;
        insert_begin(&insert, database, "context_edges");
        for (uint32_t i = 0; i < edges.count; i++) {
            const struct intern_key *key = &edges.keys[i];
            insert_row(&insert, column_id("caller_id", key->a >> 32),
                       column_id("caller_site_id", (uint32_t)key->a),
                       column_id("site_id", key->b >> 32),
                       column_id("callee_id", (uint32_t)key->b));
        }
        result = insert_end(&insert, error);
    }
    intern_release(&edges);
    return result;
}
