/*
 * Symbols of a module: its functions with names, files and lines, which of them call the hooks, and
 * the line of an address. Read from DWARF (libdwarf; in the module, or in a separate file found by
 * build-id or debug link), else from the ELF symbol tables.
 *
 * Addresses are those of the module's file (bias taken off). A module that is missing, or whose
 * build-id is another one than the recording's, has no functions and says so in `problem`: rather
 * no names than wrong ones.
 *
 * What is one function: all copies that the compiler made of it. Clones (.constprop, .isra, .part),
 * cold parts and the like are pieces of code of the function that they were made of, and so are
 * the copies that a static function of a header has in the units of a module. Both compilers
 * pass the address of the out-of-line function to the hooks also where its body was inlined, so an
 * instrumented function has code of its own and is in the inventory even if all calls were inlined.
 * The variants of a C++ constructor or destructor (complete, base, deleting), where they have code
 * of their own, call each other, so they are functions apart, labelled in their names; `same_as`
 * ties them together, for only a function none of whose variants was called is dead.
 *
 * One struct symbols is used by one thread at a time after it is read (lines are read on demand);
 * different ones may be used at the same time. symbols_range() only reads. Strings are owned by the
 * struct and live until symbols_release().
 */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOLS_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_pool.h"

#define SYMBOL_NONE UINT32_MAX

/* Who can see a function's body, so that the compiler may inline it. */
enum symbol_scope {
    SYMBOL_SCOPE_UNKNOWN,
    SYMBOL_SCOPE_STATIC, /* only its translation unit calls it */
    SYMBOL_SCOPE_WEAK,   /* each unit that calls it has it: C++ inline functions and templates */
    SYMBOL_SCOPE_GLOBAL  /* defined in one unit, called from any */
};

struct symbol_function {
    uint64_t address, size;   /* of its main copy; size 0 = not known */
    const char *name;         /* demangled */
    const char *linkage_name; /* NULL where it is the name */
    const char *file;         /* path of the source file; NULL = not known */
    uint32_t line;            /* of the definition; 0 = not known */
    bool instrumented;        /* its code calls the hooks on its own account */
    bool inlined;             /* the compiler inlined it somewhere, even with its hooks */
    enum symbol_scope scope;
    uint32_t call_targets; /* distinct functions that its code calls by name, those that the
                                 compiler adds left out; SYMBOL_NONE = not known */
    uint32_t call_sources; /* distinct functions whose code calls it so, itself left out */
    uint64_t stable_id;    /* the same in other builds: see symbols_stable_id() */
    uint32_t same_as;      /* index of the first of the variants of a constructor or destructor:
                                 they are one function in the source; its own index for others */
};

/* A piece of code and the function it belongs to. */
struct symbol_range {
    uint64_t start, end;
    uint32_t function; /* index */
    uint32_t unit;     /* index of its DWARF unit, SYMBOL_NONE = none */
};

struct symbol_lines; /* reads line tables on demand */
struct symbol_code;  /* reads the module's code: see symbol_code.h */

struct symbols {
    const char *source;                /* "dwarf", "symtab", "none" */
    const char *problem;               /* NULL = none */
    bool instrumented;                 /* the module calls or imports the hooks */
    struct symbol_function *functions; /* by address */
    size_t functions_count, functions_capacity;
    struct symbol_range *ranges; /* by start */
    size_t ranges_count, ranges_capacity;
    struct text_pool texts;
    struct symbol_lines *lines; /* NULL = no line tables */
    struct symbol_code *code;   /* the module's code, NULL = not there */
    char *cached_texts;         /* the texts of an inventory from the cache */
    bool cached;                /* came from the cache */
};

struct symbols_options {
    const char *sysroot;     /* folder under which paths are looked up; NULL = / */
    const char *symbols_dir; /* folder with separate debug files or modules; NULL = none */
    const char *cache_dir;   /* where inventories are kept by build-id; NULL = nowhere */
    bool cache_all;          /* keep also what is read in no time (for tests) */
    unsigned threads;        /* to read units with; 0 = as many as there are cores */
    bool all_modules;        /* also modules that do not hold or import the hooks */
    bool names_only;         /* of these: what symbol tables tell, without lines */
};

/* Reads the module at `path`; build_id (hexadecimal, NULL or "" = none) is what the recording says.
 * Separate files are looked for under symbols_dir (as .build-id/xx/yyy.debug, by their last path
 * part, and by their whole path) and under sysroot (/usr/lib/debug). Returns 0, also for a module
 * without symbols, or -1 without memory. Release it in every case. */
int symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                 const struct symbols_options *options, struct error *error);

/* The same with the options that a load has. */
int symbols_read(struct symbols *symbols, const char *path, const char *build_id,
                 const char *sysroot, const char *symbols_dir, struct error *error);
void symbols_release(struct symbols *symbols);

/* The range that holds an address, or NULL. */
const struct symbol_range *symbols_range(const struct symbols *symbols, uint64_t address);

/* File and line of an address; *file is NULL where they are not known. For a call, give the return
 * address less 1. Reads the line table of the address's unit when it is asked for the first time.
 */
void symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);

/* The same, but where that line is a system header's (base/system_path.h), or not known: the first
 * line outwards along inlined calls that is not. Without such a line it is the innermost one. */
void symbols_own_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);
/* The translation unit of each function's code, by the function's index: SYMBOL_NONE where it is not
 * known or has copies in several. `units` has room for functions_count. */
void symbols_units(const struct symbols *symbols, uint32_t *units);

/* The identity of a function across builds: a hash of the module's name (last part of its path,
 * without what follows ".so"), the linkage name, and the last two parts of the source file's path
 * ("" where there is no file). */
uint64_t symbols_stable_id(const char *module_path, const char *linkage_name, const char *file);

#endif
