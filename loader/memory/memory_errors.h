/*
 * Wrong frees, allocations where a block still lives, and those of them that the log's holes may
 * excuse.
 *
 * One pass over the finished table allocs explains all wrong frees: by the block that lay at the
 * address before (freed twice), or by the live block around it. We keep no map of all freed
 * addresses: most programs have no wrong free.
 *
 * Zero-initialised is empty and may be released. Not safe for threads.
 */
#ifndef FISQL_LOADER_MEMORY_MEMORY_ERRORS_H
#define FISQL_LOADER_MEMORY_MEMORY_ERRORS_H

#include <sqlite3.h>

#include "loader/memory/memory_processes.h"

struct memory_wrong_free {
    const char *error; /* NULL until memory_errors_classify */
    uint64_t address, ns, call;
    uint64_t before; /* blocks of lesser ids came before it */
    uint64_t alloc;  /* allocs.id, 0 = none */
    uint32_t thread, process, frame, site;
    uint8_t kind;
};

/* An allocation at the address of a live block. */
struct memory_clash {
    uint64_t ns, call, old_alloc, alloc;
    uint32_t thread;
};

struct memory_errors {
    struct memory_wrong_free *frees;
    size_t frees_count, frees_capacity;
    struct memory_clash *clashes;
    size_t clashes_count, clashes_capacity;
    uint64_t frees_left_out, clashes_left_out;
    /* In processes with holes in the log. */
    uint64_t unknown_frees, missing_frees;
};

/* Keep the first 100,000 frees and the first 1,000 clashes; count the others. */
int memory_errors_add_free(struct memory_errors *errors, const struct memory_wrong_free *wrong,
                           struct error *error);
int memory_errors_add_clash(struct memory_errors *errors, const struct memory_clash *clash,
                            struct error *error);

/* Explains each wrong free from the finished table allocs. */
int memory_errors_classify(struct memory_errors *errors, const struct memory_processes *processes,
                           struct memory_thread *const *threads, size_t threads_count,
                           sqlite3 *database, struct error *error);
int memory_errors_write(const struct memory_errors *errors, sqlite3 *database, struct error *error);
void memory_errors_release(struct memory_errors *errors);

#endif
