/* The cache of recipes: what recipes_make() found out about a module with much debug information,
 * in a file beside the inventories and named as they are (symbol_cache.h). Unreadable, damaged and
 * outdated files count as absent. */
#ifndef FISQL_DEBUGINFO_RECIPES_RECIPE_CACHE_H
#define FISQL_DEBUGINFO_RECIPES_RECIPE_CACHE_H

#include "debuginfo/recipes/recipe_parts.h"

/* Fills *recipes, and returns 1. 0 if the cache has nothing, -1 without memory: *recipes is
 * unchanged then. */
int recipe_cache_read(struct recipes *recipes, const struct symbol_files *files,
                      const char *cache_dir, struct error *error);

/* Keeps the recipes, unless the module reads in no time. */
void recipe_cache_write(const struct recipes *recipes, const struct symbol_files *files,
                        const struct symbols_options *options);

#endif
