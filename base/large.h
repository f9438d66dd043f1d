/*
 * Memory for large tables that are read here and there. It comes in huge pages where the kernel has
 * them: a look-up then costs one cache miss and not, as with a million pages of 4 KiB, those of the
 * page tables too; and clearing it takes one page fault for 512.
 */
#ifndef FISQL_BASE_LARGE_H
#define FISQL_BASE_LARGE_H

#include <stddef.h>

#define LARGE_PAGE_BYTES ((size_t)2 << 20)

/* Two cache lines, because processors fetch them in pairs: data of two threads must lie this far apart, or each
 * change takes the line away from the other thread. */
#define LARGE_ALIGN 128

/* Zeros, aligned to LARGE_ALIGN; NULL without memory. Less than a huge page comes from malloc. */
void *large_alloc(size_t bytes);
/* bytes: as allocated. NULL is allowed. */
void large_free(void *memory, size_t bytes);

/* Has the kernel clear the pages of such memory now, and not when they are used first. */
void large_touch(void *memory, size_t bytes);

/* Has the first so many bytes that malloc grows the heap by come in huge pages, too: for what fills much memory with
 * small blocks in a short time. Reserves addresses alone; without them, or without huge pages, all stays as it
 * is. To be called once, before there are other threads. */
void large_heap(size_t bytes);

#endif
