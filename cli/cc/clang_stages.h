/*
 * clang without hooks in system headers.
 *
 * clang cannot leave out hooks by a function's file. So we run its own commands, which -### shows,
 * one by one. A compilation takes two steps: to LLVM's text before any pass; then, after
 * cli/cc/ir_filter.h has removed the hooks of system headers, from there to the output. -save-temps
 * does the same, and the code is that of one step. The compiler's temporary files lie in a folder
 * of our own.
 */
#ifndef FISQL_CLI_CC_CLANG_STAGES_H
#define FISQL_CLI_CC_CLANG_STAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Runs the compiler, `count` words and NULL. *ran becomes false if nothing can be done in two steps
 * (clang only preprocesses, refuses its arguments, ...). Then nothing has run, and the caller runs
 * the compiler as it is. Returns the exit status. */
int clang_stages(const char *const *words, size_t count, bool *ran);

#endif
