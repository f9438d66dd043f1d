/*
 * Where a process has patched itself, for `fisql record`, which patches and unpatches functions from
 * outside while the program runs (cli/record/patching.h).
 *
 * Each process that patches modules maps the part `patched` of the live area (formats/live.h) for
 * itself alone, writable and private, and lists its areas there. So the list needs no other
 * announcement: the mapping shows in /proc/PID/maps, a forked child has its parent's as it has its
 * parent's jumps, and a new program has none.
 */
#ifndef FISQL_FORMATS_PATCH_AREAS_H
#define FISQL_FORMATS_PATCH_AREAS_H

#include "formats/live.h"

#include <stdint.h>

#define FISQL_PATCH_AREAS_MAX 4096u
#define FISQL_PATCH_AREAS_MAGIC 0x3153414552413631u

/* The stubs of a patched module (formats/patch.h). */
struct fisql_patch_area {
    uint64_t start, end;         /* of the module; start 0 = none. Atomic: the rest is set first */
    uint64_t bias;               /* of its addresses */
    uint64_t memory;             /* where the area lies */
    struct fisql_live_part plan; /* in the live area's file */
};

struct fisql_patch_areas {
    uint64_t magic; /* set last */
    uint32_t used;  /* atomic: no area from this one on was ever used */
    /* the processor keeps return addresses: entries with FISQL_PATCH_CALLS stay as they are */
    uint32_t returns_kept;
    struct fisql_patch_area areas[FISQL_PATCH_AREAS_MAX];
};

#endif
