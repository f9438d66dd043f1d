/*
 * Expressions on parameters, as in `fisql record --value 'FUNCTION: request->method, count * 2'`: a
 * parameter, members of it or its target, elements of arrays, and C's arithmetic on integers. We
 * check them against the debug information's types and make steps of them, which the collector
 * takes at the hook (formats/recipe.h, FISQL_WHERE_EXPRESSION).
 *
 * The n-th expression that a function can have gets the position n after its last parameter.
 * Recorder and loader find positions in the same way, from the same words, which are in the log: so
 * each request must mean the same to both.
 *
 * `EXPRESSION at exit` is the value that it has when the function returns, from the parameters as
 * they were passed; `EXPRESSION at both` is short for `EXPRESSION, EXPRESSION at exit`.
 * `EXPRESSION at exit if changed` is recorded only by calls that changed it.
 *
 * `each pointer at exit if changed` stands for what each parameter points to that the function may
 * change (expression_each.c): typed where it has at most as many bytes as its dump, `each
 * pointer:dump(16)`, and the dump where it is longer or of no known size.
 *
 * Behind an expression may be a format: `flags:hex`, `:oct`, `:char`, `:flags(O_*, MINE=0x100)`, or
 * `buffer:dump(16)`, bytes of what a pointer points to. An expression with a format that is only a
 * parameter gives that parameter its format.
 *
 * Functions that no debug information describes have registers in place of parameters: `rdi`,
 * `(char*)rsi`, `xmm0` (expression_registers.c). The n-th has position n; rax is the result.
 */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSIONS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/recipe.h"

struct symbols;
struct expression_format; /* expression_format.h */

/* The problem of a request, and the words at fault: bytes of the request's text. */
struct expression_problem {
    char words[512];
    size_t from, bytes;
};

struct expression {
    const char *text;                  /* without space around it: names the value */
    size_t from, bytes;                /* where it lies in the request, without what follows it */
    bool at_exit;                      /* its value is the one at the call's end */
    bool at_both;                      /* it is the one at the entry of two */
    bool if_changed;                   /* at exit: only of calls that changed it */
    bool each;                         /* `each pointer`: of each parameter one, if it has any */
    struct expression_format *format;  /* NULL = that of its type; owned */
    size_t fits;                       /* functions that can have it, and ... */
    struct expression_problem problem; /* ... the problem of the first other one, "" = none */
};

/* One --value. */
struct expression_request {
    char *text;
    char *pattern; /* of the functions' names */
    struct expression *items;
    size_t count, capacity;
    bool joins;     /* asks only of functions that are recorded anyway, and may fit none */
    size_t matches; /* functions with such names */
    char *nearest;  /* if none: one with a near name; NULL = none */
    size_t nearest_edits;
};

/* All requests of a recording. Zero is empty. */
struct expressions {
    struct expression_request *items;
    size_t count, capacity;
};
void expressions_release(struct expressions *expressions);

/* Adds a request. Returns 0; 1 if it is wrong (*problem has the reason); -1 without memory. */
int expressions_add(struct expressions *expressions, const char *text,
                    struct expression_problem *problem, struct error *error);

/* The requests as one text for the log. Caller frees; NULL without memory. */
char *expressions_text(const struct expressions *expressions);

/* Adds the requests of such a text from anybody, without those that are wrong. 0, or -1 without
 * memory. */
int expressions_read(struct expressions *expressions, const char *text, struct error *error);

/* A function and a request for it. */
struct expression_match {
    uint64_t function; /* address in the module's file */
    struct expression_request *request;
};
struct expression_matches {
    struct expression_match *items; /* by function, then in the order of requests */
    size_t count, capacity;
    bool registers; /* the module's entries are patched: registers are known there */
};

/* Finds the functions of a module that requests mean; adds to the requests' `matches`. `matches`
 * must be empty; free its items. 0, or -1 without memory. */
int expressions_match(struct expressions *expressions, const struct symbols *symbols,
                      struct expression_matches *matches, struct error *error);

struct expression_code;

/* Is it of registers, asked for by their names? */
bool expression_is_of_registers(const struct expression_code *code);
/* Is its value that of a register itself? Then sets *value. */
bool expression_register_of(const struct expression_code *code, struct fisql_recipe_value *value);

/* An expression at the exit. The words from which it begins, one for each parameter in it, are kept at
 * the entry: in the kept words of the call from `first` on; behind them, if it is recorded only if it
 * changed, its checksum. Returns their number. */
unsigned expression_kept(const struct expression_code *code);
/* Is it recorded only if it changed? */
bool expression_if_changed(const struct expression_code *code);
/* At an entry hook's call, from the values of the `count` parameters there: what to keep. Sets *value
 * and value->base - 1 words, of FISQL_RECIPE_KEPT_MAX possible; the caller puts the value at the exit
 * behind these, and sets value->constant. The word of a checksum is the caller's, too: the value at
 * the entry, of expression_link(). */
void expression_link_keep(const struct expression_code *code,
                          const struct fisql_recipe_value *parameters, size_t count, unsigned first,
                          struct fisql_recipe_value *value, struct fisql_recipe_value *words);
/* The value at the exit from what was kept, and its steps. */
void expression_link_exit(const struct expression_code *code, unsigned position, unsigned first,
                          struct fisql_recipe_value *value, struct fisql_recipe_value *steps);

/* The value of an expression at a hook's call, from the values of the `count` parameters there.
 * Sets *value and value->base steps, of FISQL_RECIPE_STEPS_MAX possible; the caller sets
 * value->constant. Steps may be PIECES of the parameters' module. Returns true if the expression is
 * a parameter or a register, whose value *value then is. */
bool expression_link(const struct expression_code *code,
                     const struct fisql_recipe_value *parameters, size_t count,
                     struct fisql_recipe_value *value, struct fisql_recipe_value *steps);

#endif
