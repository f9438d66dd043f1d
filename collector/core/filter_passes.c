/* Finds a function's filter if it is not the last one used: see filter_passes.h. */
#include "collector/core/filter_passes.h"

#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/process/process.h"

bool filter_passes_elsewhere(uint64_t function)
{
    const struct filter *filter = filter_find(function);
    if (filter == NULL && process_active_for_hook()) {
        modules_learn(function);
        filter = filter_find(function);
    }
    if (filter == NULL)
        return filter_passes_unknown();
    filter_last = filter;
    return filter_answer(filter, function);
}
