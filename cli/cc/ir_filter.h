/*
 * Removes the hooks of functions that system headers define, in the text form of an LLVM module
 * (.ll) before any pass.
 *
 * Attributes mark a function that is to get hooks:
 *
 *   define linkonce_odr void @_ZNSt6vectorIiE4sizeEv(...) #3 comdat align 2 !dbg !38 {
 *   attributes #3 = { ... "instrument-function-entry"="__cyg_profile_func_enter" ... }
 *   !38 = distinct !DISubprogram(name: "size", ..., file: !12, ...)
 *   !12 = !DIFile(filename: "/usr/include/c++/12/bits/stl_vector.h", directory: "/home/me")
 *
 * A function in a system file gets a copy of its attributes without these two. The compiler's own
 * functions (copy constructors, instances of templates, lambdas) name the file of their class, so
 * this covers all of a header. A function without debug information keeps its hooks.
 */
#ifndef FISQL_CLI_CC_IR_FILTER_H
#define FISQL_CLI_CC_IR_FILTER_H

#include <stdbool.h>
#include <stdio.h>

struct ir_filter {
    bool (*is_system)(void *context, const char *path); /* path: absolute and clean */
    void *context;
};

/* Copies the module in `text` (`size` bytes and a 0) to `out`. Adds the number of functions that
 * lost their hooks to *functions. Returns 0, or -1 without memory. */
int ir_filter_copy(const struct ir_filter *filter, const char *text, size_t size, FILE *out,
                   size_t *functions);

#endif
