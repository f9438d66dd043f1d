/* Where a thread's events happened: see memory_places.h. */
#include "loader/memory/memory_places.h"

#include <stdlib.h>

#include "base/array.h"

/* The path of the innermost open call. Does not look up the levels again that the event before
 * shares. */
static int find_path(struct memory_places *places, const struct memory_stack *stack, uint32_t *path,
                     struct error *error)
{
    size_t known =
        places->levels_count < stack->depth ? places->levels_count : (size_t)stack->depth;
    while (known > 0 &&
           (places->levels[known - 1].call == 0 ||
            places->levels[known - 1].call != memory_call_at(stack, (uint32_t)known)->call_id))
        known--;
    if (array_reserve(&places->levels, &places->levels_capacity, stack->depth, error) < 0)
        return -1;
    uint32_t at = known > 0 ? places->levels[known - 1].path : 0;
    for (; known < stack->depth; known++) {
        const struct memory_open_call *call = memory_call_at(stack, (uint32_t)known + 1);
        uint32_t index;
        if (call->outermost) {
            if (intern_add(&places->path_keys, at, call->function_id, &index, error) < 0)
                return -1;
            at = index + 1;
        }
        places->levels[known] = (struct memory_level){call->call_id, at};
    }
    places->levels_count = stack->depth;
    *path = at;
    return 0;
}

int memory_places_find(struct memory_places *places, const struct memory_stack *stack,
                       uint32_t kind, uint32_t site, uint32_t *index, struct error *error)
{
    struct memory_place place = {.site = site, .kind = (uint8_t)(kind % FISQL_KINDS_MAX)};
    if (find_path(places, stack, &place.path, error) < 0)
        return -1;
    if (stack->depth > 0) {
        const struct memory_open_call *call = memory_call_at(stack, stack->depth);
        place.frame = call->frame_id;
        place.function = call->function_id;
    }
    uint32_t before = places->place_keys.count;
    if (intern_add(&places->place_keys, intern_pack(place.frame, place.site),
                   intern_pack(place.path, place.kind), index, error) < 0 ||
        array_reach(&places->places, &places->places_capacity, *index, error) < 0)
        return -1;
    if (*index == before)
        places->places[*index] = place;
    return 0;
}

void memory_places_trim(struct memory_places *places)
{
    free(places->levels);
    places->levels = NULL;
    places->levels_count = places->levels_capacity = 0;
}

void memory_places_release(struct memory_places *places)
{
    intern_release(&places->place_keys);
    intern_release(&places->path_keys);
    free(places->places);
    memory_places_trim(places);
    *places = (struct memory_places){0};
}
