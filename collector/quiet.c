/* What the slow path does first and last, so that the program notices nothing: see runtime.h. */
#include "collector/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

void quiet_begin(struct quiet *quiet)
{
    sigset_t all;
    quiet->error = errno;
    sigfillset(&all);
    /* The system call itself: the wrapper leaves glibc's internal signals unblocked. */
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &quiet->mask, 8);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet->cancel);
}

void quiet_end(const struct quiet *quiet)
{
    int ignored;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &quiet->mask, NULL, 8);
    errno = quiet->error;
    if (quiet->cancel != PTHREAD_CANCEL_DISABLE)
        pthread_setcancelstate(quiet->cancel, &ignored);
}

#pragma weak dlsym

/* What it allocates is ours: while it runs no call is recorded, so no handler may run. */
void *quiet_symbol(const char *name)
{
    struct quiet quiet;
    if (dlsym == NULL)
        return NULL;
    quiet_begin(&quiet);
    collector_inside++;
    void *found = dlsym(RTLD_NEXT, name);
    collector_inside--;
    quiet_end(&quiet);
    return found;
}
