/* Memory for large tables: see large.h. */
#include "base/large.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t whole_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
}

/* Maps a page more than needed, and unmaps the parts before the first huge-page boundary and behind
 * the end. */
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

void large_touch(void *memory, size_t bytes)
{
    static const size_t PAGE_BYTES = 4096; /* at least */
    for (size_t i = 0; i < bytes; i += PAGE_BYTES)
        *(volatile char *)((char *)memory + i) = 0;
}

/* If a block does not fit into the rest of the heap, the C library extends it by M_TOP_PAD more.
 * The block is smaller than those that the library maps by themselves. */
void large_heap(size_t bytes)
{
    enum { BLOCK_BYTES = 127 << 10, PAD_BYTES = 128 << 10 /* the C library's default */ };
    char *begin = sbrk(0);
    mallopt(M_TOP_PAD, (int)bytes);
    mallopt(M_TRIM_THRESHOLD, (int)(2 * bytes)); /* freed memory stays */
    /* Once these are set, it no longer rises by itself. */
    mallopt(M_MMAP_THRESHOLD, (int)(bytes / 8));
    void *volatile block = malloc(BLOCK_BYTES); /* volatile: else the compiler removes both calls */
    free(block);
    mallopt(M_TOP_PAD, PAD_BYTES);
    char *end = sbrk(0);
    size_t before = -(uintptr_t)begin % LARGE_PAGE_BYTES;
    if (end > begin && (size_t)(end - begin) >= bytes && before < bytes)
        madvise(begin + before, (size_t)(end - begin) - before, MADV_HUGEPAGE);
}
