/*
 * Demangling: see demangle.h. libiberty, the demangler of gcc and binutils, does C++ and both forms
 * of Rust. A build without it (FISQL_LIBIBERTY not defined) asks the C++ runtime's __cxa_demangle,
 * looked up at run time; Rust's v0 names then stay as they are.
 */
#include "loader/symbols/demangle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef FISQL_LIBIBERTY
#include <libiberty/demangle.h>

static char *demangle_any(const char *name)
{
    return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}
#else
#include <dlfcn.h>
#include <pthread.h>

static char *(*runtime_demangle)(const char *, char *, size_t *, int *);
static pthread_once_t runtime_once = PTHREAD_ONCE_INIT;

static void runtime_find(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&runtime_demangle, &found, sizeof found);
}

static char *demangle_any(const char *name)
{
    int status = 0;
    pthread_once(&runtime_once, runtime_find);
    return runtime_demangle != NULL ? runtime_demangle(name, NULL, NULL, &status) : NULL;
}
#endif

char *demangle(const char *linkage_name)
{
    size_t length = strnlen(linkage_name, DEMANGLE_NAME_MAX);
    if (length == DEMANGLE_NAME_MAX || length < 3 || linkage_name[0] != '_' ||
        (linkage_name[1] != 'Z' && linkage_name[1] != 'R' && linkage_name[1] != '_'))
        return NULL;
    char *name = demangle_any(linkage_name);
    if (name != NULL && strnlen(name, DEMANGLE_NAME_MAX) == DEMANGLE_NAME_MAX)
        memcpy(name + DEMANGLE_NAME_MAX - 4, "...", 4);
    return name;
}

size_t demangle_base_length(const char *linkage_name)
{
    static const char *const suffixes[] = {".constprop.",   ".isra.",   ".part.",  ".cold",
                                           ".lto_priv.",    ".llvm.",   ".clone.", ".localalias",
                                           ".specialized.", ".__uniq.", ".warm",   ".hot"};
    const char *first = NULL;
    for (const char *dot = strchr(linkage_name, '.'); dot != NULL && first == NULL;
         dot = strchr(dot + 1, '.'))
        for (size_t i = 0; dot != linkage_name && i < sizeof suffixes / sizeof suffixes[0]; i++)
            if (strncmp(dot, suffixes[i], strlen(suffixes[i])) == 0)
                first = dot;
    return first != NULL ? (size_t)(first - linkage_name) : strlen(linkage_name);
}

char demangle_variant(const char *linkage_name)
{
    /* The variant stands at the end of the (nested) name: _ZN3FooC1Ev, _ZN3FooD0Ev; the E closes
     * the nested name. A class's own name has its length before it, so "C1E" preceded by anything
     * that a name can end with may be taken for a constructor: that only keeps two functions apart
     * that are apart anyhow. */
    if (strncmp(linkage_name, "_ZN", 3) != 0)
        return 0;
    for (const char *at = linkage_name + 3; at[0] != 0 && at[1] != 0; at++)
        if (((at[0] == 'C' && (at[1] == '1' || at[1] == '2')) ||
             (at[0] == 'D' && at[1] >= '0' && at[1] <= '2')) &&
            at[2] == 'E')
            return at[1];
    return 0;
}
