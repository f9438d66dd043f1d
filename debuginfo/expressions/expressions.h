/*
 * Expressions on parameters, as `fisql record --value 'FUNCTION: request->method, count * 2'` asks for
 * them: a parameter, members of what it is or points to, elements of arrays, and arithmetic on integers as
 * C does it. They are checked against the types that the debug information gives, and become steps that
 * the collector takes at the hook (formats/recipe.h, FISQL_WHERE_EXPRESSION).
 *
 * The n-th expression that means something for a function has the position after its last parameter + n.
 * Who records and who loads find the positions out in the same way, from the same words, which stand in
 * the log: so each request has to come to the same in both.
 */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSIONS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/recipe.h"

struct symbols;

/* What is wrong with a request, and the word that it is about: bytes of the request's text. */
struct expression_problem {
    char words[512];
    size_t from, bytes;
};

struct expression {
    const char *text;                  /* without space around it: it names the value */
    size_t from;                       /* where that begins in the request */
    size_t fits;                       /* functions of which it could be made, and ... */
    struct expression_problem problem; /* ... why not of the first other one, "" = there is none */
};

/* One --value. */
struct expression_request {
    char *text;
    char *pattern; /* of the functions' names */
    struct expression *items;
    size_t count, capacity;
    size_t matches; /* functions of these names */
    char *nearest;  /* where there is none: one of another name; NULL = none is near */
    size_t nearest_edits;
};

/* All of a recording. Zero-initialised is empty. */
struct expressions {
    struct expression_request *items;
    size_t count, capacity;
};
void expressions_release(struct expressions *expressions);

/* Adds a request. Returns 0; 1 where it is none, and *problem says why; -1 without memory. */
int expressions_add(struct expressions *expressions, const char *text,
                    struct expression_problem *problem, struct error *error);

/* The requests as one text, for the log; to be freed. NULL without memory. */
char *expressions_text(const struct expressions *expressions);

/* Adds those of such a text, which may be from anybody: what is wrong in it is left out. 0, or -1 without
 * memory. */
int expressions_read(struct expressions *expressions, const char *text, struct error *error);

/* A function and a request that is about it. */
struct expression_match {
    uint64_t function; /* its address in the module's file */
    struct expression_request *request;
};
struct expression_matches {
    struct expression_match *items; /* by function, and in the order of the requests */
    size_t count, capacity;
};

/* The functions of a module that are meant; adds to their requests' `matches`. 0, or -1 without memory.
 * `matches` is empty before; free its items. */
int expressions_match(struct expressions *expressions, const struct symbols *symbols,
                      struct expression_matches *matches, struct error *error);

struct expression_code;

/* The value of an expression at a hook's call, where the values of the parameters are `parameters` (of
 * `count`): *value and its steps, of which there is room for FISQL_RECIPE_STEPS_MAX and value->base are
 * used, value->constant being for the caller to set. Steps may be PIECES of the parameters' module. Where
 * it is a parameter itself, *value is that one's, and true is returned. */
bool expression_link(const struct expression_code *code,
                     const struct fisql_recipe_value *parameters, size_t count,
                     struct fisql_recipe_value *value, struct fisql_recipe_value *steps);

#endif
