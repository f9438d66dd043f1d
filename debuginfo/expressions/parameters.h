/*
 * The parameters and results of a module's functions, as its debug information describes them: names,
 * types in the user's words, and what is needed to show a value of such a type. Values in the log
 * describe themselves (formats/log.h, "Values"), so this is for showing alone: a value whose tag does not
 * fit the type is shown as the tag says.
 *
 * Positions: 0 is the result; parameters count from 1, in the order of their declaration, `this` of a
 * member function as the first. What else the compiler adds (a constructor's __in_chrg and __vtt_parm, the
 * hidden lengths of Fortran's strings) has no position. An ARGUMENTS event has the values in this order;
 * position 31 (errno) is not known here. Of functions with variable arguments the named ones count.
 * FISQL_RECIPE_VALUES_MAX is the last position. Behind the parameters stand the expressions that were asked
 * for (expressions.h).
 *
 * Texts live until the close. After parameters_open() the struct is only read, so threads may share it.
 */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_PARAMETERS_H
#define FISQL_DEBUGINFO_EXPRESSIONS_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debuginfo/expressions/expressions.h"
#include "debuginfo/symbols/symbols.h"

/* How a value of a type is shown. */
enum parameter_kind {
    PARAMETER_UNKNOWN,  /* as its tag says */
    PARAMETER_SIGNED,   /* an integer */
    PARAMETER_UNSIGNED, /* an integer */
    PARAMETER_BOOL,     /* true, false */
    PARAMETER_CHAR,     /* a number with the character beside it */
    PARAMETER_ENUM,     /* a name, or flags joined by a bar: see enumerators */
    PARAMETER_FLOAT,
    PARAMETER_POINTER,  /* to data: NULL, `&variable`, hexadecimal */
    PARAMETER_FUNCTION, /* a pointer to a function: its name */
    PARAMETER_TEXT,     /* char *, std::string, std::string_view: quoted */
    PARAMETER_STRUCT,   /* bytes: {a = 1, b = 2}, see members; without members the bytes */
};

struct parameter_enumerator {
    const char *name;
    int64_t value;
};

struct parameter_type;

struct parameter_member {
    const char *name;                  /* "" = none */
    const struct parameter_type *type; /* never NULL */
    uint32_t offset;                   /* bytes from the struct's start */
    uint8_t bits_from, bits; /* of a bit field: from bit `bits_from` at offset; bits 0 = no bit
                                          field */
};

/* What a value is, with typedefs and qualifiers taken off and references followed. */
struct parameter_type {
    enum parameter_kind kind;
    uint32_t size_bytes; /* 0 = not known */
    bool is_signed;      /* integers, char, enumerations */
    bool is_chars;       /* TEXT: the characters themselves, of an array in a struct */
    bool is_flags; /* each enumerator's value is 0, a single bit, or made of those of others */
    const struct parameter_enumerator *enumerators; /* in the order of their declaration */
    size_t enumerators_count;
    const struct parameter_member *members; /* by offset; members of bases among them */
    size_t members_count;
};

struct parameter {
    uint64_t function; /* address in the module's file: symbol_function.address or that of a copy */
    uint32_t position;
    bool is_reference;                 /* the value is what the reference refers to */
    bool more;                         /* the function has parameters behind it, without position */
    const char *name;                  /* "" = it has none; of a result too */
    const char *type_name;             /* `const char *`, `std::string const&`, "?" = not known */
    const struct parameter_type *type; /* never NULL */
    const struct expression_code *code; /* of an expression, whose text is the name; else NULL */
};

struct parameters;

/* Reads what functions take and give: of those whose addresses are in `functions` (ascending; NULL = of
 * all) and that the module's debug information describes. A function has an entry for its result unless it
 * is void, one for each parameter, and one for each expression of `matches` (NULL = there are none) that can
 * be made; what cannot says so there. path, build_id and options as for symbols_open(). Returns 0, also
 * where there is nothing; -1 without memory. Close it in every case. */
int parameters_open(struct parameters **out, const char *path, const char *build_id,
                    const struct symbols_options *options, const uint64_t *functions,
                    size_t functions_count, const struct expression_matches *matches,
                    struct error *error);
void parameters_close(struct parameters *parameters); /* NULL is allowed */

/* Those of a function, by position; NULL and *count = 0 where nothing is known. */
const struct parameter *parameters_of(const struct parameters *parameters, uint64_t function,
                                      size_t *count);

/* All of them, by function and position. */
const struct parameter *parameters_all(const struct parameters *parameters, size_t *count);

#endif
