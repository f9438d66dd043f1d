/* What a drawing of calls needs: see call_picture.h. */
#include "loader/calls/call_picture.h"

#include <stdlib.h>

#define LONG_SHARE 64u        /* one of so many calls may be in the list at the end */
#define LONG_SPARE 4096u      /* besides, in all threads */
#define LONG_WORKING 65536u   /* so many are kept while more may come: 2 MiB */
#define SLICES_MAX 4096u      /* of a run */
#define CALLS_A_SLICE 256u    /* and a thread, at least */
#define SLICE_SHIFT_LEAST 10u /* a microsecond */
#define SLICE_SHIFT_MOST 50u

/* When the last chunk begins, or the last process ends. */
static uint64_t run_length_ns(const struct log_index *index, const struct clock_map *clock)
{
    uint64_t length_ns = 0;
    for (size_t i = 0; i < index->threads_count; i++) {
        const struct log_thread *thread = &index->threads[i];
        const struct log_process *process = &index->processes[thread->process];
        const struct clock_line *line = &clock->lines[thread->process];
        uint64_t ns = process->end_tick != TICK_UNKNOWN ? clock_ns(line, process->end_tick) : 0;
        if (ns == 0 && thread->chunks > 0)
            ns = clock_ns(line, index->chunks[thread->first_chunk + thread->chunks - 1].tick_start);
        length_ns = ns > length_ns ? ns : length_ns;
    }
    return length_ns;
}

struct picture_scale picture_scale_make(const struct log_index *index,
                                        const struct clock_map *clock)
{
    struct picture_scale scale = {.slice_shift = SLICE_SHIFT_LEAST};
    uint64_t calls = 0, threads = 0, run_ns = run_length_ns(index, clock);
    for (size_t i = 0; i < index->threads_count; i++) {
        calls += index->threads[i].call_ids;
        threads += index->threads[i].call_ids > 0;
    }
    threads = threads > 0 ? threads : 1;
    uint64_t slices = calls / threads / CALLS_A_SLICE;
    slices = slices < SLICES_MAX ? slices : SLICES_MAX;
    while (scale.slice_shift < SLICE_SHIFT_MOST && run_ns >> scale.slice_shift > slices)
        scale.slice_shift++;
    scale.long_spare = LONG_SPARE / threads;
    return scale;
}

static void set_class_first(struct call_picture *picture, unsigned class)
{
    uint64_t slice_ns = (uint64_t)1 << picture->scale.slice_shift;
    picture->out->class_first = class;
    picture->long_from_ns = picture_class_from_ns(class);
    picture->rare_from_ns = picture->long_from_ns < slice_ns ? picture->long_from_ns : slice_ns;
}

void call_picture_begin(struct call_picture *picture, const struct picture_scale *scale,
                        uint64_t first_id, struct thread_picture *out)
{
    picture->out = out;
    picture->scale = *scale;
    picture->first_id = first_id;
    set_class_first(picture, PICTURE_CLASS_FIRST);
    picture->long_count = 0;
    picture->long_max = LONG_WORKING;
    picture->now = (struct picture_slice){.slice = 0};
    picture->slice_end_ns = (uint64_t)1 << scale->slice_shift;
    picture->slice_from_id = first_id;
    picture->open_count = picture->touched_count = 0;
}

/* ---- slices ---- */

/* Completes the present slice: which function has most, the first of several. */
static int end_slice(struct call_picture *picture, struct error *error)
{
    struct thread_picture *out = picture->out;
    struct picture_slice *now = &picture->now;
    for (size_t i = 0; i < picture->touched_count; i++) {
        uint32_t function = picture->touched[i]->same_id;
        uint64_t ns = picture->touched[i]->drawn.ns;
        now->short_ns += ns;
        if (now->function == 0 || ns > now->function_ns ||
            (ns == now->function_ns && function < now->function)) {
            now->function = function;
            now->function_ns = ns;
        }
    }
    picture->touched_count = 0;
    if (now->calls == 0)
        return 0;
    if (array_reserve(&out->slices, &out->slices_capacity, out->slices_count + 1, error) != 0)
        return -1;
    out->slices[out->slices_count++] = *now;
    return 0;
}

/* A call was entered behind the present slice. */
static int begin_slice(struct call_picture *picture, uint64_t call_id, uint64_t enter_ns,
                       struct error *error)
{
    if (end_slice(picture, error) != 0)
        return -1;
    uint64_t slice = enter_ns >> picture->scale.slice_shift;
    must(slice > picture->now.slice || picture->now.calls == 0);
    picture->now = (struct picture_slice){.slice = slice};
    picture->slice_end_ns = (slice + 1) << picture->scale.slice_shift;
    picture->slice_from_id = call_id;
    return 0;
}

int call_picture_run(struct call_picture *picture, const struct row_window *window,
                     uint64_t first_id, uint64_t *end_id, struct error *error)
{
    must(*end_id > first_id);
    uint64_t enter_ns = row_window_row(window, first_id)->enter_ns;
    if (enter_ns >= picture->slice_end_ns && begin_slice(picture, first_id, enter_ns, error) != 0)
        return -1;
    if (row_window_row(window, *end_id - 1)->enter_ns >= picture->slice_end_ns) {
        uint64_t within = first_id, behind = *end_id - 1;
        while (behind - within > 1) {
            uint64_t middle = within + (behind - within) / 2;
            if (row_window_row(window, middle)->enter_ns < picture->slice_end_ns)
                within = middle;
            else
                behind = middle;
        }
        *end_id = behind;
    }
    picture->now.calls += *end_id - first_id;
    return 0;
}

