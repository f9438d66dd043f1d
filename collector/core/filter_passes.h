/* Is a function recorded? Asks the filter (filter.h) of its module, even of one just loaded. */
#ifndef FISQL_COLLECTOR_CORE_FILTER_PASSES_H
#define FISQL_COLLECTOR_CORE_FILTER_PASSES_H

#include "collector/core/filter.h"

/* For a function outside the last one's module. */
bool filter_passes_elsewhere(uint64_t function);

/* Most functions are in the last one's module. */
static inline bool filter_passes(uint64_t function)
{
    const struct filter *filter = filter_last;
    return LIKELY(function - filter->start < filter->size) ? filter_answer(filter, function)
                                                           : filter_passes_elsewhere(function);
}

#endif
