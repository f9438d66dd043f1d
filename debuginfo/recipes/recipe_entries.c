/*
 * Recipes of functions whose entries are patched (collector/patch/): where the arguments lie at a
 * function's first instruction, and its result when it returns.
 *
 * There the calling convention says it (System V ABI, AMD64, 3.2.3), whatever the compiler does with
 * the arguments afterwards; locations in the frame do not hold yet. But compilers change the
 * convention of functions that they see all callers of. gcc does so only in clones, which have names
 * of their own. clang keeps the name: there a function may be changed unless others can call it, or
 * nobody calls it but by its address (x86_calls.h), or all its parameters lie in the frame, as without
 * optimisation. For a function that may be changed the debug information says which register has the
 * argument at its first instruction, and the result counts if a call takes it; the rest is absent. So
 * it is with gcc's clones.
 *
 * clang does not pass either what a function does not use: unless it is called by its address alone,
 * its code must read the register or pass it on to code that does, or, where only one file can call
 * it, a call must set it.
 *
 * What contradicts the convention (gcc does not say that a function is ms_abi) makes us distrust it.
 *
 * Of these recipes the address of an entry is the function's, that of an exit the one behind it.
 */
#include "debuginfo/recipes/convention.h"
#include "debuginfo/recipes/recipe_parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/x86/x86_reads.h"
#include "debuginfo/x86/x86_uses.h"

#define DECLARATIONS_MAX 8u /* of a damaged file's function: they may refer to each other */

/* What the entries of a function's parameters show besides the prototype. */
struct shape {
    unsigned index;    /* of the parameter that is visited */
    unsigned hidden;   /* parameters behind the first that the source does not have */
    bool strange;      /* others of that kind */
    bool all_in_frame; /* every parameter has one place for all of the function, and in memory */
};

/* ---- may the convention be relied on? ---- */

static bool see_shape(void *context, Dwarf_Debug debug, Dwarf_Die die)
{
    struct shape *shape = context;
    unsigned at = shape->index++;
    if (dwarf_die_is_named(debug, die, "__in_chrg", 9)) /* a constant of each copy */
        return true;
    struct dwarf_value where = dwarf_die_value(debug, die, DW_AT_location);
    shape->all_in_frame = shape->all_in_frame && where.kind == DWARF_VALUE_BLOCK &&
                          where.size_bytes > 1 && where.bytes[0] == DW_OP_fbreg;
    if (!dwarf_die_flag(debug, die, DW_AT_artificial) || dwarf_die_is_named(debug, die, "this", 4))
        return true;
    if (at == 1 && (dwarf_die_is_named(debug, die, "__vtt_parm", 10) ||
                    dwarf_die_is_named(debug, die, "vtt", 3)))
        shape->hidden++;
    else
        shape->strange = true;
    return true;
}

/* Is there a register or memory, whatever the value? Not a list's constant, which may be assigned at
 * once. */
static bool place_at_entry(const struct recipe_function *function, const struct dwarf_value *where,
                           unsigned size_bytes, struct places *places)
{
    struct call_frame frame;
    bool known = call_frames_at(function->walk->frames, function->start, &frame);
    const struct place_context context = {.types = function->types,
                                          .unit = function->unit,
                                          .machine = function->types->machine,
                                          .address = function->start,
                                          .start = function->start,
                                          .after = 0,
                                          .entry = true,
                                          .frame = known ? &frame : NULL,
                                          .frame_base = function->frame_base,
                                          .size_bytes = size_bytes};
    return place_find(&context, where, places) == PLACE_FOUND;
}

/* Is the place that the debug information gives for the first instruction another than the
 * convention's? */
