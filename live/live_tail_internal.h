/* What the parts of live_tail.h share. */
#ifndef FISQL_LIVE_LIVE_TAIL_INTERNAL_H
#define FISQL_LIVE_LIVE_TAIL_INTERNAL_H

#include "live/live_tail.h"

/* An entry of the dictionary. It holds in the chunk of that reading alone, so none is cleared. */
struct tail_definition {
    uint64_t function;
    uint32_t reading;
};

struct tail_events {
    const struct live_tail_reader *reader;
    struct tail_definition *definitions; /* FISQL_SLOTS_MAX */
    uint32_t reading;                    /* chunks read with these */
    bool silent;                         /* calls the reader for nothing */
};

/* Shows what the chunk has beyond what was read of it. closed: it grows no more. -1: no memory. */
int tail_events_read(struct tail_events *events, struct live_tail_thread *thread,
                     const struct fisql_chunk *chunk, bool closed, struct error *error);

/* Goes behind the chunk without decoding it. counted: its calls count as left out. */
void tail_events_skip(struct live_tail_thread *thread, const struct fisql_chunk *chunk,
                      bool counted);

#endif
