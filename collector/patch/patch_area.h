/* The areas of patched modules (formats/patch.h): what patch_module.c and patch_links.c share. */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_AREA_H
#define FISQL_COLLECTOR_PATCH_PATCH_AREA_H

#include "formats/patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stubs of a module. */
struct patch_area {
    uint64_t start, end; /* of the module; start 0 = none */
    unsigned char *memory;
    uint64_t bytes;
    const struct fisql_patch *plan; /* stays mapped */
    uint64_t bias;
    bool linked; /* patch_links() has been here */
};

/* The area of the module that holds an address, or NULL. */
struct patch_area *patch_area_of(uint64_t address);

/* What a stub has in front: on x86-64 the function's call site. */
uint64_t patch_led_to(uint64_t function);

static inline unsigned char *patch_area_code(const struct patch_area *area)
{
    return area->memory + FISQL_PATCH_HEAD;
}

#endif
