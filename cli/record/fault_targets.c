/* Finds the hook calls that rules mean: see fault_targets.h. */
#include "cli/record/fault_targets.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/record/record_patch.h"
#include "debuginfo/recipes/hook_frames.h"
#include "debuginfo/expressions/parameters.h"
#include "debuginfo/patch/patch_symbols.h"
#include "debuginfo/recipes/recipes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A module while we search it. */
struct look {
    struct fault_search *search;
    struct fault_module *module;
    struct symbols symbols;
    struct recipes recipes;
    struct hook_frames *frames;
    struct parameters *parameters;
    uint64_t *targets; /* by function: a bit for each rule that names it */
};

static struct fault_rule *rule_at(const struct look *look, size_t index)
{
    return &look->search->faults->rules[index];
}

static bool matches(const char *pattern, const struct symbol_function *function)
{
    const struct record_patterns patterns = {.items = &pattern, .count = 1};
    return record_patterns_match(&patterns, function->name, NULL);
}

/* ---- names ---- */

static int add_name(struct fault_search *search, const char *name)
{
    struct error error;
    if (array_reserve(&search->names, &search->names_capacity, search->names_count + 1, &error) !=
        0)
        return -1;
    char *copy = strndup(name, strcspn(name, "("));
    if (copy == NULL)
        return -1;
    search->names[search->names_count++] = copy;
    return 0;
}

/* Is the body inlined wherever the function is called, so that nothing calls its own code? */
static bool is_inlined(const struct symbol_function *function)
{
    return function->inlined && function->call_sources == 0 &&
           (function->scope == SYMBOL_SCOPE_STATIC || function->scope == SYMBOL_SCOPE_WEAK);
}

/* Notes which functions the rules name. Returns whether a function with hooks is among them, or -1
 * without memory. */
static int match_functions(struct look *look, bool *inside)
{
    struct fault_search *search = look->search;
    bool any = false;
    *inside = false;
    for (size_t i = 0; i < look->symbols.functions_count; i++) {
        const struct symbol_function *function = &look->symbols.functions[i];
        if (function->instrumented && add_name(search, function->name) != 0)
            return -1;
        for (size_t k = 0; k < search->faults->rules_count; k++) {
            const struct fault_rule *rule = rule_at(look, k);
            struct fault_found *found = &search->found[k];
            if (rule->made.kind == FISQL_FAULT_FUNCTION && matches(rule->target, function)) {
                found->functions++;
                found->hooked += function->instrumented;
                if (function->unpatched != NULL)
                    found->unpatched = function->unpatched;
                found->called += function->instrumented && !is_inlined(function);
                look->targets[i] |= (uint64_t)1 << k;
                any = any || function->instrumented;
            }
            if (rule->inside != NULL && function->instrumented && matches(rule->inside, function)) {
                found->places++;
                *inside = true;
            }
        }
    }
    return any;
}

/* ---- `in` ---- */