static bool contradicts(const struct recipe_function *function, const struct dwarf_value *where,
                        unsigned size_bytes, const struct place *expected)
{
    struct places found;
    if (size_bytes == 0 || where->kind == DWARF_VALUE_NONE || expected->kind == PLACE_PIECES ||
        !place_at_entry(function, where, size_bytes, &found))
        return false;
    const struct place *place = &found.whole;
    bool in_registers = expected->kind == PLACE_IN_REGISTER || expected->kind == PLACE_IN_VECTOR;
    bool list = where->kind != DWARF_VALUE_BLOCK;
    if (list && (place->kind == PLACE_IN_REGISTER || place->kind == PLACE_IN_VECTOR))
        return expected->kind != PLACE_IN_MEMORY || expected->stack
                   ? place->kind != expected->kind || place->number != expected->number
                   : false;
    /* The caller's part of the stack, from the entry's stack pointer. */
    if (place->kind != PLACE_IN_MEMORY || place->number != STACK_POINTER || !place->stack ||
        function->frame_base.kind != DWARF_VALUE_BLOCK || function->frame_base.size_bytes != 1 ||
        function->frame_base.bytes[0] != DW_OP_call_frame_cfa)
        return false;
    if (in_registers)
        return place->offset >= STACK_START;
    return expected->kind == PLACE_IN_MEMORY && expected->stack && place->offset >= STACK_START &&
           place->offset != expected->offset;
}

/* Is the function, or the declaration in its class, for other units? */
static bool is_external(const struct dwarf_types *types, const struct recipe_function *function,
                        const struct prototype *prototype)
{
    bool external = dwarf_die_flag(function->debug, function->die, DW_AT_external);
    Dwarf_Off offset = prototype->origin;
    bool more = !external;
    for (unsigned step = 0; more && step < DECLARATIONS_MAX; step++) {
        Dwarf_Die die = dwarf_die_at(types->debug, offset);
        external = die != NULL && dwarf_die_flag(types->debug, die, DW_AT_external);
        more = die != NULL && !external &&
               dwarf_die_refers(types->debug, die, DW_AT_specification, &offset);
        dwarf_die_release(die);
    }
    return external;
}

/* Does its declaration ask for the convention, with parameters as they are declared? */
static bool is_declared_so(const struct recipe_function *function,
                           const struct prototype *prototype, const struct shape *shape)
{
    const struct dwarf_types *types = function->types;
    uint64_t convention = DW_CC_normal, prototyped = 0;
    Dwarf_Die origin = dwarf_die_at(types->debug, prototype->origin);
    if (origin != NULL) {
        dwarf_die_number(types->debug, origin, DW_AT_calling_convention, &convention);
        prototyped = dwarf_die_flag(types->debug, origin, DW_AT_prototyped);
    }
    dwarf_die_release(origin);
    dwarf_die_number(function->debug, function->die, DW_AT_calling_convention, &convention);
    if (shape->strange || (types->cxx && !types->is_cxx) ||
        (convention != DW_CC_normal && convention != DW_CC_program))
        return false;
    /* Without a prototype a float is passed as a double. */
    for (unsigned i = 0;
         !types->is_cxx && !types->is_fortran && prototyped == 0 && i < prototype->count; i++)
        if (prototype->parameters[i].type.kind == DWARF_TYPE_FLOAT &&
            prototype->parameters[i].type.size_bytes == 4)
            return false;
    return true;
}

/* What its compiler may have done to a function. */
struct freedom {
    bool declared_so;  /* as is_declared_so() */
    bool conventional; /* it keeps to the convention; arguments that nobody uses may be left out */
    bool all_passed;   /* none is left out */
    bool clone;        /* gcc's, for some calls: some parameters may be constant */
    /* Only its own file can call it, and does: how; else NULL. */
    const struct x86_callee *callee;
};

/* Did clang compile the module? Compilers leave their names there; Debian takes them out, but has few
 * libraries by clang. */
static bool is_by_clang(const struct elf_file *module)
{
    const struct elf_section *comment = elf_file_section(module, ".comment");
    return comment != NULL && comment->data != NULL &&
           memmem(comment->data, comment->size_bytes, "clang", 5) != NULL;
}

/* Finds how code of the module calls the function. -1 without memory. */
static int find_callee(const struct recipe_function *function, const struct x86_callee **callee)
{
    const struct recipe_walk *walk = function->walk;
    if (!walk->calls->known &&
        x86_calls_find(walk->calls, &walk->files->module, walk->copies->by_address,
                       walk->copies->names_count, walk->error) != 0)
        return -1;
    *callee = x86_calls_of(walk->calls, function->start);
    return 0;
}

