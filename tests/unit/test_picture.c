/* What drawings of calls need (call_picture.h): long calls and slices of made-up threads, against a
 * walk through all their rows. */
#include "loader/calls/call_picture.h"

#include "tests/unit/check.h"

#include <stdlib.h>

enum { FUNCTIONS = 5, SHIFT = 12, OPEN = 10 };

static struct error error;

/* The same numbers on every machine. */
static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A thread of leaf calls, one in `rare` of them long, within some calls whose ends come later than their rows. */
struct made {
    struct row *rows; /* owned */
    size_t count, open;
    struct row_window window; /* a ring with all rows; the first is that of call 1 */
    struct function_rollup functions[FUNCTIONS];
};

static void make(struct made *made, size_t count, unsigned rare, uint64_t seed)
{
    uint64_t now_ns = 5;
    made->count = count;
    made->open = count > 2 * OPEN ? OPEN : 1;
    made->window = (struct row_window){.mask = 1};
    while (made->window.mask < count)
        made->window.mask = made->window.mask << 1 | 1;
    made->window.rows = calloc(made->window.mask + 1, sizeof *made->rows);
    made->rows = made->window.rows != NULL ? made->window.rows + 1 : NULL;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        made->functions[i] = (struct function_rollup){.same_id = i + 1};
    for (size_t i = 0; i < count && made->rows != NULL; i++) {
        uint64_t duration =
            next(&seed) % rare == 0 ? 1000 + next(&seed) % 10000000 : next(&seed) % 900;
        made->rows[i] =
            (struct row){.function = &made->functions[next(&seed) % FUNCTIONS],
                         .enter_ns = now_ns,
                         .depth = (uint32_t)(i < made->open ? i : made->open),
                         .duration_ns = duration,
                         .children_ns = duration / 3,
                         .descendants = next(&seed) % 7 == 0 ? 999 + next(&seed) % 2 : 0,
                         .done = i >= made->open};
        now_ns += duration + next(&seed) % 50;
    }
    for (size_t i = 0; i < made->open && made->rows != NULL; i++) {
        made->rows[i].duration_ns = now_ns - made->rows[i].enter_ns - i;
        made->rows[i].descendants = count - i - 1;
    }
}

/* The innermost of the open calls end, until so many are left. */
static int leave(const struct made *made, struct call_picture *picture, size_t left)
{
    int result = 0;
    while (picture->open_count > left && result == 0) {
        size_t i = picture->open_count - 1;
        result = call_picture_left(picture, &made->rows[i], i + 1, &error);
    }
    return result;
}

/* Some rows at a time, as batches come. */
static int draw(const struct made *made, struct call_picture *picture,
                const struct picture_scale *scale, struct thread_picture *out)
{
    int result = 0;
    call_picture_begin(picture, scale, 1, out);
    for (uint64_t id = 1, run_end; id <= made->count && result == 0; id = run_end) {
        if (id > made->count / 2)
            result = leave(made, picture, OPEN / 2);
        run_end = id + 1 + id % 500;
        run_end = run_end <= made->count ? run_end : made->count + 1;
        if (result == 0)
            result = call_picture_run(picture, &made->window, id, &run_end, &error);
        for (uint64_t at = id; at < run_end && result == 0; at++) {
            const struct row *row = &made->rows[at - 1];
            result = row->done ? call_picture_done(picture, row, at, &error)
                               : call_picture_open(picture, row, at, &error);
        }
    }
    if (result == 0)
        result = leave(made, picture, 0);
    return result == 0 ? call_picture_end(picture, made->count, &error) : result;
}

