/* Following a program: see live_trace.h. */
#include "cli/live/live_trace.h"

#include "base/array.h"
#include "cli/live/live_end.h"
#include "cli/live/live_trace_names.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "live/live_clock.h"
#include "live/live_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_MS 50
#define ITEMS_MAX 20000u
#define TEXT_BYTES_MAX (4u << 20)
#define NAMES_LOOKS 20u /* looks after which a thread's name is asked for again */
#define YOUNG_LOOKS 5u  /* a new thread's is asked for at each look */
#define INDENT_MAX 60u  /* levels */
#define LABEL_COLUMNS 15

/* The marks of an open call: struct live_tail_call. The rest is its depth among the calls shown. */
#define MARK_JUDGED 1u
#define MARK_WITHIN 2u /* it is wanted, or within a call that is */
#define MARK_SHOWN 4u
#define MARK_DEPTH_SHIFT 3

enum item_kind { ITEM_CALL, ITEM_END, ITEM_SAID };

/* A line to be printed. */
struct item {
    uint64_t tick, end_tick; /* CALL: 0 = it goes on; END: its duration in ticks */
    uint32_t order;          /* in this look */
    uint32_t thread;         /* in `labels` */
    uint32_t function, depth;
    enum item_kind kind;
    bool unwound;
    char *text; /* SAID */
};

/* A thread with items. */
struct label {
    char text[64];
    int pad;
    size_t last; /* the number of its last item */
};

struct following {
    const struct live_trace_options *options;
    struct live_run *run;
    struct trace_names names;
    struct live_tail *tail;
    struct live_clock clock;
    struct item *items; /* of this look, the last ITEMS_MAX: number n lies at n % ITEMS_MAX */
    size_t first, end;  /* the numbers of the oldest one, and of the next one */
    size_t text_bytes;
    struct label *labels; /* of threads with items */
    size_t labels_count, labels_capacity;
    uint32_t look; /* its number, from 1 */
    uint64_t calls, left_calls, left_said;
    int recorder; /* a pidfd; -1 = none */
};

/* ---- threads ---- */

static bool wants(void *context, const struct live_tail_thread *thread)
{
    const struct live_trace_options *options = ((const struct following *)context)->options;
    char tid[16];
    if (options->pid != 0 && thread->pid != (uint32_t)options->pid)
        return false;
    if (options->thread == NULL)
        return true;
    snprintf(tid, sizeof tid, "%u", thread->tid);
    return strcmp(options->thread, tid) == 0 || strcmp(options->thread, thread->name) == 0 ||
           fnmatch(options->thread, thread->name, 0) == 0;
}

/* A program may name its threads at any time. */
static void names_look(struct following *following)
{
    char path[64], name[64];
    struct live_tail_thread *thread;
    for (size_t i = 0; (thread = live_tail_thread(following->tail, i)) != NULL; i++) {
        if (thread->named || !thread->at.slot ||
            (++thread->looked > YOUNG_LOOKS && thread->looked % NAMES_LOOKS != 0))
            continue;
        snprintf(path, sizeof path, "/proc/%u/task/%u/comm", thread->pid, thread->tid);
        FILE *file = fopen(path, "re");
        if (file != NULL && fgets(name, sizeof name, file) != NULL) {
            name[strcspn(name, "\n")] = 0;
            snprintf(thread->name, sizeof thread->name, "%s", name);
        }
        if (file != NULL)
            fclose(file);
    }
}

/* The thread's label in this look, made at its first item: `own` of the thread is the number of the
 * look and of its label. UINT32_MAX without memory. */
static uint32_t label_of(struct following *following, struct live_tail_thread *thread)
{
    if (thread->own >> 32 == following->look)
        return (uint32_t)thread->own;
    char *name = text_shown(thread->name[0] != 0 ? thread->name : "?",
                            thread->name[0] != 0 ? strlen(thread->name) : 1);
    struct label label = {.text = ""};
    if (name != NULL)
        snprintf(label.text, sizeof label.text, "%.*s", (int)text_fits(name, LABEL_COLUMNS), name);
    free(name);
    label.pad = LABEL_COLUMNS - text_width(label.text);
    if (array_add(&following->labels, &following->labels_count, &following->labels_capacity, label,
                  NULL) != 0)
        return UINT32_MAX;
    thread->own = (uint64_t)following->look << 32 | (uint32_t)(following->labels_count - 1);
    return (uint32_t)(following->labels_count - 1);
}

/* ---- what threads do ---- */

