/* Shell patterns for functions: see record_pattern.h. */
#include "cli/record/record_pattern.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool record_pattern_matches(const char *const *patterns, size_t count, const char *name,
                            const char *file)
{
    char plain[1024];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "("), name);
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], name, 0) == 0 || fnmatch(patterns[i], plain, 0) == 0 ||
            (file != NULL && fnmatch(patterns[i], file, 0) == 0) ||
            (slash != NULL && fnmatch(patterns[i], slash + 1, 0) == 0))
            return true;
    return false;
}
