/*
 * backtrace() and _Unwind_Backtrace() without the call sites (patch_hook.h): each lies as a frame of
 * its own between a patched function and its caller. Programs print what these functions find, and
 * some count frames. A fault in a moved instruction, and a signal there, has its place in the
 * function: its unwind information holds for the stub as well, because nothing but the place differs.
 * _Unwind_GetCFA() without what a call site's address of a frame has too much:
 * runtimes (LuaJIT's) find their own data on the stack by it.
 */
#include "collector/patch/patch_hook.h"

#ifdef FISQL_PATCHES
#include "collector/core/wrap.h"
#include "collector/patch/patch_module.h"

#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define FRAMES_MAX 2048 /* of which half may be call sites */

/* Takes the call sites out. Returns how many addresses are left, at most `size`. */
static int without_sites(void *const *found, int count, void **addresses, int size)
{
    int kept = 0;
    for (int i = 0; i < count && kept < size; i++)
        if (!patch_is_site((uint64_t)(uintptr_t)found[i]))
            addresses[kept++] =
                (void *)(uintptr_t)patch_module_place((uint64_t)(uintptr_t)found[i]);
    return kept;
}

REAL(int, backtrace, (void **addresses, int size))
REPLACE(int, backtrace, (void **addresses, int size))
{
    static int (*next)(void **, int);
    if (next == NULL)
        FIND(backtrace, next);
    if (next == NULL || size <= 0)
        return 0;
    if (size > FRAMES_MAX / 2)
        return without_sites(addresses, next(addresses, size), addresses, size);
    int room = 2 * size + 1; /* our own frame */
    void **found = alloca((size_t)room * sizeof *found);
    int count = next(found, room);
    if (count == 0)
        return 0;
    return without_sites(found + 1, count - 1, addresses, size);
}

typedef _Unwind_Reason_Code walker(_Unwind_Trace_Fn, void *);
typedef _Unwind_Ptr asker(struct _Unwind_Context *);

#ifdef FISQL_STATIC
REAL(_Unwind_Reason_Code, _Unwind_Backtrace, (_Unwind_Trace_Fn each, void *argument))
#pragma weak _Unwind_GetIP

static void unwinder_find(walker **next, asker **address)
{
    FIND(_Unwind_Backtrace, *next);
    *address = _Unwind_GetIP;
}
#else
/* A function of libgcc, which may have been loaded for one library alone. A program that calls ours
 * by --wrap may have got no libgcc. */
#ifdef FISQL_WRAP
#define LOOK RTLD_LAZY
#else
#define LOOK (RTLD_LAZY | RTLD_NOLOAD)
#endif

static void *unwinder(const char *name)
{
    void *found = quiet_symbol(name);
    if (found == NULL) {
        void *library = dlopen("libgcc_s.so.1", LOOK);
        found = library != NULL ? dlsym(library, name) : NULL;
    }
    return found;
}

static void unwinder_find(walker **next, asker **address)
{
    void *found = unwinder("_Unwind_GetIP");
    memcpy(address, &found, sizeof found);
    found = unwinder("_Unwind_Backtrace");
    memcpy(next, &found, sizeof found);
}
#endif

struct walk {
    _Unwind_Trace_Fn each;
    void *argument;
    asker *address;
    bool inside; /* past our own frame */
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    if (!walk->inside) {
        walk->inside = true;
        return _URC_NO_REASON;
    }
    if (patch_is_site((uint64_t)walk->address(context)))
        return _URC_NO_REASON;
    return walk->each(context, walk->argument);
}

REPLACE(_Unwind_Reason_Code, _Unwind_Backtrace, (_Unwind_Trace_Fn each, void *argument))
{
    static walker *next;
    static asker *address;
    if (next == NULL || address == NULL)
        unwinder_find(&next, &address);
    if (next == NULL || address == NULL)
        return _URC_END_OF_STACK;
    struct walk walk = {each, argument, address, false};
    return next(visit, &walk);
}

#ifndef FISQL_WRAP
/* ---- what unwinding asks for while it is at a stub ---- */

/* A function of libgcc, into a pointer that is NULL before. */
#define NEXT(name, pointer)                                                                        \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            void *found = unwinder(#name);                                                         \
            memcpy(&(pointer), &found, sizeof found);                                              \
        }                                                                                          \
    } while (0)

/* Where libgcc puts what it knows of a function; the same on all machines. */
struct function_bases {
    void *text, *data;
    char *function;
};

EXPORT const void *_Unwind_Find_FDE(void *code, struct function_bases *bases);
EXPORT const void *_Unwind_Find_FDE(void *code, struct function_bases *bases)
{
    static const void *(*next)(void *, struct function_bases *);
    uint64_t address = (uint64_t)(uintptr_t)code, place = patch_module_place(address);
    NEXT(_Unwind_Find_FDE, next);
    if (next == NULL)
        return NULL;
    const void *found = next((void *)(uintptr_t)place, bases);
    /* The unwinder compares distances from the function's start. */
    if (found != NULL && place != address)
        bases->function += address - place;
    return found;
}

EXPORT _Unwind_Ptr _Unwind_GetIP(struct _Unwind_Context *context)
{
    static _Unwind_Ptr (*next)(struct _Unwind_Context *);
    NEXT(_Unwind_GetIP, next);
    return next != NULL ? patch_module_place(next(context)) : 0;
}

EXPORT _Unwind_Ptr _Unwind_GetIPInfo(struct _Unwind_Context *context, int *before)
{
    static _Unwind_Ptr (*next)(struct _Unwind_Context *, int *);
    NEXT(_Unwind_GetIPInfo, next);
    return next != NULL ? patch_module_place(next(context, before)) : 0;
}

EXPORT _Unwind_Ptr _Unwind_GetRegionStart(struct _Unwind_Context *context)
{
    static _Unwind_Ptr (*next)(struct _Unwind_Context *);
    NEXT(_Unwind_GetRegionStart, next);
    return next != NULL ? patch_module_place(next(context)) : 0;
}

/* ---- frames' addresses ---- */

/* The end of the module whose first header lies there. */
static uint64_t module_end(const void *start)
{
    const ElfW(Ehdr) *header = start;
    const ElfW(Phdr) *segments = (const void *)((const char *)start + header->e_phoff);
    uint64_t end = 0;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr + segments[i].p_memsz > end)
            end = segments[i].p_vaddr + segments[i].p_memsz;
    return (uint64_t)(uintptr_t)start + end;
}

/* At the caller of a patched function, libgcc says the call site's, which is greater by one
 * (patch_x86_64.S). libgcc's own unwinding asks, too: it tells frames apart by the difference. */
EXPORT _Unwind_Word _Unwind_GetCFA(struct _Unwind_Context *context)
{
    static _Unwind_Word (*next)(struct _Unwind_Context *);
    static uint64_t start, end; /* of libgcc; end is set last */
    if (__atomic_load_n(&end, __ATOMIC_ACQUIRE) == 0) {
        Dl_info info;
        void *found = unwinder("_Unwind_GetCFA");
        if (found == NULL || dladdr(found, &info) == 0)
            return 0;
        memcpy(&next, &found, sizeof found);
        start = (uint64_t)(uintptr_t)info.dli_fbase;
        __atomic_store_n(&end, module_end(info.dli_fbase), __ATOMIC_RELEASE);
    }
    if (next == NULL)
        return 0;
    bool inside = (uint64_t)(uintptr_t)__builtin_return_address(0) - start < end - start;
    return inside ? next(context) : next(context) & ~(_Unwind_Word)7;
}
#endif
#endif
