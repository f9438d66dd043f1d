/*
 * The malloc family and the operators new and delete, interposed.
 *
 * An allocation is recorded after it happened and a free before it happens, so in the order of
 * ticks an address is never live twice. Each operator new calls malloc (through us): it announces
 * its kind and call site, and malloc records the block under that kind. So a new handler's own
 * allocations, and an operator new that does not use malloc, come out right too.
 *
 * The real functions come from dlsym, which may itself call calloc before anything is known: such
 * early blocks are cut from a small arena and never given back. In a static program there is no
 * dlsym; glibc's own names are used there.
 */
#include "collector/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void __cyg_profile_func_enter(void *function, void *site);

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} real;

struct announcement {
    unsigned kind_plus_1; /* 0 = none */
    uint64_t site;
};
static __thread struct announcement announced __attribute__((tls_model("initial-exec")));
static __thread bool free_recorded __attribute__((tls_model("initial-exec")));

/* Absent in a static program (dlsym) or in another libc (the rest). */
#pragma weak dlsym
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void *__libc_realloc(void *, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));
extern void *__libc_memalign(size_t, size_t) __attribute__((weak));
extern void *__libc_valloc(size_t) __attribute__((weak));
extern void *__libc_pvalloc(size_t) __attribute__((weak));

/* ---- the arena of early blocks ---- */

static _Alignas(16) unsigned char arena[65536];
static size_t arena_used;

static void *arena_take(size_t size_bytes)
{
    size_t need = ((size_bytes + 15) & ~(size_t)15) + 16;
    if (size_bytes > sizeof arena)
        return NULL;
    size_t at = __atomic_fetch_add(&arena_used, need, __ATOMIC_RELAXED);
    if (at + need > sizeof arena)
        return NULL;
    memcpy(arena + at, &size_bytes, sizeof size_bytes);
    return arena + at + 16;
}

static bool in_arena(const void *block)
{
    return (const unsigned char *)block >= arena &&
           (const unsigned char *)block < arena + sizeof arena;
}

static size_t arena_size(const void *block)
{
    size_t size_bytes;
    memcpy(&size_bytes, (const unsigned char *)block - 16, sizeof size_bytes);
    return size_bytes;
}

/* ---- the real functions ---- */

static void *next_symbol(const char *name)
{
    return dlsym != NULL ? dlsym(RTLD_NEXT, name) : NULL;
}

static int posix_memalign_by_memalign(void **block, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    int error = errno;
    void *got = real.memalign(alignment, size);
    errno = error;
    if (got == NULL)
        return ENOMEM;
    *block = got;
    return 0;
}

