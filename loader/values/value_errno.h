/* errno as a failed call left it: a parameter of its own. */
#ifndef FISQL_LOADER_VALUES_VALUE_ERRNO_H
#define FISQL_LOADER_VALUES_VALUE_ERRNO_H

#include "debuginfo/expressions/parameters.h"

#define VALUE_ERRNO 31u /* its position */

extern const struct parameter value_errno;

#endif
