/* The operators new and delete at work: see operators.c. */
#ifndef FISQL_COLLECTOR_MEMORY_OPERATORS_H
#define FISQL_COLLECTOR_MEMORY_OPERATORS_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>

/* The number of operators new that the calling thread is inside, as far as we know. */
extern HIDDEN THREAD_LOCAL uint32_t operators_open;
/* The block that the thread's operator delete has recorded and will free, or NULL. */
extern HIDDEN THREAD_LOCAL const void *operators_deleting;

/* A jump or a catch landed at `stack`: drops the operators whose frames are not above it. */
void operators_unwound(uint64_t stack);
/* Holds back an allocation inside an operator new, made by a function with its frame at `stack`, if
 * it may be the operator's result. Returns false if it is to be recorded now. */
bool operators_hold(void *block, unsigned kind, size_t size_bytes, uint64_t site, uint64_t stack);
/* A block is about to be freed: records it first if it was held back. */
void operators_freed(const void *block);
/* realloc() has recorded this block: an operator that returns it need not. */
void operators_recorded(const void *block);

#endif
