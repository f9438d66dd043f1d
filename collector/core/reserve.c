/* See reserve.h. */
#include "collector/core/reserve.h"

#include "collector/core/silent.h"
#include "collector/core/system_call.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

void (*reserve_taken)(uint64_t start, uint64_t bytes);

#define STEP_BYTES 65536u /* the largest pages there are */

static bool failed(long result)
{
    return result < 0 && result > -4096;
}

/* Takes address space for all of it. Another thread may be faster. */
static unsigned char *take(struct reserve *reserve, size_t max_bytes)
{
    const long wanted[6] = {
        0, (long)max_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0};
    unsigned char *there = __atomic_load_n(&reserve->start, __ATOMIC_ACQUIRE);
    if (there != NULL)
        return there;
    long got = system_call(SYS_mmap, wanted);
    if (failed(got))
        return NULL;
    unsigned char *mine = (unsigned char *)(intptr_t)got;
    if (__atomic_compare_exchange_n(&reserve->start, &there, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        if (reserve_taken != NULL)
            reserve_taken((uint64_t)got, max_bytes);
        return mine;
    }
    const long given_back[6] = {got, (long)max_bytes};
    system_call(SYS_munmap, given_back);
    return there;
}

bool reserve_grow(struct reserve *reserve, size_t max_bytes, size_t need_bytes)
{
    size_t ready = __atomic_load_n(&reserve->ready_bytes, __ATOMIC_ACQUIRE);
    if (need_bytes <= ready)
        return true;
    if (need_bytes > max_bytes || silent())
        return false;
    unsigned char *start = take(reserve, max_bytes);
    size_t end = (need_bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    if (end > max_bytes)
        end = max_bytes;
    const long writable[6] = {(long)(intptr_t)start, (long)end, PROT_READ | PROT_WRITE};
    if (start == NULL || failed(system_call(SYS_mprotect, writable)))
        return false;
    while (ready < end && !__atomic_compare_exchange_n(&reserve->ready_bytes, &ready, end, false,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return true;
}
