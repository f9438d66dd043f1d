/* How the hooks' slow path keeps vector registers (patch_x86_64.S). */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_STATE_H
#define FISQL_COLLECTOR_PATCH_PATCH_STATE_H

/* Call it before a function is patched. */
void patch_state_setup(void);

#endif
