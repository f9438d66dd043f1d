/*
 * Linking what clang before version 20 instruments.
 *
 * Its -finstrument-functions puts hooks into an inlined function too, and they name it by its
 * address. Members that are always_inline in a template which libstdc++.so instantiates ("extern
 * template") have none: std::string and std::allocator<char> then leave a program that cannot be
 * linked, and which members these are changes with libstdc++ and the standard. gcc, and clang since
 * 20, leave such functions without hooks; libc++ has none.
 *
 * So the linker is asked. Members of std's templates that it misses are compiled from the same
 * headers by the same compiler, and the program is linked again with them. Nothing else changes: a
 * program that links as it is stays as it is, and what else is missing stays an error.
 */
#ifndef FISQL_CLI_CC_CXX_LINK_H
#define FISQL_CLI_CC_CXX_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Does the compiler, as `clang --version` names it, leave members undefined? */
bool cxx_link_needed(const char *version);

/* Runs a link, `count` words and NULL. A shared library is linked with what its members would miss
 * when it is loaded. Returns the compiler's exit status. */
int cxx_link(const char *const *words, size_t count, bool shared);

#endif
