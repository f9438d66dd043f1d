/*
 * Recipes: where the arguments and results of calls lie when the program calls a hook. `fisql
 * record --values` makes them from the debug information and the call frame information of the
 * program's modules (debuginfo/recipes/recipes.h) and puts them behind the slots of the live area.
 * The collector (collector/values/values.c) finds the recipe of a hook call by the hook's return
 * address and writes the values into the log as bytes that describe themselves (formats/events.h,
 * "Values"). So the loader needs no recipe, and a wrong recipe cannot turn one type into another
 * unseen.
 *
 *   struct fisql_recipes          the head
 *   struct fisql_recipe_module    [modules]
 *   of each module, at the offsets in its entry: struct fisql_recipe_hook [hooks_count] by address,
 *   ascending; struct fisql_recipe_value [values_count]; its path
 *
 * Everything is in this machine's byte order and aligned to 8 bytes; offsets are from the head.
 * fisql record writes the area, not the program. So the collector checks once that the head is
 * right and that offsets lie within, and trusts the rest.
 */
#ifndef FISQL_FORMATS_RECIPE_H
#define FISQL_FORMATS_RECIPE_H

#include <stdint.h>

#define FISQL_RECIPES_MAGIC 0x50435246u /* "FRCP" */
#define FISQL_RECIPES_VERSION 6u
#define FISQL_RECIPE_VALUES_MAX 30u /* parameters of a function; we record no more */
#define FISQL_RECIPE_BYTES_MAX 64u  /* of a struct by value */
#define FISQL_RECIPE_STEPS_MAX 64u  /* of an expression */
#define FISQL_RECIPE_STACK_MAX 16u  /* words on its stack at a time */
#define FISQL_RECIPE_KEPT_MAX 16u   /* words of a call that are kept for its exit */

struct fisql_recipes {
    uint32_t magic, version;
    uint32_t modules;
    uint32_t string_max; /* the most bytes of a text that we record */
    uint64_t bytes;      /* head and all that follows */
};

struct fisql_recipe_module {
    uint64_t path, path_bytes; /* as in the module map: absolute, no NUL */
    uint64_t hooks, hooks_count;
    uint64_t values, values_count;
};

/* A call of a hook in the code. Addresses are those of the module's file. Of a function whose entry is
 * patched (formats/patch.h): its entry, where nothing has run yet, or its return. */
#define FISQL_RECIPE_RETURN 2u
struct fisql_recipe_hook {
    uint64_t address;  /* the return address of the hook; a patched entry's, that of a return + 1 */
    uint64_t function; /* the function that the hook call must name; else we know nothing here */
    /* index of its first value in the module's: of an entry the parameters in their order, ... */
    uint32_t first;
    uint16_t count;
    /* ... of an exit (1, or FISQL_RECIPE_RETURN) the result, one value or none; ABSENT where a
     * patched function returns that has values at its exit alone */
    uint8_t exit;
    /* of an entry: 1 = of an inlined body. Of an exit: the canonical frame address at that call
     * is this register (DWARF number) + cfa_offset, ... */
    uint8_t cfa_register;
    int32_t cfa_offset;
    /* ... and the return address lies at that + return_offset; x86-64: -8 */
    int32_t return_offset;
};
_Static_assert(sizeof(struct fisql_recipe_hook) == 32, "two to a cache line");

/* Where a value lies. */
enum fisql_recipe_where {
    FISQL_WHERE_ABSENT,   /* we do not know */
    FISQL_WHERE_REGISTER, /* in the general register `base` (DWARF's number) */
    FISQL_WHERE_VECTOR,   /* in the vector register `base`, from 0: xmm0, v0 */
    /* at register `base` + offset: on the stack, unless `anywhere` is set */
    FISQL_WHERE_MEMORY,
    FISQL_WHERE_SUM,      /* the value is register `base` + offset */
    FISQL_WHERE_CONSTANT, /* the value is `constant` */
    /* the bytes of `base` of the module's values, from index `constant` on, one behind the
     * other. These values have what = BYTES and a size of up to 16 */
    FISQL_WHERE_PIECES,
    /* Of a result: one of the above, as it lies when the exit hook is called, or ... */
    FISQL_WHERE_RESULT,        /* as functions return it: in rax (and rdx), x0 (and x1), ... */
    FISQL_WHERE_RESULT_VECTOR, /* ... in xmm0 (and xmm1), v0 to v3 of element size `base`, ... */
    /* ... its first 8 bytes in rax and the rest in xmm0 (base 0), or the first in xmm0 and the
     * rest in rax (base 1), ... */
    FISQL_WHERE_RESULT_MIXED,
    FISQL_WHERE_RESULT_X87, /* ... on the x87 stack, ... */
    /* ... in memory whose address is in rax (x86-64); `what` describes the object itself */
    FISQL_WHERE_RESULT_MEMORY,
    /* the value is the address `constant` of the module's file, moved to where the module is
     * loaded */
    FISQL_WHERE_ADDRESS,
    /* Only at an entry: the value comes at the exit. Of `base` of the module's values, from index
     * `constant` on, the last one is that value, and its `offset` the position among the call's.
     * The others are numbers that the call keeps for it, as words from `offset` on. If `part` is 1,
     * the last word is a checksum of what the value before the last one is at the entry, and the exit
     * records the value only if its checksum differs. */
    FISQL_WHERE_KEEP,
    FISQL_WHERE_KEPT, /* at the exit: in the call's kept word `base` */
    /* `base` of the module's values, from index `constant` on, compute the value one after the
     * other on a stack of words: each puts its own word there, or is a STEP. The last word is
     * the value */
    FISQL_WHERE_EXPRESSION,
    /* only in an expression: `base` is an enum fisql_recipe_step */
    FISQL_WHERE_STEP
};

