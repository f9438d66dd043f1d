/*
 * Where the parts of a live area's file are: the area itself with its slots, then, for a recording
 * with these options, the functions to record, recipes, requests for recipes of later modules,
 * calls to fail, and room for filters of `fisql control`.
 */
#ifndef FISQL_CLI_RECORD_LIVE_LAYOUT_H
#define FISQL_CLI_RECORD_LIVE_LAYOUT_H

#include "cli/record/record_options.h"
#include "formats/live.h"

#include <stddef.h>
#include <stdint.h>

/* Offsets in the file. */
struct live_layout {
    size_t filter, recipes, late, faults, control;
    size_t control_bytes;
    size_t bytes; /* of the file */
};

/* Bytes of the part in which processes ask about modules; 0 = nothing will be asked. */
size_t live_late_bytes(const struct record_options *options);

struct live_layout live_layout(uint32_t slots, const struct record_options *options);

/* Bytes of the area with so many slots. */
size_t live_area_bytes(uint32_t slots);
/* The offset behind so many bytes from which a part can be mapped alone. */
size_t live_page_from(size_t bytes);

/* Makes the file longer by a part, unless it would exceed bytes_max: then the part has 0 bytes. */
struct fisql_live_part live_part_make(int memory, uint64_t bytes, uint64_t bytes_max);

/* Makes those parts whose room no option decides, as far as they fit into so many bytes; `late` says
 * whether modules are patched. `budget`: --budget was given. */
void live_parts_add(struct fisql_live_parts *parts, int memory, uint64_t bytes_max, bool budget);

#endif
