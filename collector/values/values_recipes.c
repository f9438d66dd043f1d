/* The recipes of the modules that are loaded: see values_recipes.h. */
#include "collector/values/values_recipes.h"

#include "collector/core/lock.h"
#include "collector/core/reserve.h"
#include "formats/live.h"

#include <string.h>

#define MADE_BYTES ((uint64_t)64 << 20) /* of address space */
#define STRING_MAX 960u                 /* a text and 30 tags fit into an event */

struct recipe_place *recipe_cache;
static struct reserve cache, made;
static uint64_t made_used; /* words */
struct recipe_module recipe_modules[RECIPE_MODULES_MAX];
uint32_t recipe_string_max;

/* The first are those of the program that fisql record started. */
#define HEADS_MAX (1 + FISQL_LATE_MAX)
static const struct fisql_recipes *heads[HEADS_MAX];
static uint32_t heads_used;
static uint32_t modules_lock; /* for the next two, and heads; taken with signals blocked */
uint32_t recipe_modules_used;
uint32_t recipe_cache_used;

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

bool recipes_add(const void *memory, uint64_t size_bytes)
{
    bool added = false;
    lock_acquire(&modules_lock);
    if (memory != NULL && (uintptr_t)memory % 8 == 0 && heads_used < HEADS_MAX &&
        sound(memory, size_bytes)) {
        heads[heads_used++] = memory;
        if (heads_used == 1)
            recipe_string_max =
                heads[0]->string_max < STRING_MAX ? heads[0]->string_max : STRING_MAX;
        added = true;
    }
    lock_release(&modules_lock);
    return added;
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

/* A place for a module: a new one, or that of a module that is gone and had the same recipes. */
static struct recipe_module *place_for(const struct fisql_recipe_hook *hooks)
{
    for (uint32_t i = 0; i < recipe_modules_used; i++)
        if (recipe_modules[i].hooks == hooks && (recipe_modules[i].bias & 1) != 0)
            return &recipe_modules[i];
    return recipe_modules_used < RECIPE_MODULES_MAX ? &recipe_modules[recipe_modules_used] : NULL;
}

/* Forgets modules that were unloaded there, and what threads found in them. */
static void forget(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < recipe_modules_used; i++)
        if (recipe_modules[i].start < end && start < recipe_modules[i].end)
            __atomic_store_n(&recipe_modules[i].bias, 1, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&recipe_cache_used, 0, __ATOMIC_RELAXED) == 0)
        return;
    for (uint32_t i = 0; i < RECIPE_PLACES; i++)
        if (recipe_cache[i].address != 0)
            __atomic_store_n(&recipe_cache[i].address, 0, __ATOMIC_RELAXED);
}

/* Words for the hooks of a module in a new place; those of an old one are forgotten. */
static void make_room(struct recipe_module *place, uint64_t hooks_count)
{
    uint64_t words = made_used + hooks_count;
    if (place->made != NULL) {
        for (uint64_t i = 0; i < hooks_count; i++)
            __atomic_store_n(&place->made[i], 0, __ATOMIC_RELAXED);
    } else if (hooks_count <= MADE_BYTES / sizeof *place->made &&
               reserve_grow(&made, MADE_BYTES, words * sizeof *place->made)) {
        place->made = (uint64_t *)reserve_start(&made) + made_used;
        made_used = words;
    }
}

static bool place_module(const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
    const struct fisql_recipes *head = NULL;
    const struct fisql_recipe_module *entry = entry_of(path, &head);
    if (head == NULL)
        return false;
    forget(start, end);
    if (entry != NULL && entry->hooks_count == 0)
        return true; /* nothing is recorded there */
    struct recipe_module *place = entry != NULL ? place_for(at_offset(head, entry->hooks)) : NULL;
    if (place == NULL)
        return false;
    place->values = at_offset(head, entry->values);
    place->hooks = at_offset(head, entry->hooks);
    place->hooks_count = entry->hooks_count;
    make_room(place, entry->hooks_count);
    place->start = start;
    place->end = end;
    __atomic_store_n(&place->bias, bias, __ATOMIC_RELEASE);
    if (place == &recipe_modules[recipe_modules_used])
        __atomic_store_n(&recipe_modules_used, recipe_modules_used + 1, __ATOMIC_RELEASE);
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
