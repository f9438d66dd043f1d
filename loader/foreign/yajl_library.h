/* yajl's functions, found when first needed: only whoever loads JSON needs the library. This file
 * needs yajl's headers; a fisql built without them says so when it meets JSON. */
#ifndef FISQL_LOADER_FOREIGN_YAJL_LIBRARY_H
#define FISQL_LOADER_FOREIGN_YAJL_LIBRARY_H

#include "base/error.h"

#include <yajl/yajl_parse.h>

/* X(member, function): each has the type that the header gives it. */
#define YAJL_FUNCTIONS(X)                                                                          \
    X(alloc, yajl_alloc)                                                                           \
    X(config, yajl_config)                                                                         \
    X(parse, yajl_parse)                                                                           \
    X(complete, yajl_complete_parse)                                                               \
    X(consumed, yajl_get_bytes_consumed)                                                           \
    X(free, yajl_free)

struct yajl_library {
#define YAJL_MEMBER(member, function) __typeof__(&(function)) member;
    YAJL_FUNCTIONS(YAJL_MEMBER)
#undef YAJL_MEMBER
};

extern struct yajl_library yajl_library;

/* Returns 0, or -1 with an error that says what to install. */
int yajl_library_open(struct error *error);

#endif
