/* The live area (formats/live.h), memory that outlives the process, and its slots. */
#ifndef FISQL_COLLECTOR_CORE_LIVE_AREA_H
#define FISQL_COLLECTOR_CORE_LIVE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fisql_live_area;
struct thread_log;

/* Opens or creates the live area. */
bool live_area_open(void);
/* The collector begins (inside) or ends its start. */
void live_area_starting(bool inside);
/* When this process started, as other processes see it; 0 if they cannot. */
uint64_t live_owner_start(void);
/* Takes a slot; NULL if none is free. */
struct thread_log *live_slot_take(void);
/* Maps slots in advance. */
void live_slots_reserve(void);
void live_slot_release(struct thread_log *log);
/* Gives a slot with a whole chunk to fisql record, which will free it; false if it already has too
 * many of this process's slots. This process can take slots back that are not appended yet: `write`
 * is called with each. Of logs that are replaced (log_epoch), only those whose chunks belong to the
 * log of `epoch`. dead: fisql record was killed; take back those that it was writing, too. */
bool live_slot_hand(struct thread_log *slot);
void live_slots_take_back(bool dead, uint32_t epoch,
                          void (*write)(struct thread_log *slot, const void *context),
                          const void *context);
/* How many are not appended yet? */
uint32_t live_slots_handed(void);
/* Makes this process the owner of a slot that it has taken. */
void live_slot_own(struct thread_log *log);
void live_area_forked(void);
/* Leaves a whole chunk in the live area, for fisql record to append. Returns false if it cannot. */
bool live_area_leave(const void *chunk, size_t size_bytes);
/* Calls `each` with each taken slot and a copy of its head. `each` returns false to stop. */
void live_slots_look(bool (*each)(uint32_t slot, const struct thread_log *copy, void *context),
                     void *context);
/* Maps a slot that may be another process's; unmaps a slot without a log. NULL: it cannot. */
struct thread_log *live_slot_map(uint32_t slot);
void live_slot_unmap(struct thread_log *log, uint32_t slot);
/* The live area's descriptor for an image that cannot open it: like the log's (log_file.h). */
void live_area_keep(const char *path);
bool live_area_adopt(int file, uint64_t *run_id);
int live_area_descriptor(void);
/* Maps the first page of the live area, for a process that does not record; NULL: it cannot. */
struct fisql_live_area *live_area_header(const char *path);
/* Maps a part behind the slots, with signals blocked; NULL: it cannot. The mapping stays. */
void *live_area_part(uint64_t offset, uint64_t size_bytes, bool writes);
/* The same, writable, for this process and those that it forks: nobody else sees what is written. */
void *live_area_part_own(uint64_t offset, uint64_t size_bytes);
/* Without fisql record: removes the live area's file if no process uses it. */
void live_area_remove(void);

#endif
