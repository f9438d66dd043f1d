/* The parts of a live area's file: see live_layout.h. */
#include "cli/record/live_layout.h"

#include "formats/patch_areas.h"

#include <sys/resource.h>
#include <unistd.h>

size_t live_area_bytes(uint32_t slots)
{
    return FISQL_LIVE_HEADER + (size_t)slots * FISQL_LIVE_SLOT_BYTES;
}

/* Each part behind the slots is mapped alone: pages may have up to 64 KiB. */
size_t live_page_from(size_t bytes)
{
    return (bytes + 65535) & ~(size_t)65535;
}

/* A file with a size limit has no such room: elsewhere its pages take memory only when they are
 * used. */
static size_t control_room(void)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? 0 : 2 * (size_t)FISQL_CONTROL_ONLY_MAX;
}

size_t live_late_bytes(const struct record_options *options)
{
    bool asked = options->values.recipes_bytes != 0 || options->as_is != 0 || options->libs.calls;
    return asked ? sizeof(struct fisql_late) : 0;
}

struct live_layout live_layout(uint32_t slots, const struct record_options *options)
{
    struct live_layout at = {.control_bytes = control_room()};
    size_t end = live_area_bytes(slots); /* of the last part in use */
    at.filter = live_page_from(end);
    at.recipes = live_page_from(at.filter + options->filter_bytes);
    at.late = live_page_from(at.recipes + options->values.recipes_bytes);
    at.faults = live_page_from(at.late + sizeof(struct fisql_late));
    if (options->filter_bytes != 0)
        end = at.filter + options->filter_bytes;
    if (live_late_bytes(options) != 0)
        end = at.late + sizeof(struct fisql_late);
    if (options->faults.area_bytes != 0)
        end = at.faults + options->faults.room_bytes;
    at.control = live_page_from(end);
    at.bytes = at.control_bytes != 0 ? at.control + at.control_bytes : end;
    return at;
}

struct fisql_live_part live_part_make(int memory, uint64_t bytes, uint64_t bytes_max)
{
    off_t from = lseek(memory, 0, SEEK_END);
    struct fisql_live_part part = {live_page_from((size_t)from), bytes};
    uint64_t end = part.offset + part.bytes;
    bool fits = end <= bytes_max && ftruncate(memory, (off_t)end) == 0;
    return fits ? part : (struct fisql_live_part){0, 0};
}

void live_parts_add(struct fisql_live_parts *parts, int memory, uint64_t bytes_max, bool budget)
{
    parts->told = live_part_make(memory, sizeof(struct fisql_told), bytes_max);
    parts->threads = live_part_make(memory, 2 * (uint64_t)FISQL_CONTROL_THREADS_MAX, bytes_max);
    parts->counts = live_part_make(memory, 2 * (uint64_t)FISQL_CONTROL_COUNTS_MAX, bytes_max);
    if (parts->late.bytes == 0 && !budget)
        return;
    parts->patching = live_part_make(memory, sizeof(struct fisql_patching), bytes_max);
    parts->patched = live_part_make(memory, sizeof(struct fisql_patch_areas), bytes_max);
}
