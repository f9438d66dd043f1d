/* Reading a live area that others write: stacks, last calls, and what is refused. The area is a memory
 * file that is filled by hand from formats/live.h. And fisql record's threads that look after its mailboxes. */
#include "cli/record/mailbox.h"
#include "live/live_threads.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition) check((condition), "%s", #condition)

#define RUN 0x1122334455667788u
#define KEY 7u
#define SLOTS 4u

struct area {
    int file;
    struct fisql_live_area head;
    struct fisql_live_slot slot[SLOTS];
    unsigned char chunk[SLOTS][FISQL_LIVE_CHUNK_BYTES];
};

/* A chunk of thread 3 with two calls in its snapshot, of five. */
static struct fisql_chunk *chunk_make(struct area *area, uint32_t slot, uint32_t sequence)
{
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)area->chunk[slot];
    struct fisql_open_call open[2] = {{0x1000, 0x1001, 10}, {0x2000, 0x2001, 20}};
    *chunk = (struct fisql_chunk){.magic = FISQL_CHUNK_MAGIC,
                                  .version = FISQL_LOG_VERSION,
                                  .kind = FISQL_CHUNK_EVENTS,
                                  .run_id = RUN,
                                  .process_key = KEY,
                                  .pid = 99,
                                  .tid = 101,
                                  .thread = 3,
                                  .sequence = sequence,
                                  .tick_start = 1000,
                                  .first_call = 50,
                                  .open_calls = 2,
                                  .open_depth = 5};
    memcpy(chunk + 1, open, sizeof open);
    return chunk;
}

static uint16_t *units_of(struct fisql_chunk *chunk)
{
    return (uint16_t *)(void *)((unsigned char *)chunk + fisql_chunk_before(chunk));
}

/* define 5 = (0x3000, 0x3001); enter; exit; enter; enter; exit: two calls of the three have ended. */
static uint32_t put_calls(struct fisql_chunk *chunk)
{
    uint16_t *at = units_of(chunk);
    uint16_t units[] = {(FISQL_CODE_DEFINE_FAR + 5) << 1 | 1,
                        0x3000,
                        0,
                        0,
                        0,
                        0x3001,
                        0,
                        0,
                        0,
                        5 << 1 | 1,
                        7,
                        3 << 1,
                        5 << 1 | 1,
                        4,
                        5 << 1 | 1,
                        1,
                        2 << 1};
    memcpy(at, units, sizeof units);
    return (uint32_t)(fisql_chunk_before(chunk) / 2 + sizeof units / sizeof *units);
}

static uint64_t word_of(uint32_t units, uint32_t calls, uint32_t depth)
{
    return (uint64_t)units | (uint64_t)calls << FISQL_WORD_CALLS_SHIFT |
           (uint64_t)depth << FISQL_WORD_DEPTH_SHIFT;
}

static void slot_make(struct area *area, uint32_t slot, uint32_t state, uint64_t word)
{
    area->slot[slot] = (struct fisql_live_slot){
        .state = state, .pid = 99, .process_key = KEY, .word = word, .thread = 3, .tid = 101};
}

static struct area *area_make(void)
{
    struct area *area = calloc(1, sizeof *area);
    area->file = memfd_create("test", MFD_CLOEXEC);
    area->head = (struct fisql_live_area){.magic = FISQL_LIVE_MAGIC,
                                          .version = FISQL_LIVE_VERSION,
                                          .run_id = RUN,
                                          .slot_bytes = FISQL_LIVE_SLOT_BYTES,
                                          .slots = SLOTS,
                                          .slots_used = SLOTS};
    return area;
}

