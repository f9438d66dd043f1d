/* Reads a module's functions from its DWARF: one pass over all units, spread over threads. One
 * thread reads a unit, with its own Dwarf_Debug. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_FUNCTIONS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_FUNCTIONS_H

#include "debuginfo/dwarf/dwarf_die.h"
#include "base/text_pool.h"

/* A piece of a function's code: its body, or a part moved elsewhere (cold code). */
struct dwarf_piece {
    uint64_t start, end;
    uint64_t origin;          /* equal for all copies of one function */
    const char *name;         /* NULL = none */
    const char *linkage_name; /* NULL = none */
    const char *path;         /* source file; NULL = unknown */
    uint32_t line;            /* of the definition; 0 = unknown */
    uint32_t unit;
    bool entry;    /* holds the entry point */
    bool external; /* other units may call it by its name */
    bool inlined;  /* the compiler inlined some calls of it */
};

/* Copies of a function, which the compiler inlined into the code of another. */
struct dwarf_copies {
    uint64_t outer;  /* where that code starts */
    uint64_t origin; /* of the inlined function */
    uint32_t unit, count;
};

struct dwarf_unit {
    Dwarf_Off die; /* offset of the unit's entry */
    uint64_t dwo_id;
    bool nested; /* read also what is within functions and types */
};

struct dwarf_unit_range {
    uint64_t start, end;
    uint32_t unit;
};

/* For qsort(): by start. */
int dwarf_unit_range_order(const void *left, const void *right);

struct dwarf_functions {
    struct dwarf_unit *units;
    size_t units_count, units_capacity;
    struct dwarf_piece *pieces;
    size_t pieces_count, pieces_capacity;
    struct dwarf_unit_range *ranges; /* the code of the units */
    size_t ranges_count, ranges_capacity;
    struct dwarf_copies *copies; /* where they were asked for */
    size_t copies_count, copies_capacity;
    struct dwarf_piece *originals; /* what was inlined: origin, names, file and line */
    size_t originals_count, originals_capacity;
    unsigned missing_dwo; /* units whose .dwo file was not found */
    struct text_pool *pools;
    size_t pools_count, pools_capacity;
};

struct dwarf_search {
    struct dwarf_file *file;
    const struct elf_file *module; /* that has the code: pieces outside are left out */
    const char *path;              /* of `file`: .dwo files and the .dwp file may lie beside it */
    const char *symbols_dir;       /* or here; NULL = none */
    unsigned threads;              /* 0 = one a core */
    bool copies;                   /* count inlined copies, too */
};

/* Lists the units. 0, or -1 without memory. */
int dwarf_functions_open(struct dwarf_functions *functions, const struct dwarf_search *search,
                         struct error *error);

/* Adds the pieces of all units, or those within the units marked `nested`. */
int dwarf_functions_read(struct dwarf_functions *functions, const struct dwarf_search *search,
                         bool nested, struct error *error);
void dwarf_functions_release(struct dwarf_functions *functions);

#endif