static int by_place(const void *left, const void *right)
{
    const struct fisql_fault_place *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/* Adds the addresses by which hooks name the functions of `in`: each begins a piece of a function's
 * code. */
static int add_places(struct look *look)
{
    struct fault_module *module = look->module;
    const struct fault_search *search = look->search;
    struct error error;
    for (size_t i = 0; i < look->symbols.ranges_count; i++) {
        const struct symbol_range *range = &look->symbols.ranges[i];
        const struct symbol_function *function = &look->symbols.functions[range->function];
        uint64_t rules = 0;
        for (size_t k = 0; k < search->faults->rules_count; k++) {
            const char *pattern = rule_at(look, k)->inside;
            if (pattern != NULL && function->instrumented && matches(pattern, function))
                rules |= (uint64_t)1 << k;
        }
        if (rules == 0)
            continue;
        if (array_reserve(&module->places, &module->places_capacity, module->places_count + 1,
                          &error) != 0)
            return -1;
        module->places[module->places_count++] = (struct fisql_fault_place){range->start, rules};
    }
    if (module->places_count > 0)
        qsort(module->places, module->places_count, sizeof *module->places, by_place);
    return 0;
}

/* ---- results ---- */

static bool is_word(const struct parameter *result)
{
    switch (result->type->kind) {
    case PARAMETER_SIGNED:
    case PARAMETER_UNSIGNED:
    case PARAMETER_BOOL:
    case PARAMETER_CHAR:
    case PARAMETER_ENUM:
    case PARAMETER_POINTER:
    case PARAMETER_FUNCTION:
    case PARAMETER_TEXT: /* the size excludes std::string */
        return !result->is_reference && result->type->size_bytes <= 8;
    default:
        return false;
    }
}

/* Sets the rule's return value for a function with this result (NULL = none). Returns what is
 * wrong, or NULL. */
static const char *set_result(struct fault_rule *rule, const struct parameter *result,
                              const struct fault_found *found)
{
    struct fisql_fault_rule made = rule->made;
    if (made.after && rule->value == FAULT_VALUE_NONE && made.error != 0)
        return NULL; /* the result stays */
    if (result == NULL && rule->value != FAULT_VALUE_NONE)
        return "it returns nothing (void): say `return` alone";
    if (result == NULL)
        return NULL;
    if (rule->value == FAULT_VALUE_NONE)
        return made.after ? "it returns a value: say which, or `errno NAME`"
                          : "it returns a value: say which";
    if (result->type->kind == PARAMETER_FLOAT && !result->is_reference &&
        (result->type->size_bytes == 4 || result->type->size_bytes == 8)) {
        double number =
            rule->value == FAULT_VALUE_FLOAT ? rule->number : (double)(int64_t)made.value;
        float small = (float)number;
        if (found->first == NULL)
            made.value = 0;
        if (result->type->size_bytes == 4)
            memcpy(&made.value, &small, sizeof small);
        else
            memcpy(&made.value, &number, sizeof number);
        made.in_vector = 1;
    } else if (!is_word(result)) {
        return "a result of this type cannot be made: integers, pointers, float and double can";
    } else if (rule->value == FAULT_VALUE_FLOAT) {
        return "it returns an integer or a pointer, no decimal number";
    }
    if (found->first != NULL &&
        (made.in_vector != rule->made.in_vector || made.value != rule->made.value))
        return "its result is of another kind: give it a rule of its own";
    rule->made = made;
    if (made.in_vector && rule->value == FAULT_VALUE_INTEGER) {
        rule->value = FAULT_VALUE_FLOAT;
        rule->number = (double)(int64_t)made.value;
    }
    return NULL;
}

static const struct parameter *parameter_named(const struct parameter *all, size_t count,
                                               const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].position > 0 && strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static const struct parameter *parameter_of_result(const struct parameter *all, size_t count)
{
    return count > 0 && all[0].position == 0 ? &all[0] : NULL;
}

/* Says which arguments the function has instead. */
static void wrong_argument(const struct fault_rule *rule, const struct fault_when *when,
                           const char *function, const struct parameter *all, size_t count)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof names; i++)
        if (all[i].position > 0)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", all[i].name);
    fault_rule_wrong(rule->text, when->at, "--fault", "%s has no argument `%s`: %s%s", function,
                     when->name, names[0] != 0 ? "there are " : "there are none", names);
}

/* Sets the value for a function of which nothing is known: a word, or a double. */
static const char *set_result_unseen(struct fault_rule *rule, const struct fault_found *found)
{
    bool in_vector = rule->value == FAULT_VALUE_FLOAT;
    if (found->first != NULL && rule->made.in_vector != in_vector)
        return "its result is of another kind: give it a rule of its own";
    rule->made.in_vector = in_vector;
    if (in_vector)
        memcpy(&rule->made.value, &rule->number, sizeof rule->number);
    return NULL;
}

/* ---- hook calls ---- */

