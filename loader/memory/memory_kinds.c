/* Kinds of allocations: see memory_kinds.h. */
#include "loader/memory/memory_kinds.h"

#include <stddef.h>

#include "formats/log.h"

static const struct {
    const char *name, *family;
} kinds[FISQL_KINDS_MAX] = {
#define KIND(constant, number, name, family) [number] = {name, family},
    FISQL_ALLOC_KINDS(KIND)
#undef KIND
};

const char *memory_kind_name(uint32_t kind)
{
    return kind < FISQL_KINDS_MAX && kinds[kind].name != NULL ? kinds[kind].name : "unknown";
}

const char *memory_kind_family(uint32_t kind)
{
    return kind < FISQL_KINDS_MAX && kinds[kind].family != NULL ? kinds[kind].family : "unknown";
}
