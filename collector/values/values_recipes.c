/* The recipes of the modules that are loaded: see values_recipes.h. */
#include "collector/values/values_recipes.h"

#include "collector/faults/faults.h"
#include "collector/core/lock.h"
#include "collector/core/modules.h"
#include "collector/core/reserve.h"
#include "collector/values/values_late.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PAGE_BYTES_MAX 65536u
#define STRING_MAX 960u /* so that a text and 30 tags fit an event */

struct recipe_place *recipe_cache;
static struct reserve cache;
struct recipe_module recipe_modules[RECIPE_MODULES_MAX];
uint32_t recipe_string_max;

#define ARENA_BYTES ((uint64_t)64 << 20) /* of address space */
#define LINE 64u

static struct reserve arena; /* recipes as hooks use them */
static uint64_t arena_used;  /* atomic */

static const struct recipe no_recipe; /* of a call that is known for its faults alone */
/* The first are those of the program as it was started. */
#define HEADS_MAX (1 + FISQL_LATE_MAX)
static const struct fisql_recipes *heads[HEADS_MAX];
static uint32_t heads_used;
static uint32_t modules_lock; /* for what follows, and heads; signals are blocked */
static uint32_t modules_used; /* atomic: those before it are complete */
static uint32_t cache_used;   /* atomic: something was put into it */

/* ---- the area ---- */

static bool within(const struct fisql_recipes *head, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset % 8 == 0 && offset <= head->bytes && count <= (head->bytes - offset) / size;
}

static const void *at_offset(const struct fisql_recipes *head, uint64_t offset)
{
    return (const unsigned char *)head + offset;
}

static const struct fisql_recipe_module *module_entries(const struct fisql_recipes *head)
{
    return (const struct fisql_recipe_module *)(const void *)(head + 1);
}

static bool sound(const struct fisql_recipes *head, uint64_t size_bytes)
{
    if (size_bytes < sizeof *head || head->magic != FISQL_RECIPES_MAGIC ||
        head->version != FISQL_RECIPES_VERSION || head->bytes > size_bytes ||
        !within(head, sizeof *head, head->modules, sizeof(struct fisql_recipe_module)))
        return false;
    for (uint32_t i = 0; i < head->modules; i++) {
        const struct fisql_recipe_module *entry = &module_entries(head)[i];
        if (!within(head, entry->hooks, entry->hooks_count, sizeof(struct fisql_recipe_hook)) ||
            !within(head, entry->values, entry->values_count, sizeof(struct fisql_recipe_value)) ||
            entry->path > head->bytes || entry->path_bytes > head->bytes - entry->path)
            return false;
    }
    return true;
}

bool recipes_prepare(void)
{
    size_t bytes = RECIPE_PLACES * sizeof *recipe_cache;
    if (!reserve_grow(&cache, bytes, bytes))
        return false;
    recipe_cache = reserve_start(&cache);
    return true;
}

void recipes_take_room(void)
{
    reserve_grow(&arena, ARENA_BYTES, ARENA_BYTES);
}

bool recipes_add(const void *memory, uint64_t size_bytes)
{
    bool added = false;
    lock_acquire(&modules_lock);
    if (memory != NULL && (uintptr_t)memory % 8 == 0 && heads_used < HEADS_MAX &&
        sound(memory, size_bytes)) {
        heads[heads_used++] = memory;
        added = true;
    }
    lock_release(&modules_lock);
    return added;
}

bool recipes_load(int file, uint64_t offset, uint64_t size_bytes)
{
    struct stat status;
    uint64_t before = offset % PAGE_BYTES_MAX;
    if (fstat(file, &status) != 0 || (uint64_t)status.st_size < size_bytes ||
        (uint64_t)status.st_size - size_bytes < offset)
        return false;
    void *memory =
        mmap(NULL, size_bytes + before, PROT_READ, MAP_PRIVATE, file, (off_t)(offset - before));
    if (memory == MAP_FAILED)
        return false;
    if (!recipes_add((const unsigned char *)memory + before, size_bytes)) {
        munmap(memory, size_bytes + before);
        return false;
    }
    recipe_string_max = heads[0]->string_max < STRING_MAX ? heads[0]->string_max : STRING_MAX;
    return true;
}

bool recipes_there(void)
{
    return heads_used > 0;
}

/* ---- the modules ---- */

static const struct fisql_recipe_module *entry_of(const char *path, const struct fisql_recipes **of)
{
    size_t length = strlen(path);
    for (uint32_t k = 0; k < heads_used; k++) {
        const struct fisql_recipes *head = *of = heads[k];
        const struct fisql_recipe_module *entries = module_entries(head);
        for (uint32_t i = 0; i < head->modules; i++)
            if (entries[i].path_bytes == length &&
                memcmp(at_offset(head, entries[i].path), path, length) == 0)
                return &entries[i];
    }
    return NULL;
}

