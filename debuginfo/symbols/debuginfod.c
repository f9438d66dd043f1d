/* debuginfod: see debuginfod.h. */
#include "debuginfo/symbols/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As elfutils/debuginfod.h declares them. */
static struct {
    void *(*begin)(void);
    int (*find_debuginfo)(void *client, const unsigned char *build_id, int build_id_bytes,
                          char **path);
    void (*end)(void *client);
} library;

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static bool unreachable; /* atomic: a server did not answer */

static bool find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void library_open(void)
{
    void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL || !find(handle, "debuginfod_find_debuginfo", &library.find_debuginfo) ||
        !find(handle, "debuginfod_end", &library.end) ||
        !find(handle, "debuginfod_begin", &library.begin))
        library.begin = NULL;
}

bool debuginfod_cache(char *path, size_t size_bytes)
{
    static const char *const names[] = {"DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME"};
    static const char *const suffixes[] = {"", "/debuginfod_client", "/.cache/debuginfod_client"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *folder = getenv(names[i]);
        if (folder != NULL && folder[0] == '/')
            return snprintf(path, size_bytes, "%s%s", folder, suffixes[i]) < (int)size_bytes;
    }
    return false;
}

bool debuginfod_can_ask(void)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    if (servers == NULL || servers[strspn(servers, " ")] == 0 ||
        __atomic_load_n(&unreachable, __ATOMIC_RELAXED))
        return false;
    pthread_once(&library_once, library_open);
    return library.begin != NULL;
}

bool debuginfod_ask(const char *build_id, char *path, size_t size_bytes)
{
    char *found = NULL;
    void *client = debuginfod_can_ask() ? library.begin() : NULL;
    if (client == NULL)
        return false;
    /* 0 bytes: the build-id is a text. */
    int descriptor = library.find_debuginfo(client, (const unsigned char *)build_id, 0, &found);
    library.end(client);
    bool done = descriptor >= 0 && found != NULL &&
                snprintf(path, size_bytes, "%s", found) < (int)size_bytes;
    if (descriptor >= 0)
        close(descriptor);
    else if (descriptor != -ENOENT)
        __atomic_store_n(&unreachable, true, __ATOMIC_RELAXED);
    free(found);
    return done;
}
