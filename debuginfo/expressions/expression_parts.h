/* What the files of expressions.h share, also with parameters.c; nobody else includes it. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_PARTS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_PARTS_H

#include "debuginfo/dwarf/dwarf_prototypes.h"
#include "debuginfo/expressions/expressions.h"
#include "debuginfo/expressions/parameter_types.h"

/* ---- words: expression_words.c ---- */

enum word_kind {
    WORD_END,
    WORD_NAME,
    WORD_NUMBER,
    WORD_MARK, /* an operator or a bracket */
    WORD_WRONG
};

struct word {
    enum word_kind kind;
    size_t from, bytes; /* in the request's text */
    char mark[3];       /* of a mark: its characters */
    uint64_t number;    /* of a number, with C's type: */
    bool is_unsigned, is_long;
};

/* The word at or after `from`, before `end`. */
struct word word_read(const char *text, size_t from, size_t end);

/* The end of an expression that begins at `from`: a comma outside brackets, or the text's end. */
size_t expression_end(const char *text, size_t from);

/* ---- code: expression_compile.c ---- */

/* How a step comes from the parameters' values at a hook's call. */
enum expression_source {
    EXPRESSION_STEP,      /* it is `step` */
    EXPRESSION_PARAMETER, /* the word of a parameter */
    EXPRESSION_ADDRESS /* the address of an object parameter; the next step is a LOAD or an OFFSET
                        * there. If the object is in registers, the LOAD's number is taken out of
                        * them, and there is no OFFSET */
};

struct expression_step {
    enum expression_source source;
    unsigned parameter; /* from 0 */
    struct fisql_recipe_value step;
};

struct expression_code {
    struct fisql_recipe_value value; /* or a register (expression_register_of()), without steps */
    unsigned whole;                  /* exactly this parameter, from 1; 0 = no */
    struct expression_step steps[FISQL_RECIPE_STEPS_MAX];
    unsigned count;
    bool registers; /* of a function without debug information */
    bool if_changed;
};

/* The function of an expression. */
struct expression_place {
    struct type_reader *reader;
    const struct prototype *prototype;
};

/* Makes an expression's code, and type and type_name of *out. Returns 0; 1 if it cannot (*problem
 * has the reason); -1 without memory. Free the code. */
int expression_compile(const struct expression_place *place,
                       const struct expression_request *request,
                       const struct expression *expression, struct expression_code **code,
                       struct parameter *out, struct expression_problem *problem,
                       struct error *error);

/* ---- each pointer: expression_each.c ---- */

/* What a function may change behind its n-th parameter, from 0: the text of an expression, in `text`;
 * *dumped: with a dump of `dump_bytes`, as it is longer, or of no known size. False: nothing, or
 * there is no such expression. dump_bytes 0: only what has a known size. */
bool expression_each(const struct expression_place *place, unsigned n, unsigned dump_bytes,
                     char *text, size_t text_bytes, bool *dumped);

/* ---- registers: expression_registers.c ---- */

/* Is the text of an expression a register of a function without debug information? Then sets *code,
 * and name, type and type_name of *out; the name of a result is "". False also if it has a format
 * that it cannot have. Nothing is allocated. */
bool expression_register(const struct expression *expression, const char *text,
                         struct parameter *out, struct expression_code *code);
/* The n-th of `registers`, from 0; NULL = there are no more. */
const char *expression_registers_nth(unsigned n);

/* ---- members: expression_members.c ---- */

struct expression_member {
    Dwarf_Off entry;
    uint64_t offset_bytes;
    uint8_t bits_from, bits; /* of a bit field; bits 0 = none */
};

/* Finds a class's member by name, also inside bases and unnamed members. False if there is none, or
 * if its place is not the same in all objects. */
bool expression_member_find(struct dwarf_types *types, Dwarf_Off class, const char *name,
                            size_t name_bytes, struct expression_member *member);

/* "method, path, ...": nearest names first. Returns their number. */
size_t expression_members_list(struct dwarf_types *types, Dwarf_Off class, const char *name,
                               size_t name_bytes, char *text, size_t size);
size_t expression_parameters_list(struct dwarf_types *types, const struct prototype *prototype,
                                  const char *name, size_t name_bytes, char *text, size_t size);

#endif
