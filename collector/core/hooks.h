/* The hooks that -finstrument-functions calls: `site` is the address in the caller that the
 * function returns to. */
#ifndef FISQL_COLLECTOR_CORE_HOOKS_H
#define FISQL_COLLECTOR_CORE_HOOKS_H

#include "collector/core/base.h"

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

#endif
