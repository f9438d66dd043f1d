/*
 * The recorded program: its modules with their symbols, and the functions and call sites that the
 * database will have. Addresses in a process's memory are resolved to functions and sites here, by
 * where modules lay at the time; what lies in no module still gets a function of its own.
 *
 * program_function() and program_site() may be called by several threads at once; they take a lock,
 * so callers keep what they found. The rest is for one thread.
 */
#ifndef FISQL_LOADER_PROGRAM_PROGRAM_H
#define FISQL_LOADER_PROGRAM_PROGRAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/slots.h"
#include "loader/log/log_index.h"
#include "debuginfo/symbols/symbols.h"

struct program_module {
    const char *path, *build_id; /* borrowed from the index; build_id may be NULL */
    struct symbols symbols;
    uint64_t patched;        /* functions that were patched; of several loads the most */
    const char *unpatched;   /* why none could be; NULL = some were, or nobody tried; borrowed */
    uint32_t first_function; /* functions.id of its inventory's first; 0 = the inventory is no part
                                of the program's functions (program_name_called()) */
};

struct program_function {
    uint32_t module; /* modules.id, 0 = none */
    uint64_t address;
    const struct symbol_function *symbol; /* NULL = unknown */
    const struct log_point *point; /* NULL; else it is a scope made by hand, or another tool's
                                    * function, and has no symbol */
    bool called;
    bool external; /* of a library that was not recorded itself: others' calls of it were */
};

struct program {
    const struct log_index *index;
    bool by_others;                 /* another tool recorded it, and not by hooks of ours */
    struct program_module *modules; /* modules[id - 1] */
    size_t modules_count, modules_capacity;
    uint32_t *module_of_load;           /* modules.id by index in log_index.modules */
    struct program_function *functions; /* functions[id - 1] */
    size_t functions_count, functions_capacity;
    struct slots scopes;   /* functions.id - 1 of scopes made by hand, by function, file and line */
    struct intern unknown; /* functions that no symbol names, by module and address */
    uint32_t *unknown_ids;
    size_t unknown_capacity;
    struct intern sites;               /* sites.id - 1 by module and address */
    uint32_t *site_functions;          /* functions.id by sites.id - 1: program_name_sites() */
    struct symbol_function *externals; /* symbols of external functions */
    size_t externals_count;
    struct text_pool external_names;
    pthread_mutex_t lock;
};

/* Reads the symbols of every module of the index. The index is borrowed. */
MUST_CHECK int program_open(struct program *program, const struct log_index *index,
                            const struct symbols_options *options, struct error *error);
void program_release(struct program *program);

/* Names functions that were called and lie in modules without hooks. There are such: those of
 * library calls, named as their callers name them; and clang puts hooks into inlined bodies of
 * functions whose address is that of a library's copy. To be called when all is decoded. */
MUST_CHECK int program_name_called(struct program *program, const struct symbols_options *options,
                                   struct error *error);

/* Finds the functions that sites lie in; those in modules without hooks are added to the program's,
 * named by symbol tables alone. To be called after program_name_called(). */
MUST_CHECK int program_name_sites(struct program *program, const struct symbols_options *options,
                                  struct error *error);

/* Reads the line tables of all sites, which program_site_line() keeps. */
void program_read_lines(struct program *program);

/* functions.id of another function; symbol may be NULL. */
MUST_CHECK int program_add_function(struct program *program, uint32_t module, uint64_t address,
                                    const struct symbol_function *symbol, uint32_t *id,
                                    struct error *error);

/* A point of a process; NULL = not known. A forked child has its parent's. */
const struct log_point *program_point(const struct program *program, uint32_t process,
                                      uint32_t number);

/* functions.id of the function at an address of a process (index in log_index.processes) at a tick.
 */
MUST_CHECK int program_function(struct program *program, uint32_t process, uint64_t address,
                                uint64_t tick, uint32_t *id, struct error *error);
/* sites.id of the site at such an address. */
MUST_CHECK int program_site(struct program *program, uint32_t process, uint64_t address,
                            uint64_t tick, uint32_t *id, struct error *error);

/* The symbol of the function that begins at an address of a process at a tick; NULL where none does
 * that the symbols of a module name. Adds nothing to the program: any threads may ask. */
const struct symbol_function *program_symbol(const struct program *program, uint32_t process,
                                             uint64_t address, uint64_t tick);

/* Is the module of a load (index in log_index.modules) there in a process at a tick? */
bool program_has_load(const struct program *program, size_t load, uint32_t process, uint64_t tick);

/* Module (modules.id, 0 = none) and address of a function of the program. */
void program_function_place(struct program *program, uint32_t function, uint32_t *module,
                            uint64_t *address);

/* The point that a function is made of; NULL = it has none. */
const struct log_point *program_function_point(struct program *program, uint32_t function);

/* File and line of the user's own code for a site (sites.id): symbols_own_line(). NULL where it has
 * none, lying in a copy of a system header's function that has no hooks. */
void program_site_line(struct program *program, uint32_t site, const char **file, uint32_t *line);

/* *place: where the code of `function` (functions.id, 0 = none) led to a site in a system's
 * function without hooks (a copy of a template of the standard library that allocates, say), if the
 * code leaves no doubt; else the site itself. *fixed: it is so for all functions. */
MUST_CHECK int program_place(struct program *program, uint32_t site, uint32_t function,
                             uint32_t *place, bool *fixed, struct error *error);

/* Is it the user's own: is its source no system's (base/system_path.h)? Where the source is not
 * known: does it lie in a module with hooks? */
bool program_own(const struct program *program, const struct program_function *function);

/* modules.id of the module that a function is booked to. Where a function was called that lies in a
 * library without hooks, the call was made in a body of it that the program has
 * (program_name_called above): it is the program's. */
uint32_t program_booked_module(const struct program *program,
                               const struct program_function *function);

#endif
