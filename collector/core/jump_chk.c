/*
 * __longjmp_chk of static programs: longjmp with -D_FORTIFY_SOURCE. Not every libc has it, so this
 * archive member is linked only if the program calls it; only then is the real one needed.
 */
#include "collector/core/interpose.h"

#ifdef FISQL_STATIC
JUMP_WRAPPED(__longjmp_chk, )
#endif
