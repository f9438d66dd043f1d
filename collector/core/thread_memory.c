/*
 * The private memory of thread logs: dictionary, counts and shadow stack. When a thread ends we
 * keep it for the next one.
 *
 * The shadow stack begins small, because address space may be short, and doubles for deeper calls.
 * It then lies in a mapping of its own, which moves. A hook that a signal handler interrupted may
 * hold an address in it: after a nested hook (thread_log_nested()) outgrown memory stays mapped
 * until the thread ends.
 */
#include "collector/core/thread_memory.h"

#include "collector/core/lock.h"
#include "collector/process/process.h"
#include "collector/core/sampled.h"
#include "collector/core/quiet.h"

#include <string.h>
#include <sys/mman.h>

/* The counts' table and its last run, rounded up to whole entries of the shadow stack. */
#define COUNTED_BYTES ((DICTIONARY_ENTRIES + 8) * sizeof(uint32_t))
#define DICTIONARY_BYTES (DICTIONARY_ENTRIES * sizeof(struct pair))
#define TIMES_BYTES                                                                                \
    (DICTIONARY_ENTRIES * sizeof(struct call_time)) /* where not all calls are timed */
#define SHADOW_BYTES 32768u                         /* at first */
_Static_assert(COUNTED_BYTES % sizeof(struct shadow_call) == 0, "the shadow stack is aligned");

#define SPARES_MAX 16u

static size_t nested_bytes(void)
{
    return DICTIONARY_BYTES + COUNTED_BYTES + (sampled() ? TIMES_BYTES : 0);
}

static size_t memory_bytes(void)
{
    return (nested_bytes() + SHADOW_BYTES) & ~(size_t)4095;
}

static void nested_set(struct thread_log *log, unsigned char *memory)
{
    log->dictionary = (struct pair *)(void *)memory;
    log->counts.of_slot = counted_behind(log->dictionary);
    log->times =
        sampled() ? (struct call_time *)(void *)(memory + DICTIONARY_BYTES + COUNTED_BYTES) : NULL;
}

/* Memory of a thread that is gone. */
struct spare {
    struct spare *next;
};

/* What starting needs besides: lists of modules, a handlers' stack, measuring the hooks. */
#define START_BYTES ((size_t)256 << 10)

/* The start of a shadow stack that has grown. */
struct shadow_head {
    size_t bytes;
    struct shadow_head *outgrown;
};
_Static_assert(sizeof(struct shadow_head) <= sizeof(struct shadow_call), "a head is an entry");

static uint32_t spares_lock; /* taken with signals blocked only */
static struct spare *spares;
static uint32_t spares_count;

static void *memory_map(size_t bytes)
{
    if (silent())
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void memory_limit_depth(struct thread_log *log)
{
    log->shadow.depth_logged = log->shadow.depth_max;
    if (process.options.depth != 0 && process.options.depth < log->shadow.depth_max)
        log->shadow.depth_logged = process.options.depth;
}

/* Puts the shadow stack at `start`, sentinels included. */
static void shadow_set(struct thread_log *log, void *start, size_t bytes)
{
    size_t room = bytes / sizeof(struct shadow_call) - SHADOW_SENTINELS - 1;
    log->shadow.calls = (struct shadow_call *)start + SHADOW_SENTINELS;
    log->shadow.depth_max = room < SHADOW_DEPTH_MAX ? (uint32_t)room : SHADOW_DEPTH_MAX;
    memory_limit_depth(log);
    for (int i = 1; i <= (int)SHADOW_SENTINELS; i++)
        log->shadow.calls[-i] = (struct shadow_call){.stack = UINT64_MAX};
}

static void *held; /* START_BYTES; NULL = nothing */

bool memory_hold(void)
{
    struct spare *spare = memory_map(memory_bytes());
    held = spare != NULL ? memory_map(START_BYTES) : NULL;
    if (held != NULL) {
        lock_acquire(&spares_lock);
        spare->next = spares;
        spares = spare;
        spares_count++;
        lock_release(&spares_lock);
    } else if (spare != NULL) {
        munmap(spare, memory_bytes());
    }
    return held != NULL;
}

void memory_unhold(void)
{
    if (held != NULL)
        munmap(held, START_BYTES);
    held = NULL;
}

bool memory_take(struct thread_log *log)
{
    lock_acquire(&spares_lock);
    struct spare *spare = spares;
    if (spare != NULL) {
        spares = spare->next;
        spares_count--;
    }
    lock_release(&spares_lock);
    unsigned char *memory = spare != NULL ? (void *)spare : memory_map(memory_bytes());
    if (memory == NULL)
        return false;
    log->shadow.memory = memory;
    nested_set(log, memory);
    if (log->times != NULL)
        memset(log->times, 0, TIMES_BYTES);
    shadow_set(log, memory + nested_bytes(), memory_bytes() - nested_bytes());
    return true;
}

void memory_release(const struct shadow_stack *shadow)
{
    struct spare *spare = shadow->memory;
    for (struct shadow_head *at = silent() ? NULL : shadow->grown, *next; at != NULL; at = next) {
        next = at->outgrown;
        munmap(at, at->bytes);
    }
    lock_acquire(&spares_lock);
    bool kept = spares_count < SPARES_MAX;
    if (kept) {
        spares_count++;
        spare->next = spares;
        spares = spare;
    }
    lock_release(&spares_lock);
    if (!kept && !silent())
        munmap(spare, memory_bytes());
}

bool memory_take_nested(struct thread_log *log)
{
    unsigned char *memory = memory_map(nested_bytes());
    if (memory == NULL)
        return false;
    nested_set(log, memory);
    return true;
}

void memory_release_nested(const struct thread_log *log)
{
    if ((void *)log->dictionary != log->shadow.memory && !silent())
        munmap(log->dictionary, nested_bytes());
}

/* We lose what another thread of the parent was taking or giving back: address space only. */
void memory_forked(void)
{
    lock_forked(&spares_lock);
    spares = NULL;
    spares_count = 0;
}

/* Moves the shadow stack's own mapping, or copies the stack to a new one. */
static struct shadow_head *shadow_grow(struct thread_log *log, size_t bytes)
{
    struct shadow_head *old = log->shadow.grown, *head;
    if (silent())
        return NULL;
    if (old != NULL && log->shadow.pinned == 0) {
        head = mremap(old, old->bytes, bytes, MREMAP_MAYMOVE);
        if (head == MAP_FAILED)
            return NULL;
    } else {
        head = memory_map(bytes);
        if (head == NULL)
            return NULL;
        head->outgrown = old;
        memcpy((struct shadow_call *)(void *)head + 1 + SHADOW_SENTINELS, log->shadow.calls,
               calls_open(log) * sizeof(struct shadow_call));
    }
    head->bytes = bytes;
    return head;
}

bool memory_deepen(struct thread_log *log)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    bool again = log->abandoned != 0; /* in the current log */
    if (!again && log->shadow.depth_max < SHADOW_DEPTH_MAX) {
        size_t bytes = log->shadow.grown != NULL ? log->shadow.grown->bytes * 2 : SHADOW_BYTES * 4;
        struct shadow_head *head = shadow_grow(log, bytes);
        if (head != NULL) {
            log->shadow.grown = head;
            shadow_set(log, (struct shadow_call *)(void *)head + 1,
                       bytes - sizeof(struct shadow_call));
            again = true;
        }
    }
    quiet_end(&quiet);
    return again;
}
