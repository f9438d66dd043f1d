/* Reading the program's memory from within a hook: see values_read.h. */
#include "collector/values/values_read.h"

#include "collector/process/process.h"
#include "collector/core/silent.h"
#include "collector/core/system_call.h"
#include "collector/values/values.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define PAGE 4096u /* the smallest there are */
#define ADDRESS_END ((uint64_t)1 << 56)
#define CONSTANTS_MAX 128u

struct range {
    uint64_t start, end;
};

static struct range constants[CONSTANTS_MAX];
static uint32_t constants_used; /* atomic */
static bool probes;             /* probe() finds what can be read */
static uint64_t heap_start;     /* 0 = nothing is known of it */
/* Spans everything that the program has taken away within stacks; atomic, it only grows. */
static struct range stack_taken = {UINT64_MAX, 0};
static uint32_t forbidden; /* atomic: process_vm_readv() is not to be called */
static uint64_t refused;   /* atomic */
static int refused_error;

#pragma weak __libc_single_threaded /* glibc 2.32 */
extern char __libc_single_threaded;
#pragma weak __curbrk /* glibc: where the heap ends */
extern void *__curbrk;

/* ---- what can be read directly ---- */

void read_constants(uint64_t start, uint64_t end)
{
    uint32_t used = constants_used;
    start &= ~(uint64_t)(PAGE - 1); /* pages are mapped */
    end = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (used > 0 && constants[used - 1].end == start) {
        constants[used - 1].end = end;
    } else if (used < CONSTANTS_MAX) {
        constants[used] = (struct range){start, end};
        __atomic_store_n(&constants_used, used + 1, __ATOMIC_RELEASE);
    }
}

/* The bytes that brk() gave and that nobody has taken back or touched by other means. */
static inline uint64_t heap_bytes(void)
{
    uint64_t start = __atomic_load_n(&heap_start, __ATOMIC_RELAXED);
    uint64_t end = &__curbrk != NULL ? (uint64_t)(uintptr_t)__curbrk : 0;
    return start != 0 && end > start ? end - start : 0;
}

/* Can the 8 bytes around an address be read? The kernel reads the set of signals before it finds
 * that there is nothing to do with it (absl's AddressIsReadable() asks in the same way). */
static bool probe(uint64_t address)
{
    const long argument[6] = {-1, (long)(address & ~(uint64_t)7), 0, 8};
    return system_call(SYS_rt_sigprocmask, argument) != -EFAULT;
}

void read_setup(void)
{
    const long none[6] = {0};
    probes = !probe(8); /* an emulator answers otherwise */
    if (&__curbrk != NULL)
        heap_start = (uint64_t)system_call(SYS_brk, none);
}

