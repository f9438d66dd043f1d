/*
 * Words in shared memory on which threads wait (futex(2)), and one that says whether a thread of
 * ours lives: when the thread is killed, the kernel sets FUTEX_OWNER_DIED there
 * (get_robust_list(2), and "A description of what robust futexes are" in the kernel's
 * documentation).
 */
#ifndef FISQL_CLI_RECORD_ROBUST_H
#define FISQL_CLI_RECORD_ROBUST_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct robust {
    struct robust_list_head head;
    struct robust_list entry;
};

/* For the calling thread, as long as *robust stays: one word a thread. The caller stores the
 * thread's id there. */
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

/* Waits while the word has the value, until it is woken; timeout NULL = for ever. */
static inline void word_wait(uint32_t *word, uint32_t value, const struct timespec *timeout)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0);
}

/* Wakes all that wait on the word. */
static inline void word_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

#endif
