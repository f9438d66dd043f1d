/*
 * Linking programs that clang before version 20 instruments.
 *
 * Its -finstrument-functions puts hooks into inlined functions, too, and the hooks name them by
 * address. Members that are always_inline in a template that libstdc++.so instantiates ("extern
 * template") have no address: programs with std::string and std::allocator<char> then do not link.
 * Which members these are changes with libstdc++ and the standard. gcc, and clang since 20, put no
 * hooks there; libc++ has no such members.
 *
 * So we ask the linker. We compile the members of std's templates that it misses from the same
 * headers with the same compiler, and link again with them. A program that links stays as it is,
 * and anything else that is missing stays an error.
 */
#ifndef FISQL_CLI_CC_CXX_LINK_H
#define FISQL_CLI_CC_CXX_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Does the compiler of this `clang --version` leave members undefined? */
bool cxx_link_needed(const char *version);

/* Runs a link, `count` words and NULL. A shared library also gets the members that it would miss
 * when loaded. Returns the compiler's exit status. */
int cxx_link(const char *const *words, size_t count, bool shared);

#endif
