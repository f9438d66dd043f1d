/*
 * Where the calling convention of x86-64 puts arguments (System V ABI, AMD64, 3.2.3): which registers,
 * or how far above the stack pointer at a function's first instruction. Also what compilers do that
 * the convention does not say. Places are DWARF's.
 */
#ifndef FISQL_DEBUGINFO_RECIPES_CONVENTION_H
#define FISQL_DEBUGINFO_RECIPES_CONVENTION_H

#include "debuginfo/dwarf/dwarf_places.h"

#define STACK_POINTER 7
#define STACK_START 8 /* of arguments, from the stack pointer at the entry */
#define CONVENTION_GENERALS 6u
#define CONVENTION_VECTORS 8u

/* What the arguments before have taken. */
struct convention {
    unsigned general, vector; /* registers that are taken */
    int64_t stack;            /* the next argument there; starts at STACK_START */
    /* After a split: the part of clang that takes objects apart still counts a register that is
     * taken. */
    bool one_believed;
};

enum passing { PASSED_UNKNOWN, PASSED_NOT, PASSED_GENERAL, PASSED_VECTOR, PASSED_STACK };

/* How a value is passed. */
struct way {
    bool unknown;
    bool by_address;
    enum passing eight[2]; /* of each 8 bytes; STACK: all of it */
    uint64_t size_bytes, align_bytes;
    bool align_unknown; /* it may be more: what is aligned so has such a size */
    bool split;         /* each 8 bytes go where the next word would: clang before 18 does so */
    bool may_split;     /* where it does not fit into registers, it is not known what clang does */
};

struct way convention_way(struct dwarf_types *types, const struct dwarf_type *type);

/* Takes what the convention gives a value. False if its place is not known. */
bool convention_take(struct convention *convention, const struct way *way, struct places *places);

/* Is it a register that arguments are passed in? */
bool convention_is_register(const struct place *place);

/* Does clang treat an __int128 as two words? 18 and 19 passed it in yet other ways. */
bool convention_splits_wide(const struct dwarf_types *types);

#endif
