/* The hooks that -finstrument-functions calls. `site`: the function's return address. */
#ifndef FISQL_COLLECTOR_CORE_HOOKS_H
#define FISQL_COLLECTOR_CORE_HOOKS_H

#include "collector/core/base.h"

#include <stddef.h>

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* Makes the hooks those of the process's clock, which from now on stays. */
void hooks_choose(void);

/* What is done like the hooks for patched functions without values, where the hooks do more; else NULL. */
typedef void hook_function(void *function, void *site);
hook_function *hooks_patched_enter(void);
hook_function *hooks_patched_exit(void);

#endif
