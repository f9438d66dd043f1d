/* Finding a hook call's recipe: see values_lookup.h. */
#include "collector/values/values_lookup.h"

#include "collector/core/modules.h"
#include "collector/core/reserve.h"
#include "collector/faults/faults.h"
#include "collector/values/values_late.h"

#include <string.h>

#define ARENA_BYTES ((uint64_t)64 << 20) /* of address space */
#define LINE 64u

static struct reserve arena; /* recipes as hooks use them */
static uint64_t arena_used;  /* atomic */

static const struct recipe no_recipe; /* of a call that only fault rules name */

void recipes_take_room(void)
{
    reserve_grow(&arena, ARENA_BYTES, ARENA_BYTES);
}

static const struct fisql_recipe_hook *search(const struct recipe_module *module, uint64_t address)
{
    uint64_t low = 0, high = module->hooks_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (module->hooks[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->hooks_count && module->hooks[low].address == address ? &module->hooks[low]
                                                                              : NULL;
}

#if defined(__x86_64__)
#define SAVED_REGISTERS 0xf0c8u /* rbx, rbp, r12 to r15, and rsp */
#elif defined(__aarch64__)
#define SAVED_REGISTERS 0xfff80000u /* x19 to x29, x30 and sp */
#endif

/* Does the value need a register that calls may change? */
static bool is_volatile(const struct fisql_recipe_value *value, const struct recipe_module *module)
{
    if (value->where == FISQL_WHERE_PIECES || value->where == FISQL_WHERE_EXPRESSION ||
        value->where == FISQL_WHERE_KEEP)
        for (uint32_t i = 0; i < value->base; i++)
            if (is_volatile(&module->values[value->constant + i], module))
                return true;
    return (value->where == FISQL_WHERE_REGISTER || value->where == FISQL_WHERE_MEMORY ||
            value->where == FISQL_WHERE_SUM) &&
           (SAVED_REGISTERS >> (value->base & 31) & 1) == 0;
}

/* ---- recipes as hooks use them ---- */

static struct recipe_number number_of(const struct fisql_recipe_value *value)
{
    struct recipe_number number = {.where = value->where,
                                   .what = value->what,
                                   .unused = (uint8_t)(64 - 8 * value->size),
                                   .base = value->base,
                                   .offset = value->offset};
    bool is_word = value->where == FISQL_WHERE_REGISTER || value->where == FISQL_WHERE_SUM ||
                   value->where == FISQL_WHERE_MEMORY || value->where == FISQL_WHERE_RESULT;
    bool whole = value->where != FISQL_WHERE_MEMORY ||
                 (!value->anywhere && (value->size == 4 || value->size == 8));
    if (!is_word || !whole || value->what > FISQL_WHAT_POINTER || value->size - 1u >= 8 ||
        value->through != 0)
        number.where = RECIPE_OTHER;
    if (number.where == FISQL_WHERE_REGISTER || number.where == FISQL_WHERE_RESULT) {
        if (number.where == FISQL_WHERE_RESULT)
            number.base = 0;
        number.where = FISQL_WHERE_SUM;
        number.offset = 0;
    }
    return number;
}

static uint8_t recipe_at_hook(const struct fisql_recipe_hook *hook,
                              const struct fisql_recipe_value *result)
{
    if (result->where == FISQL_WHERE_ABSENT)
        return RECIPE_NOTHING;
    return hook->exit == FISQL_RECIPE_RETURN || result->where < FISQL_WHERE_RESULT ? RECIPE_THERE
                                                                                   : RECIPE_COMES;
}

static uint64_t word_of(uint32_t index, const struct fisql_recipe_hook *hook)
{
    const struct recipe_module *module = &recipe_modules[index];
    uint64_t *made = module->made != NULL ? &module->made[hook - module->hooks] : NULL;
    uint64_t known = made != NULL ? __atomic_load_n(made, __ATOMIC_ACQUIRE) : 0;
    if (known != 0)
        return known;
    uint64_t numbers = hook->exit ? 2 : hook->count;
    uint64_t bytes = (sizeof(struct recipe) + numbers * sizeof(struct recipe_number) + LINE - 1) &
                     ~(uint64_t)(LINE - 1);
    uint64_t at = __atomic_fetch_add(&arena_used, bytes, __ATOMIC_RELAXED);
    if (!reserve_grow(&arena, ARENA_BYTES, at + bytes))
        return 0;
    struct recipe *recipe = (struct recipe *)(void *)(arena.start + at);
    uint64_t word = (uint64_t)(uintptr_t)recipe;
    recipe->address = hook->address + module->bias;
    recipe->function = hook->function + module->bias;
    recipe->value = &module->values[hook->first];
    recipe->count = (uint8_t)hook->count;
    recipe->exit = hook->exit;
    recipe->cfa_register = hook->cfa_register;
    recipe->module = index;
    for (uint32_t i = 0; i < hook->count && i < numbers; i++) {
        recipe->numbers[i] = number_of(&recipe->value[i]);
        if (!hook->exit && is_volatile(&recipe->value[i], module))
            word |= RECIPE_VOLATILE;
    }
    if (hook->exit)
        recipe->at_hook = recipe_at_hook(hook, recipe->value);
    if (hook->exit) {
        const struct recipe_frame frame = {hook->cfa_offset, hook->return_offset};
        memcpy(&recipe->numbers[1], &frame, sizeof frame);
    }
    if (made != NULL)
        __atomic_store_n(made, word, __ATOMIC_RELEASE);
    return word;
}

/* The hook of a module at the address, and the module's index; NULL = there is none. */
static const struct fisql_recipe_hook *hook_at(uint64_t address, uint32_t *index)
{
    const struct fisql_recipe_hook *found = NULL;
    uint32_t used = __atomic_load_n(&recipe_modules_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        const struct recipe_module *module = &recipe_modules[i];
        uint64_t bias = __atomic_load_n(&module->bias, __ATOMIC_ACQUIRE);
        if ((bias & 1) != 0 || address < module->start || address >= module->end)
            continue;
        const struct fisql_recipe_hook *hook = search(module, address - bias);
        if (hook != NULL && hook->count != 0 && hook->count <= FISQL_RECIPE_VALUES_MAX) {
            found = hook;
            *index = i;
        }
    }
    return found;
}

/* Looks in the modules, and keeps what it finds; `flag` is set in a word. */
static uint64_t look_up(uint64_t address, struct recipe_place *place, uint64_t flag)
{
    uint32_t index = 0;
    const struct fisql_recipe_hook *hook = hook_at(address, &index);
    uint64_t word = hook != NULL ? word_of(index, hook) : 0;
    if (word == 0 && !modules_known(address))
        return 0; /* it may have recipes yet */
    if (UNLIKELY(faults_name(address)))
        word =
            (word != 0 ? word : (uint64_t)(uintptr_t)&no_recipe) | RECIPE_VOLATILE | RECIPE_FAULT;
    if (word != 0)
        word |= flag;
    __atomic_store_n(&place->address, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&place->word, word, __ATOMIC_RELEASE);
    __atomic_store_n(&place->address, address, __ATOMIC_RELEASE);
    __atomic_store_n(&recipe_cache_used, 1, __ATOMIC_RELAXED);
    return word;
}

uint64_t recipe_word(uint64_t address)
{
    if (UNLIKELY(recipe_cache == NULL))
        return 0;
    struct recipe_place *place = &recipe_cache[address / 8 % RECIPE_PLACES];
    if (__atomic_load_n(&place->address, __ATOMIC_ACQUIRE) == address)
        return __atomic_load_n(&place->word, __ATOMIC_RELAXED);
    return values_late_look(address) != LATE_WAITS ? look_up(address, place, 0) : 0;
}

uint64_t recipe_word_patched(uint64_t function, bool returns)
{
    uint64_t address = recipe_address_patched(function, returns);
    if (UNLIKELY(recipe_cache == NULL))
        return 0;
    /* Not side by side: both are used in turn, and few functions are shorter than 8 bytes. */
    uint64_t at = address / 8 + (returns ? RECIPE_PLACES / 2 : 0);
    struct recipe_place *place = &recipe_cache[at % RECIPE_PLACES];
    if (LIKELY(__atomic_load_n(&place->address, __ATOMIC_ACQUIRE) == address))
        return __atomic_load_n(&place->word, __ATOMIC_RELAXED);
    return look_up(address, place, RECIPE_PATCHED);
}

bool recipe_wants_patched(uint64_t function)
{
    uint32_t index;
    return hook_at(function, &index) != NULL || faults_name(function) ||
           hook_at(recipe_address_patched(function, true), &index) != NULL;
}
