/* Shell patterns for functions: see record_pattern.h. */
#include "cli/record/record_pattern.h"

#include "base/array.h"
#include "cli/out/say.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

int record_patterns_add(struct record_patterns *patterns, const char *pattern)
{
    struct error error;
    if (array_reserve(&patterns->items, &patterns->room, patterns->count + 1, &error) != 0)
        return fail("%s", error.text);
    patterns->items[patterns->count++] = pattern;
    return 0;
}

bool record_patterns_match(const struct record_patterns *patterns, const char *name,
                           const char *file)
{
    char plain[1024];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "("), name);
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->items[i];
        if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, plain, 0) == 0 ||
            (file != NULL && fnmatch(pattern, file, 0) == 0) ||
            (slash != NULL && fnmatch(pattern, slash + 1, 0) == 0))
            return true;
    }
    return false;
}

int record_patterns_fail(const struct record_patterns *patterns, const char *program,
                         const char *option)
{
    return fail("%s: %sno function's name or file matches%s%s", program, option,
                patterns->count == 1 ? " " : " any of the patterns",
                patterns->count == 1 ? patterns->items[0] : "");
}
