/* Makes linker names readable: C++ (Itanium ABI), Rust (legacy and v0), D, Fortran, Ada. Safe for
 * threads. */
#ifndef FISQL_DEBUGINFO_NAMES_DEMANGLE_H
#define FISQL_DEBUGINFO_NAMES_DEMANGLE_H

#include <stddef.h>

#define DEMANGLE_NAME_MAX 16384 /* bytes; longer names stay as they are, results are cut */

/* The readable form of a linkage name; NULL if we do not know its kind. Caller frees. */
char *demangle(const char *linkage_name);

/* The readable form of GNAT's name for Ada code: shop__inner__buy__2 is shop.inner.buy. Such names
 * look like any others, so ask only for Ada. NULL for a name that the compiler made. */
char *demangle_ada(const char *linkage_name);

/* Length of a linkage name without the suffixes of a function's copies (.constprop.0, .isra.0,
 * .part.0, .cold, .lto_priv.0, .llvm.123, ...). */
size_t demangle_base_length(const char *linkage_name);

/* The variant of a C++ constructor or destructor: '0' deleting, '1' complete, '2' base object; 0
 * for any other function. */
char demangle_variant(const char *linkage_name);

#endif
