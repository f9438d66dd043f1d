/*
 * Where a thread's stack lies. Signal handlers ask, too, in the middle of anything, so we use
 * nothing of libc: pthread_getattr_np() would allocate. We read the kernel's list of mappings. A
 * thread made by pthread_create() has its thread pointer at the top of its stack (glibc,
 * nptl/allocatestack.c; musl, src/thread/pthread_create.c). The main thread's stack holds what
 * AT_RANDOM points to, and may grow down to the mapping below it.
 */
#include "collector/core/stack.h"

#include "collector/core/file.h"
#include "collector/core/quiet.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#define ASK_BYTES 1024u /* stack that asking needs, the C library's part included */

static uint64_t main_thread; /* its thread pointer; the same in a forked child */

static uint64_t thread_pointer(void)
{
#if defined(__x86_64__)
    uint64_t pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
#else
    return (uint64_t)(uintptr_t)__builtin_thread_pointer();
#endif
}

void stack_setup(void)
{
    main_thread = thread_pointer();
}

struct maps {
    int file;
    char text[256]; /* stacks may be small */
    size_t used, at;
};

static int next_byte(struct maps *maps)
{
    if (maps->at == maps->used) {
        ssize_t got = read(maps->file, maps->text, sizeof maps->text);
        if (got <= 0)
            return -1;
        maps->used = (size_t)got;
        maps->at = 0;
    }
    return (unsigned char)maps->text[maps->at++];
}

/* A hexadecimal number and the byte behind it. Returns that byte, -1 at the end. */
static int next_number(struct maps *maps, uint64_t *value)
{
    int byte;
    *value = 0;
    while ((byte = next_byte(maps)) >= 0) {
        if (byte >= '0' && byte <= '9')
            *value = *value << 4 | (uint64_t)(byte - '0');
        else if (byte >= 'a' && byte <= 'f')
            *value = *value << 4 | (uint64_t)(byte - 'a' + 10);
        else
            break;
    }
    return byte;
}

/* Finds the mapping of an address, and the end of the one below it. */
static bool find_mapping(uint64_t address, uint64_t *below, uint64_t *start, uint64_t *end)
{
    struct maps maps;
    maps.file = file_open("/proc/self/maps", O_RDONLY);
    maps.used = maps.at = 0;
    if (maps.file < 0)
        return false;
    bool found = false;
    int byte = 0;
    *end = 0;
    while (!found && byte >= 0) {
        *below = *end;
        if (next_number(&maps, start) != '-' || next_number(&maps, end) < 0)
            break;
        found = address >= *start && address < *end;
        while (byte >= 0 && byte != '\n')
            byte = next_byte(&maps);
        byte = byte < 0 ? -1 : 0;
    }
    close(maps.file);
    return found;
}

/* Signals must be blocked. */
static void stack_find(struct stack_bounds *bounds)
{
    uint64_t below, start, end, pointer = thread_pointer();
    bool is_main = pointer == main_thread;
    bounds->low = 1; /* asked */
    bounds->high = 0;
    if (silent())
        return;
    if (!find_mapping(is_main ? (uint64_t)getauxval(AT_RANDOM) : pointer, &below, &start, &end))
        return;
    bounds->low = is_main ? below : start;
    bounds->high = is_main ? end : pointer; /* another stack may lie right above */
}

/* A stack too small for asking overflows here, with signals unblocked: it is reported. */
static __attribute__((noinline)) void ask_room(void)
{
    char room[ASK_BYTES];
    __asm__ volatile("" ::"r"(room) : "memory");
    (void)*(volatile char *)room;
}

void stack_ask(struct stack_bounds *bounds)
{
    struct quiet quiet;
    ask_room();
    quiet_begin(&quiet);
    if (bounds->low == 0)
        stack_find(bounds);
    quiet_end(&quiet);
}

bool stack_is_one(struct stack_bounds *bounds, uint64_t a, uint64_t b)
{
    stack_t alternate;
    struct quiet quiet;
    if (bounds->low == 0)
        stack_ask(bounds);
    quiet_begin(&quiet);
    bool known =
        !quiet.silent && sigaltstack(NULL, &alternate) == 0 && !(alternate.ss_flags & SS_DISABLE);
    quiet_end(&quiet);
    if (known) {
        uint64_t low = (uint64_t)(uintptr_t)alternate.ss_sp;
        uint64_t high = low + alternate.ss_size;
        if ((a >= low && a < high) != (b >= low && b < high))
            return false;
    }
    bool a_inside = a >= bounds->low && a < bounds->high;
    bool b_inside = b >= bounds->low && b < bounds->high;
    return a_inside == b_inside;
}
