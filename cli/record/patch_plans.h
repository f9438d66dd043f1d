/*
 * The plans of modules that processes have patched (formats/patch.h), as `fisql record` uses them to
 * patch and unpatch from outside: copies, checked once. Processes can write to the originals in the
 * live area.
 */
#ifndef FISQL_CLI_RECORD_PATCH_PLANS_H
#define FISQL_CLI_RECORD_PATCH_PLANS_H

#include "cli/record/live.h"
#include "cli/record/patch_wish.h"
#include "formats/patch.h"
#include "formats/patch_areas.h"

struct known_plan {
    struct fisql_live_part part;
    struct fisql_patch *plan; /* NULL = it is not sound */
    uint64_t start, end;      /* of the module's addresses for which it was checked */
    char *path;               /* of the module */
    uint32_t *hop_of;         /* by entry: the one whose hop it donates, plus 1; 0 = none */
    bool *wanted;             /* by entry */
    uint64_t wished;          /* the pass that has set `wanted` */
};

struct patch_plans {
    struct known_plan *items;
    size_t count, capacity;
};

/* The plan of an area, with `wanted` as the wish says; `pass` is another number for each wish. NULL:
 * it is not sound, or not known, or there is no memory. */
struct known_plan *patch_plans_of(struct patch_plans *plans, const struct live *live,
                                  const struct fisql_late *late,
                                  const struct fisql_patch_area *area,
                                  const struct patch_wish *wish, uint64_t pass);
void patch_plans_release(struct patch_plans *plans);

#endif
