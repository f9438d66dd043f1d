/*
 * What a live area's file holds, one behind the other: the area itself with its slots, then for a
 * recording with these options the functions to record, recipes, what is asked of modules that come later,
 * calls to fail, and room for filters of `fisql control`.
 */
#ifndef FISQL_CLI_RECORD_LIVE_LAYOUT_H
#define FISQL_CLI_RECORD_LIVE_LAYOUT_H

#include "cli/record/record_options.h"

#include <stddef.h>
#include <stdint.h>

/* The area with so many slots. */
size_t live_area_bytes(uint32_t slots);
/* From where on what follows so many bytes can be mapped alone. */
size_t live_page_from(size_t bytes);

size_t live_filter_at(uint32_t slots);
size_t live_recipes_at(uint32_t slots, const struct record_options *options);
size_t live_late_at(uint32_t slots, const struct record_options *options);
size_t live_faults_at(uint32_t slots, const struct record_options *options);
size_t live_control_at(uint32_t slots, const struct record_options *options);
size_t live_control_bytes(void);
/* All of it. */
size_t live_file_bytes(uint32_t slots, const struct record_options *options);

#endif