/* A place for a module: that of one that is gone and had the same recipes, or a new one. */
static struct recipe_module *place_for(const struct fisql_recipe_hook *hooks)
{
    for (uint32_t i = 0; i < modules_used; i++)
        if (recipe_modules[i].hooks == hooks && (recipe_modules[i].bias & 1) != 0)
            return &recipe_modules[i];
    return modules_used < RECIPE_MODULES_MAX ? &recipe_modules[modules_used] : NULL;
}

/* It may lie where an unloaded one was. What threads found there holds no more. */
static void forget(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < modules_used; i++)
        if (recipe_modules[i].start < end && start < recipe_modules[i].end)
            __atomic_store_n(&recipe_modules[i].bias, 1, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&cache_used, 0, __ATOMIC_RELAXED) == 0)
        return;
    for (uint32_t i = 0; i < RECIPE_PLACES; i++)
        if (recipe_cache[i].address != 0)
            __atomic_store_n(&recipe_cache[i].address, 0, __ATOMIC_RELAXED);
}

static bool place_module(const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
    const struct fisql_recipes *head = NULL;
    const struct fisql_recipe_module *entry = entry_of(path, &head);
    if (head == NULL)
        return false;
    forget(start, end);
    struct recipe_module *place = entry != NULL ? place_for(at_offset(head, entry->hooks)) : NULL;
    if (place == NULL)
        return false;
    place->values = at_offset(head, entry->values);
    place->hooks = at_offset(head, entry->hooks);
    place->hooks_count = entry->hooks_count;
    place->start = start;
    place->end = end;
    __atomic_store_n(&place->bias, bias, __ATOMIC_RELEASE);
    if (place == &recipe_modules[modules_used])
        __atomic_store_n(&modules_used, modules_used + 1, __ATOMIC_RELEASE);
    return true;
}

bool recipes_module(const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
    lock_acquire(&modules_lock);
    bool known = place_module(path, bias, start, end);
    lock_release(&modules_lock);
    return known;
}

bool recipes_know(const char *path)
{
    const struct fisql_recipes *head;
    lock_acquire(&modules_lock);
    bool known = entry_of(path, &head) != NULL;
    lock_release(&modules_lock);
    return known;
}

void recipes_forked(void)
{
    lock_forked(&modules_lock);
}

/* ---- what a hook asks ---- */

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

/* Does it need a register that calls may change? */
static bool is_volatile(const struct fisql_recipe_value *value, const struct recipe_module *module)
{
    if (value->where == FISQL_WHERE_PIECES || value->where == FISQL_WHERE_EXPRESSION)
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

static uint64_t word_of(uint32_t index, const struct fisql_recipe_hook *hook)
{
    const struct recipe_module *module = &recipe_modules[index];
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
    recipe->at_hook = hook->exit && recipe->value->where < FISQL_WHERE_RESULT;
    if (hook->exit) {
        const struct recipe_frame frame = {hook->cfa_offset, hook->return_offset};
        memcpy(&recipe->numbers[1], &frame, sizeof frame);
    }
    return word;
}

uint64_t recipe_word(uint64_t address)
{
    if (UNLIKELY(recipe_cache == NULL))
        return 0;
    struct recipe_place *place = &recipe_cache[address / 8 % RECIPE_PLACES];
    if (__atomic_load_n(&place->address, __ATOMIC_ACQUIRE) == address)
        return __atomic_load_n(&place->word, __ATOMIC_RELAXED);
    uint64_t word = 0;
    if (late_look(address) == LATE_WAITS)
        return 0;
    uint32_t used = __atomic_load_n(&modules_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        const struct recipe_module *module = &recipe_modules[i];
        uint64_t bias = __atomic_load_n(&module->bias, __ATOMIC_ACQUIRE);
        if ((bias & 1) != 0 || address < module->start || address >= module->end)
            continue;
        const struct fisql_recipe_hook *hook = search(module, address - bias);
        if (hook != NULL && hook->count != 0 && hook->count <= FISQL_RECIPE_VALUES_MAX)
            word = word_of(i, hook);
    }
    if (word == 0 && !modules_known(address))
        return 0; /* it may have recipes yet */
    if (UNLIKELY(faults_name(address)))
        word =
            (word != 0 ? word : (uint64_t)(uintptr_t)&no_recipe) | RECIPE_VOLATILE | RECIPE_FAULT;
    __atomic_store_n(&place->address, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&place->word, word, __ATOMIC_RELEASE);
    __atomic_store_n(&place->address, address, __ATOMIC_RELEASE);
    __atomic_store_n(&cache_used, 1, __ATOMIC_RELAXED);
    return word;
}
