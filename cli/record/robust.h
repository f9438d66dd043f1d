/*
 * A word in shared memory that says whether a thread of ours lives: when it is killed, the kernel sets FUTEX_OWNER_DIED
 * there (get_robust_list(2), and "A description of what robust futexes are" in the kernel's documentation).
 */
#ifndef FISQL_CLI_RECORD_ROBUST_H
#define FISQL_CLI_RECORD_ROBUST_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct robust {
    struct robust_list_head head;
    struct robust_list entry;
};

/* For the calling thread, as long as *robust stays: one word a thread. Its id goes there. */
static inline void robust_set(struct robust *robust, uint32_t *word)
{
    robust->entry.next = &robust->head.list;
    robust->head.list.next = &robust->entry;
    robust->head.futex_offset = (char *)word - (char *)&robust->entry;
    robust->head.list_op_pending = NULL;
    syscall(SYS_set_robust_list, &robust->head, sizeof robust->head);
}

/* Before *robust goes. */
static inline void robust_clear(const struct robust *robust)
{
    syscall(SYS_set_robust_list, NULL, sizeof robust->head);
}

#endif
