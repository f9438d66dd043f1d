/*
 * Takes the hooks out of the functions that system headers define, in LLVM's text form of a module
 * (.ll) that no pass has worked on yet.
 *
 * There, a function that is to get hooks has attributes that say so:
 *
 *   define linkonce_odr void @_ZNSt6vectorIiE4sizeEv(...) #3 comdat align 2 !dbg !38 {
 *   attributes #3 = { ... "instrument-function-entry"="__cyg_profile_func_enter" ... }
 *   !38 = distinct !DISubprogram(name: "size", ..., file: !12, ...)
 *   !12 = !DIFile(filename: "/usr/include/c++/12/bits/stl_vector.h", directory: "/home/me")
 *
 * A function whose file is the system's gets a copy of its attributes without these two. What clang
 * makes by itself (copy constructors, instances of templates, lambdas) stands in the file of its
 * class, so all of a header is covered. A function without debug information keeps its hooks.
 */
#ifndef FISQL_CLI_CC_IR_FILTER_H
#define FISQL_CLI_CC_IR_FILTER_H

#include <stdbool.h>
#include <stdio.h>

struct ir_filter {
    bool (*is_system)(void *context, const char *path); /* path: absolute and clean */
    void *context;
};

/* Copies the module in `text` (`size` bytes and a 0) to `out`. *functions is raised by how many lost
 * their hooks. Returns 0, or -1 without memory. */
int ir_filter_copy(const struct ir_filter *filter, const char *text, size_t size, FILE *out,
                   size_t *functions);

#endif
