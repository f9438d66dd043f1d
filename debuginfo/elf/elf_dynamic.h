/*
 * What an ELF file tells the dynamic linker: its dynamic section, and by it symbols, their versions
 * and relocations. All is found by program headers, so files without section headers have it, too.
 * Nothing is trusted, as in elf_file.h. (System V ABI, "Dynamic Section"; versions: the Linux
 * Standard Base, "Symbol Versioning".)
 */
#ifndef FISQL_DEBUGINFO_ELF_ELF_DYNAMIC_H
#define FISQL_DEBUGINFO_ELF_ELF_DYNAMIC_H

#include "debuginfo/elf/elf_file.h"

#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

struct elf_dynamic {
    const struct elf_file *file;  /* borrowed */
    uint64_t values[DT_RELR + 1]; /* by tag; 0 = absent */
    uint64_t versions, needed;    /* addresses of DT_VERSYM's and DT_VERNEED's tables; 0 = none */
    const char *names;            /* DT_STRTAB's bytes, NULL = none */
    uint64_t names_bytes;
};

/* A symbol by its number. */
struct elf_dynamic_symbol {
    const char *name;
    const char *version; /* that the module asks for; "" = any */
    bool defined;
    uint8_t type; /* STT_ */
};

/* Reads the section; a file without one has nothing. */
void elf_dynamic_read(struct elf_dynamic *dynamic, const struct elf_file *file);

/* The text at an offset of the names, NULL = there is none. Borrowed from the file. */
const char *elf_dynamic_text(const struct elf_dynamic *dynamic, uint64_t offset);

/* False if there is no such symbol. */
bool elf_dynamic_symbol(const struct elf_dynamic *dynamic, uint32_t index,
                        struct elf_dynamic_symbol *symbol);

/* Visits the relocations of a table, which lies at an address. A visit returns 0 to go on; another
 * value ends the walk and is returned. */
typedef int elf_dynamic_visit(void *context, const Elf64_Rela *relocation);
int elf_dynamic_relocations(const struct elf_dynamic *dynamic, uint64_t table, uint64_t size_bytes,
                            elf_dynamic_visit *visit, void *context);

#endif
