/*
 * Types as people see them: names in the user's words, enumerators and members. What parameters.c makes
 * its table of; not for others.
 */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_PARAMETER_TYPES_H
#define FISQL_DEBUGINFO_EXPRESSIONS_PARAMETER_TYPES_H

#include "base/intern.h"
#include "base/text_pool.h"
#include "debuginfo/dwarf/dwarf_types.h"
#include "debuginfo/expressions/parameters.h"

/* All types of a module, each once. Zero-initialised is empty. */
struct parameter_types {
    struct text_pool texts;
    struct intern offsets;         /* origin_high | offset of a type -> index */
    struct parameter_type **items; /* owned; NULL = being read, or nothing */
    size_t count, capacity;
    struct parameter_type **chars; /* arrays of char, one for each length; owned */
    size_t chars_count, chars_capacity;
};

/* The scopes that types of a unit are declared in, for their names. */
struct type_scopes {
    bool read;
    struct intern offsets; /* of types -> index */
    const char **prefixes; /* "std::" */
    size_t count, capacity;
};

/* What is at hand: a unit. */
struct type_reader {
    struct parameter_types *all;
    struct dwarf_types *types;
    uint64_t origin_high; /* tells the offsets of .dwo files apart */
    struct type_scopes scopes;
    struct error *error;
    bool failed; /* without memory: *error says so */
};
void type_reader_end(struct type_reader *reader);

/* How a value of the type is shown; never NULL: of what is not known, the kind is PARAMETER_UNKNOWN. */
const struct parameter_type *parameter_type_of(struct type_reader *reader,
                                               const struct dwarf_type *type);

/* The name of the type that an entry has (DW_AT_type); "void" where it has none. */
const char *parameter_type_name(struct type_reader *reader, Dwarf_Die die);

/* The entry that has the type of a parameter or a function: itself, or one that it refers to. To be
 * released with dwarf_die_release(); NULL = there is none. */
Dwarf_Die parameter_typed_entry(Dwarf_Debug debug, Dwarf_Off offset);

/* Where the bits of a bit field lie: from bit *bits_from on at *offset_bytes, to which is added. False where
 * that is not known. */
bool member_bits(Dwarf_Debug debug, Dwarf_Die die, uint64_t holder_bytes, uint64_t bits,
                 uint64_t *offset_bytes, uint8_t *bits_from);

void parameter_types_release(struct parameter_types *types);

#endif
