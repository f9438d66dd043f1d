/*
 * Recording of programs as they are: a feature that patches modules which do not call the hooks.
 *
 * Each module that is loaded is asked for (core/late.h); fisql record answers with a plan
 * (formats/patch.h) if it is to be recorded. The program starts when its modules are patched. A
 * library that comes later (dlopen) is patched before its constructors run: the dynamic linker
 * tells debuggers of new libraries by calling an empty function of its own (r_brk, link.h), whose
 * entry we patch, too.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_H
#define FISQL_COLLECTOR_PATCH_PATCH_H

#include "collector/core/feature.h"

extern HIDDEN const struct feature patch_feature;

/* In a process that runs already, in place of the start. The first makes the stubs of the modules
 * that were asked for, while other threads run. The second, while they are stopped, writes the
 * jumps, and returns how many. */
void patch_running_prepare(void);
uint32_t patch_running(void);

#endif
