/*
 * Prototypes of well-known libraries' functions, which come without debug information: of the C library
 * and its parts, zlib, SQLite and OpenSSL. prototypes.sh makes them from the headers of the system that
 * builds fisql: a file a library, without code, whose debug information has for each function another
 * one with the same parameters, called PROTOTYPES_PREFIX and its name. Parameters are called as in the
 * manual, or as in the header, without underscores in front.
 *
 * What headers do not say: which parameters are flags, and of which kind (flag_parameters.h).
 */
#ifndef FISQL_DEBUGINFO_PROTOTYPES_PROTOTYPES_H
#define FISQL_DEBUGINFO_PROTOTYPES_PROTOTYPES_H

#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>

#define PROTOTYPES_PREFIX "fisql__"

/* Who declares the functions of a library without debug information. */
struct prototypes_lender {
    char path[4096];    /* of the file with the debug information */
    const char *prefix; /* as dwarf_declarations() takes it: NULL = a program that calls them */
    struct symbols_options options; /* to open it with */
};

/* Finds one for a library, which is open: with options->external such a file, else the program of
 * options->declared_by. False if there is none. Thread-safe. */
bool prototypes_lender_find(struct prototypes_lender *lender, const struct elf_file *library,
                            const struct symbols_options *options);

/* Is it, by the options, a library whose prototypes we have? Then its own debug information is not
 * read: it says nothing of flags, and libc's takes seconds. */
bool prototypes_known(const struct elf_file *library, const struct symbols_options *options);

#endif
