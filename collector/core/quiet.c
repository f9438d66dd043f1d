/* See quiet.h. */
#include "collector/core/quiet.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

THREAD_LOCAL int collector_inside;

/* What writing a full chunk needs of the stack while signals are blocked. The kernel ends a process that
 * overflows its stack with SIGSEGV blocked, so one with a handler for that overflows here instead. Not
 * further at once: small stacks hold no more. (A thread's first event, or opening a library, needs up to
 * 8 KiB, where a stack that is about to overflow is not to be expected.) */
#define STACK_BYTES 1024

static inline void stack_look(void)
{
    (void)*((volatile const char *)__builtin_frame_address(0) - STACK_BYTES);
}

static THREAD_LOCAL uint32_t depth; /* of what has begun and has not ended */

void quiet_begin(struct quiet *quiet)
{
    if (depth == 0)
        stack_look();
    depth++;
    uint64_t all = UINT64_MAX; /* no sigfillset(): a starting sanitizer does not have it yet */
    quiet->error = errno;
    quiet->silent = silent();
    if (quiet->silent) {
        collector_inside++; /* handlers' hooks then return */
        return;
    }
    /* The system call itself: the wrapper leaves glibc's internal signals unblocked. */
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &quiet->mask, 8);
#ifdef FISQL_WRAP /* else ours are no cancellation points: own.c */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet->cancel);
#endif
}

void quiet_end(const struct quiet *quiet)
{
    depth--;
    if (quiet->silent) {
        collector_inside--;
        errno = quiet->error;
        return;
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &quiet->mask, NULL, 8);
    errno = quiet->error;
#ifdef FISQL_WRAP
    int ignored;
    if (quiet->cancel != PTHREAD_CANCEL_DISABLE)
        pthread_setcancelstate(quiet->cancel, &ignored);
#endif
}

#pragma weak dlsym
#pragma weak dlerror

static bool prepared; /* the C library is: the dynamic linker calls malloc() before that */
static bool in_vain;

/* The C library keeps what dlerror() would tell, and frees it in the next look-up. It takes a lock
 * for it, which goes wrong as long as it does not know its own thread. */
static void forget_error(void)
{
    in_vain = !prepared;
    if (!prepared || dlerror == NULL)
        return;
    dlerror();
    dlerror(); /* frees what the first one gave */
}

static __attribute__((constructor(101))) void prepare(void)
{
    struct quiet quiet;
    prepared = true;
    if (!in_vain)
        return;
    quiet_begin(&quiet);
    collector_inside++;
    forget_error();
    collector_inside--;
    quiet_end(&quiet);
}

void *quiet_look(void *where, const char *name)
{
    if (dlsym == NULL)
        return NULL;
    collector_inside++;
    void *found = dlsym(where, name);
    if (found == NULL)
        forget_error();
    collector_inside--;
    return found;
}

static void *symbol(void *where, const char *name)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    void *found = quiet_look(where, name);
    quiet_end(&quiet);
    return found;
}

void *quiet_symbol(const char *name)
{
    void *found = symbol(RTLD_NEXT, name);
#ifdef FISQL_LATE
    /* musl looks only in what was opened after us. Our own are not in the global scope. */
    if (found == NULL)
        found = symbol(RTLD_DEFAULT, name);
#endif
    return found;
}

void *quiet_symbol_anywhere(const char *name)
{
    return symbol(RTLD_DEFAULT, name);
}
