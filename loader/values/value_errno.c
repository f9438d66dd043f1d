/* errno: see value_errno.h. */
#include "loader/values/value_errno.h"

#include "base/errno_names.h"

/* asm-generic/errno.h: the numbers are the same on all machines of the collector. */
static const struct parameter_enumerator names[] = {
#define ENUMERATOR(error)                                                                          \
    {                                                                                              \
        .name = #error, .value = error                                                             \
    }
    ERRNO_NAMES(ENUMERATOR)
#undef ENUMERATOR
};

static const struct parameter_type type = {.kind = PARAMETER_ENUM,
                                           .size_bytes = 4,
                                           .is_signed = true,
                                           .enumerators = names,
                                           .enumerators_count = sizeof names / sizeof names[0]};

const struct parameter value_errno = {
    .position = VALUE_ERRNO, .name = "errno", .type_name = "int", .type = &type};
