/*
 * A live area (formats/live.h) for a reader that neither made it nor records in it. It copies slots
 * and chunks out of the file with pread(2), so nothing that a program does to the file or its size
 * can harm the reader. It trusts nothing that it reads.
 */
#ifndef FISQL_LIVE_LIVE_SOURCE_H
#define FISQL_LIVE_LIVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/live.h"

struct live_source {
    int file;         /* borrowed */
    const char *name; /* of the area, for messages; borrowed */
    uint64_t size_bytes;
    uint32_t slots;
    struct fisql_live_area area; /* as we read it last */
    uint64_t taken[FISQL_LIVE_SLOTS_MAX / 64];
};

/* Reads the area of an open file. -1: we cannot read it. Nothing to release. */
int live_source_open(struct live_source *source, int file, const char *name, struct error *error);

/* Reads `area` and `taken` again. */
int live_source_refresh(struct live_source *source, struct error *error);

/* Was the slot taken at the last reading? */
bool live_source_taken(const struct live_source *source, uint32_t slot);

/* Where the slot's head lies in the file, in bytes. */
uint64_t live_source_offset(uint32_t slot);

/* Copies a slot's head, or bytes of the chunk behind it. False if the file ends before. */
bool live_source_slot(const struct live_source *source, uint32_t slot,
                      struct fisql_live_slot *head);
bool live_source_chunk(const struct live_source *source, uint32_t slot, uint32_t offset,
                       void *bytes, size_t count);

#endif
