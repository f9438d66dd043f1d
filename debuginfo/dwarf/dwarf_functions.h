/*
 * The functions of a module out of its DWARF: one pass over all units, spread over threads. Each
 * unit is read by one thread with a Dwarf_Debug of its own.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_FUNCTIONS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_FUNCTIONS_H

#include "debuginfo/dwarf/dwarf_die.h"
#include "base/text_pool.h"

/* A piece of code of a function: its body, or a part that was moved elsewhere (cold code). */
struct dwarf_piece {
    uint64_t start, end;
    uint64_t origin;          /* equal for all copies of one function */
    const char *name;         /* NULL = none */
    const char *linkage_name; /* NULL = none */
    const char *path;         /* source file; NULL = not known */
    uint32_t line;            /* of the definition; 0 = not known */
    uint32_t unit;
    bool entry;    /* holds the entry point */
    bool external; /* other units may call it by its name */
    bool inlined;  /* the compiler inlined calls of it somewhere */
};

struct dwarf_unit {
    Dwarf_Off die; /* offset of the unit's entry */
    uint64_t dwo_id;
    bool nested; /* read also what lies within functions and types */
};

struct dwarf_unit_range {
    uint64_t start, end;
    uint32_t unit;
};

struct dwarf_functions {
    struct dwarf_unit *units;
    size_t units_count, units_capacity;
    struct dwarf_piece *pieces;
    size_t pieces_count, pieces_capacity;
    struct dwarf_unit_range *ranges; /* what code the units describe */
    size_t ranges_count, ranges_capacity;
    unsigned missing_dwo; /* units whose .dwo file was not found */
    struct text_pool *pools;
    size_t pools_count, pools_capacity;
};

struct dwarf_search {
    struct dwarf_file *file;
    const struct elf_file *module; /* whose code it is: pieces outside of it are left out */
    const char *path;              /* of `file`: .dwo files and the .dwp file may lie beside it */
    const char *symbols_dir;       /* or here; NULL = none */
    unsigned threads;              /* 0 = as many as there are cores */
};

/* Lists the units. 0, or -1 without memory. */
int dwarf_functions_open(struct dwarf_functions *functions, const struct dwarf_search *search,
                         struct error *error);

/* Adds the pieces of all units, or of those marked `nested` (again, from inside). */
int dwarf_functions_read(struct dwarf_functions *functions, const struct dwarf_search *search,
                         bool nested, struct error *error);
void dwarf_functions_release(struct dwarf_functions *functions);

#endif