void read_taken(const struct stack_bounds *stack, uint64_t start, uint64_t bytes)
{
    uint64_t end = (start + bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    start &= ~(uint64_t)(PAGE - 1);
    if (end < start)
        end = UINT64_MAX;
    if (start < heap_start + heap_bytes() && heap_start < end)
        __atomic_store_n(&heap_start, 0, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < __atomic_load_n(&constants_used, __ATOMIC_ACQUIRE); i++)
        if (start < constants[i].end && constants[i].start < end)
            __atomic_store_n(&constants_used, 0, __ATOMIC_RELEASE);
    if (stack == NULL || start >= stack->high || stack->low >= end)
        return;
    uint64_t before = __atomic_load_n(&stack_taken.start, __ATOMIC_RELAXED);
    while (start < before && !__atomic_compare_exchange_n(&stack_taken.start, &before, start, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    before = __atomic_load_n(&stack_taken.end, __ATOMIC_RELAXED);
    while (end > before && !__atomic_compare_exchange_n(&stack_taken.end, &before, end, false,
                                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void read_forbid(void)
{
    __atomic_store_n(&forbidden, 1, __ATOMIC_RELAXED);
}

void read_forbid_pages(void)
{
    read_forbid();
    __atomic_store_n(&heap_start, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&probes, false, __ATOMIC_RELAXED);
}

uint64_t read_refused(int *error)
{
    *error = refused_error;
    return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

/* How many bytes the program has left in a stack, from an address up to its end. */
static inline uint64_t stack_bytes(uint64_t address, uint64_t end)
{
    uint64_t taken_end = __atomic_load_n(&stack_taken.end, __ATOMIC_ACQUIRE);
    if (LIKELY(address >= taken_end))
        return end - address;
    uint64_t taken_start = __atomic_load_n(&stack_taken.start, __ATOMIC_RELAXED);
    if (taken_start >= end)
        return end - address;
    return address < taken_start ? taken_start - address : 0;
}

/* How many bytes from an address on can be read directly. */
static uint64_t readable(const struct read_stack *stack, uint64_t address)
{
    struct stack_bounds *bounds = stack->bounds;
    if (UNLIKELY(bounds->low == 0) && stack->hook) {
        values_keep(stack->from);
        stack_ask(bounds);
    }
    if (address >= stack->from && address < bounds->high && stack->from >= bounds->low) {
        uint64_t bytes = stack_bytes(address, bounds->high);
        if (LIKELY(bytes != 0))
            return bytes;
    }
    bool alone = &__libc_single_threaded != NULL && __libc_single_threaded;
    if (alone && address - heap_start < heap_bytes())
        return heap_start + heap_bytes() - address;
    uint32_t used = __atomic_load_n(&constants_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++)
        if (address - constants[i].start < constants[i].end - constants[i].start)
            return constants[i].end - address;
    if (address < PAGE || address >= ADDRESS_END || !probes || !alone || silent() ||
        !probe(address))
        return 0;
    return PAGE - address % PAGE;
}

/* ---- by the kernel ---- */

static long read_by_kernel(uint32_t pid, uint64_t address, void *into, size_t size)
{
    size_t first = PAGE - address % PAGE;
    if (first > size)
        first = size;
    struct iovec local = {into, size};
    struct iovec remote[2] = {{(void *)(uintptr_t)address, first},
                              {(void *)(uintptr_t)(address + first), size - first}};
    const long argument[6] = {(long)pid, (long)&local, 1, (long)remote, size > first ? 2 : 1};
    return system_call(SYS_process_vm_readv, argument);
}

/* At most a page's bytes. */
static size_t read_otherwise(uint64_t address, void *into, size_t size)
{
    const long none[6] = {0};
    if (address < PAGE || address >= ADDRESS_END ||
        __atomic_load_n(&forbidden, __ATOMIC_RELAXED) != 0)
        return 0;
    long got = read_by_kernel(process.pid, address, into, size);
    if (got < 0 && got != -EFAULT) /* the child of a vfork() has another number */
        got = read_by_kernel((uint32_t)system_call(SYS_getpid, none), address, into, size);
    if (got >= 0)
        return (size_t)got;
    if (got != -EFAULT) {
        refused_error = (int)-got;
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
        if (got == -EPERM || got == -ENOSYS)
            read_forbid();
    }
    return 0;
}

/* Copies directly where possible, the rest through the kernel; a text up to its end. */
static size_t read_bytes(const struct read_stack *stack, uint64_t address, unsigned char *to,
                         size_t size, bool text)
{
    size_t got = 0;
    for (uint64_t there; got < size && (there = readable(stack, address + got)) != 0;) {
        const unsigned char *from = (const unsigned char *)(uintptr_t)(address + got);
        for (size_t end = there < size - got ? got + there : size; got < end;)
            if ((to[got++] = *from++) == 0 && text)
                return got;
    }
    size_t more = got < size ? read_otherwise(address + got, to + got, size - got) : 0;
    for (; more > 0; more--)
        if (to[got++] == 0 && text)
            break;
    return got;
}

size_t read_memory(const struct read_stack *stack, uint64_t address, void *into, size_t size)
{
    return read_bytes(stack, address, into, size, false);
}

size_t read_text(const struct read_stack *stack, uint64_t address, void *into, size_t size)
{
    return read_bytes(stack, address, into, size, true);
}