/* The function's first short call in the slice. */
int call_picture_touch(struct call_picture *picture, struct function_rollup *function,
                       struct error *error)
{
    if (array_reserve(&picture->touched, &picture->touched_capacity, picture->touched_count + 1,
                      error) != 0)
        return -1;
    function->drawn = (struct picture_sum){.slice_from_id = picture->slice_from_id};
    picture->touched[picture->touched_count++] = function;
    return 0;
}

/* A call that is long, or takes a slice or more, or both. */
int call_picture_rare(struct call_picture *picture, const struct row *row, uint64_t call_id,
                      struct error *error)
{
    if (row->duration_ns >> picture->scale.slice_shift == 0 &&
        row->descendants < PICTURE_SHORT_CALLS && call_picture_short(picture, row, error) != 0)
        return -1;
    return row->duration_ns >= picture->long_from_ns
               ? call_picture_keep(picture, row, call_id, row->depth, error)
               : 0;
}

/* ---- long calls ---- */

int call_picture_open(struct call_picture *picture, const struct row *row, uint64_t call_id,
                      struct error *error)
{
    if (array_reserve(&picture->open, &picture->open_capacity, picture->open_count + 1, error) != 0)
        return -1;
    picture->open[picture->open_count++] = (struct picture_open){call_id, row->depth};
    return 0;
}

/* Drops classes, the shortest calls first, until so many calls are left at most. The last class
 * stays, whatever it holds: durations of half an hour and more. */
static void drop_down_to(struct call_picture *picture, size_t most)
{
    struct thread_picture *out = picture->out;
    while (picture->long_count > most && out->class_first + 1 < PICTURE_CLASSES) {
        struct long_calls *class = &out->classes[out->class_first];
        picture->long_count -= class->count;
        free(class->items);
        *class = (struct long_calls){.items = NULL};
        set_class_first(picture, out->class_first + 1);
    }
}

int call_picture_keep(struct call_picture *picture, const struct row *row, uint64_t call_id,
                      uint32_t depth, struct error *error)
{
    struct long_calls *class = &picture->out->classes[picture_class(row->duration_ns)];
    if (array_reserve(&class->items, &class->capacity, class->count + 1, error) != 0)
        return -1;
    class->items[class->count++] = (struct long_call){.call_id = call_id,
                                                      .enter_ns = row->enter_ns,
                                                      .duration_ns = row->duration_ns,
                                                      .depth = depth,
                                                      .function = row->function->same_id};
    if (++picture->long_count <= picture->long_max)
        return 0;
    /* A call that ends has a greater id than those that were seen. */
    size_t share = (size_t)((call_id - picture->first_id) / LONG_SHARE);
    picture->long_max = share > LONG_WORKING ? share : LONG_WORKING;
    drop_down_to(picture, picture->long_max);
    return 0;
}

static int by_entry(const void *left, const void *right)
{
    const struct long_call *a = left, *b = right;
    if (a->enter_ns != b->enter_ns)
        return a->enter_ns < b->enter_ns ? -1 : 1;
    return a->call_id < b->call_id ? -1 : a->call_id > b->call_id;
}

/* Sorts those that call_picture_left() kept, behind calls that were entered after them, into the
 * others, which came in order. */
static int sort_class(struct long_calls *class, struct error *error)
{
    struct long_calls late = {.items = NULL};
    size_t kept = 0;
    int result = 0;
    for (size_t i = 0; i < class->count && result == 0; i++) {
        if (kept > 0 && by_entry(&class->items[kept - 1], &class->items[i]) > 0)
            result = array_add(&late.items, &late.count, &late.capacity, class->items[i], error);
        else
            class->items[kept++] = class->items[i];
    }
    array_sort(late.items, late.count, by_entry);
    for (size_t to = class->count, left = late.count; left > 0 && result == 0;) {
        bool is_late = kept == 0 || by_entry(&class->items[kept - 1], &late.items[left - 1]) < 0;
        class->items[--to] = is_late ? late.items[--left] : class->items[--kept];
    }
    free(late.items);
    return result;
}

int call_picture_end(struct call_picture *picture, uint64_t calls, struct error *error)
{
    struct thread_picture *out = picture->out;
    drop_down_to(picture, (size_t)(calls / LONG_SHARE) + picture->scale.long_spare);
    for (unsigned i = out->class_first; i < PICTURE_CLASSES; i++)
        if (sort_class(&out->classes[i], error) != 0)
            return -1;
    int result = end_slice(picture, error);
    picture->now.calls = 0;
    return result;
}

void call_picture_release(struct call_picture *picture)
{
    free(picture->touched);
    free(picture->open);
    *picture = (struct call_picture){.out = NULL};
}

void thread_picture_release(struct thread_picture *picture)
{
    for (unsigned i = 0; i < PICTURE_CLASSES; i++)
        free(picture->classes[i].items);
    free(picture->slices);
    *picture = (struct thread_picture){.slices = NULL};
}
