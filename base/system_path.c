/* Which source files belong to the system: see system_path.h. */
#include "base/system_path.h"

#include <string.h>

/* /usr/src and /usr/share hold sources that people build; they are not the system's. */
static const char *const folders[] = {"/usr/include", "/usr/lib",    "/usr/lib32",
                                      "/usr/lib64",   "/usr/libx32", "/usr/local/include"};
static const char *const compilers[] = {"/lib/gcc/", "/lib64/gcc/", "/lib/clang/", "/lib64/clang/"};

void system_path_clean(const char *path, char *clean, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return;
    while (*path != 0) {
        size_t slashes = strspn(path, "/"), length = strcspn(path + slashes, "/");
        const char *part = path + slashes;
        path = part + length;
        bool up = length == 2 && memcmp(part, "..", 2) == 0;
        size_t last = used; /* the start of the last written part, its slash included */
        while (last > 0 && clean[last - 1] != '/')
            last--;
        bool climbs = used - last == 2 && memcmp(clean + last, "..", 2) == 0;
        if (length == 0 || (length == 1 && *part == '.'))
            continue;
        if (up && used > 0 && !climbs) {
            used = last > 0 ? last - 1 : 0;
            continue;
        }
        if (up && slashes > 0 && used == 0)
            continue; /* the root has no folder above it */
        size_t slash = slashes > 0 ? 1 : 0;
        if (used + slash + length + 1 > size)
            break;
        if (slash > 0)
            clean[used++] = '/';
        memcpy(clean + used, part, length);
        used += length;
    }
    clean[used] = 0;
}

bool system_path_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* .../include/c++/12/..., .../include/c++/v1/... */
static bool is_cxx_library(const char *path)
{
    static const char mark[] = "/include/c++/";
    const char *at = strstr(path, mark);
    const char *version = at != NULL ? at + sizeof mark - 1 : "";
    if (*version == 'v')
        version++;
    size_t length = strspn(version, "0123456789.");
    return length > 0 && version[length] == '/';
}

bool system_path(const char *path)
{
    if (path[0] != '/')
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (system_path_within(path, folders[i]))
            return true;
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++)
        if (strstr(path, compilers[i]) != NULL)
            return true;
    return is_cxx_library(path);
}
