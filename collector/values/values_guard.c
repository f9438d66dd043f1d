/* Noticing memory that the program guards: see values_guard.h. */
#include "collector/values/values_guard.h"

#include "collector/core/quiet.h"
#include "collector/core/system_call.h"
#include "collector/core/thread_log.h"
#include "collector/values/values_read.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* linux/userfaultfd.h, by request number; the device's is of Linux 6.1. */
#define UFFD_NEW _IO(0xAA, 0x00)
#define UFFD_API _IOWR(0xAA, 0x3F, uint64_t[3])
#define UFFD_REGISTER _IOWR(0xAA, 0x00, uint64_t[4])
#define GUARD_INSTALL 102 /* MADV_GUARD_INSTALL of Linux 6.13 */

static int (*mprotect_next)(void *start, size_t bytes, int protection);
static int (*pkey_mprotect_next)(void *start, size_t bytes, int protection, int key);
static int (*madvise_next)(void *start, size_t bytes, int advice);
static int (*munmap_next)(void *start, size_t bytes);
static void *(*mmap_next)(void *start, size_t bytes, int protection, int flags, int file,
                          off_t offset);
static int (*ioctl_next)(int file, unsigned long request, ...);

/* The arguments begin with an address and a length. */
static void taken(const long argument[6])
{
    struct thread_log *log = current_log;
    struct stack_bounds *stack = log != NULL ? &log->shadow.bounds : NULL;
    uint64_t end = (uint64_t)argument[0] + (uint64_t)argument[1];
    if (collector_inside != 0)
        return; /* our own */
    if (stack != NULL && stack->low == 0 && end > (uint64_t)(uintptr_t)__builtin_frame_address(0))
        stack_ask(stack);
    read_taken(stack, (uint64_t)argument[0], (uint64_t)argument[1]);
}

void guard_called(long number, const long argument[6])
{
    bool readable = (argument[2] & PROT_READ) != 0;
    if (number == SYS_userfaultfd ||
        (number == SYS_ioctl && (argument[1] == (long)UFFD_NEW || argument[1] == (long)UFFD_API ||
                                 argument[1] == (long)UFFD_REGISTER)))
        read_forbid_pages();
    if ((number == SYS_mprotect && !readable) ||
        (number == SYS_pkey_mprotect && (!readable || argument[3] > 0)) ||
        (number == SYS_madvise && argument[2] == GUARD_INSTALL) ||
        (number == SYS_mmap && (argument[3] & MAP_FIXED) != 0) || number == SYS_munmap ||
        number == SYS_mremap)
        taken(argument);
    if (number == SYS_brk) /* unknown to the C library, which says where the heap ends */
        read_taken(NULL, (uint64_t)argument[0], UINT64_MAX - (uint64_t)argument[0]);
}

/* ---- in front of the C library's functions ---- */

void guard_setup(void)
{
    const struct {
        const char *name;
        void *next;
    } functions[] = {{"mprotect", &mprotect_next}, {"pkey_mprotect", &pkey_mprotect_next},
                     {"madvise", &madvise_next},   {"munmap", &munmap_next},
                     {"mmap", &mmap_next},         {"ioctl", &ioctl_next}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = quiet_symbol(functions[i].name);
        memcpy(functions[i].next, &found, sizeof found);
    }
}

/* Makes the system call itself if the C library's function is not known yet. */
static long answer(long number, const long argument[6])
{
    long result = system_call(number, argument);
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

EXPORT int mprotect(void *start, size_t bytes, int protection)
{
    const long argument[6] = {(long)start, (long)bytes, protection};
    guard_called(SYS_mprotect, argument);
    return mprotect_next != NULL ? mprotect_next(start, bytes, protection)
                                 : (int)answer(SYS_mprotect, argument);
}

EXPORT int pkey_mprotect(void *start, size_t bytes, int protection, int key)
{
    const long argument[6] = {(long)start, (long)bytes, protection, key};
    guard_called(SYS_pkey_mprotect, argument);
    return pkey_mprotect_next != NULL ? pkey_mprotect_next(start, bytes, protection, key)
                                      : (int)answer(SYS_pkey_mprotect, argument);
}

EXPORT int madvise(void *start, size_t bytes, int advice)
{
    const long argument[6] = {(long)start, (long)bytes, advice};
    guard_called(SYS_madvise, argument);
    return madvise_next != NULL ? madvise_next(start, bytes, advice)
                                : (int)answer(SYS_madvise, argument);
}

EXPORT int munmap(void *start, size_t bytes)
{
    const long argument[6] = {(long)start, (long)bytes};
    guard_called(SYS_munmap, argument);
    return munmap_next != NULL ? munmap_next(start, bytes) : (int)answer(SYS_munmap, argument);
}

EXPORT void *mmap(void *start, size_t bytes, int protection, int flags, int file, off_t offset)
{
    const long argument[6] = {(long)start, (long)bytes, protection, flags, file, (long)offset};
    guard_called(SYS_mmap, argument);
    return mmap_next != NULL ? mmap_next(start, bytes, protection, flags, file, offset)
                             : (void *)answer(SYS_mmap, argument); /* MAP_FAILED is -1 */
}

EXPORT void *mmap64(void *start, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return mmap(start, bytes, protection, flags, file, offset);
}

EXPORT int ioctl(int file, unsigned long request, ...);
EXPORT int ioctl(int file, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    const long argument[6] = {file, (long)request, va_arg(rest, long)};
    va_end(rest);
    guard_called(SYS_ioctl, argument);
    return ioctl_next != NULL ? ioctl_next(file, request, argument[2])
                              : (int)answer(SYS_ioctl, argument);
}