#define RESOLVE(name, fallback)                                                                    \
    do {                                                                                           \
        void *symbol = next_symbol(#name);                                                         \
        memcpy(&real.name, &symbol, sizeof symbol);                                                \
        if (real.name == NULL)                                                                     \
            real.name = fallback;                                                                  \
    } while (0)

void alloc_setup(void)
{
    static bool resolving;
    if (real.malloc != NULL || resolving)
        return;
    resolving = true;
    collector_inside++;
    RESOLVE(free, __libc_free);
    RESOLVE(calloc, __libc_calloc);
    RESOLVE(realloc, __libc_realloc);
    RESOLVE(memalign, __libc_memalign);
    RESOLVE(aligned_alloc, __libc_memalign);
    RESOLVE(posix_memalign, posix_memalign_by_memalign);
    RESOLVE(valloc, __libc_valloc);
    RESOLVE(pvalloc, __libc_pvalloc);
    RESOLVE(malloc, __libc_malloc); /* last: it says that all are there */
    collector_inside--;
    resolving = false;
}

bool alloc_is_ours(void)
{
    if (dlsym == NULL)
        return true;
    collector_inside++;
    const void *first = dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter");
    collector_inside--;
    return first == NULL || first == (const void *)(uintptr_t)__cyg_profile_func_enter;
}

static inline bool recording(void)
{
    return collector_inside == 0 && process_active() && process.options.alloc;
}

static inline void *allocated(void *block, unsigned kind, size_t size_bytes, void *site)
{
    uint64_t from = (uint64_t)(uintptr_t)site;
    struct announcement announcement = announced;
    if (UNLIKELY(announcement.kind_plus_1 != 0)) {
        announced.kind_plus_1 = 0;
        kind = announcement.kind_plus_1 - 1;
        from = announcement.site;
    }
    if (block != NULL && recording())
        record_alloc(kind, (uint64_t)(uintptr_t)block, size_bytes, from);
    return block;
}

/* ---- C ---- */

EXPORT void *malloc(size_t size)
{
    if (UNLIKELY(real.malloc == NULL)) {
        alloc_setup();
        if (real.malloc == NULL)
            return arena_take(size);
    }
    return allocated(real.malloc(size), FISQL_KIND_MALLOC, size, __builtin_return_address(0));
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (UNLIKELY(real.malloc == NULL)) {
        alloc_setup();
        size_t bytes;
        if (real.malloc == NULL)
            return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_take(bytes);
    }
    return allocated(real.calloc(count, size), FISQL_KIND_CALLOC, count * size,
                     __builtin_return_address(0));
}

EXPORT void free(void *block)
{
    if (block == NULL || in_arena(block))
        return;
    if (UNLIKELY(real.malloc == NULL))
        alloc_setup();
    if (UNLIKELY(free_recorded))
        free_recorded = false;
    else if (recording())
        record_free(FISQL_KIND_FREE, (uint64_t)(uintptr_t)block,
                    (uint64_t)(uintptr_t)__builtin_return_address(0));
    real.free(block);
}

static void *realloc_arena(void *block, size_t size)
{
    void *moved = malloc(size);
    if (moved != NULL) {
        size_t old = arena_size(block);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

EXPORT void *realloc(void *block, size_t size)
{
    void *site = __builtin_return_address(0);
    if (UNLIKELY(real.malloc == NULL))
        alloc_setup();
    if (UNLIKELY(in_arena(block) || real.malloc == NULL))
        return block == NULL ? arena_take(size) : realloc_arena(block, size);
    if (block == NULL)
        return allocated(real.realloc(NULL, size), FISQL_KIND_REALLOC, size, site);
    if (!recording())
        return real.realloc(block, size);
    if (size == 0) {
        /* glibc frees the block; an allocator that gives another one back has that recorded. */
        record_free(FISQL_KIND_FREE, (uint64_t)(uintptr_t)block, (uint64_t)(uintptr_t)site);
        return allocated(real.realloc(block, 0), FISQL_KIND_REALLOC, 0, site);
    }
    uint64_t start = clock_read(process.clock);
    uint64_t old = (uint64_t)(uintptr_t)block;
    void *moved = real.realloc(block, size);
    if (moved != NULL)
        record_realloc(start, old, (uint64_t)(uintptr_t)moved, size, (uint64_t)(uintptr_t)site);
    return moved;
}

static bool ready(void)
{
    if (UNLIKELY(real.malloc == NULL))
        alloc_setup();
    if (real.malloc == NULL)
        errno = ENOMEM;
    return real.malloc != NULL;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return !ready() ? NULL
                    : allocated(real.memalign(alignment, size), FISQL_KIND_MEMALIGN, size,
                                __builtin_return_address(0));
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return !ready() ? NULL
                    : allocated(real.aligned_alloc(alignment, size), FISQL_KIND_ALIGNED_ALLOC, size,
                                __builtin_return_address(0));
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (!ready())
        return ENOMEM;
    int result = real.posix_memalign(block, alignment, size);
    if (result == 0)
        allocated(*block, FISQL_KIND_POSIX_MEMALIGN, size, __builtin_return_address(0));
    return result;
}

EXPORT void *valloc(size_t size)
{
    return !ready()
               ? NULL
               : allocated(real.valloc(size), FISQL_KIND_VALLOC, size, __builtin_return_address(0));
}

EXPORT void *pvalloc(size_t size)
{
    return !ready() ? NULL
                    : allocated(real.pvalloc(size), FISQL_KIND_PVALLOC, size,
                                __builtin_return_address(0));
}

/* ---- C++ ---- */

/* libstdc++'s way to say that memory is exhausted; absent in C programs. */
extern void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));

static void *new_without_library(size_t size, size_t alignment, bool nothrow)
{
    void *block = alignment != 0 ? memalign(alignment, size) : malloc(size != 0 ? size : 1);
    if (block == NULL && !nothrow) {
        if (throw_bad_alloc != NULL)
            throw_bad_alloc();
        abort();
    }
    return block;
}

/* Each operator: its linker name, its parameters (all at most three words, passed on as they came),
 * its kind. The real one is looked up when it is first used: C programs have none. */
#define NEW(function, symbol, kind, parameters, arguments, alignment, nothrow)                     \
    EXPORT void *function parameters __asm__(symbol);                                              \
    EXPORT void *function parameters                                                               \
    {                                                                                              \
        static void *(*next)parameters;                                                            \
        if (UNLIKELY(next == NULL)) {                                                              \
            collector_inside++;                                                                    \
            void *found = next_symbol(symbol);                                                     \
            collector_inside--;                                                                    \
            memcpy(&next, &found, sizeof found);                                                   \
        }                                                                                          \
        if (announced.kind_plus_1 == 0) { /* else: called by another form of new */                \
            announced.site = (uint64_t)(uintptr_t)__builtin_return_address(0);                     \
            announced.kind_plus_1 = kind + 1;                                                      \
        }                                                                                          \
        void *block =                                                                              \
            next != NULL ? next arguments : new_without_library(size, alignment, nothrow);         \
        if (announced.kind_plus_1 != 0)                                                            \
            allocated(block, kind, size, __builtin_return_address(0));                             \
        return block;                                                                              \
    }

NEW(new_plain, "_Znwm", FISQL_KIND_NEW, (size_t size), (size), 0, false)
NEW(new_array, "_Znam", FISQL_KIND_NEW_ARRAY, (size_t size), (size), 0, false)
NEW(new_nothrow, "_ZnwmRKSt9nothrow_t", FISQL_KIND_NEW, (size_t size, const void *tag), (size, tag),
    0, true)
NEW(new_array_nothrow, "_ZnamRKSt9nothrow_t", FISQL_KIND_NEW_ARRAY, (size_t size, const void *tag),
    (size, tag), 0, true)
NEW(new_aligned, "_ZnwmSt11align_val_t", FISQL_KIND_NEW_ALIGNED, (size_t size, size_t alignment),
    (size, alignment), alignment, false)
NEW(new_array_aligned, "_ZnamSt11align_val_t", FISQL_KIND_NEW_ARRAY_ALIGNED,
    (size_t size, size_t alignment), (size, alignment), alignment, false)
NEW(new_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t", FISQL_KIND_NEW_ALIGNED,
    (size_t size, size_t alignment, const void *tag), (size, alignment, tag), alignment, true)
NEW(new_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t", FISQL_KIND_NEW_ARRAY_ALIGNED,
    (size_t size, size_t alignment, const void *tag), (size, alignment, tag), alignment, true)

#define DELETE(function, symbol, kind, parameters, arguments)                                      \
    EXPORT void function parameters __asm__(symbol);                                               \
    EXPORT void function parameters                                                                \
    {                                                                                              \
        static void(*next) parameters;                                                             \
        if (block == NULL)                                                                         \
            return;                                                                                \
        if (UNLIKELY(next == NULL)) {                                                              \
            collector_inside++;                                                                    \
            void *found = next_symbol(symbol);                                                     \
            collector_inside--;                                                                    \
            memcpy(&next, &found, sizeof found);                                                   \
        }                                                                                          \
        if (!free_recorded && recording()) /* not again for the form that this one calls */        \
            record_free(kind, (uint64_t)(uintptr_t)block,                                          \
                        (uint64_t)(uintptr_t)__builtin_return_address(0));                         \
        free_recorded = true;                                                                      \
        if (next != NULL)                                                                          \
            next arguments;                                                                        \
        else                                                                                       \
            free(block);                                                                           \
        free_recorded = false;                                                                     \
    }

DELETE(delete_plain, "_ZdlPv", FISQL_KIND_DELETE, (void *block), (block))
DELETE(delete_array, "_ZdaPv", FISQL_KIND_DELETE_ARRAY, (void *block), (block))
DELETE(delete_sized, "_ZdlPvm", FISQL_KIND_DELETE_SIZED, (void *block, size_t size), (block, size))
DELETE(delete_array_sized, "_ZdaPvm", FISQL_KIND_DELETE_ARRAY_SIZED, (void *block, size_t size),
       (block, size))
DELETE(delete_nothrow, "_ZdlPvRKSt9nothrow_t", FISQL_KIND_DELETE, (void *block, const void *tag),
       (block, tag))
DELETE(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t", FISQL_KIND_DELETE_ARRAY,
       (void *block, const void *tag), (block, tag))
DELETE(delete_aligned, "_ZdlPvSt11align_val_t", FISQL_KIND_DELETE_ALIGNED,
       (void *block, size_t alignment), (block, alignment))
DELETE(delete_array_aligned, "_ZdaPvSt11align_val_t", FISQL_KIND_DELETE_ARRAY_ALIGNED,
       (void *block, size_t alignment), (block, alignment))
DELETE(delete_sized_aligned, "_ZdlPvmSt11align_val_t", FISQL_KIND_DELETE_ALIGNED,
       (void *block, size_t size, size_t alignment), (block, size, alignment))
DELETE(delete_array_sized_aligned, "_ZdaPvmSt11align_val_t", FISQL_KIND_DELETE_ARRAY_ALIGNED,
       (void *block, size_t size, size_t alignment), (block, size, alignment))
DELETE(delete_aligned_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t", FISQL_KIND_DELETE_ALIGNED,
       (void *block, size_t alignment, const void *tag), (block, alignment, tag))
DELETE(delete_array_aligned_nothrow, "_ZdaPvSt11align_val_tRKSt9nothrow_t",
       FISQL_KIND_DELETE_ARRAY_ALIGNED, (void *block, size_t alignment, const void *tag),
       (block, alignment, tag))
