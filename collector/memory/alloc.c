/*
 * The malloc family, interposed. (operators.c: new and delete.)
 *
 * We record an allocation after it happens and a free before it happens, so in the order of ticks
 * an address is never live twice.
 *
 * The real functions come from dlsym, which may itself call calloc before we know any: we cut such
 * early blocks from a small arena and never free them. In a static program the linker knows the
 * real functions (alloc.h).
 */
#include "collector/memory/alloc.h"

#include "collector/faults/faults.h"
#include "collector/core/hooks.h"
#include "collector/core/reserve.h"
#include "collector/core/true_return.h"
#include "collector/memory/freed_twice.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>

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

#ifdef FISQL_STATIC
extern void *__real_malloc(size_t);
extern void *__real_calloc(size_t, size_t);
extern void *__real_realloc(void *, size_t);
extern void __real_free(void *);
extern void *__real_memalign(size_t, size_t);
extern void *__real_aligned_alloc(size_t, size_t);
extern int __real_posix_memalign(void **, size_t, size_t);
extern void *__real_valloc(size_t);
extern void *__real_pvalloc(size_t) __attribute__((weak)); /* musl has none */
#else
/* Absent in other libcs, and if libfisql.a was linked into a static program by hand. */
#pragma weak dlsym
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void *__libc_realloc(void *, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));
extern void *__libc_memalign(size_t, size_t) __attribute__((weak));
extern void *__libc_valloc(size_t) __attribute__((weak));
extern void *__libc_pvalloc(size_t) __attribute__((weak));
#endif

THREAD_LOCAL uint64_t alloc_outer;

/* ---- the arena of early blocks ---- */

#define ARENA_BYTES 65536u

static struct reserve arena;
static size_t arena_used;

static void *arena_take(size_t size_bytes)
{
    size_t need = ((size_bytes + 15) & ~(size_t)15) + 16;
    if (size_bytes > ARENA_BYTES)
        return NULL;
    size_t at = __atomic_fetch_add(&arena_used, need, __ATOMIC_RELAXED);
    if (!reserve_grow(&arena, ARENA_BYTES, at + need))
        return NULL;
    memcpy(arena.start + at, &size_bytes, sizeof size_bytes);
    return arena.start + at + 16;
}

static bool in_arena(const void *block)
{
    uintptr_t start = (uintptr_t)__atomic_load_n(&arena.start, __ATOMIC_RELAXED);
    return start != 0 && (uintptr_t)block - start < ARENA_BYTES;
}

static size_t arena_size(const void *block)
{
    size_t size_bytes;
    memcpy(&size_bytes, (const unsigned char *)block - 16, sizeof size_bytes);
    return size_bytes;
}

/* ---- the real functions ---- */

#ifdef FISQL_STATIC

#define RESOLVE(name, fallback) real.name = __real_##name

#else

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
        quiet_find(&real.name, #name);                                                             \
        if (real.name == NULL)                                                                     \
            real.name = fallback;                                                                  \
    } while (0)

#endif

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
    RESOLVE(malloc, __libc_malloc); /* last: it shows that all are resolved */
    collector_inside--;
    resolving = false;
}

bool alloc_is_ours(void)
{
#ifndef FISQL_STATIC
    if (dlsym != NULL) {
        collector_inside++;
        const void *first = dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter");
        collector_inside--;
        return first == NULL || first == (const void *)(uintptr_t)__cyg_profile_func_enter;
    }
#endif
    return true;
}

static inline __attribute__((always_inline)) void *allocated(void *block, unsigned kind,
                                                             size_t size_bytes)
{
    freed_twice_allocated(block);
    alloc_made(block, kind, size_bytes, CALL_SITE(), FRAME_ADDRESS());
    return block;
}

/* Calls a real function, which may call others of the family. */
#define REAL(call)                                                                                 \
    __extension__({                                                                                \
        bool outermost = alloc_outermost();                                                        \
        if (outermost)                                                                             \
            alloc_outer = FRAME_ADDRESS();                                                         \
        __typeof__(real.call) result = real.call;                                                  \
        if (outermost)                                                                             \
            alloc_outer = 0;                                                                       \
        result;                                                                                    \
    })

void alloc_unwound(uint64_t stack)
{
    if (alloc_outer <= stack)
        alloc_outer = 0;
    if (operators_open != 0)
        operators_unwound(stack);
}

/* The block is about to be freed or moved. Reports it if it was freed before; returns whether. */
static inline bool leaves(const void *block, uint64_t site, uint64_t stack)
{
    bool told = UNLIKELY(freed_twice_was_freed(block)) && freed_twice_tell(block, site, stack);
    freed_twice_freed(block);
    return told;
}

/* Records a free; returns as leaves(). */
static inline bool freed(const void *block, uint64_t site, uint64_t stack)
{
    if (UNLIKELY(operators_open != 0))
        operators_freed(block);
    record_free(FISQL_KIND_FREE, (uint64_t)(uintptr_t)block, site);
    return leaves(block, site, stack);
}

/* Must this allocation fail? Not one within an operator new, which fails itself. */
#define FAILS(kind, size_bytes, alignment)                                                         \
    (operators_open == 0 && alloc_outermost() &&                                                   \
     fault_alloc(kind, size_bytes, alignment, CALL_SITE(), FRAME_ADDRESS(), false))

