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

/* Appends what was kept in a pause of the disk (live_relief.h); the two above do it first. */
void live_log_append_kept(const struct live *live);

/* Appends facts about the run to this log. Returns 0 or errno. */
int live_log_append_facts(const struct live *live, int log, const struct live_fact *facts);

/* Appends what processes left whole, and the chunks of those that are gone. */
void live_drain(struct live *live);

/* Calls `look` with the process and thread of each slot that is taken. */
void live_keys_look(const struct live *live,
                    void (*look)(void *context, uint64_t process_key, uint32_t thread),
                    void *context);

/* ---- slots (live_slots.c): without the lock, too ---- */

/* A chunk could not be appended. */
void live_count_lost(const struct live *live, const struct fisql_chunk *chunk, int error);
/* Maps a slot for the caller alone; FISQL_LIVE_SLOT_BYTES to unmap. NULL if it cannot be. */
struct fisql_live_slot *live_slot_map(const struct live *live, uint32_t index);
struct fisql_chunk *live_slot_chunk(struct fisql_live_slot *slot);
/* The length of the slot's whole chunk, 0 if it is none. A wild process may be changing it: use only
 * what was checked. */
uint32_t live_slot_length(struct fisql_live_slot *slot);
/* Changes the slot's state, if it is `from`. */
bool live_slot_claim(struct fisql_live_slot *slot, uint32_t from, uint32_t to);
void live_slot_free(const struct live *live, struct fisql_live_slot *slot, uint32_t index);

#endif