static void area_write(struct area *area)
{
    uint64_t taken[FISQL_LIVE_SLOTS_MAX / 64] = {0};
    bool done = ftruncate(area->file, FISQL_LIVE_HEADER + SLOTS * FISQL_LIVE_SLOT_BYTES) == 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        off_t offset = FISQL_LIVE_HEADER + (off_t)i * FISQL_LIVE_SLOT_BYTES;
        taken[0] |= (uint64_t)(area->slot[i].state != FISQL_SLOT_FREE) << i;
        done &= pwrite(area->file, &area->slot[i], sizeof area->slot[i], offset) > 0;
        done &= pwrite(area->file, area->chunk[i], FISQL_LIVE_CHUNK_BYTES,
                       offset + FISQL_SLOT_HEADER) > 0;
    }
    done &= pwrite(area->file, &area->head, sizeof area->head, 0) > 0;
    done &= pwrite(area->file, taken, sizeof taken, FISQL_LIVE_TAKEN) > 0;
    if (!done)
        check(done, "the area is written");
}

/* Reads the area. Returns how many threads there are, -1 where it was refused. */
static int area_read(struct area *area, struct live_threads *threads, size_t last_max)
{
    struct live_source *source = calloc(1, sizeof *source);
    struct live_options options = {.last_max = last_max};
    struct error error;
    *threads = (struct live_threads){0};
    area_write(area);
    int result = live_source_open(source, area->file, "test", &error);
    if (result == 0)
        result = live_threads_read(threads, source, &options, false, &error);
    free(source);
    return result != 0 ? -1 : (int)threads->count;
}

static void area_free(struct area *area, struct live_threads *threads)
{
    live_threads_release(threads);
    close(area->file);
    free(area);
}

static void test_stack(void)
{
    struct area *area = area_make();
    struct live_threads threads;
    slot_make(area, 1, FISQL_SLOT_LIVE, word_of(put_calls(chunk_make(area, 1, 4)), 3, 6));
    CHECK(area_read(area, &threads, 2) == 1);
    const struct live_thread *thread = &threads.items[0];
    const struct live_call *open = thread->stack.open.items, *last = thread->stack.last.items;
    CHECK(thread->how == LIVE_HOW_EXACT && thread->pid == 99 && thread->tid == 101);
    CHECK(thread->stack.outer == 3 && thread->stack.open.count == 3 && thread->stack.calls == 53);
    CHECK(open[0].function == 0x1000 && open[0].site == 0x1001 && open[0].call == LIVE_UNKNOWN);
    CHECK(open[1].function == 0x2000 && open[1].enter_tick == 20 && open[1].depth == 4);
    CHECK(open[2].function == 0x3000 && open[2].site == 0x3001 && open[2].call == 51);
    CHECK(open[2].enter_tick == 1014 && open[2].depth == 5 && thread->stack.tick == 1017);
    CHECK(thread->stack.last.count == 2 && last[0].call == 51 && last[1].call == 52);
    CHECK(last[0].exit_tick == LIVE_UNKNOWN && last[1].exit_tick == 1017 && last[1].depth == 6);
    area_free(area, &threads);
}

/* Its slot lends it the chunk of another one, and the chunk before lies whole in a third. */
static void test_lent(void)
{
    struct area *area = area_make();
    struct live_threads threads;
    struct fisql_chunk *whole = chunk_make(area, 0, 3);
    uint32_t units = put_calls(whole);
    fisql_chunk_close(whole, word_of(units, 3, 6), 0, 0, 0);
    slot_make(area, 0, FISQL_SLOT_WHOLE, 0);
    struct fisql_chunk *chunk = chunk_make(area, 2, 4);
    chunk->first_call = 53;
    chunk->open_depth = 6;
    slot_make(area, 1, FISQL_SLOT_LIVE, word_of(put_calls(chunk), 3, 7));
    area->slot[1].chunk_slot = 3;
    slot_make(area, 2, FISQL_SLOT_LENT, 0);
    CHECK(area_read(area, &threads, 100) == 1);
    const struct live_stack *stack = &threads.items[0].stack;
    CHECK(threads.items[0].how == LIVE_HOW_EXACT && stack->outer == 3 && stack->open.count == 4);
    CHECK(stack->open.items[2].call == 51 && stack->open.items[3].call == 54);
    CHECK(stack->last.count == 6 && stack->last.items[0].call == 50);
    live_threads_release(&threads);
    /* Its head is being changed: the stack is that of the whole chunk. */
    area->slot[1].state = FISQL_SLOT_TAKEN;
    CHECK(area_read(area, &threads, 0) == 1 && threads.items[0].how == LIVE_HOW_CHUNK);
    CHECK(threads.items[0].stack.open.count == 3 && threads.items[0].stack.outer == 3);
    live_threads_release(&threads);
    /* Of a thread that is gone only the whole chunk is left: it is no thread. */
    area->slot[1].state = FISQL_SLOT_FREE;
    CHECK(area_read(area, &threads, 0) == 0);
    area_free(area, &threads);
}

