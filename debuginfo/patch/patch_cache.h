/* Plans for patching modules, and a cache of those that took time to make, in files beside
 * the inventories and named as they are (symbol_cache.h). Unreadable, damaged and outdated files count as
 * absent; a failed write is ignored. */
#ifndef FISQL_DEBUGINFO_PATCH_PATCH_CACHE_H
#define FISQL_DEBUGINFO_PATCH_PATCH_CACHE_H

#include "debuginfo/patch/patch_plan.h"

#define PATCH_CACHE_TIME_MIN_NS 20000000 /* planning that takes less is done again each time */

/* Gets the plan of the module in the file at `path`: from the cache, or by making it, and keeps it
 * there if that took `time_min_ns`. build_id: the one that the file must have, "" = any or none.
 * cache_dir: NULL = no cache; it is made if it is missing. Returns 0, also if nothing can be
 * hooked, or -1 without memory. Release the plan in both cases. Threads may get plans at a time. */
int patch_plan_open_timed(struct patch_plan *plan, const char *path, const char *build_id,
                          const char *cache_dir, int64_t time_min_ns, struct error *error);

static inline int patch_plan_open(struct patch_plan *plan, const char *path, const char *build_id,
                                  const char *cache_dir, struct error *error)
{
    return patch_plan_open_timed(plan, path, build_id, cache_dir, PATCH_CACHE_TIME_MIN_NS, error);
}

#endif
