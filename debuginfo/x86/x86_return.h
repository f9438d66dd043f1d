/* Does a function look at its own return address? setjmp and the like keep it to go there later, on
 * their own. */
#ifndef FISQL_DEBUGINFO_X86_X86_RETURN_H
#define FISQL_DEBUGINFO_X86_X86_RETURN_H

#include <stdbool.h>
#include <stdint.h>

/* Follows the function whose code starts here, from its entry on and without the branches, as long
 * as it is known where its frame is. */
bool x86_uses_return_address(const unsigned char *code, uint64_t size_bytes);

#endif
