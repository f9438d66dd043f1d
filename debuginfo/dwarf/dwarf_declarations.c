/* Declarations of functions: see dwarf_declarations.h. */
#include "debuginfo/dwarf/dwarf_declarations.h"

#include "debuginfo/dwarf/dwarf_functions.h"

#include "base/parts.h"

#include <string.h>

/* Is it an extern function of C? One with a linkage name is C++'s. */
static const char *declared_name(Dwarf_Debug debug, Dwarf_Die die, const char *prefix)
{
    if (dwarf_die_tag(debug, die) != DW_TAG_subprogram ||
        !dwarf_die_flag(debug, die, DW_AT_external))
        return NULL;
    if (prefix != NULL) {
        const char *name = dwarf_die_string(debug, die, DW_AT_name);
        return name != NULL && starts_with(name, prefix) ? name + strlen(prefix) : NULL;
    }
    if (!dwarf_die_flag(debug, die, DW_AT_declaration) ||
        dwarf_die_has(debug, die, DW_AT_linkage_name) ||
        dwarf_die_has(debug, die, DW_AT_MIPS_linkage_name))
        return NULL;
    return dwarf_die_string(debug, die, DW_AT_name);
}

static int visit_unit(const struct dwarf_types *types, Dwarf_Die unit, const char *prefix,
                      declaration_visit *visit, void *context)
{
    int result = 0;
    Dwarf_Die child = dwarf_die_child(types->debug, unit);
    for (; child != NULL; child = dwarf_die_next(types->debug, child)) {
        const char *name = result == 0 ? declared_name(types->debug, child, prefix) : NULL;
        /* Without a prototype nothing is known of the parameters. */
        if (name != NULL &&
            (types->is_cxx || dwarf_die_flag(types->debug, child, DW_AT_prototyped)))
            result = visit(context, child, name);
    }
    return result;
}

int dwarf_declarations(struct dwarf_file *file, const struct elf_file *module,
                       struct dwarf_types *types, const char *prefix, declaration_visit *visit,
                       void *context, struct error *error)
{
    const struct dwarf_search search = {.file = file, .module = module};
    struct dwarf_functions units;
    Dwarf_Debug debug = dwarf_file_debug(file);
    int result = dwarf_functions_open(&units, &search, error);
    for (size_t i = 0; i < units.units_count && result == 0 && debug != NULL; i++) {
        Dwarf_Die die = units.units[i].dwo_id == 0 ? dwarf_die_at(debug, units.units[i].die) : NULL;
        if (die == NULL)
            continue;
        dwarf_types_begin(types, debug, units.units[i].die, module->machine);
        result = visit_unit(types, die, prefix, visit, context);
        dwarf_types_end(types);
        dwarf_die_release(die);
    }
    dwarf_functions_release(&units);
    if (debug != NULL)
        dwarf_api_close(debug);
    return result;
}
