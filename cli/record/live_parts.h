/* What the files of live.h share. The caller of each function here holds the lock. */
#ifndef FISQL_CLI_RECORD_LIVE_PARTS_H
#define FISQL_CLI_RECORD_LIVE_PARTS_H

#include "cli/record/live.h"

/* Appends a chunk to the log. Returns 0 or errno. */
int live_log_append(const struct live *live, const void *chunk, size_t size_bytes);

/* Appends a chunk that a process left whole in this epoch: to the log that was there then, if that
 * was replaced since. Facts go to both. Returns 0 or errno. */
int live_log_append_left(const struct live *live, const struct fisql_chunk *chunk,
                         size_t size_bytes, uint32_t epoch);

/* Appends facts about the run to this log. Returns 0 or errno. */
int live_log_append_facts(const struct live *live, int log, const struct live_fact *facts);

/* Appends what processes left whole, and the chunks of those that are gone. */
void live_drain(struct live *live);

/* Calls `look` with the process and thread of each slot that is taken. */
void live_keys_look(const struct live *live,
                    void (*look)(void *context, uint64_t process_key, uint32_t thread),
                    void *context);

#endif
