/* See installed.h. */
#include "base/installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef FISQL_PREFIX /* the Makefile says it */
#define FISQL_PREFIX "/usr/local"
#endif

bool installed_find(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", "../lib/fisql/"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;
    if (length > 0) {
        self[length] = 0;
        slash = strrchr(self, '/');
    }
    if (slash != NULL)
        *slash = 0;
    for (size_t i = 0; slash != NULL && i < sizeof places / sizeof places[0]; i++) {
        char candidate[2 * PATH_MAX], full[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%s/%s%s", self, places[i], name);
        if (access(candidate, R_OK) == 0 && realpath(candidate, full) != NULL &&
            (size_t)snprintf(path, size, "%s", full) < size)
            return true;
    }
    return (size_t)snprintf(path, size, "%s/lib/fisql/%s", FISQL_PREFIX, name) < size &&
           access(path, R_OK) == 0;
}
