/* A live area's file: see live_source.h. */
#include "live/live_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_at(const struct live_source *source, uint64_t offset, void *bytes, size_t count)
{
    ssize_t got;
    do
        got = pread(source->file, bytes, count, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)count;
}

int live_source_refresh(struct live_source *source, struct error *error)
{
    struct fisql_live_area *area = &source->area;
    if (!read_at(source, 0, area, sizeof *area) ||
        !read_at(source, FISQL_LIVE_TAKEN, source->taken, sizeof source->taken))
        return error_set_file(error, ERROR_DAMAGE, source->name, "the live area is cut off");
    if (area->magic != FISQL_LIVE_MAGIC)
        return error_set_file(error, ERROR_USAGE, source->name, "not a live area of fisql");
    if (area->version != FISQL_LIVE_VERSION)
        return error_set_file(
            error, ERROR_UNSUPPORTED, source->name,
            "recorded by another version of fisql (format %u, this one reads %u): "
            "ask with the fisql that recorded it",
            area->version, FISQL_LIVE_VERSION);
    if (area->slot_bytes != FISQL_LIVE_SLOT_BYTES || area->slots > FISQL_LIVE_SLOTS_MAX)
        return error_set_file(error, ERROR_DAMAGE, source->name,
                              "the live area contradicts itself");
    source->slots = area->slots_used < area->slots ? area->slots_used : area->slots;
    return 0;
}

int live_source_open(struct live_source *source, int file, const char *name, struct error *error)
{
    struct stat status;
    source->file = file;
    source->name = name;
    if (fstat(file, &status) != 0)
        return error_set_file(error, ERROR_SYSTEM, name, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set_file(error, ERROR_USAGE, name, "not a live area of fisql");
    return live_source_refresh(source, error);
}

bool live_source_taken(const struct live_source *source, uint32_t slot)
{
    return slot < source->slots && (source->taken[slot / 64] >> slot % 64 & 1) != 0;
}

uint64_t live_source_offset(uint32_t slot)
{
    return FISQL_LIVE_HEADER + (uint64_t)slot * FISQL_LIVE_SLOT_BYTES;
}

bool live_source_slot(const struct live_source *source, uint32_t slot, struct fisql_live_slot *head)
{
    return read_at(source, live_source_offset(slot), head, sizeof *head);
}

bool live_source_chunk(const struct live_source *source, uint32_t slot, uint32_t offset,
                       void *bytes, size_t count)
{
    return slot < source->area.slots && offset <= FISQL_LIVE_CHUNK_BYTES &&
           count <= FISQL_LIVE_CHUNK_BYTES - offset &&
           read_at(source, live_source_offset(slot) + FISQL_SLOT_HEADER + offset, bytes, count);
}
