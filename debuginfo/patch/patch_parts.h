/*
 * What the planner knows of a module's functions (patch_functions.c), and what refers to them
 * (patch_references.c).
 */
#ifndef FISQL_DEBUGINFO_PATCH_PATCH_PARTS_H
#define FISQL_DEBUGINFO_PATCH_PATCH_PARTS_H

#include <stdbool.h>

#include "base/error.h"
#include "debuginfo/elf/elf_file.h"
#include "formats/patch.h"

#define PATCH_SPANS_MAX 16
#define PATCH_NONE SIZE_MAX

/* Code that is loaded from the file. */
struct patch_span {
    uint64_t start, end;
    const unsigned char *bytes;
};

/* What refers to a piece of code, or names it. */
enum patch_mark {
    PATCH_CALLED = 1 << 0,
    PATCH_JUMPED = 1 << 1,  /* the piece that is described before it jumps to its start */
    PATCH_DONATES = 1 << 2, /* a hop lies behind its jump */
    PATCH_NAMED = 1 << 3,   /* a symbol names it as a function */
    PATCH_COLD = 1 << 4,    /* a symbol names it as the cold part of one */
    PATCH_LEAVES = 1 << 5,  /* it may return elsewhere than to its caller: __builtin_eh_return() */
    PATCH_UNWINDS = 1 << 6, /* such a function calls it: it may read its own return address */
    PATCH_POPS = 1 << 7,    /* it takes its arguments off the stack as it returns */
    PATCH_ASKS = 1 << 8     /* it jumps to a function that looks at its return address: dlopen() */
};

enum patch_role {
    PATCH_ENTRY, /* a function starts here */
    PATCH_START, /* one that nothing calls: the program's start, or a thread's */
    PATCH_PART   /* a part of another function */
};

/* A piece of code that has unwind information. */
struct patch_function {
    uint64_t start, end; /* of those that overlap, the first ends where the second starts */
    uint64_t place;      /* of its description */
    size_t before;       /* the piece described before it, or PATCH_NONE */
    uint32_t taken;      /* how many words, numbers or lea have its address */
    uint8_t entered;     /* the first byte behind its start that something leads to, if below
                          * PATCH_REACH; 0 = none */
    uint32_t tabled;     /* how many of them are a jump's */
    uint16_t marks;
    enum patch_role role;
    enum fisql_patch_reason reason; /* as planned */
    int8_t hop;                     /* as planned; 0 = none */
    bool overlapped;                /* it starts inside another one */
};

/* A jump and a hop behind it. */
#define PATCH_REACH (2 * FISQL_PATCH_JUMP)

struct patch_address {
    uint64_t address;
};

struct patch_functions {
    const struct elf_file *module;
    struct patch_span spans[PATCH_SPANS_MAX]; /* by address, apart */
    size_t spans_count;
    struct patch_function *functions; /* by start, each one's differs */
    size_t count, capacity;
    struct patch_address *symbols; /* where functions start by symbol tables, sorted */
    size_t symbols_count, symbols_capacity;
    struct patch_address *frameless; /* those that no piece covers, sorted */
    size_t frameless_count, frameless_capacity;
    uint64_t low, high; /* the loaded addresses */
};

/* Lists the functions. Borrows `module` until the close. 0, or -1 without memory. */
int patch_functions_open(struct patch_functions *functions, const struct elf_file *module,
                         struct error *error);
void patch_functions_close(struct patch_functions *functions);

/* Finds the spans alone. */
void patch_functions_spans(struct patch_functions *functions, const struct elf_file *module);

/* The span that holds an address, or NULL. */
const struct patch_span *patch_span_of(const struct patch_functions *functions, uint64_t address);

struct patch_plan;
/* As patch_plan_make(), for an aarch64 module. */
int patch_plan_aarch64(struct patch_plan *plan, const struct elf_file *module, struct error *error);

/* Marks what the module's code, words and relocations refer to. 0, or -1 without memory. */
int patch_references_mark(struct patch_functions *functions, struct error *error);

#endif
