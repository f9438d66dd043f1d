/* Stacks of a running program as text: see live_show.h. */
#include "cli/live/live_show.h"

#include "base/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

enum { ENDS_SHOWN = 100, NAMED_MAX = 8 };

/* ---- names ---- */

/* "file.c:12", or module+offset. */
static void put_place(const struct live_place *place)
{
    char text[64];
    if (place->file != NULL) {
        text_put(stdout, last_part(place->file));
        printf(":%" PRIu32, place->line);
        return;
    }
    snprintf(text, sizeof text, "+0x%" PRIx64, place->offset);
    text_put(stdout, place->module != NULL ? last_part(place->module) : "?");
    fputs(text, stdout);
}

static const char *name_of(const struct live_show *show, const struct live_place *place)
{
    if (show->style == NAMES_LINKAGE && place->linkage_name != NULL)
        return place->linkage_name;
    return show->style == NAMES_SHORT && place->short_name != NULL ? place->short_name
                                                                   : place->name;
}

static struct live_place function_place(const struct live_show *show, uint64_t address)
{
    struct live_place place = {.offset = address};
    if (show->names != NULL)
        live_names_function(show->names, address, &place);
    return place;
}

static struct live_place site_place(const struct live_show *show, uint64_t address)
{
    struct live_place place = {.offset = address};
    if (show->names != NULL)
        live_names_site(show->names, address, &place);
    return place;
}

static void put_thread(const struct live_thread *thread)
{
    char path[64], name[64] = "?";
    snprintf(path, sizeof path, "/proc/%u/task/%u/comm", thread->pid, thread->tid);
    FILE *file = fopen(path, "re");
    if (file != NULL && fgets(name, sizeof name, file) != NULL)
        name[strcspn(name, "\n")] = 0;
    if (file != NULL)
        fclose(file);
    text_put(stdout, name);
    printf(" (%u)", thread->tid);
}

/* ---- one call ---- */

static void put_call(const struct live_show *show, const struct live_call *call)
{
    struct live_place place = function_place(show, call->function);
    const char *name = name_of(show, &place);
    if (name == NULL) {
        put_place(&place);
    } else {
        text_put(stdout, name);
        fputs(" (", stdout);
        put_place(&place);
        fputc(')', stdout);
    }
    if (call->site == 0)
        return;
    struct live_place site = site_place(show, call->site);
    fputs(" called from ", stdout);
    put_place(&site);
}

static void put_span(const char *before, uint64_t ns)
{
    char text[64];
    output_time((double)ns, text, sizeof text);
    printf("%s%s", before, text);
}

static void put_frame(const struct live_show *show, const struct live_call *call, uint64_t number)
{
    uint64_t ns;
    printf("#%-3" PRIu64 " ", number);
    put_call(show, call);
    if (live_clock_ago(&show->clock, call->enter_tick, &ns))
        put_span(", for ", ns);
    fputc('\n', stdout);
}

/* A call that was open when a lock was taken: it has no time of its own here. */
static void put_taken_frame(const struct live_show *show, const struct live_call *call,
                            uint64_t number)
{
    printf("       #%-3" PRIu64 " ", number);
    put_call(show, call);
    fputc('\n', stdout);
}

static void put_stack(const struct live_show *show, const struct live_stack *stack)
{
    size_t count = stack->open.count;
    for (size_t i = 0; i < count; i++) {
        if (show->all || i < ENDS_SHOWN || i >= count - ENDS_SHOWN)
            put_frame(show, &stack->open.items[count - 1 - i], i);
        else if (i == ENDS_SHOWN)
            printf("...  %zu calls left out (--all shows them)\n", count - 2 * (size_t)ENDS_SHOWN);
    }
    if (stack->outer > 0)
        printf("...  %" PRIu32 " outer call%s\n", stack->outer, stack->outer == 1 ? "" : "s");
}

static void put_last(const struct live_show *show, const struct live_stack *stack)
{
    if (stack->last.count > 0)
        printf("last %zu calls, the newest last:\n", stack->last.count);
    for (size_t i = 0; i < stack->last.count; i++) {
        const struct live_call *call = &stack->last.items[i];
        uint64_t from, to;
        printf("     %*s", (int)(call->depth < 40 ? call->depth : 40), "");
        put_call(show, call);
        if (call->exit_tick == LIVE_UNKNOWN)
            fputs(", open", stdout);
        else if (live_clock_ago(&show->clock, call->enter_tick, &from) &&
                 live_clock_ago(&show->clock, call->exit_tick, &to))
            put_span(call->unwound ? ", unwound after " : ", took ", from - to);
        fputc('\n', stdout);
    }
}

/* ---- waits ---- */

