/* Types of flags and of numbers with names that no debug information has, from flag_names.h. For
 * parameters.c and the expressions; nobody else includes it. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_PARAMETER_FLAGS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_PARAMETER_FLAGS_H

#include "debuginfo/expressions/parameters.h"

/* Those of a module, each once. Zero is empty. */
struct parameter_flags {
    struct parameter_flags_type **items; /* owned */
    size_t count, capacity;
};

/* The type of an integer like `of` whose value is made of these flags (struct flag_parameter); NULL
 * without memory. It lives until the release, and `flags` has to. */
const struct parameter_type *parameter_flags_type(struct parameter_flags *all, const char *flags,
                                                  const struct parameter_type *of,
                                                  struct error *error);
void parameter_flags_release(struct parameter_flags *all);

#endif
