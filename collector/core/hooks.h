/* The hooks that -finstrument-functions calls. `site`: the function's return address. */
#ifndef FISQL_COLLECTOR_CORE_HOOKS_H
#define FISQL_COLLECTOR_CORE_HOOKS_H

#include "collector/core/base.h"

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

#endif
