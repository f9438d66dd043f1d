/*
 * Parameters and results of a module's functions from its debug information: names, types in the
 * user's words, and what showing their values takes. Values in the log describe themselves
 * (formats/log.h, "Values"), so this only serves to show them: a value whose tag does not fit the
 * type is shown as its tag says.
 *
 * Positions: 0 is the result; parameters count from 1 in the order of declaration, `this` first,
 * without what the compiler adds (a constructor's __in_chrg and __vtt_parm, the hidden lengths of
 * Fortran's strings) and without variable arguments. The requested expressions (expressions.h)
 * follow. FISQL_RECIPE_VALUES_MAX is the last position; 31 (errno) is not known here. An ARGUMENTS
 * event has its values in this order.
 *
 * Texts and types live until the close; the types of formats as long as the requests. After parameters_open() the struct is only read, so threads may share
 * it.
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
    PARAMETER_BOOL,
    PARAMETER_CHAR, /* a number and its character */
    PARAMETER_ENUM, /* a name, or flags joined by a bar: see enumerators */
    PARAMETER_FLOAT,
    PARAMETER_POINTER,  /* to data: NULL, `&variable`, hexadecimal */
    PARAMETER_FUNCTION, /* a pointer to a function: its name */
    PARAMETER_TEXT,     /* char *, std::string, std::string_view: quoted */
    PARAMETER_STRUCT,   /* bytes: {a = 1, b = 2}, see members; without members the bytes */
    PARAMETER_HEX,      /* an integer, whose value is that of its bits without a sign */
    PARAMETER_OCTAL,
    PARAMETER_SOCKET_ADDRESS, /* bytes: {AF_INET, 127.0.0.1:80} */
};

struct parameter_enumerator {
    const char *name;
    int64_t value;
    /* of flags: the name applies where these bits of the value are `value`: the flag itself, or a
     * field of several bits. 0 = it is no flag of its own */
    int64_t mask;
};

struct parameter_type;

struct parameter_member {
    const char *name;                  /* "" = none */
    const struct parameter_type *type; /* never NULL */
    uint32_t offset;                   /* bytes from the struct's start */
    uint8_t bits_from, bits; /* of a bit field: from bit `bits_from` at offset; bits 0 = none */
};

/* A value's type, without typedefs and qualifiers, references followed. */
struct parameter_type {
    enum parameter_kind kind;
    uint32_t size_bytes; /* 0 = unknown */
    bool is_signed;      /* integers, char, enumerations */
    bool is_chars;       /* TEXT: the characters themselves, of an array in a struct */
    bool is_flags;       /* each enumerator is 0, a single bit, or made of others' bits */
    const struct parameter_enumerator *enumerators; /* in the order of declaration */
    size_t enumerators_count;
    const struct parameter_member *members; /* by offset, with those of bases */
    size_t members_count;
};

struct parameter {
    uint64_t function; /* address in the module's file: symbol_function.address or a copy's */
    uint32_t position;
    bool is_reference;     /* the value is the reference's target */
    bool more;             /* more parameters follow, without position */
    bool at_exit;          /* an expression whose value is that at the call's end, ... */
    bool if_changed;       /* ... of calls that changed it */
    const char *name;      /* "" = none, as for a result */
    const char *type_name; /* `const char *`, `std::string const&`, "?" = unknown */
    const struct parameter_type *type;  /* never NULL */
    const struct expression_code *code; /* of an expression, whose text is the name; else NULL. A
                                         * register's result has code, too */
};

struct parameters;

/* Reads the parameters and results of the functions at the addresses `functions` (ascending; NULL =
 * all), as far as debug information describes them. A function has an entry for its result unless
 * it is void, for each parameter, and for each possible expression of `matches` (NULL = none); an
 * impossible one gets its problem there. A function of `matches` that is not described has an entry
 * for each register that is asked for. path, build_id and options as for symbols_open(). Returns
 * 0, also if there is nothing; -1 without memory. Close it in both cases. */
int parameters_open(struct parameters **out, const char *path, const char *build_id,
                    const struct symbols_options *options, const uint64_t *functions,
                    size_t functions_count, const struct expression_matches *matches,
                    struct error *error);
void parameters_close(struct parameters *parameters); /* NULL is allowed */

/* A function's entries, by position; NULL and *count = 0 if it has none. */
const struct parameter *parameters_of(const struct parameters *parameters, uint64_t function,
                                      size_t *count);

/* All entries, by function and position. */
const struct parameter *parameters_all(const struct parameters *parameters, size_t *count);

#endif
