/*
 * A part of the live area in which the process leaves something for a thread of fisql record
 * (struct fisql_mailbox in formats/live.h). A signal handler may call everything here; errno
 * changes.
 */
#ifndef FISQL_COLLECTOR_CORE_MAILBOX_H
#define FISQL_COLLECTOR_CORE_MAILBOX_H

#include "collector/core/live_area.h"
#include "formats/live.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mailbox {
    struct fisql_live_part part;
    void *memory; /* atomic; NULL = not mapped yet */
};

/* Maps the part when it is first needed: twice if two threads come at once. NULL if there is none,
 * or no memory. */
static inline void *mailbox_open(struct mailbox *mailbox, size_t size_bytes)
{
    void *memory = __atomic_load_n(&mailbox->memory, __ATOMIC_ACQUIRE);
    if (memory != NULL || mailbox->part.bytes < size_bytes)
        return memory;
    memory = live_area_part(mailbox->part.offset, size_bytes, true);
    __atomic_store_n(&mailbox->memory, memory, __ATOMIC_RELEASE);
    return memory;
}

/* Is there a thread that looks into it? */
static inline bool mailbox_is_served(const struct fisql_mailbox *mailbox)
{
    uint32_t alive = __atomic_load_n(&mailbox->alive, __ATOMIC_SEQ_CST);
    return alive != 0 && (alive & FUTEX_OWNER_DIED) == 0;
}

/* Wakes that thread. */
static inline void mailbox_wake(struct fisql_mailbox *mailbox)
{
    __atomic_fetch_add(&mailbox->wake, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &mailbox->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

#endif
