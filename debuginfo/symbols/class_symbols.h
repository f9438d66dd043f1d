/*
 * A C++ class of a module, by its symbols: type information, virtual table, constructors and
 * destructor (Itanium C++ ABI, 5.1). Symbol tables of the file alone; a stripped one has none.
 */
#ifndef FISQL_DEBUGINFO_SYMBOLS_CLASS_SYMBOLS_H
#define FISQL_DEBUGINFO_SYMBOLS_CLASS_SYMBOLS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct class_constructor {
    char *parameters; /* as the demangler has them: "int", "" = none */
    uint64_t address;
    bool complete; /* else of a part of a larger object alone (C2) */
};

/* Addresses are the file's, 0 = none. */
struct class_symbols {
    char *name;    /* qualified; NULL = the module has no such class */
    char *another; /* of the same last parts; NULL = none */
    uint64_t type; /* std::type_info */
    uint64_t table;
    uint64_t destroy;
    bool virtual_bases;
    struct class_constructor *constructors;
    size_t constructors_count, constructors_capacity;
};

/* Looks a class up by its qualified name, or the last parts of that. *class must be zero; release it
 * in any case. Returns 0, or -1 without memory. A file that cannot be read has no classes. */
int class_symbols_find(struct class_symbols *class, const char *path, const char *wanted,
                       struct error *error);
void class_symbols_release(struct class_symbols *class);

/* Where the last part of a qualified name begins. */
const char *class_last_name(const char *name);

#endif
