/* The module map: which executables and shared libraries are loaded where. */
#ifndef FISQL_COLLECTOR_CORE_MODULES_H
#define FISQL_COLLECTOR_CORE_MODULES_H

#include "collector/core/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
    uint64_t bias, start, end;
};

/* Never changed: another one takes its place. */
struct module_map {
    uint32_t count;
    struct module modules[];
};
extern HIDDEN struct module_map *modules_map; /* atomic; NULL = none yet */

/* Refreshes the map from the dynamic linker and logs the changes. Signals must be blocked. */
void modules_refresh(void);
/* Refreshes the map if the function lies in no known module. Signals need not be blocked. */
void modules_learn(uint64_t function);
/* Applies another filter text (filter.h) to all modules of the map. Signals must be blocked. */
void modules_filter(const char *text, uint64_t size_bytes);
/* Calls each() for each module of the map, with its path but no build-id. Signals must be blocked. */
struct feature_module;
typedef void modules_each_function(const struct feature_module *module, void *context);
void modules_each(modules_each_function *each, void *context);
/* In a forked child. */
void modules_forked(void);
/* The module of the map that the address is in; NULL if there is none. */
static inline __attribute__((always_inline)) const struct module *module_of(uint64_t address)
{
    const struct module_map *map = __atomic_load_n(&modules_map, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; map != NULL && i < map->count; i++)
        if (address >= map->modules[i].start && address < map->modules[i].end)
            return &map->modules[i];
    return NULL;
}
/* Is the address in a module of the map? */
bool modules_known(uint64_t address);
/* Are both in one module of the map? */
bool modules_same(uint64_t address, uint64_t other);
/* Does any loaded module call the hooks? */
bool modules_instrumented(void);

#endif
