/* The cache of inventories: what symbols_open() found out about a module with much debug
 * information or many functions, in a file named by the build-id, if it has one (elf_file.h's
 * cache_name). Unreadable, damaged and outdated files count as absent; a failed write is ignored. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_CACHE_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_CACHE_H

#include <sys/stat.h>

#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbols.h"

/* The files of the cache end so; recipe_cache.c and patch_cache.c keep theirs beside ours. */
#define SYMBOLS_SUFFIX ".symbols"
#define RECIPES_SUFFIX ".recipes"
#define PATCHES_SUFFIX ".patches"

/* Where the cache keeps what it has of a module; false if nowhere. */
bool symbol_cache_path(char *path, size_t size, const char *cache_dir,
                       const struct elf_file *module, const char *suffix);

/* Fills the functions and ranges of *symbols, and opens its line tables, which takes files->debug
 * over. Returns 1, 0 if the cache has nothing, -1 without memory. */
int symbol_cache_read(struct symbols *symbols, struct symbol_files *files, const char *module_path,
                      const struct symbols_options *options, struct error *error);

/* Opens a file of the cache for reading. -1 if it is no plain file, or another user made it or may
 * write to it: it says what functions are called and where values lie. Caller closes. */
int symbol_cache_open(const char *path, struct stat *status);

/* Keeps what was read of a module, unless that reads in no time. */
void symbol_cache_write(const struct symbols *symbols, const struct symbol_files *files,
                        const struct dwarf_file *debug, const struct symbols_options *options);

/* Deletes the files of the cache used longest ago until `room_bytes` more fit. */
void symbol_cache_make_room(const char *cache_dir, uint64_t room_bytes);

#endif
