/*
 * Demangled C++ names made short, as people say them. A pure function of the text: safe for
 * threads.
 *
 *   void ns::sort<int*>(int*, int*)                                 ns::sort<int*>
 *   std::vector<int, std::allocator<int> >::push_back(int&&)        std::vector<int>::push_back
 *   std::__cxx11::basic_string<char, std::char_traits<char>,
 *     std::allocator<char> >::size() const                          std::string::size
 *   f[abi:cxx11](int)                                               f
 *   (anonymous namespace)::help(int)                                (anon)::help
 *   main::{lambda(int)#1}::operator()(int) const                    main::{lambda#1}
 *   bool B::operator< <int>(B const&)                               B::operator< <int>
 *
 * We drop return types, parameter lists (those of enclosing functions, too), default template
 * arguments of the C++ library, ABI tags, inline namespaces of std, "[clone ...]". We keep template
 * arguments that somebody chose, function types, labels of variants ([base], [deleting]). A name
 * that we do not understand, or that nests too deeply, stays as it is: rather long than wrong.
 */
#ifndef FISQL_DEBUGINFO_NAMES_SHORT_NAME_H
#define FISQL_DEBUGINFO_NAMES_SHORT_NAME_H

#include <stdbool.h>

/* The short form of a demangled name; with `parameters` also its parameter list and qualifiers:
 * f(int) const. Time and memory grow with the text (and time with the brackets around a part, some
 * dozens at most). Caller frees; NULL without memory. */
char *short_name(const char *name, bool parameters);

/* Does short_name() understand the demangled form of this linkage name? Not Rust's: they are short
 * as they are. */
bool short_name_applies(const char *linkage_name);

#endif