/* What a step does with the words on the stack: b is the last one, a the one before. Numbers are
 * integers of `size` bytes, signed if `what` is SIGNED, and results are cut to that size. If a
 * step has no result (memory that we cannot read, division by zero, shifts by more bits than
 * there are), the value is unreadable. */
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
    FISQL_STEP_AND_THEN, /* if b is 0, skip `offset` steps; else drop b */
    FISQL_STEP_OR_ELSE,  /* if b is not 0, skip `offset` steps; else drop b */
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

/* What a value is; this decides how we write it. */
enum fisql_recipe_what {
    FISQL_WHAT_SIGNED,   /* an integer of `size` bytes: 1, 2, 4, 8 */
    FISQL_WHAT_UNSIGNED, /* also bool, char and enumerations, by their signedness */
    FISQL_WHAT_POINTER,  /* 8 bytes */
    FISQL_WHAT_FLOAT,    /* of `size` bytes: 4, 8, 10 (x87), 16 (IEEE quad) */
    FISQL_WHAT_BYTES,    /* `size` bytes as they are: a struct by value, __int128 */
    /* a pointer to text that ends with a NUL, or after text_max bytes if that is not 0 */
    FISQL_WHAT_TEXT,
    FISQL_WHAT_TEXT_16, /* the same of UTF-16 or UTF-32 (wchar_t), written as UTF-8 */
    FISQL_WHAT_TEXT_32,
    FISQL_WHAT_COUNTED, /* text of a known length, of an EXPRESSION that leaves {pointer, length} */
    FISQL_WHAT_DUMP, /* the same, as bytes; the length is at most FISQL_RECIPE_BYTES_MAX, or cut to
                         * text_max */
    FISQL_WHAT_STRING, /* the address of {pointer, length}: libstdc++'s std::string */
    FISQL_WHAT_VIEW,   /* the address of {length, pointer}: libstdc++'s std::string_view */
    /* the address of a pointer to text; the length is 24 bytes before the text */
    FISQL_WHAT_STRING_COW,
    /* the address of libc++'s std::string. If bit 0 of the first byte is clear: length in its
     * other bits, text from byte 1 on; if set: {capacity, length, pointer} */
    FISQL_WHAT_STRING_CXX1,
    FISQL_WHAT_BUFFER /* the address of {anything, length, pointer} */
};

/* The bytes of a character of a pointer's text; 0 = it is none. */
static inline unsigned fisql_recipe_unit_bytes(unsigned what)
{
    return what == FISQL_WHAT_TEXT      ? 1
           : what == FISQL_WHAT_TEXT_16 ? 2
           : what == FISQL_WHAT_TEXT_32 ? 4
                                        : 0;
}

struct fisql_recipe_value {
    uint8_t where; /* enum fisql_recipe_where */
    uint8_t what;  /* enum fisql_recipe_what */
    uint8_t size;  /* bytes */
    uint8_t base;
    int32_t offset;
    uint64_t constant;
    uint8_t through;  /* 1: `where` gives the address of the value (a reference) */
    uint8_t anywhere; /* MEMORY that may be unreadable */
    /* STRING and its like, VIEW: 1 = the object itself lies at `where` (MEMORY, PIECES), 0 =
     * `where` gives its address */
    uint8_t object;
    union {
        uint8_t part; /* of a value of an EXPRESSION: its number begins that many bytes further */
        /* of a value that is ABSENT because it is too large to record: how to find its address
         * (`where`), 0 = not known; for those who make expressions of it */
        uint8_t large;
    };
    uint32_t text_max;
};
_Static_assert(sizeof(struct fisql_recipe_value) == 24, "no holes");

#endif
