/* Where what lies in the file: see live_layout.h. */
#include "cli/record/live_layout.h"

#include "formats/live.h"

#include <sys/resource.h>

size_t live_area_bytes(uint32_t slots)
{
    return FISQL_LIVE_HEADER + (size_t)slots * FISQL_LIVE_SLOT_BYTES;
}

/* Each part behind the slots is mapped alone: pages may have up to 64 KiB. */
size_t live_page_from(size_t bytes)
{
    return (bytes + 65535) & ~(size_t)65535;
}

size_t live_filter_at(uint32_t slots)
{
    return live_page_from(live_area_bytes(slots));
}

size_t live_recipes_at(uint32_t slots, const struct record_options *options)
{
    return live_page_from(live_filter_at(slots) + options->filter_bytes);
}

size_t live_late_at(uint32_t slots, const struct record_options *options)
{
    return live_page_from(live_recipes_at(slots, options) + options->values.recipes_bytes);
}

size_t live_faults_at(uint32_t slots, const struct record_options *options)
{
    return live_page_from(live_late_at(slots, options) + sizeof(struct fisql_late));
}

/* What lies behind the slots before the room for filters. */
static size_t parts_end(uint32_t slots, const struct record_options *options)
{
    if (options->faults.area_bytes != 0)
        return live_faults_at(slots, options) + options->faults.room_bytes;
    if (options->values.recipes_bytes != 0)
        return live_late_at(slots, options) + sizeof(struct fisql_late);
    return options->filter_bytes != 0 ? live_filter_at(slots) + options->filter_bytes
                                      : live_area_bytes(slots);
}

/* A file of no more than a limit has no such room: pages of it take memory only when they are used. */
size_t live_control_bytes(void)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? 0 : 2 * (size_t)FISQL_CONTROL_ONLY_MAX;
}

size_t live_control_at(uint32_t slots, const struct record_options *options)
{
    return live_page_from(parts_end(slots, options));
}

size_t live_file_bytes(uint32_t slots, const struct record_options *options)
{
    size_t room = live_control_bytes();
    return room != 0 ? live_control_at(slots, options) + room : parts_end(slots, options);
}
