/*
 * What the code of a module tells of calls: does the instruction before a return address name the
 * function that it calls, or does it call through a pointer? How many functions can a function
 * call at all, so that a branch not taken in a run is known of? From which place of a function is a
 * piece of code without hooks reached, a copy of a template of the standard library for instance?
 */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_CODE_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_CODE_H

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/symbols.h"

enum symbol_call {
    SYMBOL_CALL_UNKNOWN, /* no code there, or no call that is known */
    SYMBOL_CALL_DIRECT,
    SYMBOL_CALL_INDIRECT
};

/* Keeps the code of a module. Takes the file over, also when it fails: *module is empty then. 0, or
 * -1 without memory. */
int symbol_code_open(struct symbol_code **out, struct elf_file *module, struct error *error);
void symbol_code_close(struct symbol_code *code); /* NULL is allowed */

/* Counts the functions that each instrumented function calls by name, into its call_targets, and
 * those that call each, into its call_sources. `names` is a
 * second file of the module that may have a symbol table, or NULL. 0, or -1 without memory. */
int symbol_code_count_targets(struct symbols *symbols, const struct elf_file *module,
                              const struct elf_file *names, struct error *error);

/* The call that returns to `address`. A call of a stub of the procedure linkage table, or through
 * the global offset table (-fno-plt), is direct: the source names the function. */
enum symbol_call symbol_code_call(const struct symbols *symbols, uint64_t address);

/* *place: the return address of the call in the code of `function` (an index) by which alone it gets to
 * the code at `address`, be it through other functions without hooks. 0 where there is none, or are
 * several in different lines, or the function has no hooks itself. Calls through pointers and those of
 * stubs (in a shared library) are not seen. Reads the module's whole code when it is asked for the
 * first time. 0, or -1 without memory. */
int symbol_code_place(struct symbols *symbols, uint32_t function, uint64_t address, uint64_t *place,
                      struct error *error);

#endif
