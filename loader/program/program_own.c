/* Which functions are the user's own, and which module a function is booked to: see program.h. */
#include "loader/program/program.h"

#include "base/system_path.h"

/* A module that was read, or whose reading was spared, and holds no hooks. What could not be read
 * is none: that a function of it was called shows its hooks. */
static bool is_without_hooks(const struct program_module *module)
{
    return !module->symbols.instrumented && module->symbols.problem == NULL;
}

/* Does the function lie in a library without hooks? (Such a module has first_function 0 once it was
 * read to name its functions.) */
static bool is_foreign(const struct program *program, const struct program_function *function)
{
    if (function->module == 0)
        return false;
    const struct program_module *module = &program->modules[function->module - 1];
    return module->first_function == 0 || is_without_hooks(module);
}

bool program_own(const struct program *program, const struct program_function *function)
{
    if (function->external)
        return false;
    if (function->point != NULL)
        return !system_path(function->point->file);
    if (function->symbol != NULL && function->symbol->file != NULL)
        return !system_path(function->symbol->file);
    return program->by_others || !is_foreign(program, function);
}

uint32_t program_booked_module(const struct program *program,
                               const struct program_function *function)
{
    if (!function->called || function->external || function->point != NULL || program->by_others ||
        !is_foreign(program, function))
        return function->module;
    for (size_t i = 0; i < program->modules_count; i++)
        if (program->modules[i].symbols.instrumented)
            return (uint32_t)i + 1;
    return function->module;
}