/* ---- the family ---- */

EXPORT void *ALLOC_NAME(malloc)(size_t size);
EXPORT void *ALLOC_NAME(malloc)(size_t size)
{
    if (UNLIKELY(real.malloc == NULL)) {
        alloc_setup();
        if (real.malloc == NULL)
            return arena_take(size);
    }
    if (FAILS(FISQL_KIND_MALLOC, size, 0))
        return NULL;
    return allocated(real.malloc(size), FISQL_KIND_MALLOC, size);
}

EXPORT void *ALLOC_NAME(calloc)(size_t count, size_t size);
EXPORT void *ALLOC_NAME(calloc)(size_t count, size_t size)
{
    if (UNLIKELY(real.malloc == NULL)) {
        alloc_setup();
        size_t bytes;
        if (real.malloc == NULL)
            return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_take(bytes);
    }
    if (FAILS(FISQL_KIND_CALLOC, count * size, 0))
        return NULL;
    return allocated(REAL(calloc(count, size)), FISQL_KIND_CALLOC, count * size);
}

EXPORT void ALLOC_NAME(free)(void *block);
EXPORT void ALLOC_NAME(free)(void *block)
{
    if (block == NULL || in_arena(block))
        return;
    if (UNLIKELY(real.malloc == NULL))
        alloc_setup();
    bool told = false;
    if (UNLIKELY(block == operators_deleting)) {
        operators_deleting = NULL; /* delete has recorded it */
        freed_twice_freed(block);
    } else if (alloc_recording()) {
        told = freed(block, CALL_SITE(), FRAME_ADDRESS());
    }
    real.free(block);
    if (UNLIKELY(told))
        freed_twice_over();
}

static void *realloc_arena(void *block, size_t size)
{
    void *moved = ALLOC_NAME(malloc)(size);
    if (moved != NULL) {
        size_t old = arena_size(block);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

EXPORT void *ALLOC_NAME(realloc)(void *block, size_t size);
EXPORT void *ALLOC_NAME(realloc)(void *block, size_t size)
{
    uint64_t site = CALL_SITE();
    if (UNLIKELY(real.malloc == NULL))
        alloc_setup();
    if (UNLIKELY(in_arena(block) || real.malloc == NULL))
        return block == NULL ? arena_take(size) : realloc_arena(block, size);
    if (FAILS(FISQL_KIND_REALLOC, size, 0))
        return NULL;
    if (block == NULL)
        return allocated(REAL(realloc(NULL, size)), FISQL_KIND_REALLOC, size);
    if (!alloc_recording()) {
        void *moved = REAL(realloc(block, size));
        freed_twice_allocated(moved);
        return moved;
    }
    if (size == 0) {
        /* glibc frees the block; another allocator may return a new one, which we record. */
        bool told = freed(block, site, FRAME_ADDRESS());
        void *made = allocated(REAL(realloc(block, 0)), FISQL_KIND_REALLOC, 0);
        if (UNLIKELY(told))
            freed_twice_over();
        return made;
    }
    if (UNLIKELY(operators_open != 0))
        operators_freed(block);
    uint64_t start = clock_read_order(process.clock);
    uint64_t old = (uint64_t)(uintptr_t)block;
    bool told = leaves(block, site, FRAME_ADDRESS());
    void *moved = REAL(realloc(block, size));
    freed_twice_allocated(moved != NULL ? moved : block);
    if (UNLIKELY(told))
        freed_twice_over();
    if (moved != NULL) {
        record_realloc(start, old, (uint64_t)(uintptr_t)moved, size, site);
        if (UNLIKELY(operators_open != 0))
            operators_recorded(moved);
    }
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

#define ALIGNED(name, kind, parameters, arguments, boundary)                                       \
    EXPORT void *ALLOC_NAME(name) parameters;                                                      \
    EXPORT void *ALLOC_NAME(name) parameters                                                       \
    {                                                                                              \
        if (!ready() || FAILS(kind, size, boundary))                                               \
            return NULL;                                                                           \
        return allocated(REAL(name arguments), kind, size);                                        \
    }

ALIGNED(memalign, FISQL_KIND_MEMALIGN, (size_t alignment, size_t size), (alignment, size),
        alignment)
ALIGNED(aligned_alloc, FISQL_KIND_ALIGNED_ALLOC, (size_t alignment, size_t size), (alignment, size),
        alignment)
ALIGNED(valloc, FISQL_KIND_VALLOC, (size_t size), (size), 0)
ALIGNED(pvalloc, FISQL_KIND_PVALLOC, (size_t size), (size), 0)

EXPORT int ALLOC_NAME(posix_memalign)(void **block, size_t alignment, size_t size);
EXPORT int ALLOC_NAME(posix_memalign)(void **block, size_t alignment, size_t size)
{
    if (!ready())
        return ENOMEM;
    int kept = errno;
    if (FAILS(FISQL_KIND_POSIX_MEMALIGN, size, alignment)) {
        int failed = errno != kept && errno != 0 ? errno : ENOMEM;
        errno = kept; /* the result holds the error */
        return failed;
    }
    int error = REAL(posix_memalign(block, alignment, size));
    if (error == 0)
        allocated(*block, FISQL_KIND_POSIX_MEMALIGN, size);
    return error;
}
