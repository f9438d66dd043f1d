/* The places of allocations: see alloc_places.h. */
#include "loader/calls/alloc_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void alloc_places_release(struct alloc_places *places)
{
    free(places->fixed);
    free(places->places);
    intern_release(&places->known);
    *places = (struct alloc_places){0};
}

static int set_fixed(struct alloc_places *places, uint32_t site, struct error *error)
{
    size_t before = places->fixed_capacity;
    if (array_reserve(&places->fixed, &places->fixed_capacity, (size_t)site + 1, error) != 0)
        return -1;
    memset(places->fixed + before, 0, (places->fixed_capacity - before) * sizeof *places->fixed);
    places->fixed[site] = true;
    return 0;
}

int alloc_places_find(struct alloc_places *places, struct program *program, uint32_t site,
                      uint32_t function, uint32_t *place, struct error *error)
{
    uint32_t index;
    bool fixed;
    *place = site;
    if (site == 0 || (site < places->fixed_capacity && places->fixed[site]))
        return 0;
    index = intern_find(&places->known, site, function);
    if (index != INTERN_NONE) {
        *place = places->places[index];
        return 0;
    }
    if (program_place(program, site, function, place, &fixed, error) != 0)
        return -1;
    if (fixed)
        return set_fixed(places, site, error);
    if (intern_add(&places->known, site, function, &index, error) != 0 ||
        array_reserve(&places->places, &places->places_capacity, (size_t)index + 1, error) != 0)
        return -1;
    places->places[index] = *place;
    return 0;
}
