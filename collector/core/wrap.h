/* Taking the place of a function: by its name in the shared library, by the linker's --wrap in a
 * program that links libfisql.a (FISQL_WRAP), where no next definition can be looked up. */
#ifndef FISQL_COLLECTOR_CORE_WRAP_H
#define FISQL_COLLECTOR_CORE_WRAP_H

#include "collector/core/base.h"
#include "collector/core/quiet.h"

/* REAL(type, name, parameters) declares the real function, which may be missing; FIND(name,
 * variable) stores its address. */
#ifdef FISQL_WRAP
#define NAME(name) __wrap_##name
#define REAL(type, name, parameters) extern type __real_##name parameters __attribute__((weak));
#define FIND(name, variable) variable = __real_##name
#else
#define NAME(name) name
#define REAL(type, name, parameters)
#define FIND(name, variable) quiet_find(&(variable), #name)
#endif

/* Declares and begins the function that takes the place. */
#define REPLACE(type, name, parameters)                                                            \
    EXPORT type NAME(name) parameters;                                                             \
    EXPORT type NAME(name) parameters

#endif
