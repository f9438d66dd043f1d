/* Recipes of a module: see recipes.h. We find the calls of the hooks (hook_sites.c), read the call
 * frame information (call_frames.c), walk through the debug information for the places of
 * parameters at each call (recipe_walk.c, dwarf_places.c, recipe_values.c), and find the function
 * that each call names (recipe_functions.c). */
#include "debuginfo/recipes/recipes.h"

#include "base/shortage.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/recipes/recipe_cache.h"
#include "debuginfo/prototypes/prototypes.h"
#include "debuginfo/recipes/recipe_parts.h"
#include "debuginfo/symbols/symbol_trial.h"

_Static_assert((int)PLACE_REASONS_COUNT <= RECIPE_REASONS_MAX, "there is room for all reasons");
_Static_assert(PROTOTYPE_PARAMETERS_MAX == FISQL_RECIPE_VALUES_MAX, "as many as are recorded");

const char *recipes_reason(unsigned reason)
{
    static const char *const words[] = {
#define PLACE_REASON_WORDS(constant, words) words,
        PLACE_REASONS(PLACE_REASON_WORDS)
#undef PLACE_REASON_WORDS
    };
    return reason < PLACE_REASONS_COUNT ? words[reason] : NULL;
}

static int by_address(const void *left, const void *right)
{
    const struct fisql_recipe_hook *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/* Replaces the indexes of names by addresses of functions. */
static void name_functions(struct recipes *recipes, const struct function_copies *copies,
                           const struct recipe_names *names)
{
    size_t kept = 0;
    for (size_t i = 0; i < recipes->hooks_count; i++) {
        struct fisql_recipe_hook *hook = &recipes->hooks[i];
        hook->function = function_copies_find(copies, &names->items[hook->function]);
        if (hook->function != 0)
            recipes->hooks[kept++] = *hook;
        else
            recipes->nameless++;
    }
    recipes->hooks_count = kept;
    array_sort(recipes->hooks, kept, by_address);
}

static void try_walk(void *context)
{
    recipe_walk(context);
}

static int make(struct recipes *recipes, const struct symbol_files *files,
                const struct symbols_options *options, struct error *error)
{
    struct hook_sites sites = {0};
    struct call_frames frames = {0};
    struct function_copies copies = {0};
    struct recipe_names names = {0};
    struct x86_calls calls = {.known = false};
    bool known = prototypes_known(&files->module, options); /* it calls no hooks */
    int result = known ? 0
                       : hook_sites_find(&sites, &files->module,
                                         files->debug != NULL ? &files->debug->elf : NULL, error);
    recipes->sites = sites.count;
    recipes->instrumented = sites.count > 0;
    bool described = files->debug != NULL && !known;
    recipes->entries = (options->as_is || options->external) &&
                       (sites.count == 0 || options->as_is_hooked) &&
                       files->module.machine == EM_X86_64;
    if (recipes->entries)
        recipes->sites = !described; /* without debug information there are functions, too */
    if (result == 0 && (sites.count > 0 || recipes->entries) && !described)
        recipes->problem = "no debug information";
    if (result == 0 && recipes->entries && !described && (known || options->declared_by != NULL)) {
        const struct recipe_walk walk = {recipes, files,  options, &sites, &frames,
                                         &copies, &names, &calls,  error,  recipes->entries};
        result = function_copies_symbols(&copies, files, error);
        if (result == 0)
            result = recipe_declarations(&walk);
        recipe_entries_finish(recipes);
        if (recipes->hooks_count > 0)
            recipes->problem = NULL;
    }
    if (result == 0 && (sites.count > 0 || recipes->entries) && described) {
        result = call_frames_open(&frames, &files->module, files->debug, error);
        const struct recipe_walk walk = {recipes, files,  options, &sites, &frames,
                                         &copies, &names, &calls,  error,  recipes->entries};
        if (result == 0)
            result = function_copies_symbols(&copies, files, error);
        if (result == 0 && !symbol_trial(files->debug, try_walk, (void *)(uintptr_t)&walk))
            recipes->problem = "damaged debug information";
        else if (result == 0)
            result = recipe_walk(&walk);
        if (result == 0 && recipes->entries) {
            recipe_entries_finish(recipes);
        } else if (result == 0) {
            function_copies_finish(&copies);
            name_functions(recipes, &copies, &names);
        }
    }
    hook_sites_release(&sites);
    call_frames_close(&frames);
    function_copies_release(&copies);
    x86_calls_release(&calls);
    free(names.items);
    text_pool_release(&names.texts);
    return result;
}

int recipes_make(struct recipes *recipes, const char *path, const struct symbols_options *options,
                 struct error *error)
{
    struct symbol_files *files = calloc(1, sizeof *files);
    *recipes = (struct recipes){.problem = NULL};
    if (files == NULL)
        return error_set(error, "out of memory");
    struct symbols_options packed = *options; /* what is known needs no debug information */
    packed.names_only = packed.names_only || options->external;
    int result = symbol_files_find(files, path, "", &packed, &recipes->problem, error);
    bool known = files->module_open && prototypes_known(&files->module, options);
    if (result == 0 && options->external && !known)
        result = symbol_files_unpack(files, path, "", options, &recipes->problem, error);
    if (result == 0 && files->module_open && files->code && !known)
        result = recipe_cache_read(recipes, files, options->cache_dir, error);
    if (result == 0 && files->module_open && files->code) {
        result = make(recipes, files, options, error);
        if (result == 0 && recipes->problem == NULL && files->debug != NULL && !known &&
            !recipes->incomplete && recipes->sites > 0 && shortage_noted() == 0)
            recipe_cache_write(recipes, files, options);
    }
    if (result == 1)
        result = 0;
    symbol_files_close(files);
    free(files);
    return result;
}

void recipes_release(struct recipes *recipes)
{
    free(recipes->hooks);
    free(recipes->values);
    *recipes = (struct recipes){.problem = NULL};
}

bool recipes_module_is(const char *path, const char *build_id)
{
    struct elf_file file;
    bool is = elf_file_open(&file, path) == NULL &&
              strncmp(file.build_id, build_id, strlen(build_id)) == 0;
    elf_file_close(&file);
    return is;
}
