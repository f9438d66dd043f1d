/*
 * Memory for large tables with scattered reads, in huge pages if the kernel has them. A look-up
 * then costs one cache miss, without those of the page tables for a million pages of 4 KiB.
 * Clearing takes one page fault in place of 512.
 */
#ifndef FISQL_BASE_LARGE_H
#define FISQL_BASE_LARGE_H

#include <stddef.h>

#define LARGE_PAGE_BYTES ((size_t)2 << 20)

/* Two cache lines, because processors fetch them in pairs: data of two threads must lie this far
 * apart, or each change takes the line away from the other thread. */
#define LARGE_ALIGN 128

/* Zeros, aligned to LARGE_ALIGN; NULL without memory. Less than a huge page comes from malloc. */
void *large_alloc(size_t bytes);
/* bytes: as allocated. NULL is allowed. */
void large_free(void *memory, size_t bytes);

/* Makes the kernel clear the pages of such memory now, not at their first use. */
void large_touch(void *memory, size_t bytes);

/* Puts the next `bytes` of malloc's heap into huge pages, for code that soon fills much memory with
 * small blocks. Reserves addresses alone; without them, or without huge pages, nothing changes.
 * Call it once, before other threads exist. */
void large_heap(size_t bytes);

#endif
