/* Strongly connected components of a graph (Tarjan 1972). */
#ifndef FISQL_LOADER_TABLES_COMPONENTS_H
#define FISQL_LOADER_TABLES_COMPONENTS_H

#include <stdint.h>

#include "base/error.h"

/* The edges of node n lead to to[begin[n]] .. to[begin[n + 1] - 1]. Writes into component[] the
 * number of each node's component, from 1. -1: no memory. */
int components_find(uint32_t nodes, const uint32_t *begin, const uint32_t *to, uint32_t *component,
                    struct error *error);

#endif
