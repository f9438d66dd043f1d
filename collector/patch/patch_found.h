/*
 * Library calls by addresses that dlsym() found: what the links of patched modules to dlsym() lead to
 * (patch_links.h).
 *
 * Where the program asks a library for a function that is not recorded itself, it gets the address
 * of a stub for it, the same one each time. dlsym() looks at its caller if it is asked for the next
 * definition, or for any: then it is called by a jump, and its answer stays.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_FOUND_H
#define FISQL_COLLECTOR_PATCH_PATCH_FOUND_H

#include "collector/core/base.h"

/* In the place of dlsym(). */
HIDDEN void *patch_found(void *handle, const char *name);
/* In a forked child. */
void patch_found_forked(void);

#endif