static struct item *item_at(const struct following *following, size_t number)
{
    return &following->items[number % ITEMS_MAX];
}

/* Leaves out the oldest item. */
static void item_drop(struct following *following)
{
    struct item *item = item_at(following, following->first++);
    following->left_calls += item->kind == ITEM_CALL;
    following->left_said += item->kind == ITEM_SAID;
    following->text_bytes -= item->text != NULL ? strlen(item->text) : 0;
    free(item->text);
}

static struct item *item_add(struct following *following, struct live_tail_thread *thread,
                             enum item_kind kind, uint64_t tick, uint32_t depth)
{
    uint32_t label = label_of(following, thread);
    if (label == UINT32_MAX)
        return NULL;
    if (following->end - following->first == ITEMS_MAX)
        item_drop(following);
    struct item *item = item_at(following, following->end++);
    *item = (struct item){.tick = tick, .thread = label, .kind = kind, .depth = depth};
    following->labels[label].last = following->end - 1;
    return item;
}

/* Is the call wanted, and how deep is it among the calls shown? */
static void judge(struct following *following, const struct live_tail_thread *thread, size_t index)
{
    struct live_tail_call *call = &thread->open[index];
    uint32_t around = index > 0 ? thread->open[index - 1].mark : 0;
    uint32_t number =
        trace_names_find(&following->names, thread->process_key, thread->pid, call->function);
    bool inside = (around & MARK_WITHIN) != 0;
    bool within = inside || (number != UINT32_MAX && following->names.functions[number].wanted);
    uint32_t depth = following->options->function == NULL ? call->depth
                     : inside                             ? (around >> MARK_DEPTH_SHIFT) + 1
                                                          : 0;
    call->mark = MARK_JUDGED | (within ? MARK_WITHIN : 0) | depth << MARK_DEPTH_SHIFT;
}

/* The same for all open calls that we have not judged. */
static void judge_all(struct following *following, const struct live_tail_thread *thread)
{
    size_t first = thread->open_count;
    while (first > 0 && (thread->open[first - 1].mark & MARK_JUDGED) == 0)
        first--;
    for (; first < thread->open_count; first++)
        judge(following, thread, first);
}

static void enter(void *context, struct live_tail_thread *thread, struct live_tail_call *call)
{
    struct following *following = context;
    const struct live_trace_options *options = following->options;
    judge_all(following, thread);
    uint32_t depth = call->mark >> MARK_DEPTH_SHIFT;
    if (options->no_calls || (call->mark & MARK_WITHIN) == 0 ||
        (options->depth != 0 && depth >= options->depth))
        return;
    uint32_t number =
        trace_names_find(&following->names, thread->process_key, thread->pid, call->function);
    if (number == UINT32_MAX ||
        (options->level != 0 && following->names.functions[number].level > options->level) ||
        (options->limit > 0 && following->calls >= (uint64_t)options->limit))
        return;
    struct item *item = item_add(following, thread, ITEM_CALL, call->enter_tick, depth);
    following->left_calls += item == NULL;
    if (item == NULL)
        return;
    following->calls++;
    item->function = number;
    call->mark |= MARK_SHOWN;
}

/* A call that did nothing that is shown takes one line with its duration, any other a second line
 * for its end. */
static void leave(void *context, struct live_tail_thread *thread, const struct live_tail_call *call,
                  uint64_t tick, bool unwound)
{
    struct following *following = context;
    uint32_t depth = call->mark >> MARK_DEPTH_SHIFT;
    if ((call->mark & MARK_SHOWN) == 0)
        return;
    if (thread->own >> 32 == following->look) {
        size_t number = following->labels[(uint32_t)thread->own].last;
        struct item *last = item_at(following, number);
        if (number >= following->first && last->kind == ITEM_CALL && last->depth == depth &&
            last->end_tick == 0) {
            last->end_tick = tick;
            last->unwound = unwound;
            return;
        }
    }
    uint32_t number =
        trace_names_find(&following->names, thread->process_key, thread->pid, call->function);
    struct item *item =
        number != UINT32_MAX ? item_add(following, thread, ITEM_END, tick, depth) : NULL;
    if (item == NULL)
        return;
    item->function = number;
    item->end_tick = tick - call->enter_tick;
    item->unwound = unwound;
}

