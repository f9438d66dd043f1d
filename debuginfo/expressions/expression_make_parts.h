/* The making of an expression's code: what its files share. Not for others. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_MAKE_PARTS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_MAKE_PARTS_H

#include "debuginfo/expressions/expression_parts.h"

struct maker {
    const struct expression_place *place;
    struct dwarf_types *types;
    const char *text; /* the request's */
    size_t end;       /* of the expression in it */
    struct word word; /* the next one */
    size_t taken;     /* where the one before it ended */
    struct expression_code *code;
    unsigned depth;   /* words on the stack */
    unsigned nesting; /* of what is being read */
    struct expression_problem *problem;
};

/* Where what has been read is when the steps so far have been taken. */
enum operand_where {
    OPERAND_WORD,  /* it is the last word */
    OPERAND_AT,    /* in memory, `offset` behind the address that is the last word */
    OPERAND_OBJECT /* in a parameter that is an object, at `offset` */
};

struct operand {
    enum operand_where where;
    struct dwarf_type type;
    Dwarf_Off typed_by; /* the entry whose DW_AT_type names the type; 0 = what arithmetic gave */
    const char *suffix; /* behind that name */
    struct dwarf_type pointed; /* of what & gave: what it points to */
    unsigned dimension;        /* of an array: this one is left out, and those before it */
    unsigned parameter;        /* from 0 */
    unsigned whole;            /* it is this parameter, from 1 on, and nothing else */
    uint64_t offset;
    uint8_t bits_from, bits;
    size_t from, end; /* its words */
};

/* ---- expression_make.c. Functions return false after setting maker->problem ---- */

bool make_wrong(struct maker *maker, size_t from, size_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of an operand: "`count` is int: ...". */
bool make_wrong_type(struct maker *maker, const struct operand *operand, const char *words);

/* Appends a step. */
bool make_step(struct maker *maker, enum fisql_recipe_step step, uint64_t size_bytes,
               bool is_signed, int64_t offset);
bool make_constant(struct maker *maker, uint64_t number);

/* Makes the operand a word: a number, or an address. */
bool make_word(struct maker *maker, struct operand *operand);
/* The operand, which is in memory, or an array: its address. */
bool make_address(struct maker *maker, struct operand *operand);

bool make_parameter(struct maker *maker, unsigned index, struct operand *operand);
bool make_member(struct maker *maker, struct operand *operand, const struct word *name, bool arrow);
/* What a pointer points to, or the first element of an array; *stride: the bytes of one. */
bool make_target(struct maker *maker, const struct operand *operand, struct operand *target,
                 uint64_t *stride);
bool make_dereference(struct maker *maker, struct operand *operand);
/* constant: the index is this, and nothing was made of it; NULL = it is the word above the operand's. */
bool make_element(struct maker *maker, struct operand *operand, const uint64_t *constant);

bool operand_is_pointer(const struct operand *operand);
/* An integer, with the type that it has in arithmetic. */
bool operand_number(const struct operand *operand, unsigned *size_bytes, bool *is_signed);
/* What arithmetic gave. */
void operand_result(struct operand *operand, unsigned size_bytes, bool is_signed);

/* ---- expression_parse.c ---- */

/* Reads an expression to its end. */
bool expression_parse(struct maker *maker, struct operand *operand);

/* ---- expression_classes.c ---- */

/* The class that an entry only declares, where another unit defines it and all that do agree. 0 = not so. */
Dwarf_Off class_definition(struct dwarf_types *types, Dwarf_Off declared);

/* The number of elements in a dimension of an array, from 0; 0 = not known. *rank: how many there are. */
uint64_t array_dimension(struct dwarf_types *types, Dwarf_Off array, unsigned dimension,
                         unsigned *rank);
/* Its bytes; 0 = not known. */
uint64_t type_bytes(struct dwarf_types *types, const struct dwarf_type *type);

#endif
