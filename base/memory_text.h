/*
 * A stream into memory, as open_memstream() makes one, that tells when memory ran out: glibc's goes
 * on without what it has no room for, and fclose() returns 0.
 */
#ifndef FISQL_BASE_MEMORY_TEXT_H
#define FISQL_BASE_MEMORY_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* Opens it; NULL without memory. *text, to be freed by the caller in any case once the stream is
 * closed, and *size, without the NUL at its end, are valid after each fflush() and fclose(), which
 * fail where something was lost. */
MUST_CHECK FILE *memory_text_open(char **text, size_t *size);

#endif
