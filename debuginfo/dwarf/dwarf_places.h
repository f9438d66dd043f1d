/* Where a DWARF expression puts a variable at the call of a hook: a register, memory at a register
 * + offset, a constant, or pieces of these. We evaluate expressions with symbols, once, when we
 * make recipes. Other forms are computed by steps (dwarf_steps.h), or the variable has no place.
 * The reasons are counted (recipes.h), so that people can look up why a value is missing. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_PLACES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_PLACES_H

#include "debuginfo/dwarf/call_frames.h"
#include "debuginfo/dwarf/dwarf_locations.h"
#include "debuginfo/dwarf/dwarf_types.h"
#include "debuginfo/x86/x86_spills.h"
#include "formats/recipe.h"

#define PLACE_PIECES_MAX 8
#define PLACE_STEPS_MAX 128

/* Why a value is unknown. X(constant, words) */
#define PLACE_REASONS(X)                                                                           \
    X(FOUND, "located")                                                                            \
    X(NO_LOCATION, "the debug information gives no place")                                         \
    X(NOT_HERE, "no place at the hook's call: not used, or computed later")                        \
    X(OVERWRITTEN, "only its value at the function's start is known: it is not used")              \
    X(REGISTER_LOST, "in a register that the call of the hook does not keep")                      \
    X(OPTIMISED, "what it points to was taken apart")                                              \
    X(NOT_STORED, "not, or only after the hook's call, stored where it is said to be")             \
    X(COMPLEX, "computed in a way that recipes do not have")                                       \
    X(FRAME, "the frame's address is not known there")                                             \
    X(TYPE, "of a type that is not recorded")                                                      \
    X(TOO_LARGE, "more than 64 bytes")                                                             \
    X(CONVENTION, "results of this type come back in a way that is not known")                     \
    X(WAY_BACK, "between the hook and the return other code runs")
enum place_reason {
#define PLACE_REASON_ENUM(constant, words) PLACE_##constant,
    PLACE_REASONS(PLACE_REASON_ENUM)
#undef PLACE_REASON_ENUM
        PLACE_REASONS_COUNT
};

/* The form in which a pointer's text is written. */
static inline enum fisql_recipe_what place_text(const struct dwarf_type *type)
{
    return type->unit_bytes == 2   ? FISQL_WHAT_TEXT_16
           : type->unit_bytes == 4 ? FISQL_WHAT_TEXT_32
                                   : FISQL_WHAT_TEXT;
}

/* The form in which a string of this kind is written. */
static inline enum fisql_recipe_what place_string(enum dwarf_type_kind kind)
{
    return kind == DWARF_TYPE_STRING_COW    ? FISQL_WHAT_STRING_COW
           : kind == DWARF_TYPE_STRING_CXX1 ? FISQL_WHAT_STRING_CXX1
           : kind == DWARF_TYPE_VIEW        ? FISQL_WHAT_VIEW
           : kind == DWARF_TYPE_BUFFER      ? FISQL_WHAT_BUFFER
                                            : FISQL_WHAT_STRING; /* VIEW_CXX1 has its layout */
}

enum place_kind {
    PLACE_IN_REGISTER,
    PLACE_IN_VECTOR, /* vector register `number` */
    PLACE_IN_MEMORY, /* at register + offset */
    PLACE_BEHIND,    /* at the address in memory at register + offset */
    PLACE_SUM,       /* the value is register + offset */
    PLACE_CONSTANT,
    PLACE_ADDRESS, /* the value is address `constant` in the module's file */
    PLACE_COMPUTED,
    PLACE_PIECES /* of a whole only */
};

struct place {
    enum place_kind kind;
    uint8_t number; /* DWARF's number of the register; vector registers from 0 */
    bool stack;     /* the memory is in the function's or its caller's frame */
    int64_t offset;
    uint64_t constant;
    unsigned size_bytes; /* of a piece */
    uint8_t narrow;      /* the value is an integer of this many bytes; 0 = of its full size */
    bool narrow_signed;  /* extended by its sign, or by zeros */
    /* COMPUTED: */
    bool at_address;     /* the steps compute its address */
    uint8_t value_bytes; /* else the size of the computed number */
    unsigned first_step, steps_count;
};

struct places {
    struct place whole;
    struct place pieces[PLACE_PIECES_MAX];
    unsigned pieces_count;
    struct fisql_recipe_value steps[PLACE_STEPS_MAX];
    unsigned steps_count;
};

struct place_context {
    struct dwarf_types *types; /* of the unit */
    const struct dwarf_unit_context *unit;
    uint16_t machine;               /* EM_X86_64, EM_AARCH64 */
    uint64_t address;               /* within the call instruction */
    uint64_t start;                 /* of the function's code; 0 = inlined there */
    uint64_t after;                 /* the return address */
    const struct call_frame *frame; /* there; NULL = unknown */
    struct dwarf_value frame_base;  /* of the function */
    unsigned size_bytes;            /* of the variable */
    bool fixed;       /* the variable keeps its value: a place that begins after the call will do */
    bool computed;    /* the type needs steps: look for no other form */
    bool stores_late; /* the compiler (clang, not gcc) may store parameters after the hook's call */
    bool entry;       /* `address` is a function's first instruction: no hook was called */
    const struct x86_spills *spills; /* then: what the code after the call stores, NULL = unknown */
};

/* Finds the place in an attribute's value (DW_AT_location) at the context's address. */
enum place_reason place_find(const struct place_context *context, const struct dwarf_value *value,
                             struct places *places);

#endif
