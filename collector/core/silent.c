/* See silent.h. */
#include "collector/core/silent.h"

#include "collector/core/thread_log.h"
#include "collector/process/process.h"
#include "collector/process/unrecorded.h"

uint32_t silence;
static char silent_name[UNRECORDED_NAME_BYTES];

void silent_prepare(void)
{
    unrecorded_name(silent_name);
}

void silent_lose(void)
{
    static uint32_t told;
    if (__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED) == 0)
        unrecorded_count(process.area, FISQL_UNRECORDED_SECCOMP_LATER, silent_name, 1);
}

void silent_child(void)
{
    current_log = paused_log = NULL;
    __atomic_store_n(&process.active, PROCESS_NEVER, __ATOMIC_RELEASE);
    silent_lose();
}
