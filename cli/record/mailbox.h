/*
 * A thread of fisql record that serves a part of the live area, in which processes leave something
 * for it (struct fisql_mailbox in formats/live.h).
 */
#ifndef FISQL_CLI_RECORD_MAILBOX_H
#define FISQL_CLI_RECORD_MAILBOX_H

#include "cli/record/live.h"

struct mailbox {
    void *part; /* mapped from start to end; NULL = there is none */
    size_t bytes;
    void (*serve)(void *context);
    void *context;
    pthread_t thread;
    bool started;
    uint32_t
        again_ms;  /* set by serve(): it is called again after so long; 0 = when there is work */
    uint32_t stop; /* atomic */
};

/* Maps the part and starts the thread. It calls serve(context) at once, and whenever a process
 * wakes it. */
void mailbox_start(struct mailbox *mailbox, const struct live *live, struct fisql_live_part part,
                   void (*serve)(void *context), void *context);
/* Ends the thread. `serves_rest`: then calls serve(context) for what came last. */
void mailbox_end(struct mailbox *mailbox, bool serves_rest);

#endif
