/*
 * clang without the functions of system headers.
 *
 * clang has no option that leaves functions without hooks by their file. So its own commands, which
 * it shows with -###, are run one by one, and each that compiles a source in two steps: to LLVM's
 * text form before any pass has worked on it; then, after cli/cc/ir_filter.h has taken the hooks out
 * of system headers' functions, from there to what was asked for. -save-temps does the same, and the
 * code is that of one step. What the compiler leaves for itself lies in a folder of our own.
 */
#ifndef FISQL_CLI_CC_CLANG_STAGES_H
#define FISQL_CLI_CC_CLANG_STAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Runs the compiler, `count` words and NULL. *ran becomes false where there is nothing that can be
 * done in two steps (clang only preprocesses, refuses its arguments, ...): then nothing has been
 * done, and the caller runs it as it is. Returns the exit status. */
int clang_stages(const char *const *words, size_t count, bool *ran);

#endif
