/*
 * The recipes that `fisql record --values` gives to the collector: see record_values.h.
 * debuginfo/recipes/recipes.h makes those of a module; we pick the wanted ones and put all into one
 * area.
 */
#include "cli/record/record_values.h"

#include "base/array.h"
#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/record/program_file.h"
#include "cli/record/record_expressions.h"
#include "cli/record/record_libraries.h"
#include "cli/record/record_patch.h"
#include "debuginfo/patch/patch_symbols.h"
#include "debuginfo/prototypes/exported_symbols.h"
#include "debuginfo/prototypes/system_calls.h"
#include "formats/live.h"
#include "formats/log.h"
#include "debuginfo/recipes/recipes.h"
#include "debuginfo/symbols/symbols.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* What is wanted of a module. */
struct module {
    char *path;
    struct fisql_recipe_hook *hooks;
    size_t hooks_count;
    struct fisql_recipe_value *values;
    size_t values_count, values_capacity;
};

struct making {
    const struct record_options *options;
    struct record_values *wanted;
    const char *image; /* the program's file; NULL = `patched` says what of this module is wanted */
    bool patched;
    struct module *modules;
    size_t modules_count, modules_capacity;
    char cache[PATH_MAX];
    const char *cache_dir;       /* NULL = none */
    size_t matches;              /* matching functions with hooks */
    size_t hooked;               /* modules with hooks, ... */
    size_t undescribed;          /* ... those of them without debug information */
    size_t silent;               /* ... and modules that are recorded as they are */
    char without[PATH_MAX + 64]; /* the first of these, and the reason */
};

/* ---- what takes long ---- */

/* Says after a second what is being read. */
struct patience {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t done_now;
    const char *path;
    bool done, started;
};

static void *wait_a_second(void *argument)
{
    struct patience *patience = argument;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&patience->lock);
    int result = 0;
    while (!patience->done && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&patience->done_now, &patience->lock, &until);
    if (!patience->done)
        note("reading the debug information of %s, to find arguments and results; it is kept for "
             "the next time",
             patience->path);
    pthread_mutex_unlock(&patience->lock);
    return NULL;
}

static void patience_begin(struct patience *patience, const char *path, bool quiet)
{
    *patience = (struct patience){.path = path};
    pthread_mutex_init(&patience->lock, NULL);
    pthread_cond_init(&patience->done_now, NULL);
    patience->started =
        !quiet && pthread_create(&patience->thread, NULL, wait_a_second, patience) == 0;
}

static void patience_end(struct patience *patience)
{
    pthread_mutex_lock(&patience->lock);
    patience->done = true;
    pthread_cond_signal(&patience->done_now);
    pthread_mutex_unlock(&patience->lock);
    if (patience->started)
        pthread_join(patience->thread, NULL);
    pthread_cond_destroy(&patience->done_now);
    pthread_mutex_destroy(&patience->lock);
}

/* ---- the wanted functions ---- */

/* `known`, by function of the module: 0 = not asked yet, 1 = unwanted, 2 = wanted. */
struct wanted {
    struct symbols symbols;
    unsigned char *known;
    struct module_expressions expressions;
};

/* Are only some functions wanted, or expressions? Then we need the functions' names. */
static bool is_choosy(const struct making *making)
{
    return making->wanted->patterns.count > 0 || making->wanted->expressions.count > 0;
}

