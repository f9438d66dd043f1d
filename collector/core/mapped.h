/*
 * What the collector has mapped, in a process that it will leave (process.orders): a list of ranges,
 * which mapped_drop_all() gives back.
 *
 * The shared libraries are linked with --wrap for mmap(), munmap() and mremap(): what the collector
 * calls by these names comes here. Who makes the system calls by hand says so. Elsewhere the list
 * there is no list.
 */
#ifndef FISQL_COLLECTOR_CORE_MAPPED_H
#define FISQL_COLLECTOR_CORE_MAPPED_H

#include "collector/core/base.h"

#include <stdbool.h>

/* Begins the list. False: there is no memory. */
bool mapped_begin(void);
/* These bytes were mapped; they are not any more. Signals are blocked. */
void mapped_add(uint64_t start, uint64_t bytes);
void mapped_remove(uint64_t start, uint64_t bytes);
/* Unmaps all. Nothing may look there any more. False if the list was too short: the rest stays. */
bool mapped_drop_all(void);
/* In a forked child. */
void mapped_forked(void);

#endif
