/* debuginfod: servers that give out debug information by build-id. What elfutils' client library has
 * fetched lies in its cache, for gdb as for us. The library itself, libdebuginfod.so.1, is opened
 * when it is needed: fisql is built and runs without it. */
#ifndef FISQL_DEBUGINFO_SYMBOLS_DEBUGINFOD_H
#define FISQL_DEBUGINFO_SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of its cache, where BUILD-ID/debuginfo and BUILD-ID/executable lie. False if there is
 * none, or its path is longer. */
bool debuginfod_cache(char *path, size_t size_bytes);

/* Has the user named servers in DEBUGINFOD_URLS, is the library here, and did they answer so far? */
bool debuginfod_can_ask(void);

/* Asks the servers for the debug information of a build-id (hexadecimal), for as long as
 * DEBUGINFOD_TIMEOUT allows (90 s). Fills the path of the file in the cache; false if there is none.
 * After no server could be reached, nobody is asked again in this process. Safe for threads. */
bool debuginfod_ask(const char *build_id, char *path, size_t size_bytes);

#endif