static bool is_wanted(const struct making *making, struct wanted *wanted, uint64_t function)
{
    const struct record_values *values = making->wanted;
    if (values->system_calls || (values->functions && values->patterns.count == 0))
        return true;
    if (module_expressions_of(&wanted->expressions, function))
        return true;
    const struct symbol_range *range = symbols_range(&wanted->symbols, function);
    if (range == NULL)
        return false;
    unsigned char *known = &wanted->known[range->function];
    const struct symbol_function *symbol = &wanted->symbols.functions[range->function];
    /* Where there are ranges, there is this. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (*known != 0)
        return *known == 2;
    *known = 1;
    for (; symbol < wanted->symbols.functions + wanted->symbols.functions_count &&
           symbol->address == wanted->symbols.functions[range->function].address;
         symbol++)
        if (record_patterns_match(&values->patterns, symbol->name, symbol->file))
            *known = 2;
    return *known == 2;
}

/* Copies a value to an existing place, and its pieces or steps behind the values so far: `steps`;
 * NULL = those in the recipes. Returns 0 or -1. */
static int copy_value(struct module *module, const struct recipes *recipes,
                      struct fisql_recipe_value value, const struct fisql_recipe_value *steps,
                      size_t at)
{
    struct error error;
    if (value.where == FISQL_WHERE_PIECES || value.where == FISQL_WHERE_EXPRESSION) {
        const struct fisql_recipe_value *from =
            steps != NULL ? steps : recipes->values + value.constant;
        size_t first = module->values_count;
        if (array_reserve(&module->values, &module->values_capacity, first + value.base, &error) !=
            0)
            return -1;
        module->values_count += value.base;
        for (size_t i = 0; i < value.base; i++)
            if (copy_value(module, recipes, from[i], NULL, first + i) != 0)
                return -1;
        value.constant = first;
    }
    module->values[at] = value;
    return 0;
}

/* Copies what a call keeps for its exit, and the value there. */
static int copy_kept(struct module *module, const struct recipes *recipes,
                     const struct linked_expression *linked, size_t at)
{
    struct error error;
    size_t first = module->values_count;
    struct fisql_recipe_value value = linked->value;
    if (array_reserve(&module->values, &module->values_capacity, first + value.base, &error) != 0)
        return -1;
    module->values_count += value.base;
    value.constant = first;
    module->values[at] = value;
    size_t words = value.base - 1u - linked->if_changed;
    for (size_t i = 0; i < words; i++)
        if (copy_value(module, recipes, linked->steps[i], NULL, first + i) != 0)
            return -1;
    if (linked->if_changed &&
        copy_value(module, recipes, linked->entry, linked->entry_steps, first + words) != 0)
        return -1;
    return copy_value(module, recipes, linked->exit, linked->exit_steps, first + value.base - 1);
}

static int copy_expression(struct module *module, const struct recipes *recipes,
                           const struct linked_expression *linked, size_t at)
{
    if (linked->at_exit)
        return copy_kept(module, recipes, linked, at);
    bool has_steps = linked->value.where == FISQL_WHERE_EXPRESSION && !linked->whole;
    return copy_value(module, recipes, linked->value, has_steps ? linked->steps : NULL, at);
}

static int copy_hook(struct module *module, const struct recipes *recipes,
                     const struct module_expressions *expressions,
                     const struct fisql_recipe_hook *hook)
{
    struct error error;
    struct linked_expression linked;
    size_t first = module->values_count, count = hook->count;
    while (module_expressions_link(expressions, recipes, hook, count - hook->count, &linked))
        count++;
    if (array_reserve(&module->values, &module->values_capacity, first + count + 1, &error) != 0)
        return -1;
    module->values_count += count;
    for (size_t i = 0; i < hook->count; i++)
        if (copy_value(module, recipes, recipes->values[hook->first + i], NULL, first + i) != 0)
            return -1;
    for (size_t i = hook->count; i < count; i++)
        if (!module_expressions_link(expressions, recipes, hook, i - hook->count, &linked) ||
            copy_expression(module, recipes, &linked, first + i) != 0)
            return -1;
    module->hooks[module->hooks_count] = *hook;
    module->hooks[module->hooks_count].count = (uint16_t)count;
    module->hooks[module->hooks_count++].first = (uint32_t)first;
    return 0;
}

/* Adds the return of a patched function without a result: its hook has to be the one that records
 * values at the exit. */
static int add_return(struct module *module, const struct fisql_recipe_hook *hook)
{
    struct error error;
    const struct fisql_recipe_value absent = {.where = FISQL_WHERE_ABSENT};
    module->hooks[module->hooks_count] = *hook;
    module->hooks[module->hooks_count].count = 1;
    module->hooks[module->hooks_count++].first = (uint32_t)module->values_count;
    return array_add(&module->values, &module->values_count, &module->values_capacity, absent,
                     &error);
}

static int pick(struct making *making, const struct recipes *recipes, struct wanted *wanted,
                const char *path)
{
    struct error error;
    if (array_reserve(&making->modules, &making->modules_capacity, making->modules_count + 1,
                      &error) != 0)
        return -1;
    const struct record_values *values = making->wanted;
    struct module *module = &making->modules[making->modules_count];
    *module = (struct module){.path = strdup(path),
                              .hooks = calloc(recipes->hooks_count + 1, sizeof *module->hooks)};
    making->modules_count++;
    if (module->path == NULL || module->hooks == NULL)
        return -1;
    for (size_t i = 0; i < recipes->hooks_count; i++) {
        const struct fisql_recipe_hook *hook = &recipes->hooks[i];
        bool result = hook->count > 0 && !values->no_results;
        if ((values->system_calls && !hook->exit) || !is_wanted(making, wanted, hook->function))
            continue;
        if (hook->exit && !result) {
            if (hook->exit == FISQL_RECIPE_RETURN &&
                module_expressions_at_exit(&wanted->expressions, hook->function) &&
                add_return(module, hook) != 0)
                return -1;
            continue;
        }
        if (copy_hook(module, recipes, &wanted->expressions, hook) != 0)
            return -1;
    }
    making->matches += module->hooks_count;
    return 0;
}

/* Counts matching functions of a module without debug information. */
static size_t count_matches(struct making *making, struct wanted *wanted)
{
    size_t matches = 0;
    for (size_t i = 0; i < wanted->symbols.functions_count; i++)
        matches += wanted->symbols.functions[i].instrumented &&
                   is_wanted(making, wanted, wanted->symbols.functions[i].address);
    return matches;
}

/* Is it patched, without debug information? Then there are only registers, where they are asked
 * for. */
static bool is_silent(const struct recipes *recipes)
{
    return recipes->entries && recipes->problem != NULL;
}

static void note_silent(struct making *making, const struct recipes *recipes, const char *path)
{
    if (making->undescribed == 0 && making->silent++ == 0)
        snprintf(making->without, sizeof making->without, "%s: %s", path, recipes->problem);
}

/* Notes that a module has no recipes: nobody asks for them then. */
static int add_nothing(struct making *making, const char *path)
{
    const struct recipes none = {.hooks_count = 0};
    return pick(making, &none, NULL, path) == 0 ? 0 : fail("record: out of memory");
}

static int take(struct making *making, struct recipes *recipes,
                const struct symbols_options *options, const char *path)
{
    struct wanted wanted = {.known = NULL};
    struct error error;
    int result = 0;
    if (recipes->sites == 0)
        return 0;
    if (options->external && recipes->entries && recipes->problem != NULL)
        return add_nothing(making, path); /* nobody knows its prototypes */
    if (is_silent(recipes) && making->wanted->expressions.count == 0) {
        note_silent(making, recipes, path);
        return 0;
    }
    if (is_choosy(making)) {
        result = (options->external ? exported_symbols_open : patch_symbols_open)(
            &wanted.symbols, path, NULL, options, &error);
        wanted.known = calloc(wanted.symbols.functions_count + 1, 1);
        if (wanted.known == NULL)
            result = -1;
        if (result == 0)
            result = module_expressions_make(&wanted.expressions, &making->wanted->expressions,
                                             path, &wanted.symbols, options, &error);
        if (result == 0 && recipes->entries)
            result = module_expressions_registers(&wanted.expressions, recipes, &error);
    }
    /* A shell, for example, has none of the functions that are meant. */
    bool meant = module_expressions_of(&wanted.expressions, 0);
    if (is_silent(recipes) && (making->wanted->functions || !meant))
        note_silent(making, recipes, path);
    making->hooked += !is_silent(recipes) || meant;
    if (result == 0 && recipes->problem != NULL && !recipes->entries) {
        if (!is_choosy(making) || count_matches(making, &wanted) > 0) {
            if (making->undescribed++ == 0)
                snprintf(making->without, sizeof making->without, "%s: %s", path, recipes->problem);
        }
        result = pick(making, recipes, &wanted, path); /* so that nobody asks for it again */
    } else if (result == 0) {
        if (recipes->incomplete)
            note("%s: split debug information (.dwo) is missing, or in a package of DWARF 5: "
                 "arguments and results of "
                 "some functions are not recorded",
                 path);
        result = pick(making, recipes, &wanted, path);
    }
    if (is_choosy(making))
        symbols_release(&wanted.symbols);
    module_expressions_release(&wanted.expressions);
    free(wanted.known);
    return result == 0 ? 0 : fail("record: out of memory");
}

static int add_module(void *context, const char *path)
{
    struct making *making = context;
    struct recipes recipes;
    struct error error;
    struct patience patience;
    char full[PATH_MAX];
    struct symbols_options options = {.cache_dir = making->cache_dir};
    if (realpath(path, full) == NULL)
        return 0;
    options.as_is = making->image != NULL ? record_patch_takes(making->options, making->image, full)
                                          : making->patched;
    options.as_is_hooked = making->options->as_is > 1;
    options.external = options.all_modules = making->options->libs.calls && !options.as_is;
    options.system_calls = making->wanted->system_calls;
    if (options.system_calls && (!options.external || !system_calls_are_in(full)))
        return options.external ? add_nothing(making, full) : 0;
    if (options.as_is && making->wanted->image != NULL && strcmp(full, making->wanted->image) != 0)
        options.declared_by = making->wanted->image;
    patience_begin(&patience, full, making->wanted->quiet);
    int result = recipes_make(&recipes, full, &options, &error);
    result =
        result != 0 ? fail("%s: %s", path, error.text) : take(making, &recipes, &options, full);
    patience_end(&patience);
    recipes_release(&recipes);
    return result;
}

/* ---- the area ---- */

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

/* Puts bytes at the area's end; returns their offset. */
static uint64_t put(char *area, uint64_t *used, const void *bytes, size_t count)
{
    uint64_t at = *used;
    if (count > 0)
        memcpy(area + at, bytes, count);
    *used = rounded(at + count);
    return at;
}

static int make_area(const struct making *making, uint32_t string_max, char **out,
                     uint64_t *out_bytes)
{
    uint64_t bytes =
        sizeof(struct fisql_recipes) + making->modules_count * sizeof(struct fisql_recipe_module);
    uint64_t used = bytes;
    for (size_t i = 0; i < making->modules_count; i++) {
        const struct module *module = &making->modules[i];
        bytes += rounded(module->hooks_count * sizeof *module->hooks) +
                 rounded(module->values_count * sizeof *module->values) +
                 rounded(strlen(module->path));
    }
    char *area = calloc(1, bytes);
    if (area == NULL)
        return fail("record: out of memory");
    struct fisql_recipe_module *entries = (void *)(area + sizeof(struct fisql_recipes));
    for (size_t i = 0; i < making->modules_count; i++) {
        const struct module *module = &making->modules[i];
        entries[i].hooks_count = module->hooks_count;
        entries[i].hooks =
            put(area, &used, module->hooks, module->hooks_count * sizeof *module->hooks);
        entries[i].values_count = module->values_count;
        entries[i].values =
            put(area, &used, module->values, module->values_count * sizeof *module->values);
        entries[i].path_bytes = strlen(module->path);
        entries[i].path = put(area, &used, module->path, strlen(module->path));
    }
    const struct fisql_recipes head = {.magic = FISQL_RECIPES_MAGIC,
                                       .version = FISQL_RECIPES_VERSION,
                                       .modules = (uint32_t)making->modules_count,
                                       .string_max =
                                           string_max != 0 ? string_max : RECORD_STRING_MAX,
                                       .bytes = bytes};
    memcpy(area, &head, sizeof head);
    *out = area;
    *out_bytes = bytes;
    return 0;
}

static void release(struct making *making)
{
    for (size_t i = 0; i < making->modules_count; i++) {
        free(making->modules[i].path);
        free(making->modules[i].hooks);
        free(making->modules[i].values);
    }
    free(making->modules);
}

/* Is what is wanted named, where it may be a library's function? */
static bool may_mean_libraries(const struct making *making)
{
    return making->options->libs.calls &&
           (!making->wanted->functions || making->wanted->patterns.count > 0);
}

/* Is there anything to record? Says what is missing. */
static int check(const struct making *making, const char *program)
{
    const struct record_values *values = making->wanted;
    if (making->undescribed > 0 && making->matches == 0)
        return fail("%s: arguments and results cannot be found: build with -g (`fisql cc` does so "
                    "by itself)",
                    making->without);
    /* What was asked for by name may be a library's. */
    if (making->undescribed == 0 && making->matches > 0 && may_mean_libraries(making))
        return 0;
    if (making->undescribed > 0 || making->silent > 0)
        note("%s: its arguments and results are not recorded%s", making->without,
             making->silent > 0 ? "; --value 'FUNCTION: registers' records the registers of a "
                                  "function's arguments, raw"
                                : "");
    if (making->silent > 0)
        snprintf(making->wanted->without, RECORD_WITHOUT, "%.500s", making->without);
    if (making->hooked > 0 && making->matches == 0 && values->patterns.count > 0)
        return record_patterns_fail(&values->patterns, program, "--values: ");
    return 0;
}

/* A making, with its folder of caches; NULL without memory. */
static struct making *making_new(const struct record_options *options, struct record_values *wanted)
{
    struct making *making = calloc(1, sizeof *making);
    if (making == NULL)
        return NULL;
    making->options = options;
    making->wanted = wanted;
    making->cache_dir = cache_folder(making->cache, sizeof making->cache);
    return making;
}

int record_values_make(struct record_options *options, const char *program)
{
    struct record_values *values = &options->values;
    char image[PATH_MAX];
    if ((!values->wanted && !values->system_calls) || !program_image(program, image))
        return 0; /* running it says why */
    struct program_file file;
    program_file_look(&file, program);
    if (values->wanted && (file.collector || (file.is_static && file.hooks)))
        return fail("%s: it holds the collector that records no arguments and results: link it "
                    "without -static and without `fisql cc --static-runtime`",
                    program);
    struct making *making = making_new(options, values);
    values->image = strdup(image);
    if (making == NULL || values->image == NULL) {
        free(making);
        return fail("record: out of memory");
    }
    making->image = image;
    int result = program_modules(image, options->libs.calls, add_module, making);
    if (result == 0)
        result = check(making, program);
    if (result == 0 && making->hooked > 0) /* otherwise it runs others, as env and sh do */
        result = record_expressions_check(&values->expressions, program);
    if (result == 0)
        result = make_area(making, values->string_max, &values->recipes, &values->recipes_bytes);
    release(making);
    free(making);
    return result;
}

static bool is_module(const struct fisql_late_module *module)
{
    struct stat status;
    return stat(module->path, &status) == 0 && (uint64_t)status.st_dev == module->device &&
           (uint64_t)status.st_ino == module->inode &&
           recipes_module_is(module->path, module->build_id);
}

void record_values_of(const struct record_options *options, const struct fisql_late_module *module,
                      bool patched, char **area, uint64_t *bytes, char *without)
{
    struct record_values own =
        options->values; /* a copy: what it notes of patterns is not needed */
    *area = NULL;
    without[0] = 0;
    if ((library_is_libc(module->path) && !options->libs.calls) || !is_module(module))
        return;
    struct making *making = making_new(options, &own);
    if (making == NULL)
        return;
    making->patched = patched;
    if (add_module(making, module->path) == 0 && making->matches > 0) {
        char *known_as = strdup(module->path);
        if (known_as != NULL) {
            free(making->modules[0].path);
            making->modules[0].path = known_as;
            make_area(making, own.string_max, area, bytes);
        }
    } else if (making->silent > 0 && !may_mean_libraries(making)) {
        snprintf(without, RECORD_WITHOUT, "%.500s", making->without);
    } else if (making->undescribed > 0) {
        note("%s: its arguments and results are not recorded", making->without);
    }
    release(making);
    free(making);
}

void record_values_text(const struct record_values *values, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    if (values->system_calls)
        used = (size_t)snprintf(text, size, FISQL_VALUES_SYSTEM_CALLS);
    for (size_t i = 0; i < values->patterns.count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "",
                                 values->patterns.items[i]);
    bool all = values->functions && values->patterns.count == 0;
    for (size_t i = 0; !all && i < values->expressions.count && used < size; i++)
        used += values->expressions.items[i].joins
                    ? 0
                    : (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "",
                                       values->expressions.items[i].pattern);
}
