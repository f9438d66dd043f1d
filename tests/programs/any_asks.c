/* Who calls matters to dlopen() (its RUNPATH) and dlsym() (RTLD_NEXT): here they are called at the end of functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) void *opens(const char *name)
{
    return dlopen(name, RTLD_NOW);
}
__attribute__((noinline)) void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}
int main(void)
{
    void *l = opens("libplugged.so");
    printf("%s\n", l ? "opened" : dlerror());
    printf("next %s\n", next("plugin_calls") ? "found" : "none");
    printf("own %s\n", next("malloc") == dlsym(RTLD_DEFAULT, "malloc") ? "as any" : "another");
    return 0;
}
