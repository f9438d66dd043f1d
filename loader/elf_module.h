/*
 * What the loader needs of an ELF file besides DWARF: its build-id, its function symbols, and which
 * functions call the hooks (seen in the code itself, for no compiler flag is a proof).
 */
#ifndef FISQL_LOADER_ELF_MODULE_H
#define FISQL_LOADER_ELF_MODULE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_HOOKS_MAX 16

struct elf_module {
    int file;
    Elf *elf;
    uint16_t machine;
    char build_id[129]; /* hexadecimal, "" = none */
    /* Where a call of __cyg_profile_func_enter goes: the function itself or PLT stubs, and the GOT
     * slots through which it is called indirectly. */
    uint64_t targets[ELF_HOOKS_MAX], slots[ELF_HOOKS_MAX];
    size_t targets_count, slots_count;
};

/* Called for each function symbol. Returns 0 to go on. */
typedef int elf_symbol_visit(void *context, const char *name, uint64_t address, uint64_t size,
                             bool global);

/* Opens the file. Returns NULL, or why not (a static text); close it in both cases. */
const char *elf_module_open(struct elf_module *module, const char *path);
void elf_module_close(struct elf_module *module);

/* Visits the function symbols of .symtab, or of .dynsym where there is none. */
int elf_module_symbols(const struct elf_module *module, elf_symbol_visit *visit, void *context);

/* Does the module call or hold the hooks? */
bool elf_module_instrumented(const struct elf_module *module);

/* Does the code from start to end (file addresses) call the enter hook? */
bool elf_module_calls_hook(const struct elf_module *module, uint64_t start, uint64_t end);

#endif
