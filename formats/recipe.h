/*
 * Recipes: where the arguments and results of calls lie when a hook is called. `fisql record --values`
 * makes them from the debug information and the call frame information of the program's modules
 * (debuginfo/recipes/recipes.h) and puts them behind the slots of the live area; the collector
 * (collector/values/values.c) looks a hook call up by the address that the hook returns to, and writes what
 * the recipe names into the log as bytes that describe themselves (formats/log.h, "Values"). So the
 * loader needs no recipe, and a wrong one cannot make one type into another unseen.
 *
 *   struct fisql_recipes          the head
 *   struct fisql_recipe_module    [modules]
 *   of each module, where its entry says: struct fisql_recipe_hook [hooks_count] by address, ascending;
 *   struct fisql_recipe_value [values_count]; its path
 *
 * Everything is in this machine's byte order and aligned to 8 bytes; offsets are from the head. The
 * area is written by fisql record, not by the program: the collector checks the head and that offsets
 * lie within, once, and trusts the rest.
 */
#ifndef FISQL_FORMATS_RECIPE_H
#define FISQL_FORMATS_RECIPE_H

#include <stdint.h>

#define FISQL_RECIPES_MAGIC 0x50435246u /* "FRCP" */
#define FISQL_RECIPES_VERSION 2u
#define FISQL_RECIPE_VALUES_MAX 30u /* parameters of a function; what is beyond is not recorded */
#define FISQL_RECIPE_BYTES_MAX 64u  /* of a struct by value */
#define FISQL_RECIPE_STEPS_MAX 64u  /* of an expression */
#define FISQL_RECIPE_STACK_MAX 16u  /* words that it has at hand at a time */

struct fisql_recipes {
    uint32_t magic, version;
    uint32_t modules;
    uint32_t string_max; /* bytes of a text that are recorded at most */
    uint64_t bytes;      /* head and all that follows */
};

struct fisql_recipe_module {
    uint64_t path, path_bytes; /* as in the module map: absolute, no NUL */
    uint64_t hooks, hooks_count;
    uint64_t values, values_count;
};

/* One call of a hook in the code. Addresses are those of the module's file. */
struct fisql_recipe_hook {
    uint64_t address;  /* that the hook returns to */
    uint64_t function; /* that it names: where it names another one, nothing is known here */
    uint32_t
        first; /* of its values in the module's: of an entry the parameters in their order, ... */
    uint16_t count;
    uint8_t exit; /* ... of an exit (1) the result, one value or none */
    uint8_t
        cfa_register; /* of an entry: 1 = it is that of an inlined body; of an exit: the canonical frame address at that call is this register
                             (DWARF's number) + cfa_offset, ... */
    int32_t cfa_offset;
    int32_t
        return_offset; /* ... and the slot with the return address lies there + this; x86-64: -8 */
};
_Static_assert(sizeof(struct fisql_recipe_hook) == 32, "two to a cache line");

/* Where a value lies. */
enum fisql_recipe_where {
    FISQL_WHERE_ABSENT,   /* not known there */
    FISQL_WHERE_REGISTER, /* in the general register `base` (DWARF's number) */
    FISQL_WHERE_VECTOR,   /* in the vector register `base`, from 0: xmm0, v0 */
    FISQL_WHERE_MEMORY, /* at register `base` + offset; it is on the stack, or `anywhere` is set */
    FISQL_WHERE_SUM,    /* the value is register `base` + offset */
    FISQL_WHERE_CONSTANT, /* the value is `constant` */
    FISQL_WHERE_PIECES, /* the bytes of the `base` values from index `constant` of the module's on, one
                             behind the other; these have what = BYTES, and a size of up to 16 */
    /* Of a result: one of the above, as it lies when the exit hook is called, or ... */
    FISQL_WHERE_RESULT,        /* as functions return it: in rax (and rdx), x0 (and x1), ... */
    FISQL_WHERE_RESULT_VECTOR, /* ... in xmm0 (and xmm1), v0 to v3 of element size `base`, ... */
    FISQL_WHERE_RESULT_MIXED, /* ... its first 8 bytes in rax and the rest in xmm0 (base 0), or the first in
                                  xmm0 and the rest in rax (base 1), ... */
    FISQL_WHERE_RESULT_X87, /* ... on the x87 stack, ... */
    FISQL_WHERE_RESULT_MEMORY, /* ... in memory whose address is in rax (x86-64); then `what` is as if the
                                  object stood there */
    FISQL_WHERE_ADDRESS, /* the value is the address `constant` of the module's file, where the module lies
                           in memory */
    FISQL_WHERE_EXPRESSION, /* what the `base` values from index `constant` of the module's on compute, one
                               after the other, on a stack of words: each of them puts its own word there, or is
                               a STEP. What is left is the value */
    FISQL_WHERE_STEP        /* only there: `base` is an enum fisql_recipe_step */
};

