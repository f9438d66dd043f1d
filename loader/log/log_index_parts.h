/* What the parts of the log index (log_index.c, log_index_take.c, log_index_facts.c, log_live.c,
 * log_order.c) call of each other. Nobody else includes this. */
#ifndef FISQL_LOADER_LOG_LOG_INDEX_PARTS_H
#define FISQL_LOADER_LOG_LOG_INDEX_PARTS_H

#include "loader/log/log_index.h"

/* log_index_take.c: takes in one sound chunk, which lies at `offset` of the log or, if salvaged, is
 * index->salvaged.chunks[offset]. */
int log_index_take(struct log_index *index, const struct fisql_chunk *chunk, uint64_t offset,
                   bool salvaged, struct error *error);

/* log_index_facts.c: takes in a chunk of facts of the process and, where it is a THREAD chunk, the
 * thread with these indexes. */
int log_index_take_facts(struct log_index *index, const struct fisql_chunk *chunk, uint32_t process,
                         uint32_t thread, struct error *error);

/* log_live.c: takes in the unwritten chunks of dead owners from the live area beside the log. */
int log_live_read(struct log_index *index, struct error *error);

/* log_index_losses.c: what the value of FISQL_FACT_RUN_TORN names is no loss. */
void log_index_take_torn(struct log_index *index, const char *value);

/* log_order.c: sorts, deals out the ids, and finds what is missing. */
int log_index_order(struct log_index *index, struct error *error);

#endif
