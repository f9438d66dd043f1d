/* Parameters and results from DWARF: see parameters.h. We look at each function with code. A copy
 * has its abstract entry's parameters. */
#include "debuginfo/expressions/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/dwarf_declarations.h"
#include "debuginfo/dwarf/dwarf_prototypes.h"
#include "debuginfo/dwarf/dwarf_split.h"
#include "debuginfo/expressions/expression_format.h"
#include "debuginfo/expressions/expression_parts.h"
#include "debuginfo/expressions/parameter_flags.h"
#include "debuginfo/expressions/parameter_types.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/elf/exported.h"
#include "debuginfo/prototypes/flag_parameters.h"
#include "debuginfo/prototypes/prototypes.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbol_trial.h"
#include "debuginfo/symbols/symbols.h"

#define NESTING_MAX 64

struct parameters {
    struct parameter *items; /* by function and position */
    size_t count, capacity;
    struct parameter_types types;
    struct parameter_flags flags;
};

struct walker {
    struct parameters *out;
    const struct symbol_files *files;
    const char *symbols_dir;
    const uint64_t *functions; /* wanted, ascending; NULL = all */
    size_t functions_count;
    const struct expression_matches *matches; /* NULL = none */
    Dwarf_Debug debug;                        /* of the file with the (skeleton) units */
    Dwarf_Debug unit_debug;                   /* of the .dwo file if it is split */
    Dwarf_Debug names;                        /* for its texts and references */
    uint64_t base;
    struct dwarf_types types;
    struct type_reader reader;
    struct dwarf_split split;
    struct error *error;
};