static void put_lock(const struct live_show *show, uint64_t address)
{
    const char *name = show->names != NULL ? live_names_variable(show->names, address) : NULL;
    fputs("lock ", stdout);
    if (name != NULL)
        text_put(stdout, name);
    else
        printf("0x%" PRIx64, address);
}

static void put_taken_at(const struct live_show *show, uint64_t site)
{
    struct live_place place = site_place(show, site);
    if (site == 0)
        return;
    fputs(", taken at ", stdout);
    put_place(&place);
}

/* The stack in which a thread took its hold. */
static void put_taken(const struct live_show *show, size_t thread, uint32_t hold)
{
    const struct fisql_live_locks *locks = &show->waits->items[thread].locks;
    const struct live_calls *open = &show->threads->items[thread].stack.open;
    struct live_taken taken;
    uint64_t number = 0;
    if (!live_hold_taken(&show->threads->items[thread], locks, hold, &taken))
        return;
    for (; number < taken.kept; number++) {
        const struct fisql_live_frame *frame = &locks->stacks[hold].frames[number];
        put_taken_frame(show, &(struct live_call){.function = frame->function, .site = frame->site},
                        number);
    }
    if (taken.unknown > 0)
        printf("       ...  %" PRIu32 " call%s that had returned\n", taken.unknown,
               taken.unknown == 1 ? "" : "s");
    number += taken.unknown;
    for (size_t i = taken.open; i > 0; i--, number++) {
        if (show->all || taken.open - i < ENDS_SHOWN || i <= ENDS_SHOWN)
            put_taken_frame(show, &open->items[i - 1], number);
        else if (taken.open - i == ENDS_SHOWN)
            printf("       ...  %zu calls left out (--all shows them)\n",
                   taken.open - 2 * (size_t)ENDS_SHOWN);
    }
}

static void put_ago(const struct live_show *show, uint64_t tick)
{
    uint64_t ns;
    if (!live_clock_ago(&show->clock, tick, &ns))
        return;
    put_span(", ", ns);
    fputs(" ago", stdout);
}

/* "left (12) holds lock a, taken at dead.c:5, 3.1 s ago", and the stack. */
static void put_hold(const struct live_show *show, size_t thread, uint32_t hold, bool stack)
{
    const struct fisql_live_locks *locks = &show->waits->items[thread].locks;
    fputs("     ", stdout);
    put_thread(&show->threads->items[thread]);
    fputs(" holds ", stdout);
    put_lock(show, locks->holds[hold].lock);
    put_taken_at(show, locks->holds[hold].site);
    if (hold < FISQL_LIVE_STACKS_MAX)
        put_ago(show, locks->stacks[hold].tick);
    fputc('\n', stdout);
    if (stack)
        put_taken(show, thread, hold);
}

static void put_holder(const struct live_show *show, const struct live_wait *wait)
{
    if (wait->holder == LIVE_NOBODY) {
        if (wait->locks.waiting_holder != 0)
            printf(" held by thread %" PRIu64, wait->locks.waiting_holder);
        return;
    }
    fputs(" held by ", stdout);
    put_thread(&show->threads->items[wait->holder]);
    if (wait->hold != LIVE_NO_HOLD)
        put_taken_at(show, show->waits->items[wait->holder].locks.holds[wait->hold].site);
}

static void put_wait(const struct live_show *show, size_t index)
{
    const struct live_wait *wait = &show->waits->items[index];
    uint64_t ns;
    fputs(" waits for ", stdout);
    put_lock(show, wait->locks.waiting);
    if (wait->locks.waiting_site != 0) {
        struct live_place place = site_place(show, wait->locks.waiting_site);
        fputs(" at ", stdout);
        put_place(&place);
    }
    if (wait->locks.waiting_site != 0 || wait->outside)
        fputc(',', stdout);
    put_holder(show, wait);
    if (!wait->outside && live_clock_ago(&show->clock, wait->locks.waiting_tick, &ns))
        put_span(", for ", ns);
}

void live_show_circle(const struct live_show *show, const size_t *members, size_t count)
{
    fputs("deadlock: ", stdout);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            fputs("; ", stdout);
        put_thread(&show->threads->items[members[i]]);
        put_wait(show, members[i]);
    }
    fputc('\n', stdout);
    for (size_t i = 0; i < count; i++) {
        const struct live_wait *wait = &show->waits->items[members[i]];
        if (wait->hold != LIVE_NO_HOLD)
            put_hold(show, wait->holder, wait->hold, true);
    }
    fputc('\n', stdout);
}

/* Does a circle that was told have this hold? */
static bool is_told(const struct live_show *show, size_t thread, uint32_t hold)
{
    for (size_t i = 0; i < show->waits->count; i++) {
        const struct live_wait *wait = &show->waits->items[i];
        if (wait->circle && wait->holder == thread && wait->hold == hold)
            return true;
    }
    return false;
}

