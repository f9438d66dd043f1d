/* Sums that include callees: see memory_sums.h. */
#include "loader/memory/memory_sums.h"

int memory_sums_add_paths(struct memory_sums *sums, const struct memory_places *places,
                          struct memory_totals *by_path, struct error *error)
{
    for (uint32_t i = memory_paths_count(places); i-- > 0;) {
        struct memory_path path = memory_path_at(places, i);
        if (memory_sums_reach_function(sums, path.function, error) != 0)
            return -1;
        memory_totals_add(&sums->functions[path.function].total, &by_path[i]);
        if (path.parent > 0)
            memory_totals_add(&by_path[path.parent - 1], &by_path[i]);
    }
    return 0;
}
