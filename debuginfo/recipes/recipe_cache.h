/*
 * The cache of recipes: what recipes_make() found out about a module with much debug information, kept in
 * a file named by the build-id beside the inventories (symbol_cache.h). It is a help only: what cannot be
 * read, does not hold together or is out of date is as good as absent.
 */
#ifndef FISQL_DEBUGINFO_RECIPES_RECIPE_CACHE_H
#define FISQL_DEBUGINFO_RECIPES_RECIPE_CACHE_H

#include "debuginfo/recipes/recipe_parts.h"

/* Fills *recipes. Returns 1 if it did, 0 if there is nothing in the cache, -1 without memory; it
 * changes *recipes only in the first case. */
int recipe_cache_read(struct recipes *recipes, const struct symbol_files *files,
                      const char *cache_dir, struct error *error);

/* Keeps what was made. Does nothing for modules that are read in no time. */
void recipe_cache_write(const struct recipes *recipes, const struct symbol_files *files,
                        const struct symbols_options *options);

#endif
