/*
 * An ELF file, mapped and checked: sections, symbols, build-id, code bytes. Only 64-bit
 * little-endian files: the collector runs in no others.
 *
 * Nothing in the file is trusted: we check each offset, size and index before we use it, and treat
 * what does not fit as absent. elf_file_open() alone writes to the struct, so threads may share it
 * afterwards. Strings and bytes are borrowed from the map until elf_file_close().
 */
#ifndef FISQL_DEBUGINFO_ELF_ELF_FILE_H
#define FISQL_DEBUGINFO_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_MAX 64 /* bytes; longer ones are ignored */

struct elf_section {
    const char *name; /* "" if it has none */
    uint32_t type;
    uint64_t flags, address, size_bytes;
    uint32_t link;
    const unsigned char *data; /* NULL if the section has no bytes in the file, or its place is
                                * wrong */
};

struct elf_symbol {
    const char *name;
    uint64_t address, size_bytes;
    bool global, weak; /* a weak symbol is global, too */
    bool hidden;       /* not for other modules; linkers make it local */
    bool is_function;
    uint32_t index; /* in its table */
};

struct elf_file {
    const unsigned char *bytes;
    size_t size_bytes, modified_ns; /* of the file; time of its last change */
    size_t map_bytes;               /* of the map that holds it */
    uint16_t machine, type;
    struct elf_section *sections;
    uint32_t sections_count;
    const Elf64_Phdr *segments; /* may be unaligned: read through elf_file_segment() */
    uint16_t segments_count;
    char build_id[2 * ELF_BUILD_ID_MAX + 1];   /* hexadecimal, "" = none */
    char cache_name[2 * ELF_BUILD_ID_MAX + 1]; /* for what is kept about it: the build-id, else its
                                                * place on the disk and its last change; "" = none */
};

/* Opens the file at `path`. Returns NULL, or a static text with the reason. Close *file in both
 * cases. */
const char *elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

/* The same for a file in an anonymous map of `map_bytes`, whose first `size_bytes` are the file.
 * Takes the map over if size_bytes is not 0. */
const char *elf_file_take(struct elf_file *file, void *map, size_t map_bytes, size_t size_bytes);

/* Lets the file's pages leave our memory, because most of it has been read. They stay in the
 * system's cache and come back when they are touched. Not for a file in an anonymous map. */
void elf_file_rest(const struct elf_file *file);

/* The section of this name, or NULL. */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name);

/* A program header by its index. */
Elf64_Phdr elf_file_segment(const struct elf_file *file, uint16_t index);

/* The bytes at an address, if `size_bytes` of them lie in one loaded segment; else NULL. */
const unsigned char *elf_file_at(const struct elf_file *file, uint64_t address,
                                 uint64_t size_bytes);

/* Does executable code lie at the address? */
bool elf_file_is_code(const struct elf_file *file, uint64_t address);

/* Visits the defined functions of the symbol table of type SHT_SYMTAB or SHT_DYNSYM. A visit
 * returns 0 to go on; another value ends the walk and is returned. */
typedef int elf_symbol_visit(void *context, const struct elf_symbol *symbol);
int elf_file_functions(const struct elf_file *file, uint32_t table_type, elf_symbol_visit *visit,
                       void *context);
/* The same for its functions and variables, except thread-local ones. */
int elf_file_symbols(const struct elf_file *file, uint32_t table_type, elf_symbol_visit *visit,
                     void *context);

/* A symbol by its index in a table's section; false if there is none. *defined: it has an address
 * in this file. */
bool elf_file_symbol(const struct elf_file *file, const struct elf_section *table, uint32_t index,
                     struct elf_symbol *symbol, bool *defined);

#endif