/* The recipe of a patched entry; NULL = the debug information does not have the function. */
static const struct fisql_recipe_hook *entry_recipe(const struct look *look, uint64_t address)
{
    size_t low = 0, high = look->recipes.hooks_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (look->recipes.hooks[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < look->recipes.hooks_count && look->recipes.hooks[low].address == address
               ? &look->recipes.hooks[low]
               : NULL;
}

/* Are the parameters and the result of its function known? */
static bool is_described(const struct look *look, const struct fisql_recipe_hook *hook)
{
    return !look->recipes.entries || entry_recipe(look, hook->address) != NULL;
}

/* Does the rule take the hook call? Adds the values for its conditions on arguments. -1 after
 * saying what is wrong. */
static int take_call(struct look *look, size_t index, const struct fisql_recipe_hook *from,
                     const struct fisql_fault_hook *hook, const char *name)
{
    struct fault_search *search = look->search;
    struct fault_rule *rule = rule_at(look, index);
    struct fault_found *found = &search->found[index];
    struct error error;
    bool returns = rule->made.action == FISQL_FAULT_RETURN;
    bool leaves = returns || rule->made.action == FISQL_FAULT_THROW || rule->made.after;
    if (leaves && from->cfa_register != 0) {
        found->inlined++;
        return 0;
    }
    if (leaves && !hook->can_return)
        return 0;
    size_t count = 0;
    const struct parameter *all = parameters_of(look->parameters, from->function, &count);
    if (returns) {
        const char *problem = is_described(look, from)
                                  ? set_result(rule, parameter_of_result(all, count), found)
                                  : set_result_unseen(rule, found);
        if (problem != NULL) {
            fault_rule_wrong(rule->text, 0, "--fault", "%s: %s", name, problem);
            return -1;
        }
        if (found->first == NULL)
            found->first = strdup(name);
    }
    if (rule->made.whens_count > 0 && !is_described(look, from)) {
        found->undescribed = true;
        return 0;
    }
    for (uint8_t i = 0; i < rule->made.whens_count; i++) {
        const struct parameter *parameter = parameter_named(all, count, rule->whens[i].name);
        if (parameter == NULL) {
            wrong_argument(rule, &rule->whens[i], name, all, count);
            return -1;
        }
        if (parameter->position > from->count)
            break;
        struct fisql_recipe_value value =
            look->recipes.values[from->first + parameter->position - 1];
        if (value.where == FISQL_WHERE_ABSENT || value.where == FISQL_WHERE_PIECES) {
            found->unknown++;
            search->values.count -= i;
            return 0;
        }
        if (array_reserve(&search->values.items, &search->values.capacity, search->values.count + 1,
                          &error) != 0) {
            fail("record: out of memory");
            return -1;
        }
        search->values.items[search->values.count++] = value;
    }
    /* A function without a result may jump to the exit hook: then that is not listed. */
    found->taken += !rule->made.after || look->recipes.entries ||
                    (is_described(look, from) && parameter_of_result(all, count) == NULL);
    return 1;
}

/* Adds a hook call that rules name, if any does. */
static int put_hook(struct fault_module *module, const struct fisql_fault_hook *hook)
{
    struct error error;
    if (hook->rules == 0)
        return 0;
    if (array_reserve(&module->hooks, &module->hooks_capacity, module->hooks_count + 1, &error) !=
        0)
        return fail("record: out of memory");
    module->hooks[module->hooks_count++] = *hook;
    return 0;
}

/* Adds the exit hook before a return of a function that rules with `after` name. */
static int add_exit(struct look *look, const struct fisql_recipe_hook *from)
{
    const struct symbol_range *range = symbols_range(&look->symbols, from->function);
    struct fisql_fault_hook hook = {.address = from->address, .function = from->function};
    hook_frames_at(look->frames, &hook);
    hook.exit = 1;
    uint64_t targets = range != NULL && hook.can_return ? look->targets[range->function] : 0;
    for (uint64_t left = targets; left != 0; left &= left - 1) {
        size_t index = (size_t)__builtin_ctzll(left);
        if (!rule_at(look, index)->made.after)
            continue;
        look->search->found[index].taken++;
        hook.rules |= (uint64_t)1 << index;
    }
    return put_hook(look->module, &hook);
}

static int add_hook(struct look *look, const struct fisql_recipe_hook *from)
{
    const struct symbol_range *range = symbols_range(&look->symbols, from->function);
    if (from->exit == 1)
        return add_exit(look, from);
    if (from->exit || range == NULL || look->targets[range->function] == 0)
        return 0;
    const char *name = look->symbols.functions[range->function].name;
    struct fisql_fault_hook hook = {.address = from->address,
                                    .function = from->function,
                                    .values = (uint32_t)look->search->values.count};
    if (look->recipes.entries)
        hook.can_return = 1; /* nothing of it has run yet */
    else
        hook_frames_at(look->frames, &hook);
    for (uint64_t left = look->targets[range->function]; left != 0; left &= left - 1) {
        size_t index = (size_t)__builtin_ctzll(left);
        int taken = take_call(look, index, from, &hook, name);
        if (taken < 0)
            return 2;
        if (taken > 0)
            hook.rules |= (uint64_t)1 << index;
    }
    return put_hook(look->module, &hook);
}

/* Adds the entries of a module that is patched, also those without debug information. */
static int add_entries(struct look *look)
{
    for (size_t i = 0; i < look->symbols.ranges_count; i++) {
        const struct symbol_range *range = &look->symbols.ranges[i];
        if (!look->symbols.functions[range->function].instrumented ||
            look->targets[range->function] == 0)
            continue;
        const struct fisql_recipe_hook unseen = {.address = range->start, .function = range->start};
        const struct fisql_recipe_hook *known = entry_recipe(look, range->start);
        if (add_hook(look, known != NULL ? known : &unseen) != 0)
            return 2;
    }
    return 0;
}

static int add_hooks(struct look *look, const char *path, const struct symbols_options *options)
{
    struct error error;
    if (recipes_make(&look->recipes, path, options, &error) != 0 ||
        hook_frames_open(&look->frames, path, options, &error) != 0 ||
        parameters_open(&look->parameters, path, "", options, NULL, 0, NULL, &error) != 0)
        return fail("%s: %s", path, error.text);
    bool undescribed = look->recipes.problem != NULL && !look->recipes.entries;
    for (size_t k = 0; k < look->search->faults->rules_count && undescribed; k++)
        look->search->found[k].undescribed = true;
    if (look->recipes.entries)
        return add_entries(look);
    for (size_t i = 0; i < look->recipes.hooks_count && look->recipes.problem == NULL; i++)
        if (add_hook(look, &look->recipes.hooks[i]) != 0)
            return 2;
    return 0;
}

int fault_targets_add(void *context, const char *path)
{
    struct fault_search *search = context;
    struct error error;
    char full[PATH_MAX];
    struct symbols_options options = {.cache_dir = search->cache_dir};
    if (realpath(path, full) == NULL)
        return 0;
    options.as_is = record_patch_takes(search->options, search->image, full);
    options.as_is_hooked = search->options->as_is > 1;
    search->as_is = search->as_is || options.as_is;
    if (array_reserve(&search->modules, &search->modules_capacity, search->modules_count + 1,
                      &error) != 0)
        return fail("record: out of memory");
    struct look look = {.search = search, .module = &search->modules[search->modules_count]};
    *look.module = (struct fault_module){.path = strdup(full)};
    search->modules_count++;
    if (look.module->path == NULL)
        return fail("record: out of memory");
    int result = patch_symbols_open(&look.symbols, full, NULL, &options, &error);
    bool inside = false;
    if (result != 0)
        result = fail("%s: %s", path, error.text);
    else if (look.symbols.instrumented) {
        look.targets = calloc(look.symbols.functions_count + 1, sizeof *look.targets);
        int any = look.targets != NULL ? match_functions(&look, &inside) : -1;
        result = any < 0 || (inside && add_places(&look) != 0) ? fail("record: out of memory") : 0;
        if (result == 0 && any)
            result = add_hooks(&look, full, &options);
    }
    recipes_release(&look.recipes);
    hook_frames_close(look.frames);
    parameters_close(look.parameters);
    symbols_release(&look.symbols);
    free(look.targets);
    return result;
}

void fault_search_release(struct fault_search *search)
{
    for (size_t i = 0; i < search->modules_count; i++) {
        free(search->modules[i].path);
        free(search->modules[i].hooks);
        free(search->modules[i].places);
    }
    for (size_t i = 0; i < search->names_count; i++)
        free(search->names[i]);
    for (size_t i = 0; search->found != NULL && i < search->faults->rules_count; i++)
        free(search->found[i].first);
    for (size_t i = 0; search->classes != NULL && i < search->faults->rules_count; i++)
        fault_class_release(&search->classes[i]);
    free(search->modules);
    free(search->names);
    free(search->found);
    free(search->classes);
    free(search->values.items);
}
