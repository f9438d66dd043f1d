/* Events other than calls, of the calling thread. All keep errno. */
#ifndef FISQL_COLLECTOR_MEMORY_ALLOC_EVENTS_H
#define FISQL_COLLECTOR_MEMORY_ALLOC_EVENTS_H

#include <stddef.h>
#include <stdint.h>

void record_alloc(unsigned kind, uint64_t address, uint64_t size_bytes, uint64_t site);
void record_free(unsigned kind, uint64_t address, uint64_t site);
void record_realloc(uint64_t start_tick, uint64_t old, uint64_t address, uint64_t size_bytes,
                    uint64_t site);
void record_note(const char *text, size_t size_bytes);

#endif
