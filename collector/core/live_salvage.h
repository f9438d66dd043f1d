/* What the image before exec left in the live area. */
#ifndef FISQL_COLLECTOR_CORE_LIVE_SALVAGE_H
#define FISQL_COLLECTOR_CORE_LIVE_SALVAGE_H

#include <stdint.h>

/* Appends what it left to the log. Returns that image's process_key, 0 if there was none. */
uint64_t live_salvage_exec(void);

#endif
