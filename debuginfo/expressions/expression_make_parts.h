/* What the files that make an expression's code share; nobody else includes it. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_MAKE_PARTS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_MAKE_PARTS_H

#include "debuginfo/expressions/expression_parts.h"

struct maker {
    const struct expression_place *place;
    struct dwarf_types *types;
    const char *text; /* of the request */
    size_t end;       /* of the expression in it */
    struct word word; /* the next one */
    size_t taken;     /* end of the one before it */
    struct expression_code *code;
    unsigned depth;   /* words on the stack */
    unsigned nesting; /* of brackets and operators */
    bool at_exit;     /* the value is the one at the call's end */
    struct expression_problem *problem;
};

/* Where an operand is after the steps so far. */
enum operand_where {
    OPERAND_WORD,  /* it is the last word */
    OPERAND_AT,    /* in memory, at the last word + `offset` */
    OPERAND_OBJECT /* in an object parameter, at `offset` */
};

struct operand {
    enum operand_where where;
    struct dwarf_type type;
    Dwarf_Off typed_by; /* the entry whose DW_AT_type names the type; 0 = a result of arithmetic */
    const char *suffix; /* after that name */
    struct dwarf_type pointed; /* target of a result of & */
    unsigned dimension;        /* of an array: this one and those before it are left out */
    unsigned parameter;        /* from 0 */
    unsigned whole;            /* exactly this parameter, from 1 */
    bool
        counted; /* it is `pointer[index]`, of bytes, with an index that was computed: the last step
                   * adds that to the pointer */
    uint64_t offset;
    uint8_t bits_from, bits;
    size_t from, end; /* its words */
};

/* ---- expression_make.c. Functions return false after setting maker->problem ---- */

bool make_wrong(struct maker *maker, size_t from, size_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for an operand: "`count` is int: ...". */
bool make_wrong_type(struct maker *maker, const struct operand *operand, const char *words);

const char *operand_type_name(struct maker *maker, const struct operand *operand);
bool make_step(struct maker *maker, enum fisql_recipe_step step, uint64_t size_bytes,
               bool is_signed, int64_t offset);
bool make_constant(struct maker *maker, uint64_t number);

/* Makes the operand a word: a number, or an address. */
bool make_word(struct maker *maker, struct operand *operand);
/* Makes an operand in memory, or an array, its address. */
bool make_address(struct maker *maker, struct operand *operand);

bool make_parameter(struct maker *maker, unsigned index, struct operand *operand);
bool make_member(struct maker *maker, struct operand *operand, const struct word *name, bool arrow);
/* The target of a pointer, or the first element of an array; *stride: its size in bytes. */
bool make_target(struct maker *maker, const struct operand *operand, struct operand *target,
                 uint64_t *stride);
bool make_dereference(struct maker *maker, struct operand *operand);
/* constant: the index, for which no step was made; NULL = it is the word above the operand's. */
bool make_element(struct maker *maker, struct operand *operand, const uint64_t *constant);

bool operand_is_pointer(const struct operand *operand);
/* The size and sign of an integer in arithmetic; false for others. */
bool operand_number(const struct operand *operand, unsigned *size_bytes, bool *is_signed);
/* Makes the operand a result of arithmetic. */
void operand_result(struct operand *operand, unsigned size_bytes, bool is_signed);

/* ---- expression_parse.c ---- */

bool expression_parse(struct maker *maker, struct operand *operand);

/* ---- expression_classes.c ---- */

/* The definition, in another unit, of a class that an entry declares; 0 = none, or definitions
 * differ. */
Dwarf_Off class_definition(struct dwarf_types *types, Dwarf_Off declared);

/* The number of elements in a dimension of an array, from 0; 0 = unknown. *rank: the number of
 * dimensions. */
uint64_t array_dimension(struct dwarf_types *types, Dwarf_Off array, unsigned dimension,
                         unsigned *rank);
/* The type's size; 0 = unknown. */
uint64_t type_bytes(struct dwarf_types *types, const struct dwarf_type *type);

#endif
