/* Types as people see them: names in the user's words, enumerators, members. For parameters.c and
 * the expressions; nobody else includes it. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_PARAMETER_TYPES_H
#define FISQL_DEBUGINFO_EXPRESSIONS_PARAMETER_TYPES_H

#include "base/intern.h"
#include "base/text_pool.h"
#include "debuginfo/dwarf/dwarf_types.h"
#include "debuginfo/expressions/parameters.h"

/* All types of a module, each once. Zero is empty. */
struct parameter_types {
    struct text_pool texts;
    struct intern offsets;         /* origin_high | offset of a type -> index */
    struct parameter_type **items; /* owned; NULL = being read, or failed */
    size_t count, capacity;
    struct parameter_type **chars; /* arrays of char, one a length; owned */
    size_t chars_count, chars_capacity;
};

/* The scopes of a unit's types, for their names. */
struct type_scopes {
    bool read;
    struct intern offsets; /* of types -> index */
    const char **prefixes; /* "std::" */
    size_t count, capacity;
};

/* The current unit. */
struct type_reader {
    struct parameter_types *all;
    struct dwarf_types *types;
    uint64_t origin_high; /* distinguishes the offsets of .dwo files */
    struct type_scopes scopes;
    struct error *error;
    bool failed; /* out of memory: *error says so */
};
/* The text in the types' pool; "" without memory, noted in `failed`. */
const char *type_reader_keep(struct type_reader *reader, const char *text, size_t length);
void type_reader_end(struct type_reader *reader);

/* How to show a value of the type; never NULL, PARAMETER_UNKNOWN if unknown. */
const struct parameter_type *parameter_type_of(struct type_reader *reader,
                                               const struct dwarf_type *type);

/* The name of an entry's type (DW_AT_type); "void" if absent. */
const char *parameter_type_name(struct type_reader *reader, Dwarf_Die die);

/* Where a bit field's bits are: from *bits_from on at *offset_bytes, to which it adds. False if
 * unknown. */
bool member_bits(Dwarf_Debug debug, Dwarf_Die die, uint64_t holder_bytes, uint64_t bits,
                 uint64_t *offset_bytes, uint8_t *bits_from);

void parameter_types_release(struct parameter_types *types);

#endif