/* Is it no shared library? A program's calls of its own functions are direct. */
static bool is_program(const struct elf_file *module)
{
    bool interpreted = module->type == ET_EXEC;
    for (uint16_t i = 0; i < module->segments_count && !interpreted; i++)
        interpreted = elf_file_segment(module, i).p_type == PT_INTERP;
    return interpreted;
}

/* -1 without memory. */
static int find_freedom(const struct recipe_function *function, const struct prototype *prototype,
                        const struct shape *shape, struct freedom *freedom)
{
    enum function_symbol symbol = function_copies_symbol(function->walk->copies, function->start);
    bool is_gnu = function->types->is_gnu;
    bool external = is_external(function->types, function, prototype);
    bool named = symbol != FUNCTION_CLONE && symbol != FUNCTION_NAMELESS;
    const struct x86_callee *callee = NULL;
    *freedom = (struct freedom){.declared_so = is_declared_so(function, prototype, shape)};
    if (is_gnu || function->declared || (prototype->count > 0 && shape->all_in_frame)) {
        freedom->conventional = is_gnu               ? named
                                : function->declared ? external && symbol == FUNCTION_GLOBAL
                                                     : symbol != FUNCTION_CLONE;
        freedom->all_passed = !function->declared || !is_by_clang(&function->walk->files->module);
        freedom->clone = is_gnu && symbol == FUNCTION_CLONE && !function->declared;
        return freedom->clone || !freedom->all_passed ? find_callee(function, &freedom->callee) : 0;
    }
    if (!named)
        return 0;
    if (find_callee(function, &callee) != 0)
        return -1;
    /* A library may call what it exports by its table of links. */
    bool by_links = symbol == FUNCTION_GLOBAL && !is_program(&function->walk->files->module);
    freedom->all_passed = !by_links && (callee == NULL || !callee->called);
    freedom->conventional = freedom->all_passed || (callee != NULL && callee->handed_on) ||
                            (external && symbol != FUNCTION_LOCAL);
    if (!external && symbol == FUNCTION_LOCAL)
        freedom->callee = callee;
    return 0;
}

/* ---- what clang does not pass ---- */

static bool frame_at(const void *context, uint64_t address, uint16_t *number, int64_t *offset)
{
    struct call_frame frame;
    if (!call_frames_at(context, address, &frame))
        return false;
    *number = frame.cfa_register;
    *offset = frame.cfa_offset;
    return true;
}

/* Does the function read it, or a call set it for the function alone? */
static bool is_read(const struct place *place, const struct x86_reads *reads)
{
    unsigned bit = place->kind == PLACE_IN_VECTOR ? X86_USES_VECTOR + place->number : place->number;
    return (reads->registers >> bit & 1) != 0;
}

/* Are these bytes of the caller's stack, from the entry's stack pointer? */
static bool are_read(int64_t offset, uint64_t size_bytes, const struct x86_reads *reads)
{
    uint64_t first = ((uint64_t)offset - STACK_START) / 8, last = first + (size_bytes - 1) / 8;
    for (uint64_t word = first; word <= last; word++)
        if (word >= X86_READS_WORDS || (reads->words >> word & 1) == 0)
            return false;
    return true;
}

static bool is_half_read(const struct places *places, const struct x86_reads *reads)
{
    bool any = false;
    for (unsigned i = 0; i < 2; i++) {
        const struct place *piece =
            places->whole.kind == PLACE_PIECES ? &places->pieces[i] : &places->whole;
        int64_t offset = piece->offset + (piece == &places->whole ? 8 * i : 0);
        any = any || (piece->stack ? are_read(offset, 8, reads) : is_read(piece, reads));
    }
    return any;
}

/* Is the value there even if the function does not use it? An object in memory is. clang before 18
 * hands a wide integer over as one value; later ones leave out the half that nobody reads. */
