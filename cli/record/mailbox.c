/* Serving what processes leave in the live area: see mailbox.h. */
#include "cli/record/mailbox.h"

#include "cli/record/robust.h"

#include <sys/mman.h>

static void *run(void *context)
{
    struct mailbox *mailbox = context;
    struct fisql_mailbox *shared = mailbox->part;
    struct robust robust;
    robust_set(&robust, &shared->alive);
    uint32_t starting = (uint32_t)getpid(); /* unless mailbox_end() was quicker */
    __atomic_compare_exchange_n(&shared->alive, &starting, (uint32_t)syscall(SYS_gettid), false,
                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    for (;;) {
        /* We read `wake` before `stop`, which mailbox_end() sets first: else we might miss both. */
        uint32_t seen = __atomic_load_n(&shared->wake, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&mailbox->stop, __ATOMIC_ACQUIRE) != 0)
            break;
        mailbox->serve(mailbox->context);
        const struct timespec again = {mailbox->again_ms / 1000,
                                       (long)(mailbox->again_ms % 1000) * 1000000};
        word_wait(&shared->wake, seen, mailbox->again_ms != 0 ? &again : NULL);
    }
    robust_clear(&robust);
    return NULL;
}

void mailbox_start(struct mailbox *mailbox, const struct live *live, struct fisql_live_part part,
                   void (*serve)(void *context), void *context)
{
    *mailbox = (struct mailbox){.bytes = part.bytes, .serve = serve, .context = context};
    struct fisql_mailbox *shared = mailbox->part = live_map(live, part);
    if (shared == NULL)
        return;
    shared->alive = (uint32_t)getpid(); /* the program may be quicker than the thread */
    mailbox->started = pthread_create(&mailbox->thread, NULL, run, mailbox) == 0;
    if (!mailbox->started)
        shared->alive = 0;
}

void mailbox_end(struct mailbox *mailbox, bool serves_rest)
{
    struct fisql_mailbox *shared = mailbox->part;
    if (shared == NULL)
        return;
    if (mailbox->started) {
        __atomic_store_n(&shared->alive, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&mailbox->stop, 1, __ATOMIC_RELEASE);
        __atomic_fetch_add(&shared->wake, 1, __ATOMIC_SEQ_CST);
        word_wake(&shared->wake);
        pthread_join(mailbox->thread, NULL);
    }
    if (serves_rest)
        mailbox->serve(mailbox->context);
    munmap(shared, mailbox->bytes);
    mailbox->part = NULL;
}
