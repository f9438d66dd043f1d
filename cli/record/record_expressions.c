/* Expressions on parameters: see record_expressions.h. */
#include "cli/record/record_expressions.h"

#include "base/array.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wrong ---- */

#define SHOWN_MAX 100u /* bytes of a request, ... */
#define BEFORE_MAX 40u /* ... of these before the wrong word, if the request is longer */

/* Columns of the first bytes of a text on a terminal. */
static size_t columns(const char *text, size_t bytes)
{
    char part[SHOWN_MAX + 1];
    snprintf(part, sizeof part, "%.*s", (int)bytes, text);
    int width = text_width(part);
    return width > 0 ? (size_t)width : 0;
}

/* Points at the word that a problem is about. Returns 2. */
static int point(const char *text, const struct expression_problem *problem)
{
    size_t bytes = strlen(text);
    size_t from = problem->from < bytes ? problem->from : bytes;
    size_t length = problem->bytes <= bytes - from ? problem->bytes : bytes - from;
    size_t skipped =
        bytes > SHOWN_MAX && from > BEFORE_MAX ? utf8_cut(text, from, from - BEFORE_MAX) : 0;
    size_t shown = utf8_cut(text + skipped, bytes - skipped, SHOWN_MAX);
    if (length > skipped + shown - from)
        length = skipped + shown - from;
    char marks[16 * SHOWN_MAX]; /* <U+10FFFF> */
    size_t before = (skipped > 0 ? 3 : 0) + columns(text + skipped, from - skipped);
    size_t wide = columns(text + from, length);
    memset(marks, ' ', before);
    memset(marks + before, '~', wide);
    marks[before] = '^';
    marks[before + (wide > 0 ? wide : 1)] = 0;
    note("  %s%.*s%s", skipped > 0 ? "..." : "", (int)shown, text + skipped,
         skipped + shown < bytes ? "..." : "");
    note("  %s", marks);
    return 2;
}

int record_expressions_add(struct record_values *values, const char *text)
{
    struct expression_problem problem;
    struct error error;
    values->wanted = true;
    int result = expressions_add(&values->expressions, text, &problem, &error);
    if (result == 0)
        return 0;
    if (result < 0)
        return fail("%s", error.text);
    fail("--value: %s", problem.words);
    return point(text, &problem);
}

int record_expressions_add_changes(struct record_values *values, uint32_t bytes)
{
    char text[64];
    snprintf(text, sizeof text, "*: each pointer:dump(%u) at exit if changed", bytes);
    if (record_expressions_add(values, text) != 0)
        return 2;
    values->expressions.items[values->expressions.count - 1].joins = true;
    return 0;
}

int record_expressions_check(const struct expressions *expressions, const char *program)
{
    for (size_t i = 0; i < expressions->count; i++) {
        const struct expression_request *request = &expressions->items[i];
        const struct expression_problem pattern = {.from = strspn(request->text, " \t"),
                                                   .bytes = strlen(request->pattern)};
        if (request->joins)
            continue;
        if (request->matches == 0) {
            fail("%s: --value: no function with hooks is named %s%s%s%s", program, request->pattern,
                 request->nearest != NULL ? "; did you mean " : "",
                 request->nearest != NULL ? request->nearest : "",
                 request->nearest != NULL ? "?" : "");
            return point(request->text, &pattern);
        }
        for (size_t k = 0; k < request->count; k++) {
            const struct expression *expression = &request->items[k];
            const struct expression_problem *problem = &expression->problem;
            if (expression->fits == 0) {
                fail("--value: %s", problem->words[0] != 0
                                        ? problem->words
                                        : "the debug information does not describe this function");
                return point(request->text, problem->words[0] != 0 ? problem : &pattern);
            }
            if (problem->words[0] != 0)
                note(
                    "--value: `%s` is not recorded for some of the %zu functions that %s means: %s",
                    expression->text, request->matches, request->pattern, problem->words);
        }
    }
    return 0;
}

/* ---- a module's ---- */

