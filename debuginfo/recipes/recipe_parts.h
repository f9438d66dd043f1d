/* What the files of recipes.c share; nobody else includes it. */
#ifndef FISQL_DEBUGINFO_RECIPES_RECIPE_PARTS_H
#define FISQL_DEBUGINFO_RECIPES_RECIPE_PARTS_H

#include "debuginfo/dwarf/call_frames.h"
#include "debuginfo/dwarf/dwarf_places.h"
#include "debuginfo/dwarf/dwarf_prototypes.h"
#include "debuginfo/x86/hook_sites.h"
#include "debuginfo/x86/x86_calls.h"
#include "debuginfo/recipes/recipes.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/elf/exported.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbols.h"

/* Puts the value of a place at `index` of the recipes' values, which exists, and its pieces after
 * the last one. Returns the reason if it cannot be expressed and stays absent; -1 without
 * memory. */
int recipe_value_put(struct recipes *recipes, size_t index, const struct dwarf_type *type,
                     const struct dwarf_type *target, const struct places *places,
                     struct error *error);

/* The places of parameters by the entry of a copy. */
struct recipe_locations {
    const struct prototype *prototype;
    struct dwarf_value where[PROTOTYPE_PARAMETERS_MAX];
    struct dwarf_value views[PROTOTYPE_PARAMETERS_MAX]; /* of lists: see dwarf_location_begins() */
    struct dwarf_value constant[PROTOTYPE_PARAMETERS_MAX];
    bool other_constant[PROTOTYPE_PARAMETERS_MAX]; /* in a form that we do not read */
    unsigned next;                                 /* where the search for the next one begins */
};
/* Reads them; `prototype` is set, the rest is 0. */
void recipe_locations_read(Dwarf_Debug debug, Dwarf_Die die, struct recipe_locations *locations);
/* The place in DW_AT_const_value. */
enum place_reason recipe_constant_place(const struct dwarf_value *value, unsigned size_bytes,
                                        struct places *places);

/* Do two hooks of these recipes say the same of their calls? */
bool recipes_are_same(const struct recipes *recipes, const struct fisql_recipe_hook *one,
                      const struct fisql_recipe_hook *other);

enum place_reason recipe_result(struct dwarf_types *types, const struct dwarf_type *type,
                                struct fisql_recipe_value *value);

/* Replaces a result's place after the return by its place at the exit hook's call; false if that is
 * unknown. */
bool recipe_result_at_hook(const struct elf_file *module, uint64_t after, bool frame_pointer,
                           struct fisql_recipe_value *value);

/* The size of a type's values in their place; 0 = not recorded, *reason says why. */
unsigned recipe_bytes(const struct dwarf_type *type, enum place_reason *reason);

/* A function's copy with code. */
struct function_copy {
    uint64_t origin; /* of its abstract entry; unique in the module */
    uint64_t start;
    bool clone;    /* under another name, for constant arguments for instance: hooks do not name
                    * it */
    bool deleting; /* a destructor that frees */
};

struct function_copies {
    struct function_copy *items;
    size_t count, capacity;
    struct named_code *names; /* functions of the symbol tables, in their order */
    size_t names_count, names_capacity;
    struct named_code *by_address; /* the same, by address */
};

int function_copies_add(struct function_copies *copies, uint64_t origin, uint64_t start,
                        struct error *error);

/* Prepares the copies for questions. After function_copies_symbols(). */
void function_copies_finish(struct function_copies *copies);

struct recipe_name {
    uint64_t origin;          /* the function's abstract entry */
    uint64_t own;             /* start of the copy that calls the hook; 0 = inlined there */
    const char *linkage_name; /* NULL = none */
};

/* What the symbols at a function's start say. Only after function_copies_symbols(). */
enum function_symbol {
    FUNCTION_NAMELESS,
    FUNCTION_CLONE, /* perhaps with other parameters than the source has */
    FUNCTION_LOCAL,
    FUNCTION_HIDDEN, /* a linker made it local, after the compiler */
    FUNCTION_GLOBAL
};
int function_copies_symbols(struct function_copies *copies, const struct symbol_files *files,
                            struct error *error);
enum function_symbol function_copies_symbol(const struct function_copies *copies, uint64_t start);

/* The address by which hooks name a function; 0 = unknown. */
uint64_t function_copies_find(const struct function_copies *copies, const struct recipe_name *name);
void function_copies_release(struct function_copies *copies);

/* Walks through the debug information. Fills the recipes' hooks (->function: the function's index
 * in `names`) and the copies. */
struct recipe_names {
    struct recipe_name *items;
    size_t count, capacity;
    struct text_pool texts;
};
struct recipe_walk {
    struct recipes *recipes;
    const struct symbol_files *files;
    const struct symbols_options *options;
    const struct hook_sites *sites;
    const struct call_frames *frames;
    struct function_copies *copies;
    struct recipe_names *names;
    struct x86_calls *calls; /* found when they are first needed */
    struct error *error;
    bool entries; /* make recipes of patched entries instead of calls of hooks */
};
int recipe_walk(const struct recipe_walk *walk);

/* ---- of patched entries (recipe_entries.c) ---- */

/* A function with code, as the walk finds it. */
struct recipe_function {
    const struct recipe_walk *walk;
    struct dwarf_types *types;
    const struct dwarf_unit_context *unit;
    Dwarf_Debug debug; /* of the entry */
    Dwarf_Die die;
    struct dwarf_value frame_base;
    uint64_t start, end; /* of its code */
    bool declared;       /* by another module, whose entry this is; `end` is not known */
};
/* Adds the recipes of its entry and of its return. Returns 0, or -1 without memory. */
int recipe_entry_add(const struct recipe_function *function);
/* Adds the recipes of a module without debug information whose functions another file declares
 * (symbols_options.declared_by). Returns 0, or -1 without memory. */
int recipe_declarations(const struct recipe_walk *of_module);
/* Sorts the recipes, and drops those of code that several functions claim. */
void recipe_entries_finish(struct recipes *recipes);

#endif
