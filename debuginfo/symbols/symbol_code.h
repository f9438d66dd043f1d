/* What a module's code says of calls. Does the instruction before a return address name its callee,
 * or call through a pointer? How many functions can a function call at all (branches that a run did
 * not take)? From which place of a function do calls lead to code without hooks, such as a standard
 * template's copy? */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOL_CODE_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOL_CODE_H

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/symbols.h"

enum symbol_call {
    SYMBOL_CALL_UNKNOWN, /* no code there, or no known call */
    SYMBOL_CALL_DIRECT,
    SYMBOL_CALL_INDIRECT
};

/* Keeps a module's code. Takes the file over in every case: *module is empty then. 0, or -1 without
 * memory. */
int symbol_code_open(struct symbol_code **out, struct elf_file *module, struct error *error);
void symbol_code_close(struct symbol_code *code); /* NULL is allowed */

/* Counts the functions that each instrumented function calls by name (call_targets), and those that
 * call each function (call_sources). `plain`: the module has no hooks, and every function counts,
 * with the jumps that it ends with. `names`: a second file of the module that may have a symbol
 * table, or NULL. 0, or -1 without memory. */
int symbol_code_count_targets(struct symbols *symbols, const struct elf_file *module,
                              const struct elf_file *names, bool plain, struct error *error);

/* The kind of the call that returns to `address`. A call of a stub of the procedure linkage table,
 * or through the global offset table (-fno-plt), is direct: the source names the function. */
enum symbol_call symbol_code_call(const struct symbols *symbols, uint64_t address);

/* *place: the return address of the one call in `function` (an index) that leads to the code at
 * `address`, directly or through functions without hooks. 0 if no call does, or calls in several
 * lines do, or `function` has no hooks. Does not see calls through pointers, or of stubs (in a
 * shared library). The first use reads all code of the module. 0, or -1 without memory. */
int symbol_code_place(struct symbols *symbols, uint32_t function, uint64_t address, uint64_t *place,
                      struct error *error);

#endif
