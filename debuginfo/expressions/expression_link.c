/* Expressions at a hook's call, with the parameters' places there: see expressions.h. The steps of an
 * expression at the exit are the same for all of a function's entries, whose places may differ. */
#include "debuginfo/expressions/expression_parts.h"

/* A parameter's word: a number, or a pointer to anything. */
static struct fisql_recipe_value word_of(const struct fisql_recipe_value *parameter)
{
    struct fisql_recipe_value word = *parameter;
    bool text = word.what >= FISQL_WHAT_STRING && !word.object && !word.through;
    if (fisql_recipe_unit_bytes(word.what) != 0 || text) {
        word.what = FISQL_WHAT_POINTER;
        word.size = 8;
    }
    if (word.what > FISQL_WHAT_POINTER)
        word.where = FISQL_WHERE_ABSENT;
    return word;
}

/* The address of an object; false if it has none. */
static bool address_of(const struct fisql_recipe_value *object, struct fisql_recipe_value *address)
{
    bool string = object->what >= FISQL_WHAT_STRING;
    bool in_place = string ? object->object != 0 : object->through == 0;
    *address = *object;
    address->what = FISQL_WHAT_POINTER;
    address->size = 8;
    address->object = 0;
    if (object->where == FISQL_WHERE_ABSENT) {
        address->where = object->large;
        address->large = 0;
        return object->large != 0;
    }
    if (string && in_place && object->through != 0)
        return false;
    if (!in_place) { /* its address was found; for a string perhaps through another one */
        address->through = string ? object->through : 0;
        return object->where != FISQL_WHERE_PIECES && object->where != FISQL_WHERE_ABSENT;
    }
    address->where = FISQL_WHERE_SUM;
    address->anywhere = 0;
    return object->where == FISQL_WHERE_MEMORY;
}

/* Takes a number out of an object in registers. */
static bool part_of(const struct fisql_recipe_value *object, const struct fisql_recipe_value *load,
                    struct fisql_recipe_value *part)
{
    *part = *object;
    part->what = load->what;
    part->size = load->size;
    part->part = (uint8_t)load->offset;
    part->object = 0;
    return object->where != FISQL_WHERE_ABSENT && load->base == FISQL_STEP_LOAD &&
           object->through == 0 && (object->what == FISQL_WHAT_BYTES || object->object != 0) &&
           load->offset >= 0 && load->offset + load->size <= (int)object->size;
}

/* Makes steps of a parameter's address and the step after it; false if that is impossible. */
static bool link_address(const struct fisql_recipe_value *parameter,
                         const struct fisql_recipe_value *next, struct fisql_recipe_value steps[2])
{
    steps[1] = *next;
    if (address_of(parameter, &steps[0]))
        return true;
    if (!part_of(parameter, next, &steps[0]))
        return false;
    steps[1] = (struct fisql_recipe_value){.where = FISQL_WHERE_STEP, .base = FISQL_STEP_NOTHING};
    return true;
}

bool expression_link(const struct expression_code *code,
                     const struct fisql_recipe_value *parameters, size_t count,
                     struct fisql_recipe_value *value, struct fisql_recipe_value *steps)
{
    static const struct fisql_recipe_value absent = {.where = FISQL_WHERE_ABSENT};
    if (expression_register_of(code, value))
        return true;
    *value = absent;
    if (code->whole != 0) {
        *value = code->whole <= count ? parameters[code->whole - 1] : absent;
        return true;
    }
    for (unsigned i = 0; i < code->count; i++) {
        const struct expression_step *step = &code->steps[i];
        const struct fisql_recipe_value *parameter =
            step->parameter < count ? &parameters[step->parameter] : &absent;
        steps[i] = step->source == EXPRESSION_PARAMETER ? word_of(parameter) : step->step;
        if (step->source == EXPRESSION_ADDRESS) {
            if (i + 1 == code->count || !link_address(parameter, &step[1].step, &steps[i]))
                return false;
            i++;
        }
        if (steps[i].where == FISQL_WHERE_ABSENT)
            return false;
    }
    *value = code->value;
    value->where = FISQL_WHERE_EXPRESSION;
    value->base = (uint8_t)code->count;
    return false;
}

/* ---- at the exit ---- */

unsigned expression_kept(const struct expression_code *code)
{
    unsigned count = 0;
    for (unsigned i = 0; i < code->count; i++)
        count += code->steps[i].source != EXPRESSION_STEP;
    return count + code->if_changed;
}

bool expression_if_changed(const struct expression_code *code)
{
    return code->if_changed;
}

void expression_link_keep(const struct expression_code *code,
                          const struct fisql_recipe_value *parameters, size_t count, unsigned first,
                          struct fisql_recipe_value *value, struct fisql_recipe_value *words)
{
    static const struct fisql_recipe_value absent = {.where = FISQL_WHERE_ABSENT};
    unsigned kept = 0;
    for (unsigned i = 0; i < code->count && kept < FISQL_RECIPE_KEPT_MAX; i++) {
        const struct expression_step *step = &code->steps[i];
        const struct fisql_recipe_value *parameter =
            step->parameter < count ? &parameters[step->parameter] : &absent;
        if (step->source == EXPRESSION_PARAMETER)
            words[kept++] = word_of(parameter);
        else if (step->source == EXPRESSION_ADDRESS && !address_of(parameter, &words[kept++]))
            words[kept - 1] = absent;
    }
    kept += code->if_changed;
    *value = (struct fisql_recipe_value){.where = FISQL_WHERE_KEEP,
                                         .base = (uint8_t)(kept + 1),
                                         .offset = (int32_t)first,
                                         .part = code->if_changed};
}

void expression_link_exit(const struct expression_code *code, unsigned position, unsigned first,
                          struct fisql_recipe_value *value, struct fisql_recipe_value *steps)
{
    for (unsigned i = 0; i < code->count; i++) {
        steps[i] = code->steps[i].step;
        if (code->steps[i].source != EXPRESSION_STEP)
            steps[i] = (struct fisql_recipe_value){.where = FISQL_WHERE_KEPT,
                                                   .what = FISQL_WHAT_POINTER,
                                                   .size = 8,
                                                   .base = (uint8_t)first++};
    }
    *value = code->value;
    value->where = FISQL_WHERE_EXPRESSION;
    value->base = (uint8_t)code->count;
    value->offset = (int32_t)position;
}
