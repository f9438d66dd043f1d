/* See patch_plans.h. */
#include "cli/record/patch_plans.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAN_BYTES_MAX ((uint64_t)1 << 30)

/* The path of the module that a plan was made for; "" = not known. */
static void path_of(const struct fisql_late *late, const struct fisql_live_part *part, char *path)
{
    path[0] = 0;
    for (uint32_t i = 0; late != NULL && i < FISQL_LATE_MAX && path[0] == 0; i++) {
        const struct fisql_late_module *module = &late->modules[i];
        if (__atomic_load_n(&module->state, __ATOMIC_ACQUIRE) == FISQL_LATE_ANSWERED &&
            module->plan.offset == part->offset && module->plan.bytes == part->bytes) {
            memcpy(path, module->path, FISQL_LATE_PATH_MAX);
            path[FISQL_LATE_PATH_MAX - 1] = 0;
        }
    }
}

static struct fisql_patch *plan_read(const struct live *live, const struct fisql_live_part *part,
                                     uint64_t start, uint64_t end)
{
    if (part->bytes < sizeof(struct fisql_patch) || part->bytes > PLAN_BYTES_MAX ||
        part->offset > INT64_MAX)
        return NULL;
    struct fisql_patch *plan = malloc(part->bytes);
    if (plan == NULL ||
        pread(live->memory, plan, part->bytes, (off_t)part->offset) != (ssize_t)part->bytes ||
        !fisql_patch_is_sound(plan, part->bytes, start, end)) {
        free(plan);
        return NULL;
    }
    return plan;
}

static void hops_find(struct known_plan *known)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(known->plan);
    uint32_t count = known->plan->entries_count;
    for (uint32_t i = 0; i < count; i++)
        if (entries[i].hop != 0)
            known->hop_of[fisql_patch_donor(entries, count, i)] = i + 1;
}

static void known_release(struct known_plan *known)
{
    free(known->plan);
    free(known->path);
    free(known->hop_of);
    free(known->wanted);
}

/* Reads the plan; without memory it is as one that is not sound. */
static struct known_plan known_make(const struct live *live, const struct fisql_late *late,
                                    const struct fisql_patch_area *area)
{
    char path[FISQL_LATE_PATH_MAX];
    struct known_plan known = {
        .part = area->plan, .start = area->start - area->bias, .end = area->end - area->bias};
    path_of(late, &area->plan, path);
    known.plan = plan_read(live, &area->plan, known.start, known.end);
    known.path = strdup(path);
    if (known.plan == NULL)
        return known;
    known.hop_of = calloc((size_t)known.plan->entries_count + 1, sizeof *known.hop_of);
    known.wanted = calloc((size_t)known.plan->entries_count + 1, sizeof *known.wanted);
    if (known.path != NULL && known.hop_of != NULL && known.wanted != NULL) {
        hops_find(&known);
        return known;
    }
    free(known.plan);
    known.plan = NULL;
    return known;
}

static struct known_plan *known_find(struct patch_plans *plans, const struct fisql_live_part *part)
{
    for (size_t i = 0; i < plans->count; i++)
        if (plans->items[i].part.offset == part->offset &&
            plans->items[i].part.bytes == part->bytes)
            return &plans->items[i];
    return NULL;
}

static void wanted_set(struct known_plan *known, const struct patch_wish *wish)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(known->plan);
    for (uint32_t i = 0; i < known->plan->entries_count; i++)
        known->wanted[i] = patch_wish_has(wish, known->path, fisql_patch_function(&entries[i]));
}

struct known_plan *patch_plans_of(struct patch_plans *plans, const struct live *live,
                                  const struct fisql_late *late,
                                  const struct fisql_patch_area *area,
                                  const struct patch_wish *wish, uint64_t pass)
{
    struct error error;
    struct known_plan *known = known_find(plans, &area->plan);
    if (known == NULL) {
        struct known_plan made = known_make(live, late, area);
        if (array_add(&plans->items, &plans->count, &plans->capacity, made, &error) != 0) {
            known_release(&made);
            return NULL;
        }
        known = &plans->items[plans->count - 1];
    }
    if (known->plan == NULL || known->start != area->start - area->bias ||
        known->end != area->end - area->bias)
        return NULL;
    if (known->wished != pass)
        wanted_set(known, wish);
    known->wished = pass;
    return known;
}

void patch_plans_release(struct patch_plans *plans)
{
    for (size_t i = 0; i < plans->count; i++)
        known_release(&plans->items[i]);
    free(plans->items);
    *plans = (struct patch_plans){.count = 0};
}
