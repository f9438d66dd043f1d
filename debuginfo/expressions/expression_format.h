/* How the value of an expression is shown: what stands behind its colon, as in `flags:flags(O_*)`. For
 * parameters.c and the expressions; nobody else includes it. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_FORMAT_H
#define FISQL_DEBUGINFO_EXPRESSIONS_EXPRESSION_FORMAT_H

#include "debuginfo/expressions/parameters.h"

#define EXPRESSION_DUMP_MAX FISQL_RECIPE_BYTES_MAX /* bytes */
#define FORMAT_SIZES 4                             /* 1, 2, 4, 8 bytes */

struct expression_format {
    enum parameter_kind kind;                 /* HEX, OCTAL, CHAR, ENUM; STRUCT is a dump */
    unsigned dump_bytes;                      /* of a dump */
    struct parameter_enumerator *enumerators; /* owned, with their names */
    size_t enumerators_count, enumerators_capacity;
    struct parameter_type types[FORMAT_SIZES]; /* of integers of these sizes */
    struct parameter_type dump;
};

/* Reads the format at *at, behind a colon; *at: the end of what was read. Returns 0; 1 if it is wrong
 * (*problem has the reason); -1 without memory. Free it. */
int expression_format_read(const char *text, size_t *at, size_t end,
                           struct expression_format **format, struct expression_problem *problem,
                           struct error *error);
void expression_format_free(struct expression_format *format); /* NULL is allowed */

/* The type of an integer of so many bytes in this format; lives as long as the format. NULL: values
 * of other sizes have no such format. */
const struct parameter_type *expression_format_type(const struct expression_format *format,
                                                    unsigned size_bytes);

#endif
