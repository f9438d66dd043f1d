/*
 * Which file lies where in memory, for messages to people while the program runs. Names are added
 * as modules are found, and stay; of two at one address the later is valid. Reading takes no lock.
 */
#ifndef FISQL_COLLECTOR_CORE_MODULE_NAMES_H
#define FISQL_COLLECTOR_CORE_MODULE_NAMES_H

#include "collector/core/base.h"

#include <stdbool.h>

struct module_name {
    uint64_t bias, start, end;
    const char *path;
};

/* Adds a name, from one thread at a time; drops it if there is no room. */
void module_names_add(const char *path, uint64_t bias, uint64_t start, uint64_t end);
/* The module at an address, valid forever; NULL = none. */
const struct module_name *module_names_find(uint64_t address);

#endif