static void refused(struct area *area, const char *what)
{
    struct live_threads threads;
    int count = area_read(area, &threads, 10);
    bool without = count == 0 || (count == 1 && threads.items[0].how == LIVE_HOW_OFF &&
                                  threads.items[0].stack.open.count == 0);
    check(without, "%s makes no stack", what);
    live_threads_release(&threads);
}

/* Nothing in the area is trusted. */
static void test_hostile(void)
{
    struct area *area = area_make();
    struct live_threads threads;
    struct fisql_chunk *chunk = chunk_make(area, 1, 4);
    uint32_t units = put_calls(chunk);
    slot_make(area, 1, FISQL_SLOT_LIVE, word_of(units, 3, 7));
    refused(area, "a depth that the events do not lead to");
    area->slot[1].word = word_of(units, 2, 6);
    refused(area, "another number of calls");
    area->slot[1].word = word_of(0xffff, 3, 6);
    refused(area, "more units than a chunk has");
    area->slot[1].word = word_of(3, 3, 6);
    refused(area, "fewer units than its header");
    area->slot[1].word = word_of(units, 3, 6);
    chunk->open_calls = 257;
    refused(area, "a snapshot that is too long");
    chunk->open_calls = 2;
    chunk->open_depth = 1;
    refused(area, "fewer open calls than it names");
    chunk->open_depth = 5;
    area->slot[1].chunk_slot = 0xffffffff;
    refused(area, "a chunk in no slot");
    area->slot[1].chunk_slot = 0;
    units_of(chunk)[0] = 0xffff;
    refused(area, "an unknown event");
    put_calls(chunk);
    units_of(chunk)[9] = 6 << 1 | 1;
    refused(area, "a call of what is not defined");
    put_calls(chunk);
    CHECK(area_read(area, &threads, 0) == 1 && threads.items[0].how == LIVE_HOW_EXACT);
    live_threads_release(&threads);
    area->head.version++;
    CHECK(area_read(area, &threads, 0) == -1);
    area->head.version--;
    area->head.slots = UINT32_MAX;
    CHECK(area_read(area, &threads, 0) == -1);
    area_free(area, &threads);
}

#define MAILBOX_ENDS 3000 /* an end that comes between two looks of the thread was missed once */

static void count(void *context)
{
    __atomic_fetch_add((uint32_t *)context, 1, __ATOMIC_SEQ_CST);
}

static void test_mailbox(void)
{
    const struct live live = {.memory = memfd_create("mailbox", 0)};
    const struct fisql_live_part part = {0, sizeof(struct fisql_mailbox)}, none = {0, 0};
    struct mailbox mailbox;
    uint32_t served = 0;
    CHECK(ftruncate(live.memory, (off_t)part.bytes) == 0);
    const struct fisql_mailbox *shared =
        mmap(NULL, part.bytes, PROT_READ, MAP_SHARED, live.memory, 0);
    CHECK(shared != MAP_FAILED);
    mailbox_start(&mailbox, &live, none, count, &served);
    mailbox_end(&mailbox, true);
    check_equal(0, served, "no part, no service");
    for (int i = 0; i < MAILBOX_ENDS; i++) {
        mailbox_start(&mailbox, &live, part, count, &served);
        if (shared->alive == 0)
            break;
        mailbox_end(&mailbox, i % 2 != 0);
    }
    check_equal(0, shared->alive, "the end of each mailbox is shown");
    check(served >= MAILBOX_ENDS / 2 && served <= 2 * MAILBOX_ENDS, "what came last is served");
    close(live.memory);
}

int main(void)
{
    test_mailbox();
    test_stack();
    test_lent();
    test_hostile();
    return check_status();
}
