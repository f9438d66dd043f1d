/*
 * Types of parameters and results out of DWARF: what a value of a type is, how large, and how functions
 * return it. Typedefs and qualifiers are taken off. A type that is not known here (of a form that is not
 * read, damaged, or only declared) has the kind DWARF_TYPE_UNKNOWN: its values are not recorded.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_TYPES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_TYPES_H

#include "base/intern.h"
#include "debuginfo/dwarf/dwarf_die.h"

enum dwarf_type_kind {
    DWARF_TYPE_UNKNOWN,
    DWARF_TYPE_VOID,
    DWARF_TYPE_SIGNED,
    DWARF_TYPE_UNSIGNED,
    DWARF_TYPE_BOOL,
    DWARF_TYPE_CHAR,
    DWARF_TYPE_ENUM,
    DWARF_TYPE_FLOAT,   /* of 4, 8, 10 (x87's; it takes 16) or 16 bytes */
    DWARF_TYPE_COMPLEX, /* two floats */
    DWARF_TYPE_WIDE,    /* __int128, _Float16, decimal floats: bytes */
    DWARF_TYPE_POINTER,
    DWARF_TYPE_FUNCTION,    /* pointer to a function */
    DWARF_TYPE_TEXT,        /* char * */
    DWARF_TYPE_REFERENCE,   /* to `target` */
    DWARF_TYPE_STRUCT,      /* struct, class, union */
    DWARF_TYPE_STRING,      /* std::string of libstdc++ */
    DWARF_TYPE_STRING_COW,  /* its older one */
    DWARF_TYPE_STRING_CXX1, /* libc++'s */
    DWARF_TYPE_VIEW,        /* std::string_view: length, pointer */
    DWARF_TYPE_VIEW_CXX1,   /* libc++'s: pointer, length */
    DWARF_TYPE_ARRAY,       /* lies in memory and is passed by its address (Fortran) */
    DWARF_TYPE_MEMBER,      /* pointer to a member: 8 bytes, to a function 16 */
};

struct dwarf_type {
    enum dwarf_type_kind kind;
    bool is_signed;
    bool by_reference;   /* a C++ class that functions take and give by its address */
    bool by_value_known; /* by_reference is said */
    uint64_t size_bytes;
    Dwarf_Off offset; /* of the entry, typedefs and qualifiers taken off; 0 = none */
    Dwarf_Off target; /* of a reference, as offset; 0 = none */
};

/* Reads types of a unit. Not safe for threads; zero-initialised but for the first fields it is ready. */
struct dwarf_types {
    Dwarf_Debug debug; /* that references are followed in */
    Dwarf_Off unit;    /* offset of the unit's entry there */
    uint16_t machine;
    bool cxx;    /* classes may be passed by reference: no language is known without them */
    bool is_cxx; /* the language is C++ */
    bool is_gnu; /* gcc made the unit */
    struct intern offsets;    /* of the types read already, ... */
    struct dwarf_type *known; /* ... and these */
    size_t known_count, known_capacity;
    unsigned nested; /* types that are being read */
};
void dwarf_types_begin(struct dwarf_types *types, Dwarf_Debug debug, Dwarf_Off unit,
                       uint16_t machine);
void dwarf_types_end(struct dwarf_types *types);

/* The type of an entry (its DW_AT_type; of a parameter or a function). Without one it is void. */
struct dwarf_type dwarf_type_of(struct dwarf_types *types, Dwarf_Die die);

/* The type whose entry lies at an offset. */
struct dwarf_type dwarf_type_at(struct dwarf_types *types, Dwarf_Off offset);

/* The number of elements of the array type whose entry it is, up to 256; 0 = not known. */
uint64_t dwarf_type_elements(struct dwarf_types *types, Dwarf_Die die);

/* Finds out whether a class is passed by its address, where the compiler did not say it (C++ alone). */
void dwarf_type_passing(struct dwarf_types *types, struct dwarf_type *type);

/* How functions return what is no scalar: the classes of each 8 bytes (x86-64), or the floats that it
 * is made of (aarch64). */
enum dwarf_return_class {
    DWARF_RETURN_NONE,
    DWARF_RETURN_GENERAL,
    DWARF_RETURN_VECTOR,
    DWARF_RETURN_OTHER
};
struct dwarf_return {
    bool unknown;                     /* something in it is not known */
    enum dwarf_return_class eight[2]; /* x86-64; more than 16 bytes come back in memory */
    unsigned floats,
        float_bytes; /* aarch64: that many of that size, and nothing else; 0 = not so */
};
void dwarf_type_return(struct dwarf_types *types, const struct dwarf_type *type,
                       struct dwarf_return *way);

#endif