static bool wanted(const struct walker *walker, uint64_t start, uint64_t end)
{
    size_t low = 0, high = walker->functions_count;
    if (walker->functions == NULL)
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (walker->functions[middle] < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < walker->functions_count && walker->functions[low] < end;
}

static int add(struct walker *walker, const struct parameter *parameter)
{
    struct parameters *out = walker->out;
    return array_add(&out->items, &out->count, &out->capacity, *parameter, walker->error);
}

/* Of a pointer to a constant struct that is a text: its recorded value is the text. */
static const struct parameter_type pointed_text = {.kind = PARAMETER_TEXT, .size_bytes = 8};

/* Adds a parameter or the result; `die` has the type. */
static int add_one(struct walker *walker, uint64_t function, uint32_t position, Dwarf_Die die,
                   const struct dwarf_type *type, const char *name)
{
    struct type_reader *reader = &walker->reader;
    struct dwarf_type target = *type;
    bool reference = type->kind == DWARF_TYPE_REFERENCE;
    if (reference)
        target = dwarf_type_at(&walker->types, type->target);
    /* For references to other types the address is recorded. */
    if (reference && (target.kind == DWARF_TYPE_STRUCT || target.kind == DWARF_TYPE_ARRAY ||
                      target.kind == DWARF_TYPE_COMPLEX || target.kind == DWARF_TYPE_WIDE ||
                      target.kind == DWARF_TYPE_UNKNOWN || target.kind == DWARF_TYPE_REFERENCE ||
                      (target.kind == DWARF_TYPE_MEMBER && target.size_bytes != 8))) {
        reference = false;
        target = *type;
    }
    const char *kept =
        text_pool_add(&walker->out->types.texts, name, strnlen(name, 1024), walker->error);
    if (kept == NULL)
        return -1;
    const struct parameter parameter = {.function = function,
                                        .position = position,
                                        .is_reference = reference,
                                        .name = kept,
                                        .type_name = parameter_type_name(reader, die),
                                        .type = type->text != DWARF_TYPE_UNKNOWN
                                                    ? &pointed_text
                                                    : parameter_type_of(reader, &target)};
    return reader->failed ? -1 : add(walker, &parameter);
}

/* Shows flags by name, of the parameters from `first` on, of a function of a library. */
static int name_flags(struct walker *walker, size_t first, const char *function)
{
    struct parameters *out = walker->out;
    for (size_t i = first; i < out->count; i++) {
        struct parameter *parameter = &out->items[i];
        const struct flag_parameter *known = parameter->position != 0 && parameter->code == NULL
                                                 ? flag_parameter_of(function, parameter->name)
                                                 : NULL;
        if (known == NULL)
            continue;
        parameter->type =
            parameter_flags_type(&out->flags, known->flags, parameter->type, walker->error);
        if (parameter->type == NULL)
            return -1;
    }
    return 0;
}

/* Shows a parameter as a request wants it. */
static void format_parameter(struct parameters *out, uint64_t function, unsigned position,
                             const struct parameter_type *type)
{
    for (size_t i = out->count; i-- > 0 && out->items[i].function == function;)
        if (out->items[i].position == position)
            out->items[i].type = type;
}

/* Adds a requested expression of a function. *kept: words that its calls keep for the exit. Returns
 * 0, or -1 without memory. */
static int add_expression(struct walker *walker, const struct prototype *prototype,
                          uint64_t function, const struct expression_request *request,
                          struct expression *expression, uint32_t position, unsigned *kept)
{
    const struct expression_place place = {&walker->reader, prototype};
    struct parameter parameter = {.function = function,
                                  .position = position,
                                  .at_exit = expression->at_exit,
                                  .if_changed = expression->if_changed};
    struct expression_problem problem;
    struct expression_code *code;
    int result =
        expression_compile(&place, request, expression, &code, &parameter, &problem, walker->error);
    if (result == 1 && expression->problem.words[0] == 0)
        expression->problem = problem;
    if (result != 0)
        return result < 0 ? -1 : 0;
    if (code->whole != 0 && (expression->format != NULL || expression->at_both)) {
        if (expression->format != NULL)
            format_parameter(walker->out, function, code->whole, parameter.type);
        expression->fits++;
        free(code);
        return 0;
    }
    *kept += expression->at_exit ? expression_kept(code) : 0;
    if (*kept > FISQL_RECIPE_KEPT_MAX) {
        expression->problem = (struct expression_problem){
            "with this, expressions at the exit begin from more than 16 parameters",
            expression->from, expression->bytes};
        *kept -= expression_kept(code);
        free(code);
        return 0;
    }
    expression->fits++;
    parameter.code = code;
    parameter.name = text_pool_add(&walker->out->types.texts, expression->text,
                                   strlen(expression->text), walker->error);
    if (parameter.name != NULL && add(walker, &parameter) == 0)
        return 0;
    free(code);
    return -1;
}

/* Adds what `each pointer` stands for. *position: the next one. Returns 0, or -1 without memory. */
static int add_each(struct walker *walker, const struct prototype *prototype, uint64_t function,
                    struct expression *each, uint32_t *position, unsigned *kept)
{
    const struct expression_place place = {&walker->reader, prototype};
    unsigned dump = each->format != NULL ? each->format->dump_bytes : 0;
    int result = 0;
    for (unsigned n = 0; n < prototype->count && result == 0 && !prototype->more &&
                         *position <= FISQL_RECIPE_VALUES_MAX && *kept + 2 <= FISQL_RECIPE_KEPT_MAX;
         n++) {
        char text[256], named[sizeof text + 32], dump_text[24] = "";
        size_t before = walker->out->count;
        struct expression one = *each;
        bool dumped;
        if (!expression_each(&place, n, dump, text, sizeof text, &dumped))
            continue;
        const struct expression_request request = {.text = text};
        if (dumped)
            snprintf(dump_text, sizeof dump_text, ":dump(%u)", dump);
        snprintf(named, sizeof named, "%s%s at exit", text, dump_text);
        one.text = named;
        one.from = 0;
        one.bytes = strlen(text);
        one.format = dumped ? each->format : NULL;
        result = add_expression(walker, prototype, function, &request, &one, *position, kept);
        each->fits = one.fits;
        *position += walker->out->count > before;
    }
    return result;
}

static int add_expressions(struct walker *walker, const struct prototype *prototype,
                           uint64_t function)
{
    const struct expression_matches *matches = walker->matches;
    uint32_t position = prototype->count + 1;
    unsigned kept = 0;
    int result = 0;
    size_t at =
        matches != NULL ? sorted_from(matches->items, matches->count, function, function) : 0;
    for (; matches != NULL && at < matches->count && matches->items[at].function == function;
         at++) {
        struct expression_request *request = matches->items[at].request;
        for (size_t k = 0; k < request->count && result == 0; k++) {
            size_t before = walker->out->count;
            struct expression *expression = &request->items[k];
            if (expression->each) {
                result = add_each(walker, prototype, function, expression, &position, &kept);
                continue;
            }
            if (prototype->more || position > FISQL_RECIPE_VALUES_MAX) {
                expression->problem = (struct expression_problem){
                    "there is no position left: parameters and expressions have 30",
                    expression->from, expression->bytes};
                continue;
            }
            result =
                add_expression(walker, prototype, function, request, expression, position, &kept);
            position += walker->out->count > before;
        }
    }
    return result;
}

static int add_prototype(struct walker *walker, Dwarf_Off offset, uint64_t function)
{
    struct prototype *prototype = malloc(sizeof *prototype);
    int result = 0;
    if (prototype == NULL)
        return error_set(walker->error, "out of memory");
    if (!prototype_read(&walker->types, offset, prototype)) {
        free(prototype);
        return 0;
    }
    if (prototype->result.kind != DWARF_TYPE_VOID) {
        Dwarf_Die die = prototype_typed_entry(walker->names, prototype->origin);
        if (die != NULL)
            result = add_one(walker, function, 0, die, &prototype->result, "");
        dwarf_die_release(die);
    }
    for (unsigned i = 0; i < prototype->count && result == 0; i++) {
        Dwarf_Die named = dwarf_die_at(walker->names, prototype->parameters[i].offset);
        Dwarf_Die die = prototype_typed_entry(walker->names, prototype->parameters[i].offset);
        const char *name =
            named != NULL ? dwarf_die_string(walker->names, named, DW_AT_name) : NULL;
        if (die != NULL)
            result = add_one(walker, function, i + 1, die, &prototype->parameters[i].type,
                             name != NULL ? name : "");
        dwarf_die_release(die);
        dwarf_die_release(named);
    }
    if (result == 0 && prototype->more && walker->out->count > 0)
        walker->out->items[walker->out->count - 1].more = true;
    if (result == 0)
        result = add_expressions(walker, prototype, function);
    free(prototype);
    return result;
}

static int visit_function(struct walker *walker, Dwarf_Die die)
{
    struct dwarf_ranges ranges = {0};
    Dwarf_Off offset = 0;
    int result = dwarf_die_ranges(walker->unit_debug, die, walker->base, &ranges, walker->error);
    uint64_t start = ranges.count > 0 ? ranges.items[0].start : 0;
    free(ranges.items);
    if (result == 0 && start != 0 && wanted(walker, start, start + 1) &&
        elf_file_is_code(&walker->files->module, start) &&
        dwarf_die_offset(walker->unit_debug, die, &offset))
        result = add_prototype(walker, offset, start);
    return result;
}

static int walk_children(struct walker *walker, Dwarf_Die parent, bool in_function,
                         unsigned nesting)
{
    int result = 0;
    if (nesting > NESTING_MAX)
        return 0;
    Dwarf_Die child = dwarf_die_child(walker->unit_debug, parent);
    for (; child != NULL; child = dwarf_die_next(walker->unit_debug, child)) {
        Dwarf_Half tag = result == 0 ? dwarf_die_tag(walker->unit_debug, child) : 0;
        bool function = tag == DW_TAG_subprogram;
        if (function)
            result = visit_function(walker, child);
        if (result == 0 &&
            (function || tag == DW_TAG_namespace || tag == DW_TAG_module ||
             tag == DW_TAG_lexical_block || (dwarf_tag_is_class(tag) && in_function)))
            result = walk_children(walker, child, in_function || function, nesting + 1);
    }
    return result;
}

static int walk_unit(struct walker *walker, const struct dwarf_unit *unit, uint32_t number,
                     Dwarf_Die unit_die)
{
    const struct dwarf_split_places places = {walker->files->debug_path, walker->symbols_dir};
    struct dwarf_ranges ranges = {0};
    Dwarf_Off offset = 0;
    walker->base = dwarf_die_low(walker->debug, unit_die);
    if (dwarf_die_ranges(walker->debug, unit_die, walker->base, &ranges, walker->error) != 0)
        return -1;
    bool any = ranges.count == 0;
    for (size_t i = 0; i < ranges.count; i++)
        any = any || wanted(walker, ranges.items[i].start, ranges.items[i].end);
    free(ranges.items);
    if (!any)
        return 0;
    Dwarf_Die whole = dwarf_split_find(&walker->split, &places, walker->debug, unit_die,
                                       unit->dwo_id, &walker->unit_debug, &walker->names);
    if (whole == NULL)
        return 0;
    walker->reader.origin_high = whole == unit_die ? 0 : ((uint64_t)number + 1) << 40;
    if (!dwarf_die_offset(walker->unit_debug, whole, &offset))
        offset = 0;
    dwarf_types_begin(&walker->types, walker->names, offset, walker->files->module.machine);
    int result = walk_children(walker, whole, false, 0);
    type_reader_end(&walker->reader);
    dwarf_types_end(&walker->types);
    if (whole != unit_die)
        dwarf_die_release(whole);
    return result;
}

static int read_all(struct walker *walker)
{
    struct dwarf_search search = {.file = walker->files->debug, .module = &walker->files->module};
    struct dwarf_functions units;
    int result = dwarf_functions_open(&units, &search, walker->error);
    walker->debug = dwarf_file_debug(walker->files->debug);
    walker->reader = (struct type_reader){
        .all = &walker->out->types, .types = &walker->types, .error = walker->error};
    for (size_t i = 0; i < units.units_count && result == 0 && walker->debug != NULL; i++) {
        Dwarf_Die die = dwarf_die_at(walker->debug, units.units[i].die);
        if (die != NULL)
            result = walk_unit(walker, &units.units[i], (uint32_t)i, die);
        dwarf_die_release(die);
    }
    dwarf_functions_release(&units);
    dwarf_split_release(&walker->split);
    if (walker->debug != NULL)
        dwarf_api_close(walker->debug);
    return result;
}

static void try_all(void *context)
{
    read_all(context);
}

/* ---- functions that another module declares ---- */

struct declared {
    struct walker *walker;
    struct prototypes_lender from;
    struct symbol_files *lender;
    struct exported exported;
    Dwarf_Off unit;     /* the reader's names are of this one */
    struct intern seen; /* functions: of several names the first counts */
    bool results;       /* these alone */
};

static int add_declared(struct declared *declared, Dwarf_Off offset, const char *name,
                        uint64_t function)
{
    struct walker *walker = declared->walker;
    size_t first = walker->out->count;
    uint32_t index, before = declared->seen.count;
    if (!wanted(walker, function, function + 1))
        return 0;
    if (intern_add(&declared->seen, function, 0, &index, walker->error) != 0)
        return -1;
    if (index < before)
        return 0;
    if (walker->types.unit != declared->unit)
        type_reader_end(&walker->reader);
    declared->unit = walker->types.unit;
    walker->names = walker->types.debug;
    int result = add_prototype(walker, offset, function);
    while (declared->results && walker->out->count > first &&
           walker->out->items[walker->out->count - 1].position != 0)
        walker->out->count--;
    return result == 0 && declared->from.prefix != NULL ? name_flags(walker, first, name) : result;
}

static int visit_declaration(void *context, Dwarf_Die die, const char *name)
{
    struct declared *declared = context;
    const struct exported *exported = &declared->exported;
    size_t at = named_code_from(exported->items, exported->count, name);
    Dwarf_Off offset = 0;
    if (!dwarf_die_offset(declared->walker->types.debug, die, &offset))
        return 0;
    for (; at < exported->count && strcmp(exported->items[at].name, name) == 0; at++)
        if (add_declared(declared, offset, name, exported->items[at].address) != 0)
            return -1;
    return 0;
}

static int read_declared(struct declared *declared)
{
    struct walker *walker = declared->walker;
    walker->reader = (struct type_reader){
        .all = &walker->out->types, .types = &walker->types, .error = walker->error};
    int result =
        dwarf_declarations(declared->lender->debug, &declared->lender->module, &walker->types,
                           declared->from.prefix, visit_declaration, declared, walker->error);
    type_reader_end(&walker->reader);
    return result;
}

static void try_declared(void *context)
{
    read_declared(context);
}

/* Reads what another file says of a module without debug information. */
static int read_declarations(struct walker *walker, const struct symbols_options *options)
{
    struct declared *declared = calloc(1, sizeof *declared);
    struct symbol_files *lender = calloc(1, sizeof *lender);
    const char *problem, *id = options->declared_by_id;
    int result = 0;
    if (declared == NULL || lender == NULL) {
        result = error_set(walker->error, "out of memory");
    } else if (prototypes_lender_find(&declared->from, &walker->files->module, options)) {
        declared->walker = walker;
        declared->lender = lender;
        declared->results = options->system_calls;
        result = symbol_files_find(lender, declared->from.path,
                                   declared->from.prefix == NULL && id != NULL ? id : "",
                                   &declared->from.options, &problem, walker->error);
        if (result == 0 && lender->module_open && lender->debug != NULL)
            result = exported_read(&declared->exported, &walker->files->module, walker->error);
        if (result == 0 && declared->exported.count > 0 &&
            (declared->from.prefix != NULL || symbol_trial(lender->debug, try_declared, declared)))
            result = read_declared(declared);
        intern_release(&declared->seen);
        exported_release(&declared->exported);
        symbol_files_close(lender);
    }
    free(lender);
    free(declared);
    return result;
}

static int by_function(const void *left, const void *right)
{
    const struct parameter *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* Two entries may describe one function (folded copies): one counts. */
static void drop_doubles(struct parameters *parameters)
{
    size_t kept = 0;
    array_sort(parameters->items, parameters->count, by_function);
    for (size_t i = 0; i < parameters->count; i++)
        if (kept == 0 || by_function(&parameters->items[kept - 1], &parameters->items[i]) != 0)
            parameters->items[kept++] = parameters->items[i];
        else
            free((void *)(uintptr_t)parameters->items[i].code);
    parameters->count = kept;
}

/* ---- functions that are not described ---- */

static int put_register(struct parameters *out, uint64_t function, struct expression *expression,
                        const char *text, uint32_t position, struct error *error)
{
    struct parameter parameter = {.function = function};
    struct expression_code *code = calloc(1, sizeof *code);
    if (code == NULL)
        return error_set(error, "out of memory");
    if (position > FISQL_RECIPE_VALUES_MAX ||
        !expression_register(expression, text, &parameter, code)) {
        expression->problem = (struct expression_problem){
            "no debug information describes this function, so only registers can be recorded: rdi, "
            "rsi, rdx, rcx, r8, r9 (arg1 to arg6, all: registers), xmm0 to xmm7, and rax of its "
            "return; as (int), (unsigned), (long), (size_t), (bool), (char*) or (float); integers "
            "with :hex, :oct, :char or :flags(), pointers with :dump()",
            expression->from, expression->bytes};
        free(code);
        return 0;
    }
    if (parameter.name[0] != 0)
        parameter.name = expression->text;
    parameter.position = code->value.where == FISQL_WHERE_RESULT ? 0 : position;
    parameter.name =
        text_pool_add(&out->types.texts, parameter.name, strlen(parameter.name), error);
    parameter.code = code;
    expression->fits++;
    if (parameter.name != NULL &&
        array_add(&out->items, &out->count, &out->capacity, parameter, error) == 0)
        return 0;
    free(code);
    return -1;
}

/* Adds the registers of an expression: one, or all. */
static int add_register(struct parameters *out, uint64_t function,
                        const struct expression_request *request, struct expression *expression,
                        uint32_t *position, struct error *error)
{
    static const char all[] = "registers";
    char *text = strndup(request->text + expression->from, expression->bytes);
    struct expression one = *expression;
    int result = text != NULL ? 0 : error_set(error, "out of memory");
    bool whole = text != NULL && strcmp(text, all) == 0;
    for (unsigned i = 0; result == 0 && (whole ? expression_registers_nth(i) != NULL : i == 0);
         i++) {
        const char *name = whole ? expression_registers_nth(i) : text;
        size_t before = out->count;
        one.bytes = strlen(name);
        one.text = whole ? name : expression->text;
        result = put_register(out, function, &one, name, *position, error);
        *position += out->count > before && out->items[before].position != 0;
    }
    expression->fits = one.fits;
    expression->problem = one.problem;
    if (whole && expression->problem.words[0] != 0)
        expression->problem.bytes = expression->bytes;
    free(text);
    return result;
}

/* Adds the registers that are asked for of functions without other entries. */
static int add_registers(struct parameters *out, const struct expression_matches *matches,
                         struct error *error)
{
    size_t described = out->count;
    uint64_t function = 0;
    uint32_t position = 1;
    for (size_t i = 0; matches != NULL && matches->registers && i < matches->count; i++) {
        const struct expression_match *match = &matches->items[i];
        size_t at = sorted_from(out->items, described, function, match->function);
        if (at < described && out->items[at].function == match->function)
            continue;
        if (match->function != function)
            position = 1;
        function = match->function;
        for (size_t k = 0; k < match->request->count; k++) {
            if (add_register(out, function, match->request, &match->request->items[k], &position,
                             error) != 0)
                return -1;
        }
    }
    return 0;
}

int parameters_open(struct parameters **out, const char *path, const char *build_id,
                    const struct symbols_options *options, const uint64_t *functions,
                    size_t functions_count, const struct expression_matches *matches,
                    struct error *error)
{
    const char *problem;
    struct symbol_files *files = calloc(1, sizeof *files);
    *out = calloc(1, sizeof **out);
    if (*out == NULL || files == NULL) {
        free(files);
        return error_set(error, "out of memory");
    }
    const char *id = build_id != NULL ? build_id : "";
    struct symbols_options packed = *options; /* what is known needs no debug information */
    packed.names_only = packed.names_only || options->external;
    int result = symbol_files_find(files, path, id, &packed, &problem, error);
    bool known = files->module_open && prototypes_known(&files->module, options);
    if (result == 0 && options->external && !known)
        result = symbol_files_unpack(files, path, id, options, &problem, error);
    struct walker walker = {.out = *out,
                            .files = files,
                            .symbols_dir = options->symbols_dir,
                            .functions = functions,
                            .functions_count = functions_count,
                            .matches = matches,
                            .error = error};
    bool declared = files->module_open && (files->debug == NULL || known);
    if (result == 0 && files->module_open && !declared &&
        symbol_trial(files->debug, try_all, &walker))
        result = read_all(&walker);
    if (result == 0 && declared)
        result = read_declarations(&walker, options);
    drop_doubles(*out);
    if (result == 0)
        result = add_registers(*out, matches, error);
    drop_doubles(*out);
    symbol_files_close(files);
    free(files);
    return result;
}

void parameters_close(struct parameters *parameters)
{
    if (parameters != NULL) {
        for (size_t i = 0; i < parameters->count; i++)
            free((void *)(uintptr_t)parameters->items[i].code);
        free(parameters->items);
        parameter_types_release(&parameters->types);
        parameter_flags_release(&parameters->flags);
    }
    free(parameters);
}

const struct parameter *parameters_of(const struct parameters *parameters, uint64_t function,
                                      size_t *count)
{
    size_t at = sorted_from(parameters->items, parameters->count, function, function);
    size_t end = at;
    while (end < parameters->count && parameters->items[end].function == function)
        end++;
    *count = end - at;
    return end > at ? &parameters->items[at] : NULL;
}

const struct parameter *parameters_all(const struct parameters *parameters, size_t *count)
{
    *count = parameters->count;
    return parameters->items;
}
