/* The entries in which a process leaves what fisql record prints (struct fisql_told in formats/live.h). Takes no lock: a
 * signal handler may interrupt us and take another entry. */
#ifndef FISQL_COLLECTOR_CORE_TOLD_BOX_H
#define FISQL_COLLECTOR_CORE_TOLD_BOX_H

#include "collector/core/mailbox.h"

/* A free entry, now ours; NULL if there is none, or nobody prints. */
static inline struct fisql_told_entry *told_box_take(struct mailbox *mailbox)
{
    struct fisql_told *to = mailbox_open(mailbox, sizeof *to);
    for (uint32_t i = 0; to != NULL && mailbox_is_served(&to->mailbox) && i < FISQL_TOLD_MAX; i++) {
        uint32_t state = FISQL_TOLD_FREE;
        if (__atomic_compare_exchange_n(&to->entries[i].state, &state, FISQL_TOLD_WRITING, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &to->entries[i];
    }
    return NULL;
}

/* Hands the filled entry over. */
static inline void told_box_give(struct mailbox *mailbox, struct fisql_told_entry *entry)
{
    struct fisql_told *to = mailbox->memory;
    entry->number = __atomic_fetch_add(&to->next, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->state, FISQL_TOLD_WHOLE, __ATOMIC_RELEASE);
    mailbox_wake(&to->mailbox);
}

#endif