static bool is_passed(const struct dwarf_types *types, const struct places *places,
                      const struct dwarf_type *type, const struct x86_reads *reads)
{
    const struct place *whole = &places->whole;
    bool object = type->kind == DWARF_TYPE_STRUCT && type->size_bytes > 8;
    if (whole->kind == PLACE_CONSTANT || (whole->kind == PLACE_IN_MEMORY && whole->stack && object))
        return true;
    if (type->kind == DWARF_TYPE_WIDE && type->size_bytes == 16 && convention_splits_wide(types))
        return is_half_read(places, reads);
    if (whole->kind != PLACE_PIECES)
        return whole->stack ? are_read(whole->offset,
                                       whole->kind == PLACE_BEHIND ? 8 : type->size_bytes, reads)
                            : is_read(whole, reads);
    for (unsigned i = 0; i < places->pieces_count; i++) {
        const struct place *piece = &places->pieces[i];
        if (piece->stack ? !are_read(piece->offset, piece->size_bytes, reads)
                         : !is_read(piece, reads))
            return false;
    }
    return true;
}

/* ---- the entry ---- */

struct entry {
    const struct recipe_function *function;
    const struct prototype *prototype;
    const struct recipe_locations *locations;
    struct places places[PROTOTYPE_PARAMETERS_MAX];
    bool known[PROTOTYPE_PARAMETERS_MAX];
    bool contradicted; /* the debug information says something else than the convention */
};

/* Finds the places by the convention. False if it does not say them, or cannot be true. */
static bool find_by_convention(struct entry *entry, const struct shape *shape)
{
    const struct recipe_function *function = entry->function;
    const struct prototype *prototype = entry->prototype;
    struct convention convention = {.stack = STACK_START};
    if (prototype->result.kind != DWARF_TYPE_VOID) {
        struct way result = convention_way(function->types, &prototype->result);
        bool x87 =
            prototype->result.kind == DWARF_TYPE_FLOAT ||
            (prototype->result.kind == DWARF_TYPE_COMPLEX && prototype->result.size_bytes == 32);
        if (result.unknown)
            return false;
        convention.general = result.by_address || (result.eight[0] == PASSED_STACK && !x87);
    }
    for (unsigned i = 0; i < prototype->count; i++) {
        const struct dwarf_type *type = &prototype->parameters[i].type;
        enum place_reason reason;
        struct way way = convention_way(function->types, type);
        if (way.unknown)
            return false;
        entry->known[i] = convention_take(&convention, &way, &entry->places[i]);
        entry->contradicted =
            entry->known[i] && contradicts(function, &entry->locations->where[i],
                                           recipe_bytes(type, &reason), &entry->places[i].whole);
        if (entry->contradicted)
            return false;
        if (i == 0)
            convention.general += shape->hidden;
        if (convention.general > CONVENTION_GENERALS)
            return false;
    }
    return true;
}

/* Does the place hold at the first instruction? Registers of arguments do, what the caller has put on
 * the stack, and what is constant from before the first statement on. */
static bool holds_at_entry(const struct place *place, bool constant)
{
    if (place->kind == PLACE_ADDRESS || place->kind == PLACE_CONSTANT)
        return constant;
    if (place->kind == PLACE_IN_MEMORY)
        return place->stack && place->number == STACK_POINTER && place->offset >= STACK_START;
    return convention_is_register(place);
}

/* Finds those that the debug information knows in such places, or to be constant. */
static void find_by_location(struct entry *entry, bool clone)
{
    const struct recipe_function *function = entry->function;
    for (unsigned i = 0; i < entry->prototype->count; i++) {
        struct places *places = &entry->places[i];
        const struct recipe_locations *locations = entry->locations;
        enum place_reason reason;
        unsigned bytes = recipe_bytes(&entry->prototype->parameters[i].type, &reason);
        entry->known[i] = false;
        if (bytes == 0 || entry->contradicted)
            continue;
        if (locations->constant[i].kind != DWARF_VALUE_NONE) {
            entry->known[i] =
                recipe_constant_place(&locations->constant[i], bytes, places) == PLACE_FOUND;
            continue;
        }
        const struct dwarf_value *where = &locations->where[i];
        if (!place_at_entry(function, where, bytes, places))
            continue;
        bool constant = where->kind == DWARF_VALUE_BLOCK ||
                        (clone && dwarf_location_begins(function->unit, where, &locations->views[i],
                                                        function->start));
        entry->known[i] =
            places->whole.kind == PLACE_PIECES || holds_at_entry(&places->whole, constant);
        for (unsigned k = 0; places->whole.kind == PLACE_PIECES && k < places->pieces_count; k++)
            entry->known[i] = entry->known[i] && holds_at_entry(&places->pieces[k], constant);
    }
}

