/*
 * dlclose: interposed to learn that addresses may come to mean other functions. Every thread begins
 * a new chunk then, whose dictionary is empty. (dlopen is not interposed: see modules.c.) In a
 * program that links libfisql.a the linker wraps it, as with longjmp (unwind.c).
 */
#include "collector/runtime.h"

#include <dlfcn.h>
#include <string.h>

static void after_close(void)
{
    if (__atomic_load_n(&process.active, __ATOMIC_ACQUIRE) != PROCESS_RECORDING)
        return;
    struct quiet quiet;
    quiet_begin(&quiet);
    modules_refresh();
    thread_logs_poke();
    quiet_end(&quiet);
}

#ifdef FISQL_WRAP
extern int __real_dlclose(void *handle) __attribute__((weak));
EXPORT int __wrap_dlclose(void *handle);
EXPORT int __wrap_dlclose(void *handle)
{
    int result = __real_dlclose(handle);
    after_close();
    return result;
}
#else
EXPORT int dlclose(void *handle)
{
    static int (*next)(void *);
    if (next == NULL) {
        void *found = quiet_symbol("dlclose");
        memcpy(&next, &found, sizeof found);
    }
    int result = next(handle);
    after_close();
    return result;
}
#endif
