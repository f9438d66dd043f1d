/* How the hooks' slow path keeps vector registers (patch_x86_64.S). */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_STATE_H
#define FISQL_COLLECTOR_PATCH_PATCH_STATE_H

#include "collector/core/base.h"

extern HIDDEN uint64_t patch_state_bytes; /* that are saved */
extern HIDDEN uint32_t patch_state_mask;  /* XSAVE's parts; 0 = there is no XSAVE: FXSAVE is used */

/* Call it before a function is patched. */
void patch_state_setup(void);

#endif
