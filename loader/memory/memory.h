/*
 * The run's allocations: from the decoders' events to the table `allocs` and the rollups about
 * memory.
 *
 * Two stages. During decoding, each thread of the log has a spool (struct memory_thread). The
 * decoder hands it every allocation and free in the thread's order; the spool adds what one thread
 * can know alone. Spools are compact and spill to an unlinked temporary file. Then memory_pair
 * merges all spools by time, finds the block of each free, writes the rows of `allocs` and makes
 * the rollups; memory_write puts those into the database.
 *
 * Order of use: memory_open; memory_process for each process; for each thread memory_thread_begin,
 * events, memory_thread_end; memory_pair; memory_write and the accessors; memory_close.
 *
 * Threads: any thread may call memory_process and memory_thread_begin at any time before
 * memory_pair. One thread at a time uses a struct memory_thread. The rest is for one thread.
 *
 * Ids are those of the database: threads.id, sites.id, frames.id, functions.id, calls.id; 0 = none.
 * Ids of frames and functions should be small and dense: they index arrays of totals.
 *
 * Meanings, where the schema leaves a choice:
 * - A block lives in the address space of its process. A forked child inherits the blocks that its
 *   parent has at the fork: its free of one is no error and makes no row; the parent's row stays
 *   untouched, and realloc_of of a block that the child reallocates names the parent's row.
 * - An allocation at an address where a block still lives shows that a free was lost. The old
 *   block's row stays without free; it counts as live no longer; `anomalies` gets a row.
 * - A free that finds no block is a row of `free_errors`, unless its process has a gap
 *   (memory_gap) before it: then it may well be right, and is only counted, in `losses`.
 * - Live memory (peak, timeline, *_max) is that of all processes together; that of a process that
 *   ended counts until its end.
 * - A call leaks what its thread allocated within it less what its thread freed within it of what
 *   the thread itself had allocated, if that is more than 0. Here a block counts as the thread's
 *   own if the thread's last allocation at this address is not yet freed by the thread.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_H
#define FISQL_LOADER_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "loader/sqlite/btree.h"
#include "base/error.h"
#include "formats/log.h"

struct memory;
struct memory_thread;

struct memory_options {
    const char *folder; /* of the temporary file; borrowed during memory_open */
    size_t spool_bytes; /* memory for all spools together; 0 = 64 MiB */
    /* Nanoseconds since the run's start at a tick of a process's clock; never decreases with the
     * tick. Only memory_pair calls it. */
    uint64_t (*ns_at)(const void *clock, uint32_t process_id, uint64_t tick);
    const void *clock;
};

int memory_open(const struct memory_options *options, struct memory **out, struct error *error);
void memory_close(struct memory *memory); /* NULL is allowed */

/* Adds a process image. parent_id: the process that forked it, whose blocks it inherits; 0 = no
 * fork made it (an exec inherits nothing). fork_tick, start_tick: the fork came between them;
 * fork_tick 0 = not known. end_tick: UINT64_MAX = not known. A process that is not added has no
 * parent and no end. */
int memory_process(struct memory *memory, uint32_t process_id, uint32_t parent_id,
                   uint64_t fork_tick, uint64_t start_tick, uint64_t end_tick, struct error *error);

/* An open call: the head of the decoder's stack entries. */
struct memory_open_call {
    uint64_t call_id; /* calls.id; ascends inwards. 0 = not a row */
    uint32_t frame_id;
    uint32_t function_id;
    bool outermost; /* no call around it is of the same function */
};

/* No address space holds a larger block: such an event is damage. */
#define MEMORY_SIZE_BYTES_MAX (UINT64_C(1) << 57)

/* The calls open at an event: `depth` entries, `stride_bytes` apart, the outermost at `calls`. */
struct memory_stack {
    const void *calls;
    size_t stride_bytes;
    uint32_t depth;
};

/* Begins the spool of a thread. Owned by the memory, valid until memory_pair. */
int memory_thread_begin(struct memory *memory, uint32_t thread_id, uint32_t process_id,
                        struct memory_thread **out, struct error *error);

/* The thread allocated a block. kind: enum fisql_alloc_kind; size: at most
 * MEMORY_SIZE_BYTES_MAX. */
int memory_alloc(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                 uint64_t address, uint64_t size, const struct memory_stack *stack,
                 struct error *error);

/* The thread freed a block. */
int memory_free(struct memory_thread *thread, uint64_t tick, uint32_t kind, uint32_t site_id,
                uint64_t address, const struct memory_stack *stack, struct error *error);

/* A realloc succeeded: `old` was freed at `tick` and `address` allocated at `end_tick`. */
int memory_realloc(struct memory_thread *thread, uint64_t tick, uint64_t end_tick, uint32_t site_id,
                   uint64_t old, uint64_t address, uint64_t size, const struct memory_stack *stack,
                   struct error *error);

/* Events before `tick` are missing: a chunk is lost or damaged, or recording was off. From here on
 * the thread's process may have unknown blocks. */
void memory_gap(struct memory_thread *thread, uint64_t tick);

/* Depth of the innermost open call with allocations or frees within: the decoder reports its exit.
 * 0 = none. */
struct memory_watch {
    uint32_t depth;
};

int memory_call_exit_watched(struct memory_thread *thread, const struct memory_open_call *call,
                             bool finished, struct error *error);

/* Call it for each call that ends, the innermost first, while `depth` still counts that call.
 * finished: it returned or was unwound. Costs one comparison for a call without allocations and
 * frees. */
static inline int memory_call_exit(struct memory_thread *thread, uint32_t depth,
                                   const struct memory_open_call *call, bool finished,
                                   struct error *error)
{
    if (__builtin_expect(((const struct memory_watch *)(const void *)thread)->depth == depth, 0))
        return memory_call_exit_watched(thread, call, finished, error);
    return 0;
}

/* The thread has no more events. */
int memory_thread_end(struct memory_thread *thread, struct error *error);

/* Merges the spools, writes the table `allocs` and makes the rollups. end_ns: the run's end, for
 * the timeline. */
int memory_pair(struct memory *memory, struct btree_file *file, uint64_t end_ns,
                struct error *error);

/* Inserts alloc_stacks, alloc_sizes, alloc_distances, block_flows, block_groups, alloc_owners, alloc_chains,
 * free_errors, memory_steps, facts in run, rows of anomalies and losses. Call it within a
 * transaction, after btree_close. */
int memory_write(struct memory *memory, sqlite3 *database, struct error *error);

/* For the columns of `frames` and `function_stats`. */
struct memory_totals {
    uint64_t allocs, alloc_bytes, frees, free_bytes;
};

struct memory_function {
    struct memory_totals own;   /* by the function's own code */
    struct memory_totals total; /* within its outermost activations */
    uint64_t live_blocks_max, live_bytes_max;
    uint64_t leaking_calls, leaked_bytes;
    uint64_t worst_leak_bytes, worst_leak_call_id; /* 0 = no call of it leaked */
};

/* After memory_pair. Zeros where nothing happened; ids may be any number. */
struct memory_totals memory_of_frame(const struct memory *memory, uint32_t frame_id);
struct memory_function memory_of_function(const struct memory *memory, uint32_t function_id);

/* Rows of `allocs`. */
uint64_t memory_rows(const struct memory *memory);

#endif
