/*
 * Which modules of a program as it is are its own, and are recorded without being asked for: the
 * program itself, libraries that do not lie in the system's folders, and libraries that carry the
 * program's name (sqlite3 and libsqlite3.so.0, python3.11 and libpython3.11.so.1).
 */
#ifndef FISQL_FORMATS_PATCH_MODULES_H
#define FISQL_FORMATS_PATCH_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline const char *fisql_patch_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static inline bool fisql_patch_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Does a library carry the program's name? What follows the name's last letter does not count. */
static inline bool fisql_patch_has_name(const char *program, const char *library)
{
    const char *name = fisql_patch_name(program), *other = fisql_patch_name(library);
    size_t length = strlen(name);
    while (length > 0 && !fisql_patch_is_letter(name[length - 1]))
        length--;
    if (strncmp(other, "lib", 3) == 0 && strncmp(name, "lib", 3) != 0)
        other += 3;
    return length >= 2 && strncmp(name, other, length) == 0 &&
           !fisql_patch_is_letter(other[length]);
}

static inline bool fisql_patch_is_system(const char *path)
{
    static const char *const folders[] = {"/lib/",     "/lib64/",     "/lib32/",    "/libx32/",
                                          "/usr/lib/", "/usr/lib64/", "/usr/lib32/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

/* Is a library a program's own? Both are paths. */
static inline bool fisql_patch_is_own(const char *program, const char *library)
{
    return !fisql_patch_is_system(library) || fisql_patch_has_name(program, library);
}

/* Is it one that the collector itself runs on? Such a library is never patched. */
static inline bool fisql_patch_is_base(const char *library)
{
    static const char *const names[] = {"libc.so",  "libc-",      "libc.musl", "ld-linux",
                                        "ld-musl",  "libpthread", "libdl.so",  "libdl-",
                                        "librt.so", "libfisql",   "ld-2.",     "linux-vdso"};
    const char *name = fisql_patch_name(library);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

#endif