/* Where a message of the thread belongs. False: it is not wanted. */
static bool said_depth(struct following *following, const struct live_tail_thread *thread,
                       uint32_t *depth)
{
    judge_all(following, thread);
    uint32_t mark = thread->open_count > 0 ? thread->open[thread->open_count - 1].mark : 0;
    bool all = following->options->function == NULL;
    *depth = (mark & MARK_WITHIN) != 0 ? (mark >> MARK_DEPTH_SHIFT) + 1 : 0;
    return all || (mark & MARK_WITHIN) != 0;
}

/* Takes the text. */
static void said(struct following *following, struct live_tail_thread *thread, char *text,
                 uint32_t depth, uint64_t tick)
{
    size_t bytes = text != NULL ? strlen(text) : 0;
    while (following->text_bytes + bytes > TEXT_BYTES_MAX && following->first < following->end)
        item_drop(following);
    struct item *item = text != NULL && bytes <= TEXT_BYTES_MAX
                            ? item_add(following, thread, ITEM_SAID, tick, depth)
                            : NULL;
    following->left_said += item == NULL;
    if (item == NULL) {
        free(text);
        return;
    }
    following->text_bytes += bytes;
    item->text = text;
}

static void reach(void *context, struct live_tail_thread *thread, uint32_t number,
                  const unsigned char *values, size_t values_bytes, uint64_t tick)
{
    struct following *following = context;
    const struct live_trace_options *options = following->options;
    struct live_point point = {.point = NULL};
    uint32_t depth;
    bool known = live_points_find(following->names.points, thread->process_key,
                                  FISQL_POINT_ADDRESS | number, &point);
    if ((options->level != 0 && known && point.point->level > options->level) ||
        !said_depth(following, thread, &depth))
        return;
    said(following, thread, live_said_text(known ? point.point : NULL, values, values_bytes), depth,
         tick);
}

static void on_note(void *context, struct live_tail_thread *thread, const char *text, size_t bytes,
                    uint64_t tick)
{
    struct following *following = context;
    uint32_t depth;
    if (said_depth(following, thread, &depth))
        said(following, thread, strndup(text, bytes), depth, tick);
}

/* ---- printing ---- */

/* In the order of time, those of one thread in their own. */
static int by_tick(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->tick != b->tick)
        return a->tick < b->tick ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Nanoseconds since the recording began. */
static bool since_start(const struct following *following, uint64_t tick, uint64_t *ns)
{
    const struct live_clock *clock = &following->clock;
    uint64_t ago;
    if (!live_clock_ago(clock, tick, &ago) || ago > clock->now_ns - clock->area_ns)
        return false;
    *ns = clock->now_ns - clock->area_ns - ago;
    return true;
}

static void put_times(const struct following *following, const struct item *item)
{
    char took[32] = "";
    uint64_t from, to;
    bool timed = since_start(following, item->tick, &from);
    bool call = item->kind == ITEM_CALL && item->end_tick != 0;
    if (timed)
        printf("%14.3f us ", (double)from / 1e3);
    else
        printf("%18s", "");
    if (timed && call && since_start(following, item->end_tick, &to))
        output_time((double)(to - from), took, sizeof took);
    if (timed && item->kind == ITEM_END && since_start(following, item->tick - item->end_tick, &to))
        output_time((double)(from - to), took, sizeof took);
    printf("%10s", took);
}

static void put_item(const struct following *following, const struct item *item)
{
    const struct label *label = &following->labels[item->thread];
    bool colour = following->options->colour;
    put_times(following, item);
    printf("  %s%*s  %*s", label->text, label->pad, "",
           (int)(2 * (item->depth < INDENT_MAX ? item->depth : INDENT_MAX)), "");
    if (item->kind == ITEM_SAID) {
        fputs("* ", stdout);
        text_put(stdout, item->text);
        putchar('\n');
        return;
    }
    const struct trace_function *function = &following->names.functions[item->function];
    const char *place = trace_function_place(function);
    fputs(item->kind == ITEM_END ? "< " : "", stdout);
    fputs(colour ? "\033[1m" : "", stdout);
    text_put(stdout, function->name);
    fputs(colour ? "\033[0m\033[2m" : "", stdout);
    fputs(item->kind == ITEM_CALL && place[0] != 0 ? "  " : "", stdout);
    if (item->kind == ITEM_CALL)
        text_put(stdout, place);
    fputs(colour ? "\033[0m" : "", stdout);
    puts(item->unwound ? "  (unwound)" : "");
}

