/* See collector_place.h. */
#include "cli/record/collector_place.h"

#include "base/installed.h"
#include "cli/out/say.h"

int collector_find(const char *name, char *path, size_t size)
{
    if (installed_find(name, path, size))
        return 0;
    return fail("%s: not found beside fisql nor in %s/lib/fisql: run make, or make install", name,
                FISQL_PREFIX);
}
