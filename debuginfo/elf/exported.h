/* The functions that a module exports, and others, by name. */
#ifndef FISQL_DEBUGINFO_ELF_EXPORTED_H
#define FISQL_DEBUGINFO_ELF_EXPORTED_H

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"

struct named_code {
    const char *name; /* borrowed from the file */
    uint64_t address;
    bool global;
    bool hidden; /* as in struct elf_symbol */
};
/* For qsort(): by name, then by address. */
int named_code_order(const void *left, const void *right);
/* Where a function's code ends at the latest: where the next one starts, or 4 KiB behind its start.
 * `items` are in the order of their addresses. */
uint64_t named_code_end(const struct named_code *items, size_t count, uint64_t address);
/* The address of the function of this name, if all of the name have one address; else 0. `items` are
 * in that order. */
uint64_t named_code_find(const struct named_code *items, size_t count, const char *name);
/* The index of the first of this name, or of where it would be: a library has several versions of some
 * functions. */
size_t named_code_from(const struct named_code *items, size_t count, const char *name);

/* Zero is empty. */
struct exported {
    struct named_code *items; /* in their order */
    size_t count, capacity;
};

/* Reads them from the dynamic symbol table of a library; of a program there are none. `exported` must be empty. 0, or -1 without memory;
 * release it in both cases. */
int exported_read(struct exported *exported, const struct elf_file *file, struct error *error);
void exported_release(struct exported *exported);

#endif
