/*
 * The mirror of the stacks (patch_hook.h), made in blocks when a patched function first runs on that
 * part of a stack, and for what lies below: the program may forbid itself system calls (seccomp). Each block is a mapping of its own where nothing else lies, filled by the kernel
 * page by page as stacks are touched. A core dump has it: debuggers unwind by it. It is never given
 * back: another thread's stack will lie there.
 *
 * Threads make blocks side by side. A table of blocks says which are there; who first enters a
 * block into it makes it, the others wait. Signals are blocked meanwhile, because a handler would
 * wait for its own thread.
 */
#include "collector/patch/patch_hook.h"

#ifdef FISQL_PATCHES
#include "collector/core/lock.h"
#include "collector/core/mapped.h"
#include "collector/core/quiet.h"
#include "collector/core/system_call.h"
#include "collector/process/process.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define BLOCK_BYTES ((uint64_t)2 << 20)
#define BLOCKS 65536u   /* 128 GiB of stacks */
#define BLOCKS_BELOW 4u /* made at once: a whole stack of the usual size */
#define LOOKS 64u       /* places in which a block may be */

THREAD_LOCAL struct patch_stack patch_stack;

/* Atomic: addresses of blocks that are there; 0 = free. NULL = not mapped yet. */
static uint64_t *blocks;
static uint32_t blocks_lock;

static uint32_t block_place(uint64_t block, uint32_t look)
{
    uint64_t hash = block / BLOCK_BYTES * 0x9e3779b97f4a7c15u;
    return ((uint32_t)(hash >> 40) + look) & (BLOCKS - 1);
}

/* Returns the block's place, or that where it can be put; BLOCKS = there is none. */
static uint32_t block_find(uint64_t block, bool *there)
{
    for (uint32_t look = 0; look < LOOKS; look++) {
        uint32_t place = block_place(block, look);
        uint64_t found = __atomic_load_n(&blocks[place], __ATOMIC_ACQUIRE);
        *there = found == block;
        if (*there || found == 0)
            return place;
    }
    return BLOCKS;
}

/* Maps memory at an address, or anywhere if that is 0. 0 = refused. A sanitizer's mmap() would refuse
 * the address; a program's own may be patched. */
static uint64_t map(uint64_t wanted, uint64_t bytes)
{
    const long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long at = system_call(
        SYS_mmap, (const long[6]){(long)wanted, (long)bytes, PROT_READ | PROT_WRITE,
                                  wanted != 0 ? flags | MAP_FIXED_NOREPLACE : flags, -1, 0});
    if (at < 0 && at > -4096)
        return 0;
    mapped_add((uint64_t)at, bytes);
    return (uint64_t)at;
}

/* Under the lock. */
static bool block_make(uint64_t block)
{
    bool there;
    uint32_t place = block_find(block, &there);
    if (there || place == BLOCKS)
        return there;
    uint64_t wanted = (uint64_t)(uintptr_t)patch_mirror(block & ~(uint64_t)4095);
    wanted &= ~(BLOCK_BYTES - 1);
    uint64_t at = map(wanted, BLOCK_BYTES);
    if (at == 0)
        return false;
    if (at != wanted) { /* a kernel before 4.17 */
        mapped_remove(at, BLOCK_BYTES);
        system_call(SYS_munmap, (const long[6]){(long)at, (long)BLOCK_BYTES});
        return false;
    }
    system_call(SYS_madvise, (const long[6]){(long)at, (long)BLOCK_BYTES, MADV_NOHUGEPAGE});
    __atomic_store_n(&blocks[place], block, __ATOMIC_RELEASE);
    return true;
}

bool patch_mirror_make(uint64_t slot)
{
    uint64_t block = slot & ~(BLOCK_BYTES - 1);
    bool there = false;
    if (__atomic_load_n(&blocks, __ATOMIC_ACQUIRE) != NULL)
        block_find(block, &there);
    if (!there) {
        struct quiet quiet;
        if (process_never_again())
            return false;
        if (!silent()) {
            quiet_begin(&quiet);
            lock_acquire(&blocks_lock);
            if (blocks == NULL)
                __atomic_store_n(&blocks, (uint64_t *)(uintptr_t)map(0, BLOCKS * sizeof *blocks),
                                 __ATOMIC_RELEASE);
            there = blocks != NULL && block_make(block);
            for (uint64_t below = 1; there && below <= BLOCKS_BELOW; below++)
                block_make(block - below * BLOCK_BYTES);
            lock_release(&blocks_lock);
            quiet_end(&quiet);
        }
    }
    if (!there && process.area != NULL)
        __atomic_fetch_add(&process.area->unmirrored, 1, __ATOMIC_RELAXED);
    if (there) {
        /* A handler that comes between the two stores sees too little, never too much. */
        patch_stack.bytes = 0;
        BARRIER();
        patch_stack.low = block;
        BARRIER();
        patch_stack.bytes = BLOCK_BYTES;
    }
    return there;
}

struct patch_mirror_table patch_mirror_table(void)
{
    return (struct patch_mirror_table){&blocks, BLOCKS, (uint32_t)BLOCK_BYTES};
}

void patch_mirror_forked(void)
{
    lock_forked(&blocks_lock);
}
#endif
