/*
 * Numbers of the process's locks by their addresses, for libfisql-locks.so (locks.h): a lock at the
 * address of a destroyed one gets another number. Any thread may call; errno is kept.
 */
#ifndef FISQL_COLLECTOR_LOCKS_LOCKS_OBJECTS_H
#define FISQL_COLLECTOR_LOCKS_LOCKS_OBJECTS_H

#include "collector/core/true_return.h"
#include "collector/locks/lock_events.h"

/* The collector may be missing, or older than locks. */
#pragma weak fisql_lock_mode
#pragma weak fisql_lock_now
#pragma weak fisql_lock_stack
#pragma weak fisql_lock_second
#pragma weak fisql_lock_record
#pragma weak fisql_lock_lost
#pragma weak fisql_true_return

/* What a thread knows of a lock, until another `generation` says that locks at such an address have
 * changed. */
struct lock_name {
    uint64_t address;
    uint32_t id; /* 0 = there is no room for more locks */
    uint32_t generation;
    uint32_t told; /* the process's log has its DEFINE if this is objects_epoch */
    uint8_t kind;  /* enum fisql_lock_kind */
};

extern HIDDEN uint32_t objects_epoch; /* counts forks */
#define OBJECT_GENERATIONS 4096u
extern HIDDEN uint32_t object_generations[OBJECT_GENERATIONS]; /* atomic */
static inline uint32_t object_generation(uint64_t address)
{
    uint64_t at = (address >> 4 ^ address >> 16) % OBJECT_GENERATIONS;
    return __atomic_load_n(&object_generations[at], __ATOMIC_ACQUIRE);
}

/* There is no memory for a lock or a thread. */
static inline void locks_lost(void)
{
    if (fisql_lock_lost != NULL)
        fisql_lock_lost();
}

/* The lock at an address, used at `site`; makes one that is not known yet. */
void object_find(uint64_t address, unsigned kind, uint64_t site, struct lock_name *name);
/* Puts its DEFINE into the log, if it is not there. */
void object_tell(struct lock_name *name);
/* A lock was made at `site`: what was there before is another one. */
void object_made(uint64_t address, unsigned kind, uint64_t site);
/* The lock was destroyed at `site`, when the thread was at `point`. */
void object_destroyed(uint64_t address, uint64_t site, uint64_t point, uint32_t thread);
/* Was it destroyed, and where? */
struct object_end {
    uint64_t site, point;
    uint32_t thread;
};
bool object_was_destroyed(uint64_t address, struct lock_name *name, struct object_end *end);
/* Forgets the locks in the memory from..to, and calls each() for them before. */
void objects_freed(uint64_t from, uint64_t to,
                   void (*each)(const struct lock_name *name, void *context), void *context);
/* May the memory from..to hold locks? A quick look. */
bool objects_near(uint64_t from, uint64_t to);
/* A thread begins (1) or ends (-1) to wait at a condition with a mutex. Returns the mutex with
 * which others wait now, 0 = none or the same. */
uint32_t object_waits(uint64_t condition, uint32_t id, uint32_t mutex, int change);
void objects_forked(void);

#endif
