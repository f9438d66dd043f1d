/*
 * What differs between C libraries, and between the shared and the linked-in collector.
 *
 * We interpose dlclose because addresses may then come to mean other functions. Every thread begins
 * a new chunk, whose dictionary is empty. (We do not interpose dlopen: see modules.c.) In a program
 * with libfisql.a the linker wraps dlclose, like longjmp (interpose.c).
 */
#include "collector/core/library.h"

#include "collector/core/modules.h"
#include "collector/process/process.h"
#include "collector/core/thread_log.h"
#include "collector/core/wrap.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void after_close(void)
{
    if (!process_recording())
        return;
    struct quiet quiet;
    quiet_begin(&quiet);
    modules_refresh();
    thread_logs_poke();
    quiet_end(&quiet);
}

REAL(int, dlclose, (void *handle))
REPLACE(int, dlclose, (void *handle))
{
    static int (*next)(void *);
    if (next == NULL)
        FIND(dlclose, next);
    int result = next(handle);
    after_close();
    return result;
}

/* ---- fork, exit and malloc ---- */

bool library_sanitizer_starting;

#ifdef FISQL_WRAP
bool library_sees_malloc(void)
{
    return true;
}

bool library_has_hooks(void)
{
    return true;
}

bool library_is_brought_in(void)
{
    return false;
}

void library_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    pthread_atfork(before, parent, child);
}

void library_exit(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}
#else
/* glibc's pthread_atfork() is static and calls this; musl's is an ordinary function. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

void library_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    int (*next)(void (*)(void), void (*)(void), void (*)(void));
    if (__register_atfork != NULL) {
        __register_atfork(before, parent, child, __dso_handle);
        return;
    }
    quiet_find(&next, "pthread_atfork");
    if (next != NULL)
        next(before, parent, child);
}

extern void __cxa_finalize(void *library) __attribute__((weak));

/* dlclose() calls the same right before it unmaps us. Of the Itanium C++ ABI (3.3.5.3): glibc's takes the
 * handlers off, too, musl's does nothing. */
void library_at_fork_end(void)
{
    if (__cxa_finalize != NULL)
        __cxa_finalize(__dso_handle);
}

/* Is the program's function of this name in this library, or nowhere? */
static bool is_ours(const char *name)
{
    Dl_info own, first;
    collector_inside++;
    void *found = dlsym(RTLD_DEFAULT, name);
    bool ours = found == NULL || dladdr(found, &first) == 0 ||
                dladdr((void *)(uintptr_t)library_sees_malloc, &own) == 0 ||
                first.dli_fbase == own.dli_fbase;
    collector_inside--;
    return ours;
}

bool library_sees_malloc(void)
{
    return is_ours("malloc");
}

bool library_has_hooks(void)
{
    return is_ours("__cyg_profile_func_enter");
}

bool library_is_brought_in(void)
{
    Dl_info own;
    collector_inside++;
    bool is = dladdr((void *)(uintptr_t)library_is_brought_in, &own) != 0 &&
              strncmp(own.dli_fname, FISQL_ATTACH_PATH, sizeof FISQL_ATTACH_PATH - 1) == 0;
    collector_inside--;
    return is;
}

static void (*next_exit)(int);

static __attribute__((constructor)) void library_setup(void)
{
    quiet_find(&next_exit, "_exit");
}

/* A sanitizer may report before the process ends. */
void library_exit(int status)
{
    if (next_exit != NULL)
        next_exit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

/* A sanitizer's runtime library asks for options here when it starts. In a program built with it,
 * that is before the environment is set. A preloaded one starts among the libraries' constructors,
 * where malloc() would start recording in the middle of it. */
static void sanitizer_starts(void)
{
    if (environ != NULL)
        library_sanitizer_starting = true;
}

/* gcc's ASan runtime refuses to run behind another library unless this option is set. A program
 * that has this function itself gets the option in ASAN_OPTIONS. */
EXPORT const char *__asan_default_options(void);
EXPORT const char *__asan_default_options(void)
{
    sanitizer_starts();
    return "verify_asan_link_order=0";
}

EXPORT const char *__lsan_default_options(void);
EXPORT const char *__lsan_default_options(void)
{
    sanitizer_starts();
    return "";
}
#endif