/* A value that is too large to record whole has members. */
static void put_large(const struct place *place, struct fisql_recipe_value *value)
{
    if (place->kind != PLACE_IN_MEMORY && place->kind != PLACE_BEHIND)
        return;
    value->base = place->number;
    value->offset = (int32_t)place->offset;
    value->anywhere = !place->stack;
    value->large = place->kind == PLACE_IN_MEMORY ? FISQL_WHERE_SUM : FISQL_WHERE_MEMORY;
}

static int put_parameter(struct recipes *recipes, const struct entry *entry, unsigned i,
                         size_t index, struct error *error)
{
    const struct dwarf_type *type = &entry->prototype->parameters[i].type;
    struct dwarf_type target = {.kind = DWARF_TYPE_UNKNOWN};
    enum place_reason reason;
    unsigned bytes = recipe_bytes(type, &reason);
    int result = PLACE_NOT_HERE;
    if (type->kind == DWARF_TYPE_REFERENCE)
        target = dwarf_type_at(entry->function->types, type->target);
    if (entry->known[i] && bytes == 0 && reason == PLACE_TOO_LARGE)
        put_large(&entry->places[i].whole, &recipes->values[index]);
    if (bytes == 0)
        result = (int)reason;
    else if (entry->known[i])
        result = recipe_value_put(recipes, index, type, &target, &entry->places[i], error);
    if (result >= 0)
        recipes->tallies[RECIPE_FUNCTIONS][result]++;
    return result < 0 ? -1 : 0;
}

/* Appends a recipe of `count` absent values; the first one's index, or SIZE_MAX. */
static size_t add_hook(struct recipes *recipes, uint64_t start, uint8_t exit, unsigned count,
                       struct error *error)
{
    size_t first = recipes->values_count;
    struct fisql_recipe_hook hook = {.address = start + (exit != 0),
                                     .function = start,
                                     .first = (uint32_t)first,
                                     .count = (uint16_t)count,
                                     .exit = exit};
    if (array_reserve(&recipes->values, &recipes->values_capacity, first + count + 1, error) != 0 ||
        array_add(&recipes->hooks, &recipes->hooks_count, &recipes->hooks_capacity, hook, error) !=
            0)
        return SIZE_MAX;
    memset(recipes->values + first, 0, count * sizeof *recipes->values);
    recipes->values_count += count;
    return first;
}

/* Does a call take the result out of the one register where the convention has it? gcc also keeps values
 * of its own in a register that the function leaves alone. */
static bool is_taken(const struct recipe_function *function, const struct x86_callee *callee,
                     const struct fisql_recipe_value *value)
{
    uint32_t result = value->size > 8                             ? 0
                      : value->where == FISQL_WHERE_RESULT        ? X86_USES_RAX
                      : value->where == FISQL_WHERE_RESULT_VECTOR ? 1u << X86_USES_VECTOR
                                                                  : 0;
    return callee != NULL && (callee->takes & result) != 0 &&
           x86_writes(&function->walk->files->module, function->start, function->end, result);
}

/* Without a result that can be recorded, the recipe has no value. */
static int put_exit(struct recipes *recipes, const struct recipe_function *function,
                    const struct dwarf_type *type, const struct freedom *freedom)
{
    struct fisql_recipe_value value;
    bool is_void = type->kind == DWARF_TYPE_VOID;
    enum place_reason reason = is_void ? PLACE_TYPE : recipe_result(function->types, type, &value);
    if (reason == PLACE_FOUND && !freedom->conventional &&
        !(freedom->declared_so && is_taken(function, freedom->callee, &value)))
        reason = PLACE_CONVENTION;
    if (!is_void)
        recipes->tallies[RECIPE_RESULTS][reason]++;
    size_t first = add_hook(recipes, function->start, FISQL_RECIPE_RETURN, reason == PLACE_FOUND,
                            function->walk->error);
    if (first == SIZE_MAX)
        return -1;
    if (reason == PLACE_FOUND)
        recipes->values[first] = value;
    return 0;
}