/* "… 12 calls and 1 message left out" */
static void put_left_out(uint64_t calls, uint64_t said)
{
    char part[64] = "";
    if (calls == 0 && said == 0)
        return;
    if (calls > 0)
        snprintf(part, sizeof part, "%" PRIu64 " call%s%s", calls, calls == 1 ? "" : "s",
                 said > 0 ? " and " : " ");
    printf("… %s", part);
    if (said > 0)
        printf("%" PRIu64 " message%s ", said, said == 1 ? "" : "s");
    puts("left out: the program is faster than this output");
}

static void print_look(struct following *following)
{
    uint64_t skipped = 0;
    struct live_tail_thread *thread;
    for (size_t i = 0; (thread = live_tail_thread(following->tail, i)) != NULL; i++)
        skipped += thread->left_out;
    if (!following->options->no_calls)
        skipped += following->left_calls;
    put_left_out(skipped, following->left_said);
    size_t count = following->end - following->first;
    for (size_t i = following->first; i < following->end; i++)
        item_at(following, i)->order = (uint32_t)(i - following->first);
    array_sort(following->items, count, by_tick);
    for (size_t i = 0; i < count; i++) {
        if (!ferror(stdout))
            put_item(following, &following->items[i]);
        free(following->items[i].text);
    }
    following->first = following->end = 0;
    fflush(stdout);
}

/* ---- looking ---- */

/* Goes on in the log that has replaced the one that we read. */
static int next_log(struct following *following)
{
    struct live_run *run = following->run;
    struct error error;
    int log = live_run_next_log(run);
    if (log < 0)
        return 0;
    int result = live_tail_next_log(following->tail, run->log_file, &error);
    dup3(log, run->log_file, O_CLOEXEC); /* the tail and the points know it by its number */
    close(log);
    return result == 0 ? 0 : fail("%s", error.text);
}

static int look(struct following *following, bool last)
{
    struct error error;
    following->look++;
    following->labels_count = 0;
    following->text_bytes = 0;
    following->left_calls = following->left_said = 0;
    trace_names_trim(&following->names);
    names_look(following);
    int result = live_tail_poll(following->tail, last, &error);
    following->clock = live_clock_now(&following->run->source.area);
    print_look(following);
    return result == 0 ? next_log(following) : fail("%s", error.text);
}

/* Waits until the next look. Returns whether the recording has ended. */
static bool pause_between(struct following *following)
{
    const uint32_t looks = 20;
    struct pollfd end = {.fd = following->recorder, .events = POLLIN};
    if (poll(&end, 1, LOOK_MS) > 0) {
        close(following->recorder); /* it may have been killed while the program goes on */
        following->recorder = -1;
        return !live_run_is_recorded(following->run);
    }
    return following->recorder < 0 && following->look % looks == 0 &&
           !live_run_is_recorded(following->run);
}

static bool is_done(const struct following *following)
{
    const struct live_trace_options *options = following->options;
    return live_end_asked || ferror(stdout) != 0 ||
           (options->limit > 0 && following->calls >= (uint64_t)options->limit);
}

static int follow(struct following *following)
{
    int status = 0;
    bool ended = false;
    while (status == 0 && !ended && !is_done(following)) {
        ended = pause_between(following);
        status = look(following, ended);
    }
    if (status == 0 && !ended && live_end_asked == 0 && ferror(stdout) == 0)
        note("stopped after %" PRIu64 " calls (--limit)", following->calls);
    return status;
}

int live_trace(struct live_run *run, const struct live_trace_options *options)
{
    struct following following = {.options = options, .run = run, .recorder = -1};
    const struct live_tail_reader reader = {&following, wants, enter, leave, reach, on_note, NULL};
    struct error error;
    char log[32];
    snprintf(log, sizeof log, "/proc/self/fd/%d", run->log_file);
    int status = trace_names_open(&following.names, options, run->log_file >= 0 ? log : NULL,
                                  run->source.area.run_id);
    following.items = malloc(ITEMS_MAX * sizeof *following.items);
    if (status == 0 && following.items == NULL)
        status = fail("out of memory");
    if (status == 0) {
        following.tail = live_tail_open(&run->source, run->log_file, &reader, &error);
        status = following.tail != NULL ? 0 : fail("%s", error.text);
    }
    if (run->recorder != 0)
        following.recorder = (int)syscall(SYS_pidfd_open, run->recorder, 0);
    if (status == 0) {
        live_catch_end();
        note("following; Ctrl-C ends it");
        status = follow(&following);
    }
    if (following.recorder >= 0)
        close(following.recorder);
    live_tail_close(following.tail);
    free(following.items);
    free(following.labels);
    trace_names_close(&following.names);
    return status;
}