int module_expressions_make(struct module_expressions *module, struct expressions *expressions,
                            const char *path, const struct symbols *symbols,
                            const struct symbols_options *options, struct error *error)
{
    if (expressions->count == 0)
        return 0;
    if (expressions_match(expressions, symbols, &module->matches, error) != 0)
        return -1;
    module->matches.registers = options->as_is && symbols->instrumented;
    size_t count = module->matches.count;
    uint64_t *functions = calloc(count + 1, sizeof *functions);
    if (functions == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        functions[i] = module->matches.items[i].function;
    int result = count == 0 ? 0
                            : parameters_open(&module->parameters, path, NULL, options, functions,
                                              count, &module->matches, error);
    free(functions);
    return result;
}

void module_expressions_release(struct module_expressions *module)
{
    free(module->matches.items);
    parameters_close(module->parameters);
    *module = (struct module_expressions){.parameters = NULL};
}

static const struct parameter *parameters_of_hook(const struct module_expressions *module,
                                                  uint64_t function, size_t *count)
{
    *count = 0;
    return module->parameters != NULL ? parameters_of(module->parameters, function, count) : NULL;
}

/* Adds a recipe at the function's entry, or at its return with the value there. */
static int add_recipe(struct recipes *recipes, uint64_t function,
                      const struct fisql_recipe_value *result, struct error *error)
{
    const struct fisql_recipe_hook hook = {.address = function + (result != NULL),
                                           .function = function,
                                           .first = (uint32_t)recipes->values_count,
                                           .count = result != NULL,
                                           .exit = result != NULL ? FISQL_RECIPE_RETURN : 0};
    if (result != NULL && array_add(&recipes->values, &recipes->values_count,
                                    &recipes->values_capacity, *result, error) != 0)
        return -1;
    return array_add(&recipes->hooks, &recipes->hooks_count, &recipes->hooks_capacity, hook, error);
}

static int by_address(const void *left, const void *right)
{
    const struct fisql_recipe_hook *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

int module_expressions_registers(const struct module_expressions *module, struct recipes *recipes,
                                 struct error *error)
{
    size_t count = 0, described = recipes->hooks_count;
    const struct parameter *all =
        module->parameters != NULL ? parameters_all(module->parameters, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct fisql_recipe_value value = {.where = FISQL_WHERE_ABSENT};
        if (all[i].code == NULL || !expression_is_of_registers(all[i].code))
            continue;
        bool first = i == 0 || all[i - 1].function != all[i].function;
        if (first && add_recipe(recipes, all[i].function, NULL, error) != 0)
            return -1;
        if (all[i].position == 0 && expression_register_of(all[i].code, &value) &&
            add_recipe(recipes, all[i].function, &value, error) != 0)
            return -1;
    }
    if (recipes->hooks_count > described)
        array_sort(recipes->hooks, recipes->hooks_count, by_address);
    return 0;
}

bool module_expressions_of(const struct module_expressions *module, uint64_t function)
{
    const struct expression_match *matches = module->matches.items;
    size_t at = function != 0 ? sorted_from(matches, module->matches.count, function, function) : 0;
    for (; at < module->matches.count && (function == 0 || matches[at].function == function); at++)
        if (!matches[at].request->joins)
            return true;
    return false;
}

bool module_expressions_at_exit(const struct module_expressions *module, uint64_t function)
{
    size_t count;
    const struct parameter *parameters = parameters_of_hook(module, function, &count);
    for (size_t i = 0; i < count; i++)
        if (parameters[i].at_exit)
            return true;
    return false;
}

bool module_expressions_link(const struct module_expressions *module, const struct recipes *recipes,
                             const struct fisql_recipe_hook *hook, size_t n,
                             struct linked_expression *linked)
{
    size_t count;
    unsigned kept = 0;
    const struct parameter *parameters = parameters_of_hook(module, hook->function, &count);
    const struct fisql_recipe_value *values = recipes->values + hook->first;
    for (size_t i = 0; i < count && !hook->exit; i++) {
        const struct parameter *one = &parameters[i];
        /* Behind all the hook's values, where they cannot be mistaken for others. */
        bool is_it = one->code != NULL && one->position == hook->count + n + 1;
        linked->whole = false;
        linked->at_exit = one->at_exit;
        if (is_it && one->at_exit) {
            expression_link_keep(one->code, values, hook->count, kept, &linked->value,
                                 linked->steps);
            expression_link_exit(one->code, one->position, kept, &linked->exit, linked->exit_steps);
            linked->if_changed = expression_if_changed(one->code);
            if (linked->if_changed)
                expression_link(one->code, values, hook->count, &linked->entry,
                                linked->entry_steps);
        } else if (is_it) {
            linked->whole =
                expression_link(one->code, values, hook->count, &linked->value, linked->steps);
        }
        if (is_it)
            return true;
        if (one->code != NULL && one->at_exit)
            kept += expression_kept(one->code);
    }
    return false;
}