/* Does each class have the calls of its durations, in their order, and no others? */
static bool long_calls_are_right(const struct made *made, const struct thread_picture *out,
                                 uint64_t from_ns)
{
    size_t next_of[PICTURE_CLASSES] = {0};
    for (size_t i = 0; i < made->count; i++) {
        const struct row *row = &made->rows[i];
        if (row->duration_ns < from_ns)
            continue;
        unsigned class = 0;
        while ((uint64_t)1 << 2 * class <= row->duration_ns)
            class ++;
        size_t at = next_of[class]++;
        if (at >= out->classes[class].count || out->classes[class].items[at].call_id != i + 1 ||
            out->classes[class].items[at].depth != row->depth ||
            out->classes[class].items[at].function != row->function->same_id)
            return false;
    }
    for (unsigned class = 0; class < PICTURE_CLASSES; class ++)
        if (next_of[class] != out->classes[class].count)
            return false;
    return true;
}

static bool is_short(const struct row *row)
{
    return row->done && row->duration_ns < (uint64_t)1 << SHIFT &&
           row->descendants < PICTURE_SHORT_CALLS;
}

/* One slice against its rows, which begin at *at. */
static bool slice_is_right(const struct made *made, const struct picture_slice *slice, size_t *at)
{
    uint64_t calls = 0, ns[FUNCTIONS] = {0}, shorts[FUNCTIONS] = {0}, sum = 0;
    for (; *at < made->count && made->rows[*at].enter_ns >> SHIFT == slice->slice; ++*at) {
        const struct row *row = &made->rows[*at];
        calls++;
        if (!is_short(row))
            continue;
        shorts[row->function->same_id - 1]++;
        ns[row->function->same_id - 1] += row->duration_ns - row->children_ns;
    }
    uint32_t best = 0;
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        sum += ns[i];
        if (shorts[i] > 0 && (best == 0 || ns[i] > ns[best - 1]))
            best = i + 1;
    }
    return slice->calls == calls && slice->short_ns == sum && slice->function == best &&
           slice->function_ns == (best > 0 ? ns[best - 1] : 0);
}

static void picture_of(struct call_picture *picture, size_t count, unsigned rare,
                       uint64_t least_from_ns, uint64_t most_from_ns)
{
    struct made made;
    struct thread_picture out = {.slices = NULL};
    const struct picture_scale scale = {.slice_shift = SHIFT, .long_spare = 20};
    make(&made, count, rare, count + rare);
    if (!check(made.rows != NULL && draw(&made, picture, &scale, &out) == 0, "%zu calls are drawn",
               count))
        return;
    uint64_t from_ns = picture_class_from_ns(out.class_first);
    check(from_ns >= least_from_ns && from_ns <= most_from_ns,
          "one long call in %u: they are long from %llu ns on", rare, (unsigned long long)from_ns);
    check(long_calls_are_right(&made, &out, from_ns), "each class has its calls");
    size_t at = 0, listed = 0;
    bool right = true;
    for (size_t i = 0; i < out.slices_count; i++)
        right &= slice_is_right(&made, &out.slices[i], &at);
    check(right && at == count, "each slice has its calls");
    for (unsigned class = 0; class < PICTURE_CLASSES; class ++)
        listed += out.classes[class].count;
    check(listed <= count / 64 + 20, "a small share of the calls is listed: %zu of %zu", listed,
          count);
    free(made.window.rows);
    thread_picture_release(&out);
}

int main(void)
{
    struct call_picture picture = {.out = NULL};
    picture_of(&picture, 10000, 200, 1024, 1024);
    picture_of(&picture, 300, 1, 4096, (uint64_t)1 << 24);
    picture_of(&picture, 200000, 2, 4096,
               (uint64_t)1 << 24); /* more than are kept while more may come */
    picture_of(&picture, 1, 1, 1024, 1024);
    call_picture_release(&picture);
    for (unsigned class = 1; class < PICTURE_CLASSES; class ++) {
        uint64_t from = picture_class_from_ns(class);
        check(picture_class(from) == class &&
                  picture_class(from - (class > 1)) == class - (class > 1),
              "class %u begins at %llu ns", class, (unsigned long long)from);
    }
    check_equal(PICTURE_CLASSES - 1, picture_class(UINT64_MAX),
                "the last class has all that is longer");
    return check_status();
}
