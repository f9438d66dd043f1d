/* The user's cache folder: see cache_folder.h. */
#include "cli/out/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *cache_folder(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base != NULL && base[0] == '/')
        length = snprintf(path, size, "%s", base);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, size, "%s/.cache", home);
    if (length < 0 || (size_t)length + sizeof "/fisql" > size)
        return NULL;
    mkdir(path, 0700);
    strcat(path, "/fisql");
    return path;
}
