/* See attach.h. The calling thread is one of the program's, on a stack that `fisql record` mapped. */
#include "collector/attach/attach.h"

#include "collector/core/library.h"
#include "collector/core/quiet.h"
#include "collector/core/thread_log.h"
#include "collector/patch/patch.h"
#include "collector/patch/patch_hook.h"
#include "collector/patch/patch_module.h"
#include "collector/process/fork.h"
#include "collector/process/process.h"
#include "collector/process/process_end.h"

#include <link.h>
#include <stddef.h>
#include <sys/mman.h>

EXPORT struct fisql_attached fisql_attached;

#if defined(FISQL_PATCHES) && defined(__x86_64__) && !defined(FISQL_WRAP)
extern HIDDEN const char __ehdr_start[];
extern HIDDEN const char _etext[];

#ifdef FISQL_LATE
/* Where our block stands in a thread's table, in bytes. */
HIDDEN uint64_t attach_block_slot;

static int slot_visit(struct dl_phdr_info *module, size_t size, void *context)
{
    (void)size, (void)context;
    if (module->dlpi_addr != (uintptr_t)__ehdr_start)
        return 0;
    attach_block_slot = module->dlpi_tls_modid * sizeof(uint64_t);
    return 1;
}

static uint64_t places_begin(void)
{
    uint64_t **table;
    if (attach_block_slot == 0)
        dl_iterate_phdr(slot_visit, NULL);
    __asm__("mov %%fs:8, %0" : "=r"(table));
    return (uint64_t)(uintptr_t)table[attach_block_slot / sizeof(uint64_t)];
}
#else
static const uint64_t attach_block_slot = 0;

/* All of ours lie in the static block. */
static uint64_t places_begin(void)
{
    uint64_t pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}
#endif

/* A variable of the calling thread, from where it has them: the same for all threads. */
static int64_t place_of(const void *variable)
{
    return (int64_t)((uint64_t)(uintptr_t)variable - places_begin());
}

static void attached_say(void)
{
    const struct patch_mirror_table mirror = patch_mirror_table();
    places_begin();
    fisql_attached = (struct fisql_attached){
        .version = FISQL_ATTACH_VERSION,
        .code_start = (uint64_t)(uintptr_t)__ehdr_start,
        .code_end = (uint64_t)(uintptr_t)_etext,
        .sites_start = (uint64_t)(uintptr_t)patch_sites,
        .sites_end = (uint64_t)(uintptr_t)patch_sites + (uint64_t)PATCH_SITES * PATCH_SITE_BYTES,
        .site_bytes = PATCH_SITE_BYTES,
        .site_back = PATCH_SITE_BACK,
        .mirror = PATCH_MIRROR,
        .blocks = (uint64_t)(uintptr_t)mirror.blocks,
        .blocks_count = mirror.count,
        .block_bytes = mirror.block_bytes,
        .block_slot = attach_block_slot,
        .hook = place_of(&patch_slow_hook),
        .inside = place_of(&collector_inside),
        .forking = place_of(&fork_under_way),
        .ending = place_of(&thread_is_ending),
        .log = place_of(&current_log),
        .log_busy = offsetof(struct thread_log, busy),
    };
}

EXPORT int fisql_attach_start(const struct fisql_attach_orders *orders)
{
    attached_say();
    return process_attach(orders) ? 0 : -1;
}

static void areas_list(void)
{
    struct fisql_attach_area *areas =
        mmap(NULL, FISQL_ATTACH_AREAS_MAX * sizeof *areas, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (areas == MAP_FAILED)
        return;
    fisql_attached.areas = (uint64_t)(uintptr_t)areas;
    fisql_attached.areas_count = patch_module_list(areas, FISQL_ATTACH_AREAS_MAX);
}

EXPORT void fisql_attach_prepare(void)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    patch_running_prepare();
    areas_list();
    quiet_end(&quiet);
}

EXPORT uint32_t fisql_attach_patch(const uint64_t *left_out, uint64_t count)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    patch_module_leave_out(left_out, count);
    uint32_t patched = patch_running();
    patch_module_leave_out(NULL, 0);
    quiet_end(&quiet);
    return patched;
}

EXPORT void fisql_attach_leave(void)
{
    if (fork_mark.mine == 0)
        fork_notice(); /* else we would complete the parent's log */
    process_leave();
}

EXPORT void fisql_attach_forget(void)
{
    library_at_fork_end();
}
#else
EXPORT void fisql_attach_forget(void)
{
}

EXPORT void fisql_attach_prepare(void)
{
}

EXPORT int fisql_attach_start(const struct fisql_attach_orders *orders)
{
    (void)orders;
    return -1;
}

EXPORT uint32_t fisql_attach_patch(const uint64_t *left_out, uint64_t count)
{
    (void)left_out, (void)count;
    return 0;
}

EXPORT void fisql_attach_leave(void)
{
}
#endif
