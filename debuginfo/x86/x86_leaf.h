/*
 * Functions that call nothing and are over after a few instructions (x86-64): recording may take their
 * call for over as it begins.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_LEAF_H
#define FISQL_DEBUGINFO_X86_X86_LEAF_H

#include <stdbool.h>
#include <stddef.h>

#define X86_LEAF_BYTES_MAX 1024u

/* Does the function, whose code has `size_bytes`, come to its end without a loop, a call, one of the kernel, or a
 * jump out of it? False if in doubt. */
bool x86_is_leaf(const unsigned char *code, size_t size_bytes);

#endif
