/* Loads a plugin: see plugin.h. */
#include "collector/calls/plugin.h"

#include "collector/calls/calls_ask.h"
#include "collector/core/quiet.h"
#include "collector/process/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef FISQL_WRAP
static void complain(const char *path, const char *problem)
{
    char line[1024];
    int length = snprintf(line, sizeof line, "fisql: --plugin %s: %s\n", path, problem);
    size_t bytes = length < (int)sizeof line ? (size_t)length : sizeof line - 1;
    for (size_t i = 0; i + 1 < bytes; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    ssize_t written = write(STDERR_FILENO, line, bytes);
    (void)written;
}

static void plugin_load(const char *path)
{
    void (*start)(void) = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *problem = library == NULL ? dlerror() : NULL;
    void *found = library != NULL ? dlsym(library, "fisql_plugin") : NULL;
    if (library != NULL && found == NULL)
        problem = "it has no function fisql_plugin()";
    memcpy(&start, &found, sizeof start);
    if (problem != NULL)
        complain(path, problem);
    else
        start();
}

void plugin_start(void)
{
    int error = errno;
    if (!process.options.plugin || calls_plugin()[0] == 0)
        return;
    collector_inside++;
    plugin_load(calls_plugin());
    collector_inside--;
    errno = error;
}
#else
void plugin_start(void)
{
}
#endif
