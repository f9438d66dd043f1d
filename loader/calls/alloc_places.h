/*
 * Where the user's code allocated and freed blocks. A site in a copy of system code without hooks
 * (std::vector<T>::_M_realloc_insert) becomes the place in the innermost call's own code that led
 * there (program_place). Answers are cached by site and function.
 */
#ifndef FISQL_LOADER_CALLS_ALLOC_PLACES_H
#define FISQL_LOADER_CALLS_ALLOC_PLACES_H

#include "base/error.h"
#include "base/intern.h"
#include "loader/program/program.h"

struct alloc_places {
    bool *fixed; /* by sites.id: the site is the place */
    size_t fixed_capacity;
    struct intern known; /* (site, function) of the others */
    uint32_t *places;    /* sites.id by index in known */
    size_t places_capacity;
};

/* Empty; zeros are, too. */
void alloc_places_release(struct alloc_places *places);

/* *place: the place (sites.id) of a site where a call of the function (functions.id, 0 = none)
 * allocated or freed. */
int alloc_places_find(struct alloc_places *places, struct program *program, uint32_t site,
                      uint32_t function, uint32_t *place, struct error *error);

#endif
