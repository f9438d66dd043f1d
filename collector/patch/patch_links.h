/*
 * Library calls of patched modules: leads the references of a module to the stubs of its links
 * (formats/patch.h).
 *
 * Which function a link leads to is found as the dynamic linker finds it: by name and version, in
 * the order of the modules. Only the record depends on that; the call itself goes through the
 * linker's own word. The collector's own functions are passed over: of malloc, the C library's is
 * recorded. Functions of modules that are recorded themselves are no library calls.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_LINKS_H
#define FISQL_COLLECTOR_PATCH_PATCH_LINKS_H

#include "collector/patch/patch_area.h"

/* Returns to how many functions calls of the module lead through stubs. All modules that are loaded
 * with it must have been patched before. Signals are blocked; one thread at a time. */
uint32_t patch_links(struct patch_area *area);

#endif
