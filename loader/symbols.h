/*
 * Symbols of a module: its functions with names, files and lines, which of them call the hooks, and
 * the line of an address. Read from DWARF (libdwarf), else from the ELF symbol table.
 *
 * Addresses are those of the module's file (bias taken off). A module that is missing, or whose
 * build-id is another one than the recording's, has no functions and says so in `problem`.
 *
 * One struct symbols is used by one thread at a time; different ones may be used at the same time.
 * Strings are owned by it and live until symbols_release().
 */
#ifndef FISQL_LOADER_SYMBOLS_H
#define FISQL_LOADER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/error.h"

struct symbol_function {
    uint64_t address, size; /* of its main copy; size 0 = not known */
    char *name;             /* demangled */
    char *linkage_name;     /* NULL where it is the name */
    char *file;             /* NULL = not known */
    uint32_t line;          /* 0 = not known */
    bool instrumented;
    uint64_t stable_id;
};

/* A piece of code and the function it belongs to: clones and cold parts are pieces of their own. */
struct symbol_range {
    uint64_t start, end;
    uint32_t function; /* index */
    uint32_t unit;     /* index of its DWARF unit, UINT32_MAX = none */
};

struct symbols_dwarf;

struct symbols {
    const char *source; /* "dwarf", "symtab", "none" */
    char *problem;      /* NULL = none */
    bool instrumented;  /* the module calls the hooks */
    struct symbol_function *functions;
    size_t functions_count, functions_capacity;
    struct symbol_range *ranges; /* by start */
    size_t ranges_count, ranges_capacity;
    struct symbols_dwarf *dwarf;
};

/* Reads the module at `path` under `sysroot` (NULL = /); build_id (hexadecimal, NULL = none) is
 * what the recording says. Separate debug files are looked up by build-id in /usr/lib/debug and in
 * `symbols_dir` (NULL = none). Returns 0, also for a module without symbols, or -1 without memory.
 */
int symbols_read(struct symbols *symbols, const char *path, const char *build_id,
                 const char *sysroot, const char *symbols_dir, struct error *error);
void symbols_release(struct symbols *symbols);

/* The range that holds an address, or NULL. */
const struct symbol_range *symbols_range(const struct symbols *symbols, uint64_t address);

/* File and line of an address; *file is NULL where they are not known. For a call, give the return
 * address less 1. */
void symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);

#endif
