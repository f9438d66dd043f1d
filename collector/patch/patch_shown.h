/*
 * Shows fisql record where this process is patched (formats/patch_areas.h), so that it can patch and
 * unpatch functions while the program runs. Signals are blocked; one thread at a time.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_SHOWN_H
#define FISQL_COLLECTOR_PATCH_PATCH_SHOWN_H

#include "collector/patch/patch_area.h"
#include "formats/live.h"

/* Shows an area, with its index, and where its plan lies in the live area's file; then jumps may be
 * written, or left to fisql record. */
void patch_shown_put(uint32_t index, const struct patch_area *area,
                     const struct fisql_live_part *plan);
/* The area is about to go. */
void patch_shown_gone(uint32_t index);
/* Has `fisql control` switched recording off, and will fisql record write the jumps when it is
 * switched on? */
bool patch_shown_is_off(void);
/* How often something was changed so far; after patching: asks fisql record to look at what was
 * patched if something has changed since then. */
uint32_t patch_shown_changes(void);
void patch_shown_since(uint32_t changes);

#endif
