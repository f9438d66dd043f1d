/*
 * Symbols of a module: its functions with names, files and lines, which of them call the hooks, and
 * an address's line. Read from DWARF (libdwarf; in the module, or in a separate file found by
 * build-id or debug link), else from the ELF symbol tables; of a stripped module from its
 * MiniDebugInfo and its exported symbols.
 *
 * Addresses are those in the module's file, without bias. A module that is missing, or has another
 * build-id than the recording's, has no functions and says so in `problem`: rather no names than
 * wrong ones.
 *
 * A function is all copies that the compiler made of it. Clones (.constprop, .isra, .part), cold
 * parts, and the copies of a header's static function in a module's units are pieces of its code.
 * Both compilers pass the out-of-line function's address to the hooks even where its body was
 * inlined. So an instrumented function has code of its own and is in the inventory even if all its
 * calls were inlined. The variants of a C++ constructor or destructor (complete, base, deleting)
 * with code of their own call each other, so each is a function, labelled in its name. `same_as`
 * joins them: such a function is dead only if no variant was called.
 *
 * A module that is recorded as it is, without hooks of its own, can have calls of any function. With
 * the option `frames` those without a symbol are in the inventory as module+0x1234, by their
 * address.
 *
 * After reading, one thread at a time uses a struct symbols (it reads lines on demand); threads may
 * use different ones. symbols_range() only reads. Strings are owned by the struct and live until
 * symbols_release().
 */
#ifndef FISQL_DEBUGINFO_SYMBOLS_SYMBOLS_H
#define FISQL_DEBUGINFO_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_pool.h"

#define SYMBOL_NONE UINT32_MAX

/* Which code sees a function's body, so that the compiler may inline it. */
enum symbol_scope {
    SYMBOL_SCOPE_UNKNOWN,
    SYMBOL_SCOPE_STATIC, /* only its translation unit calls it */
    SYMBOL_SCOPE_WEAK,   /* in each unit that calls it: C++ inline functions and templates */
    SYMBOL_SCOPE_GLOBAL  /* defined in one unit, called from any */
};

struct symbol_function {
    uint64_t address, size;   /* of its main copy; size 0 = unknown */
    const char *name;         /* demangled */
    const char *linkage_name; /* NULL if it is the name */
    const char *file;         /* path of the source file; NULL = unknown */
    uint32_t line;            /* of the definition; 0 = unknown */
    bool instrumented;        /* its own code calls the hooks, or its entry is patched */
    bool inlined;             /* the compiler inlined it somewhere, even with its hooks */
    uint32_t
        inlined_copies; /* that the compiler made of it in others' code, by DWARF; 0 = none, not
                               * known, or the module has hooks, which inlined copies call too */
    enum symbol_scope scope;
    uint32_t call_targets; /* distinct functions that its code calls by name, without those that the
                            * compiler adds; SYMBOL_NONE = unknown */
    uint32_t call_sources; /* distinct functions whose code calls it so, without itself */
    const char *unpatched; /* of a module that was patched: why the function was not; else NULL */
    uint64_t stable_id;    /* the same in other builds: see symbols_stable_id() */
    uint32_t same_as;      /* index of the first variant of the constructor or destructor, one
                            * function in the source; of other functions their own */
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
    const char *module_file;           /* with as_is: path of its file, as found; NULL = none */
    bool instrumented;                 /* the module calls or imports the hooks, or is patched */
    struct symbol_function *functions; /* by address */
    size_t functions_count, functions_capacity;
    struct symbol_range *ranges; /* by start */
    size_t ranges_count, ranges_capacity;
    struct text_pool texts;
    struct symbol_lines *lines; /* NULL = none */
    struct symbol_code *code;   /* NULL = none */
    char *cached_texts;         /* texts of a cached inventory */
    bool cached;                /* came from the cache */
    bool inlines; /* the debug information has inlined copies of functions that are not a system's:
                   * the compiler optimised. Not looked for in modules with hooks */
};

struct symbols_options {
    const char *sysroot;     /* folder under which paths are looked up; NULL = / */
    const char *symbols_dir; /* folder of separate debug files or modules; NULL = none */
    const char *cache_dir;   /* folder of inventories by build-id; NULL = none */
    bool cache_all;          /* even what reads in no time (for tests) */
    unsigned threads;        /* that read units; 0 = one a core */
    bool all_modules;        /* even modules that neither hold nor import the hooks */
    bool names_only;         /* only what symbol tables say, without lines */
    /* Told before the servers of DEBUGINFOD_URLS are asked for the debug information of the module
     * at `path`. NULL: they are not asked. */
    void (*asking)(void *context, const char *path);
    void *asking_context;
    /* The module was patched to be recorded as it is: functions without a symbol count, too, which
     * unwind information knows (patch_symbols.h). */
    bool as_is;
    bool as_is_hooked; /* even if it calls the hooks, which then do nothing (--as-is) */
    /* A program that calls functions of the module: its debug information declares them, should the
     * module have none. NULL = none. For parameters and recipes. */
    const char *declared_by;
    const char *declared_by_id; /* its build_id, as for symbols_open(); NULL = any */
    /* A library that is not recorded itself, only what is called of it: it may be one whose prototypes
     * we have (debuginfo/prototypes/prototypes.h). For parameters and recipes. */
    bool external;
    bool
        system_calls; /* of such a library only the wrappers of system calls (prototypes/system_calls.h) */
};

/* Reads the module at `path`, whose build_id in the recording is hexadecimal (NULL or "" = none).
 * Looks for separate files under symbols_dir (as .build-id/xx/yyy.debug, by their last path part,
 * and by their whole path), under sysroot (/usr/lib/debug), and in the cache of debuginfod, whose
 * servers are asked if the options say so. Returns 0, also for a module without
 * symbols, or -1 without memory. Release it in both cases. */
int symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                 const struct symbols_options *options, struct error *error);

void symbols_release(struct symbols *symbols);

/* The range that holds an address, or NULL. */
const struct symbol_range *symbols_range(const struct symbols *symbols, uint64_t address);

/* File and line of an address; *file is NULL if unknown. For a call, give the return address less
 * 1. The first question about a unit reads its line table. */
void symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);

/* The same, but if that line is unknown or a system header's (base/system_path.h), the innermost
 * line outwards along inlined calls that is neither, if there is one. */
void symbols_own_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line);
/* The translation unit of each function's code, by the function's index: SYMBOL_NONE if it is
 * unknown or there are copies in several. `units` has room for functions_count. */
void symbols_units(const struct symbols *symbols, uint32_t *units);

/* A function's identity across builds: a hash of the module's name (last part of its path, without
 * what follows ".so"), the linkage name, and the last two parts of the source file's path ("" = no
 * file). */
uint64_t symbols_stable_id(const char *module_path, const char *linkage_name, const char *file);

#endif
