/*
 * __longjmp_chk of static programs: what longjmp becomes with -D_FORTIFY_SOURCE. Not every libc has
 * it, so this is a member that the linker takes only where the program calls it; only then is the
 * real one asked for.
 */
#include "collector/core/interpose.h"

#ifdef FISQL_STATIC
JUMP_WRAPPED(__longjmp_chk, )
#endif