static void forget_unread(struct entry *entry, const struct x86_callee *callee)
{
    const struct recipe_function *function = entry->function;
    const struct recipe_walk *walk = function->walk;
    const struct elf_file *module = &walk->files->module;
    uint64_t end = function->end;
    struct x86_reads reads = {.registers = 0};
    if (function->declared)
        end = named_code_end(walk->copies->by_address, walk->copies->names_count, function->start);
    else
        reads = x86_reads(module, function->start, end, frame_at, walk->frames);
    reads.registers |= x86_reads_on_ways(module, walk->calls, function->start, end);
    if (callee != NULL && !function->declared)
        reads.registers |= callee->sets;
    for (unsigned i = 0; i < entry->prototype->count; i++)
        entry->known[i] =
            entry->known[i] && is_passed(function->types, &entry->places[i],
                                         &entry->prototype->parameters[i].type, &reads);
}

static int add(struct entry *entry)
{
    const struct recipe_function *function = entry->function;
    struct recipes *recipes = function->walk->recipes;
    struct shape shape = {.all_in_frame = true};
    struct freedom freedom;
    const unsigned count = entry->prototype->count;
    prototype_each(function->debug, function->die, see_shape, &shape);
    if (find_freedom(function, entry->prototype, &shape, &freedom) != 0)
        return -1;
    freedom.conventional =
        freedom.conventional && freedom.declared_so && find_by_convention(entry, &shape);
    if (!freedom.conventional && function->declared)
        return 0;
    if (!freedom.conventional)
        find_by_location(entry, freedom.clone);
    if (entry->contradicted)
        freedom.declared_so = false;
    if (!freedom.all_passed)
        forget_unread(entry, freedom.callee);
    recipes->sites++;
    size_t first = add_hook(recipes, function->start, 0, count, function->walk->error);
    if (first == SIZE_MAX)
        return -1;
    for (unsigned i = 0; i < count; i++)
        if (put_parameter(recipes, entry, i, first + i, function->walk->error) != 0)
            return -1;
    return put_exit(recipes, function, &entry->prototype->result, &freedom);
}

int recipe_entry_add(const struct recipe_function *function)
{
    struct prototype *prototype = malloc(sizeof *prototype);
    struct recipe_locations *locations = calloc(1, sizeof *locations);
    struct entry *entry = malloc(sizeof *entry); /* megabytes, of which most is never used */
    Dwarf_Off offset = 0;
    int result = 0;
    if (prototype == NULL || locations == NULL || entry == NULL) {
        result = error_set(function->walk->error, "out of memory");
    } else if (dwarf_die_offset(function->debug, function->die, &offset) &&
               prototype_read(function->types, offset, prototype)) {
        locations->prototype = prototype;
        if (!function->declared)
            recipe_locations_read(function->debug, function->die, locations);
        entry->function = function;
        entry->prototype = prototype;
        entry->locations = locations;
        entry->contradicted = false;
        memset(entry->known, 0, sizeof entry->known);
        result = add(entry);
    }
    free(prototype);
    free(locations);
    free(entry);
    return result;
}

/* ---- all of them ---- */

static int by_address(const void *left, const void *right)
{
    const struct fisql_recipe_hook *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

void recipe_entries_finish(struct recipes *recipes)
{
    struct fisql_recipe_hook *hooks = recipes->hooks;
    size_t kept = 0;
    array_sort(hooks, recipes->hooks_count, by_address);
    for (size_t i = 0, next; i < recipes->hooks_count; i = next) {
        bool same = true;
        for (next = i + 1; next < recipes->hooks_count && hooks[next].address == hooks[i].address;
             next++)
            same = same && recipes_are_same(recipes, &hooks[i], &hooks[next]);
        if (same)
            hooks[kept++] = hooks[i];
        else
            recipes->nameless++;
    }
    recipes->hooks_count = kept;
}
