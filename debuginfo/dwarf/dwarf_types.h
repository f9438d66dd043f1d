/* Types of parameters and results from DWARF, without typedefs and qualifiers: a value's kind and
 * size, and how functions return it. A type that is damaged, only declared, or of a form that we do
 * not read is DWARF_TYPE_UNKNOWN; we do not record its values. */
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
    DWARF_TYPE_TEXT,        /* char *, wchar_t *, char16_t *, char32_t * */
    DWARF_TYPE_REFERENCE,   /* to `target` */
    DWARF_TYPE_STRUCT,      /* struct, class, union */
    DWARF_TYPE_STRING,      /* std::string of libstdc++ */
    DWARF_TYPE_STRING_COW,  /* libstdc++'s older one */
    DWARF_TYPE_STRING_CXX1, /* libc++'s */
    DWARF_TYPE_VIEW,        /* std::string_view, or a struct of a length and a pointer to bytes */
    DWARF_TYPE_VIEW_CXX1,   /* libc++'s, Rust's &str: pointer, length */
    DWARF_TYPE_BUFFER,      /* git's strbuf: its room, length, pointer; behind a pointer alone */
    DWARF_TYPE_ARRAY,       /* in memory, passed by its address (Fortran) */
    DWARF_TYPE_MEMBER,      /* pointer to a member: 8 bytes, to a function 16 */
};

struct dwarf_type {
    enum dwarf_type_kind kind;
    bool is_signed;
    bool is_integer;     /* WIDE: __int128 */
    bool by_reference;   /* a C++ class passed and returned by its address */
    bool by_value_known; /* by_reference is certain */
    unsigned unit_bytes; /* TEXT: of a character, 1, 2 or 4 */
    uint64_t size_bytes;
    Dwarf_Off offset; /* of the entry without typedefs and qualifiers; 0 = none */
    Dwarf_Off target; /* offset of a reference's target; 0 = none */
    /* POINTER to a constant struct that is a text: VIEW, VIEW_CXX1 or BUFFER. One that is not
     * constant may be what the function is to fill. */
    enum dwarf_type_kind text;
};

/* Reads types of a unit. Not safe for threads. */
struct dwarf_types {
    Dwarf_Debug debug; /* in which references are followed */
    Dwarf_Off unit;    /* offset of the unit's entry there */
    uint16_t machine;
    bool cxx;    /* classes may be passed by reference: not in a language known to have none such */
    bool is_cxx; /* the language is C++ */
    bool is_gnu; /* gcc made the unit */
    unsigned clang; /* clang made it: its major version; 0 = no, or not known */
    bool is_fortran;
    struct intern offsets;    /* of the types read already, ... */
    struct dwarf_type *known; /* ... and these */
    size_t known_count, known_capacity;
    unsigned nested; /* types being read */
};
static inline bool dwarf_kind_is_integer(enum dwarf_type_kind kind)
{
    return kind >= DWARF_TYPE_SIGNED && kind <= DWARF_TYPE_ENUM;
}
static inline bool dwarf_kind_is_string(enum dwarf_type_kind kind)
{
    return kind >= DWARF_TYPE_STRING && kind <= DWARF_TYPE_BUFFER;
}

void dwarf_types_begin(struct dwarf_types *types, Dwarf_Debug debug, Dwarf_Off unit,
                       uint16_t machine);
void dwarf_types_end(struct dwarf_types *types);

/* The type of a parameter, or a function's result (DW_AT_type); void if absent. */
struct dwarf_type dwarf_type_of(struct dwarf_types *types, Dwarf_Die die);

/* The type whose entry is at the offset. */
struct dwarf_type dwarf_type_at(struct dwarf_types *types, Dwarf_Off offset);

/* The number of elements of an array type, given its entry, up to 256; 0 = unknown. */
uint64_t dwarf_type_elements(struct dwarf_types *types, Dwarf_Die die);

/* Is the type that an entry refers to constant, by typedefs and qualifiers? */
bool dwarf_type_refers_to_constant(struct dwarf_types *types, Dwarf_Die die);

/* Finds out whether a class is passed by its address, if the compiler does not say (only C++). */
void dwarf_type_passing(struct dwarf_types *types, struct dwarf_type *type);

/* How functions return values: the classes of each 8 bytes (x86-64), or the floats in it
 * (aarch64). */
enum dwarf_return_class {
    DWARF_RETURN_NONE,
    DWARF_RETURN_GENERAL,
    DWARF_RETURN_VECTOR,
    DWARF_RETURN_OTHER
};
struct dwarf_return {
    bool unknown;                     /* a part is unknown */
    bool aligned;                     /* a part asks for more than 8 bytes */
    enum dwarf_return_class eight[2]; /* x86-64; more than 16 bytes come back in memory */
    unsigned floats, float_bytes;     /* aarch64: only so many floats of this size; 0 = otherwise */
};
void dwarf_type_return(struct dwarf_types *types, const struct dwarf_type *type,
                       struct dwarf_return *way);

#endif