static void put_holds(const struct live_show *show, size_t thread)
{
    const struct live_wait *wait = &show->waits->items[thread];
    for (uint32_t i = 0; wait->known && i < live_holds_count(&wait->locks); i++) {
        put_hold(show, thread, i, !is_told(show, thread, i));
    }
}

/* ---- threads with the same stack ---- */

static bool stacks_equal(const struct live_thread *a, const struct live_thread *b)
{
    if (a->how != b->how || a->stack.outer != b->stack.outer ||
        a->stack.open.count != b->stack.open.count)
        return false;
    for (size_t i = a->stack.open.count; i > 0; i--)
        if (a->stack.open.items[i - 1].function != b->stack.open.items[i - 1].function ||
            a->stack.open.items[i - 1].site != b->stack.open.items[i - 1].site)
            return false;
    return true;
}

/* Equal stacks have equal hashes. */
static uint64_t stack_hash(const struct live_thread *thread)
{
    uint64_t hash = thread->stack.outer + thread->stack.open.count;
    for (size_t i = 0; i < thread->stack.open.count; i++)
        hash =
            (hash ^ thread->stack.open.items[i].function ^ thread->stack.open.items[i].site << 17) *
            0x9e3779b97f4a7c15u;
    return hash;
}

/* Threads with equal stacks are linked by `next`; SIZE_MAX ends a list. */
struct groups {
    size_t *next, *last;
    uint64_t *hashes;
    bool *follows;
};

static int groups_make(const struct live_show *show, struct groups *groups)
{
    size_t count = show->threads->count;
    *groups =
        (struct groups){malloc((count + 1) * sizeof(size_t)), malloc((count + 1) * sizeof(size_t)),
                        malloc((count + 1) * sizeof(uint64_t)), calloc(count + 1, 1)};
    if (groups->next == NULL || groups->last == NULL || groups->hashes == NULL ||
        groups->follows == NULL)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct live_thread *thread = &show->threads->items[i];
        groups->hashes[i] = stack_hash(thread);
        groups->next[i] = SIZE_MAX;
        groups->last[i] = i;
        for (size_t k = 0; k < i && !show->each; k++) {
            if (groups->follows[k] || groups->hashes[k] != groups->hashes[i] ||
                !stacks_equal(thread, &show->threads->items[k]))
                continue;
            groups->next[groups->last[k]] = i;
            groups->last[k] = i;
            groups->follows[i] = true;
            break;
        }
    }
    return 0;
}

static void put_head(const struct live_show *show, const struct groups *groups, size_t first)
{
    const struct live_thread *thread = &show->threads->items[first];
    size_t count = 0, named = 0;
    for (size_t i = first; i != SIZE_MAX; i = groups->next[i])
        count++;
    if (count > 1)
        printf("%zu threads: ", count);
    else
        fputs("thread ", stdout);
    for (size_t i = first; i != SIZE_MAX && named < NAMED_MAX; i = groups->next[i], named++) {
        fputs(named > 0 ? ", " : "", stdout);
        put_thread(&show->threads->items[i]);
    }
    if (count > named)
        printf(", and %zu more", count - named);
    uint64_t open = thread->stack.open.count + (uint64_t)thread->stack.outer;
    if (thread->how == LIVE_HOW_OFF)
        fputs(", not recorded now", stdout);
    else
        printf(", %" PRIu64 " call%s open%s", open, open == 1 ? "" : "s",
               thread->how == LIVE_HOW_CHUNK ? " at the end of the last chunk" : "");
    fputc('\n', stdout);
}

static void put_group(const struct live_show *show, const struct groups *groups, size_t first)
{
    put_head(show, groups, first);
    put_stack(show, &show->threads->items[first].stack);
    for (size_t i = first; i != SIZE_MAX; i = groups->next[i]) {
        const struct live_wait *wait = &show->waits->items[i];
        put_holds(show, i);
        if (!wait->known || wait->locks.waiting == 0)
            continue;
        fputs("     ", stdout);
        put_thread(&show->threads->items[i]);
        put_wait(show, i);
        fputc('\n', stdout);
    }
    put_last(show, &show->threads->items[first].stack);
    fputc('\n', stdout);
}

int live_show_threads(const struct live_show *show)
{
    struct groups groups;
    int result = groups_make(show, &groups);
    for (size_t i = 0; i < show->threads->count && result == 0; i++)
        if (!groups.follows[i])
            put_group(show, &groups, i);
    free(groups.next);
    free(groups.last);
    free(groups.hashes);
    free(groups.follows);
    return result == 0 ? 0 : fail("stacks: out of memory");
}
