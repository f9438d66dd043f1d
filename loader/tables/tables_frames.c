/* Writes the table frames and its indexes page by page: real programs have up to millions of
 * contexts, and a prepared INSERT takes longer for each than their calls do. schema.sql explains
 * the numbers. */
#include <stdlib.h>

#include "base/must.h"
#include "loader/sqlite/sqlite_record.h"
#include "loader/tables/tables_parts.h"

#define COLUMNS_PLAIN 23 /* up to last_ns; the others are mostly 0, which is their DEFAULT */
#define COLUMNS_MEMORY 27
#define COLUMNS_OFF_TIMES 33
#define COLUMNS 35

/* Total times are those of the outermost activations of the frame. */
static struct tally frame_tally(const struct tables *tables, uint32_t frame)
{
    const struct call_sums *sums = rollup_frame_sums(tables->rollup, frame);
    struct tally none = {0};
    return sums == NULL ? none : call_sums_tally(sums, (struct outermost){.of_frame = true});
}

static void put_statistics(struct record *record, const struct tally *tally)
{
    if (tally->finished == 0) {
        for (int i = 0; i < 4; i++)
            record_null(record);
        return;
    }
    record_int(record, clip(tally->min_ns));
    record_int(record, clip(tally->max_ns));
    record_double(record, tally_mean(tally));
    record_double(record, tally_m2(tally));
}

static void put_frame(struct record *record, const struct frame *frame, const struct tally *tally)
{
    record_null(record); /* the id */
    record_id_or_null(record, frame->parent);
    record_int(record, frame->function_id);
    record_id_or_null(record, frame->site_id);
    record_int(record, frame->depth);
    record_int(record, clip(tally->calls));
    record_int(record, clip(tally_left(tally->total.frame_raw_ns, tally->total.frame_hooks_ps,
                                       tally->total.frame_off)));
    record_int(record, clip(tally_self_ns(tally)));
    put_statistics(record, tally);
    record_int(record, clip(tally->finished));
    record_id_or_null(record, tally->finished > 0 ? tally->fastest_call : 0);
    record_id_or_null(record, tally->finished > 0 ? tally->slowest_call : 0);
    record_id_or_null(record, tally->first_call);
    record_id_or_null(record, tally->last_call);
    record_int(record, clip(tally->total.frame_raw_ns));
    record_int(record, clip(tally_not_negative(tally->self.raw_ns)));
    record_int(record, clip(tally->child_calls));
    record_int(record, clip(tally->counted));
    if (tally->first_call != 0) {
        record_int(record, clip(tally->first_enter_ns));
        record_int(record, clip(tally->last_enter_ns));
    } else {
        record_null(record);
        record_null(record);
    }
}

static void put_off(struct record *record, const struct off_time *total, const struct off_sums *off)
{
    record_int(record, clip(total->wait_ns));
    record_int(record, clip(total->preempted_ns));
    record_int(record, clip(off->self.wait_ns));
    record_int(record, clip(off->self.preempted_ns));
    record_int(record, clip(off->self_waits));
    record_int(record, clip(off->paused_ns));
}

static int append_frame(const struct tables *tables, struct btree_part *part, uint32_t id,
                        struct error *error)
{
    struct tally tally = frame_tally(tables, id);
    struct memory_totals memory = memory_of_frame(tables->memory, id);
    const struct off_time *total = &tally.total.frame_off;
    bool has_off = (total->wait_ns | total->preempted_ns | tally.off.self.wait_ns |
                    tally.off.self.preempted_ns | tally.off.self_waits | tally.off.paused_ns) != 0;
    bool has_memory = (memory.allocs | memory.alloc_bytes | memory.frees | memory.free_bytes) != 0;
    struct record record;
    must(tables->frames->items[id - 1].parent < id); /* as frames_child() made them */
    bool has_errors = tally.frame_errors.self != 0;
    has_off |= has_errors;
    has_memory |= has_off;
    record_begin(&record, has_errors   ? COLUMNS
                          : has_off    ? COLUMNS_OFF_TIMES
                          : has_memory ? COLUMNS_MEMORY
                                       : COLUMNS_PLAIN);
    put_frame(&record, &tables->frames->items[id - 1], &tally);
    if (has_memory) {
        record_int(&record, clip(memory.allocs));
        record_int(&record, clip(memory.alloc_bytes));
        record_int(&record, clip(memory.frees));
        record_int(&record, clip(memory.free_bytes));
    }
    if (has_off)
        put_off(&record, total, &tally.off);
    if (has_errors) {
        record_int(&record, clip(tally_error(tally.frame_errors.total)));
        record_int(&record, clip(tally_error(tally.frame_errors.self)));
    }
    return btree_append(part, id, record_data(&record), record_bytes(&record), 0, NULL, error);
}

static int fill_indexes(const struct tables *tables, struct btree_file *file, struct error *error)
{
    uint32_t count = frames_count(tables->frames);
    const struct frame *frames = tables->frames->items;
    uint32_t *keys = calloc((size_t)count + 1, sizeof *keys);
    if (keys == NULL)
        return error_set(error, "out of memory");
    for (uint32_t i = 0; i < count; i++)
        keys[i] = frames[i].parent;
    int result = btree_index_fill(file, "frames_parent", keys, count, error);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = frames[i].function_id;
    if (result == 0)
        result = btree_index_fill(file, "frames_function", keys, count, error);
    if (result == 0) /* none is astray: each came after its parent */
        result = btree_index_fill(file, "frames_astray", keys, 0, error);
    free(keys);
    return result;
}

int tables_frames_begin(struct frames_writing *writing, const struct tables *tables,
                        struct btree_file *file, struct error *error)
{
    uint32_t blocks = frames_count(tables->frames) / FRAMES_A_BLOCK + 1;
    *writing = (struct frames_writing){.tables = *tables, .file = file, .parts_count = blocks};
    writing->parts = calloc(blocks, sizeof(struct btree_part *));
    if (writing->parts == NULL)
        return error_set(error, "out of memory");
    return fill_indexes(tables, file, error);
}

/* The rows of a block of the rollup. */
static int write_block(struct frames_writing *writing, uint32_t block, struct error *error)
{
    const struct tables *tables = &writing->tables;
    struct btree_part **part = &writing->parts[block];
    uint32_t id = block * FRAMES_A_BLOCK, last = id + (FRAMES_A_BLOCK - 1);
    uint32_t count = frames_count(tables->frames);
    if (btree_part_begin(writing->file, part, error) != 0)
        return -1;
    for (id += id == 0; id <= last && id <= count; id++)
        if (append_frame(tables, *part, id, error) != 0)
            return -1;
    rollup_release_block(tables->rollup, block);
    return btree_part_end(*part, error);
}

int tables_frames_write(struct frames_writing *writing, struct error *error)
{
    uint32_t block;
    while ((block = __atomic_fetch_add(&writing->next, 1, __ATOMIC_RELAXED)) < writing->parts_count)
        if (write_block(writing, block, error) != 0)
            return -1;
    return 0;
}

int tables_frames_end(struct frames_writing *writing, struct error *error)
{
    return btree_finish(writing->file, "frames", writing->parts, writing->parts_count, error);
}

void tables_frames_release(struct frames_writing *writing)
{
    free(writing->parts);
    writing->parts = NULL;
}
