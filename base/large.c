/* Memory for large tables: see large.h. */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t whole_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
}

/* Maps a page more than is wanted, and gives back what lies before the first boundary of huge pages
 * and behind the end. */
static void *map_aligned(size_t bytes)
{
    char *mapped = mmap(NULL, bytes + LARGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)mapped % LARGE_PAGE_BYTES;
    if (before > 0)
        munmap(mapped, before);
    if (before < LARGE_PAGE_BYTES)
        munmap(mapped + before + bytes, LARGE_PAGE_BYTES - before);
    madvise(mapped + before, bytes, MADV_HUGEPAGE); /* pages of 4 KiB do as well */
    return mapped + before;
}

void *large_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    if (bytes >= LARGE_PAGE_BYTES)
        return map_aligned(whole_pages(bytes));
    size_t lines = (bytes + LARGE_ALIGN - 1) / LARGE_ALIGN * LARGE_ALIGN;
    void *memory = aligned_alloc(LARGE_ALIGN, lines > 0 ? lines : LARGE_ALIGN);
    if (memory != NULL)
        memset(memory, 0, lines);
    return memory;
}

void large_free(void *memory, size_t bytes)
{
    if (bytes >= LARGE_PAGE_BYTES && memory != NULL)
        munmap(memory, whole_pages(bytes));
    else
        free(memory);
}
