/*
 * --only and --exclude: which functions are recorded. `fisql record` knows names and files, finds
 * the matching functions and writes their addresses behind the slots of the live area:
 *
 *     only | exclude
 *     module PATH
 *     HEX        address of a matching function in that module's file, one a line
 *
 * When a module appears in the map, we turn its functions into bits, one for each byte of its code.
 * So a hook finds its answer with one look and compares no strings.
 *
 * A function that is left out should cost what an empty hook costs. So hooks note such functions in
 * a table, indexed by some bits of their addresses, and look there first.
 */
#include "collector/core/filter.h"

#include "collector/core/filter_lines.h"
#include "collector/process/process.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define FILTERS_MAX 256u

static const char *text, *text_end;
static bool only;
static struct filter filters[FILTERS_MAX];
static const struct filter nowhere;
THREAD_LOCAL const struct filter *filter_last = &nowhere;
static uint32_t filters_used; /* atomic: earlier entries are complete */
uint64_t filter_noted[FILTER_NOTED_BYTES / 8];
static uint32_t changes; /* atomic: counts changes of answers that hooks may have noted */

bool filter_load(int file, uint64_t offset, uint64_t size_bytes)
{
    struct stat status;
    if (size_bytes == 0)
        return true;
    if (fstat(file, &status) != 0 || (uint64_t)status.st_size < size_bytes ||
        (uint64_t)status.st_size - size_bytes < offset)
        return false;
    void *memory = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, file, (off_t)offset);
    if (memory == MAP_FAILED)
        return false;
    filter_text(memory, size_bytes);
    process.filtered = 1;
    return true;
}

void filter_text(const char *from, uint64_t size_bytes)
{
    text = from;
    text_end = from + size_bytes;
    only = size_bytes >= 5 && memcmp(from, "only\n", 5) == 0;
}

/* The answers have changed. A hook that notes an old one at the same time takes it back itself. */
static void forget_noted(void)
{
    __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < sizeof filter_noted / sizeof filter_noted[0]; i++)
        if (__atomic_load_n(&filter_noted[i], __ATOMIC_RELAXED) != 0)
            __atomic_store_n(&filter_noted[i], 0, __ATOMIC_RELAXED);
}

/* Hooks may be reading the old filter: its bits stay where they are. */
static void filter_change(struct filter *known, const struct filter *fresh, size_t bits_bytes)
{
    if (known->bits == NULL) {
        __atomic_store_n(&known->bits, fresh->bits, __ATOMIC_RELEASE);
    } else if (fresh->bits == NULL) {
        memset(known->bits, 0, bits_bytes);
    } else {
        memcpy(known->bits, fresh->bits, bits_bytes);
        munmap(fresh->bits, bits_bytes);
    }
    __atomic_store_n(&known->passes, fresh->passes, __ATOMIC_RELEASE);
    forget_noted();
}

void filter_module(const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
    if (text == NULL || filters_used == FILTERS_MAX)
        return;
    struct filter filter = {start, end - start, NULL, only};
    size_t bits_bytes = (size_t)((end - start) / 64 + 1) * 8; /* they are read by words, too */
    struct filter_lines lines = {text, text_end, false};
    for (uint64_t address; filter_lines_next(&lines, path, &address);) {
        address += bias;
        if (filter.bits == NULL) {
            void *bits =
                mmap(NULL, bits_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (bits == MAP_FAILED)
                return;
            filter.bits = bits;
        }
        if (address >= start && address < end)
            filter.bits[(address - start) / 8] |= (unsigned char)(1u << ((address - start) & 7));
    }
    for (uint32_t i = 0; i < filters_used; i++)
        if (filters[i].start == start && filters[i].size == end - start) {
            filter_change(&filters[i], &filter, bits_bytes);
            return;
        }
    /* It may lie where an unloaded module was: switch that one's filter off. */
    for (uint32_t i = 0; i < filters_used; i++)
        if (filters[i].start < end && start < filters[i].start + filters[i].size)
            __atomic_store_n(&filters[i].size, 0, __ATOMIC_RELEASE);
    filters[filters_used] = filter;
    __atomic_store_n(&filters_used, filters_used + 1, __ATOMIC_RELEASE);
}

void filter_note(const struct filter *filter, uint64_t function)
{
    uint64_t *set = filter_noted_set(function);
    if (filter != &filters[0]) /* other modules may be unloaded, and their addresses reused */
        return;
    for (int way = 0; way < 2; way++) {
        uint32_t seen = __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
        uint64_t none = 0;
        if (filter_answer(filter, function))
            return;
        if (!__atomic_compare_exchange_n(&set[way], &none, function, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
            continue;
        if (__atomic_load_n(&changes, __ATOMIC_SEQ_CST) != seen)
            __atomic_store_n(&set[way], 0, __ATOMIC_RELAXED);
        return;
    }
}

const struct filter *filter_find(uint64_t function)
{
    uint32_t used = __atomic_load_n(&filters_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++)
        if (function - filters[i].start < __atomic_load_n(&filters[i].size, __ATOMIC_ACQUIRE))
            return &filters[i];
    return NULL;
}

bool filter_passes_unknown(void)
{
    return !only;
}
