/* See unrecorded.h. */
#include "collector/process/unrecorded.h"

#include "collector/core/system_call.h"

#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

void unrecorded_name(char name[UNRECORDED_NAME_BYTES])
{
    const long argument[6] = {PR_GET_NAME, (long)(intptr_t)name};
    memset(name, 0, UNRECORDED_NAME_BYTES);
    system_call(SYS_prctl, argument);
}

void unrecorded_count(struct fisql_live_area *area, enum fisql_unrecorded reason,
                      const char name[UNRECORDED_NAME_BYTES], int change)
{
    struct fisql_unrecorded_images *images = &area->unrecorded[reason];
    __atomic_fetch_add(&images->count, (uint32_t)change, __ATOMIC_RELAXED);
    uint32_t at = __atomic_load_n(&images->named, __ATOMIC_RELAXED);
    if (change > 0 && at < FISQL_UNRECORDED_NAMES &&
        (at = __atomic_fetch_add(&images->named, 1, __ATOMIC_RELAXED)) < FISQL_UNRECORDED_NAMES)
        memcpy(images->names[at], name, UNRECORDED_NAME_BYTES);
}