/* What a step does with the words on the stack: b is the last one, a the one before. Numbers are those of
 * integers of `size` bytes, by `what` SIGNED or not, and results are cut to that. Where there is no result
 * (memory that cannot be read, division by zero, shifts by more bits than there are), the value is not
 * readable. */
enum fisql_recipe_step {
    FISQL_STEP_NOTHING,
    FISQL_STEP_LOAD,   /* b := the `size` bytes (1 to 8) in memory at b + offset */
    FISQL_STEP_OFFSET, /* b := b + offset, an address */
    FISQL_STEP_BITS,   /* b := its `size` bits from bit `offset` on */
    FISQL_STEP_CONVERT,
    FISQL_STEP_NEGATE,
    FISQL_STEP_INVERT, /* each bit */
    FISQL_STEP_IS_ZERO,
    FISQL_STEP_IS_TRUE,
    FISQL_STEP_AND_THEN, /* where b is 0, `offset` steps are left out; else b goes */
    FISQL_STEP_OR_ELSE,  /* likewise where it is not */
    FISQL_STEP_ADD,      /* from here on: a and b become one word */
    FISQL_STEP_SUBTRACT,
    FISQL_STEP_MULTIPLY,
    FISQL_STEP_DIVIDE,
    FISQL_STEP_REMAINDER,
    FISQL_STEP_AND,
    FISQL_STEP_OR,
    FISQL_STEP_EXCLUSIVE_OR,
    FISQL_STEP_SHIFT_LEFT, /* b is a number of bits */
    FISQL_STEP_SHIFT_RIGHT,
    FISQL_STEP_EQUAL,
    FISQL_STEP_LESS,
    FISQL_STEP_LESS_OR_EQUAL,
    FISQL_STEPS
};

/* What it is, which decides how it is written. */
enum fisql_recipe_what {
    FISQL_WHAT_SIGNED,   /* an integer of `size` bytes: 1, 2, 4, 8 */
    FISQL_WHAT_UNSIGNED, /* likewise; bool, char and enumerations, too, by their signedness */
    FISQL_WHAT_POINTER,  /* 8 bytes */
    FISQL_WHAT_FLOAT,    /* of `size` bytes: 4, 8, 10 (x87), 16 (IEEE quad) */
    FISQL_WHAT_BYTES,    /* `size` bytes as they are: a struct by value, __int128 */
    FISQL_WHAT_TEXT, /* a pointer to text that ends with a NUL, or after text_max bytes, 0 = not so */
    FISQL_WHAT_STRING,     /* the address of {pointer, length}: libstdc++'s std::string */
    FISQL_WHAT_VIEW,       /* the address of {length, pointer}: libstdc++'s std::string_view */
    FISQL_WHAT_STRING_COW, /* the address of a pointer to text whose length stands 24 bytes before it */
    FISQL_WHAT_STRING_CXX1 /* the address of libc++'s std::string: bit 0 of the first byte clear: length in
                              its other bits, text from byte 1 on; set: {capacity, length, pointer} */
};

struct fisql_recipe_value {
    uint8_t where; /* enum fisql_recipe_where */
    uint8_t what;  /* enum fisql_recipe_what */
    uint8_t size;  /* bytes */
    uint8_t base;
    int32_t offset;
    uint64_t constant;
    uint8_t through;  /* 1: what was found is the address of the value (a reference) */
    uint8_t anywhere; /* MEMORY that may not be readable */
    uint8_t
        object; /* STRING and its like, VIEW: 1 = the object itself lies at `where` (MEMORY, PIECES), 0 =
                          its address is what is found there */
    union {
        uint8_t part; /* of a value of an EXPRESSION: its number begins that many bytes behind */
        uint8_t
            large; /* of what is ABSENT, being too large to be recorded: `where` its address is found, 0 =
                          not known (for those who make expressions of it) */
    };
    uint32_t text_max;
};
_Static_assert(sizeof(struct fisql_recipe_value) == 24, "no holes");

#endif
