/*
 * Names as people write them: C++ (Itanium ABI), Rust (legacy and v0), D and Fortran names out of the
 * linker's. Safe for threads.
 */
#ifndef FISQL_DEBUGINFO_NAMES_DEMANGLE_H
#define FISQL_DEBUGINFO_NAMES_DEMANGLE_H

#include <stddef.h>

#define DEMANGLE_NAME_MAX 16384 /* bytes; longer names stay as they are, results are cut */

/* The readable form of a linkage name, or NULL where it is none that is known. Caller frees. */
char *demangle(const char *linkage_name);

/* The same for the names that GNAT gives to what is compiled from Ada, which look like any others:
 * shop__inner__buy__2 is shop.inner.buy. NULL where it is a name of GNAT's own making. */
char *demangle_ada(const char *linkage_name);

/* Length of a linkage name without the suffixes that compilers give to the copies they make of a
 * function (.constprop.0, .isra.0, .part.0, .cold, .lto_priv.0, .llvm.123, ...). */
size_t demangle_base_length(const char *linkage_name);

/* Which of the variants of a C++ constructor or destructor a linkage name is: '0' deleting, '1'
 * complete, '2' base object; 0 = it is another function. */
char demangle_variant(const char *linkage_name);

#endif
