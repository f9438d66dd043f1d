/*
 * What becomes of a function's address that code loads into a register (x86-64): is it only called?
 * Compilers load it once for several calls (-fno-plt).
 */
#ifndef FISQL_DEBUGINFO_X86_X86_CALLED_H
#define FISQL_DEBUGINFO_X86_X86_CALLED_H

#include <stdbool.h>
#include <stddef.h>

/* Does the function, whose code has `size_bytes`, do nothing with what its instruction at `offset`
 * loads into a register but call it, or jump to it? False if in doubt. */
bool x86_is_only_called(const unsigned char *code, size_t size_bytes, size_t offset);

#endif
