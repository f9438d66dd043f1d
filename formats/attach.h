/*
 * A collector that is brought into a running process (`fisql record -p`): what `fisql record`, which
 * calls the collector's functions there by ptrace, and the collector share. Both are of one build.
 *
 * `fisql record` opens the library in the process by the name /proc/self/fd/NUMBER; such a collector
 * does nothing of its own accord. Then it calls, by their names:
 *
 *     fisql_attach_start(orders)     while the other threads run: begins to record; asks which
 *                                    modules are to be patched (struct fisql_late). 0 = done
 *     fisql_attach_prepare()         while they run, when the questions are answered: makes the stubs
 *     fisql_attach_patch(left_out, count)   while they are stopped: writes the jumps, except where
 *                                    one of these addresses lies behind the first byte to replace,
 *                                    because a thread goes on there. Returns how many functions
 *     fisql_attach_leave()           while they are stopped, the jumps are gone, and no thread is
 *                                    in the collector: completes the log, gives all memory back
 *
 * The last leaves the library with nothing but itself, to be closed. `fisql_attached` says what
 * `fisql record` needs to know for taking out the jumps and for finding out who is in the collector.
 */
#ifndef FISQL_FORMATS_ATTACH_H
#define FISQL_FORMATS_ATTACH_H

#include <stdint.h>

#define FISQL_ATTACH_VERSION 1u
#define FISQL_ATTACH_PATH "/proc/self/fd/"
#define FISQL_ATTACH_AREAS_MAX 512u

/* In place of the environment of formats/log.h. */
struct fisql_attach_orders {
    int32_t live, log; /* descriptors in the process: of the live area, and of the log */
    char live_path[64];
    char log_path[4096];
    char options[4096 + 256]; /* FISQL_VARIABLE_OPTIONS */
};

/* A module with stubs. Addresses are the process's. */
struct fisql_attach_area {
    uint64_t start, end;    /* of the module's code */
    uint64_t memory, bytes; /* of its stubs */
    uint64_t plan;          /* struct fisql_patch */
    uint64_t plan_bytes;
    uint64_t bias;
};

struct fisql_attached {
    uint32_t version;
    uint32_t areas_count;
    uint64_t code_start, code_end;      /* of the library */
    uint64_t sites_start, sites_end;    /* call sites (collector/patch/patch_hook.h) */
    uint32_t site_bytes, site_back;     /* from one to the next; from one to its return address */
    uint64_t mirror;                    /* what a slot's address is xored with */
    uint64_t blocks;                    /* address of the word that has the table's address */
    uint32_t blocks_count, block_bytes; /* the table's words: stacks that have a mirror; 0 = none */
    uint64_t block_slot; /* 0 = a thread's variables lie at fixed places from its thread pointer.
                          * Else the place, in its table of blocks, of the block that has them (musl) */
    /* Words of a thread that are not 0 while it is in the collector, from there */
    int64_t hook;                    /* 8 bytes */
    int64_t inside, forking, ending; /* 4 bytes */
    int64_t log;                     /* address of its log, whose word at log_busy is one, too */
    uint32_t log_busy, reserved;
    uint64_t areas; /* address of struct fisql_attach_area[areas_count] */
};

#endif
