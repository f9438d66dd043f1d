/*
 * The live area on the side of `fisql record`: making it, and writing to the log what processes
 * handed over or left there when they ended. formats/live.h has its layout. Everything read from it
 * is checked, because a program that went wild may have written there.
 *
 * Any thread may call these functions between live_make() and live_release(): a lock admits one at
 * a time.
 */
#ifndef FISQL_CLI_RECORD_LIVE_H
#define FISQL_CLI_RECORD_LIVE_H

#include "cli/record/chunk_pack.h"
#include "cli/record/record_options.h"
#include "formats/live.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct live {
    struct fisql_live_area *area;
    struct fisql_changes *changes; /* NULL = no room */
    int memory;                    /* descriptor of the memfd; open while the area is used */
    int log;                       /* descriptor of the log, opened O_APPEND; borrowed */
    int log_before;                /* of the log that this one replaced (log_rotate.h); -1 = none */
    uint32_t log_epoch;            /* the area's; a program cannot change this one */
    uint64_t salvaged_chunks, salvaged_calls;
    uint64_t reserve_offset; /* in the log, of live_reserve()'s chunk; 0 = none */
    unsigned char **pieces;  /* of the slots, each mapped when it is first needed */
    uint32_t slots, pieces_count;
    uint32_t used_seen; /* slots used at the last salvage */
    bool closed;        /* no process has the area, and none can get it */
    struct chunk_packer packer;
    bool pinned;                /* a slot has to stay mapped */
    struct live_relief *relief; /* NULL = none; borrowed */
    pthread_mutex_t lock;
};

/* Makes a live area in memory, for a recording with these options. Returns 0, or -1 with errno. */
int live_make(struct live *live, int log, const struct record_options *options);
void live_release(struct live *live);

/* Puts bytes at the end of the area's file, at *offset, where processes can map them. One thread at
 * a time. False if there is no room. */
bool live_put(struct live *live, const void *bytes, size_t count, uint64_t *offset);

/* Maps a part of the area's file for reading and writing; NULL if it has no bytes or cannot be
 * mapped. */
void *live_map(const struct live *live, struct fisql_live_part part);

/* Does a process record, or may one begin to? It has the area mapped, or has left a slot by exec
 * and may be about to open the area again. */
bool live_busy(struct live *live);

/* Locks out all processes that do not have the area yet. False if one has it. */
bool live_close(struct live *live);

/* Appends the chunks of processes that are certainly gone and frees their slots; all chunks once
 * the area is closed. */
void live_salvage(struct live *live);

/* Appends the chunks that processes handed over to the writer; compressed, if may_pack and few
 * wait. One thread at a time. Returns whether there were any. */
bool live_append_handed(struct live *live, bool may_pack);

/* To be called often while processes run. Appends the chunks that processes left whole without
 * handing them over; salvages if many slots were taken since the last time. */
void live_keep(struct live *live);

/* Does a thread hold events that it has not written? */
bool live_holds_events(struct live *live);

/* ": PID (NAME), PID (NAME)" of the known processes that make live_busy() true; empty if none is
 * known. */
void live_names(struct live *live, char *text, size_t size);

/* The process_key of the newest image of a pid that has a slot, 0 if none. */
uint64_t live_process_key(struct live *live, pid_t pid);

struct live_fact {
    enum fisql_fact fact;
    const char *value;
};

/* Appends a chunk of facts, of which the last has a NULL value. Returns 0 or errno. */
int live_append_facts(struct live *live, enum fisql_chunk_kind kind, uint64_t process_key,
                      pid_t pid, const struct live_fact *facts);

/* Appends a fact about the run; of a NULL value, nothing. Returns 0 or errno. */
int live_append_fact(struct live *live, enum fisql_fact fact, const char *value);

/* Appends an empty chunk for live_tell() to overwrite: a loss must be recorded even when the disk
 * is full. Returns 0 or errno. */
int live_reserve(struct live *live);

/* Writes the facts in place of the reserved chunk, or appends them. Returns 0 or errno. */
int live_tell(struct live *live, enum fisql_chunk_kind kind, pid_t pid,
              const struct live_fact *facts);

#endif
