/*
 * Functions of libraries whose calls are not recorded (record --library-calls): those that would not
 * do behind a stub what they do without, because they return twice or in another place, look at
 * their return address, or have arguments in other places than functions have.
 */
#ifndef FISQL_FORMATS_PATCH_LEFT_H
#define FISQL_FORMATS_PATCH_LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A link of this name does not lead to its function: the collector stands in for it, to lead what it
 * finds through stubs. */
#define FISQL_PATCH_FINDER "dlsym"

static inline bool fisql_patch_is_left(const char *name)
{
    static const char *const left_names[] = {
        /* they return twice */
        "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "__vfork", "getcontext",
        /* they return elsewhere, or begin in another place */
        "clone", "clone3", "__clone", "setcontext", "swapcontext", "makecontext", "_start",
        "__libc_start_main", "__libc_start_call_main",
        /* they look at their return address, or walk the stack from there */
        "dlopen", "dlmopen", "dlvsym", "backtrace", "mcount", "_mcount", "__fentry__",
        "__gmon_start__", "_mcleanup", "__morestack",
        /* their arguments lie elsewhere, or they keep registers that others do not */
        "__tls_get_addr", "___tls_get_addr", "__tls_get_addr_slow", "__rust_probestack",
        "__probestack", "_dl_runtime_resolve", "__chkstk",
        /* the start and the end of every module, which compilers add */
        "__cxa_finalize", "_ITM_registerTMCloneTable", "_ITM_deregisterTMCloneTable",
        "__register_frame_info", "__deregister_frame_info"};

    /* Runtime libraries name the callers of what they report by return addresses. */
    static const char *const left_starts[] = {"_Unwind_",  "__asan_",      "__tsan_",
                                              "__msan_",   "__ubsan_",     "__lsan_",
                                              "__hwasan_", "__sanitizer_", "__cyg_profile_func_",
                                              "fisql_",    "_ITM_",        "__interceptor_"};

    for (size_t i = 0; i < sizeof left_names / sizeof *left_names; i++)
        if (strcmp(name, left_names[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof left_starts / sizeof *left_starts; i++)
        if (strncmp(name, left_starts[i], strlen(left_starts[i])) == 0)
            return true;
    return false;
}

#endif
