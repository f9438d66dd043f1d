/*
 * Faults: calls that we make fail. `fisql record --fault` turns rules into this area
 * (cli/record/record_faults.c) and puts it behind the slots of the live area. The collector
 * (collector/faults/faults.c, only in libfisql-faults.so) applies the rules and counts here, so the
 * counts outlive the process.
 *
 *   struct fisql_faults             the head
 *   struct fisql_fault_rule         [rules]
 *   struct fisql_fault_module       [modules]
 *   of each module, at the offsets in its entry: struct fisql_fault_hook [hooks_count] by address,
 *   ascending; struct fisql_fault_place [places_count] by address; its path
 *   struct fisql_recipe_value       [values_count]: where the arguments in conditions lie
 *   texts
 *   struct fisql_fault_counts       [FISQL_FAULT_PROCESSES_MAX]
 *
 * Everything is in this machine's byte order and aligned to 8 bytes; offsets are from the head.
 * fisql record writes the area, not the program. So the collector checks once that the head is
 * right and that offsets lie within, and trusts the rest.
 */
#ifndef FISQL_FORMATS_FAULT_H
#define FISQL_FORMATS_FAULT_H

#include "formats/recipe.h"

#define FISQL_FAULTS_MAGIC 0x544c4146u /* "FALT" */
#define FISQL_FAULTS_VERSION 2u
#define FISQL_FAULT_RULES_MAX 64u /* a bit each */
#define FISQL_FAULT_WHENS_MAX 4u
#define FISQL_FAULT_PROCESSES_MAX 1024u

struct fisql_faults {
    uint32_t magic, version;
    uint32_t rules, modules;
    uint64_t rules_at, modules_at, values_at, values_count, counts_at;
    uint64_t bytes; /* head and all that follows */
    /* atomic: how many have taken their counts; those beyond the maximum share the last */
    uint32_t processes;
    uint32_t reserved;
};

enum fisql_fault_kind {
    FISQL_FAULT_FUNCTION, /* functions with hooks */
    /* of the malloc family, or operator new: `targets` has a bit for each enum fisql_alloc_kind */
    FISQL_FAULT_ALLOC,
    /* of the C library: `targets` is the number of the call (formats/fault_calls.h) */
    FISQL_FAULT_CALL
};

enum fisql_fault_action {
    FISQL_FAULT_RETURN,
    FISQL_FAULT_THROW, /* what is at `text`: NAME, or NAME(TEXT) as NAME, NUL, TEXT; see `class` */
    FISQL_FAULT_DELAY, /* for `amount` ns, then the call goes on */
    FISQL_FAULT_SIGNAL,
    FISQL_FAULT_EXIT,
    FISQL_FAULT_MARK /* only count and record it */
};

enum fisql_fault_per {
    FISQL_FAULT_PER_PROCESS, /* a forked child continues its parent's count */
    FISQL_FAULT_PER_THREAD,
    FISQL_FAULT_PER_RUN
};

enum fisql_fault_test {
    FISQL_FAULT_EQUAL,
    FISQL_FAULT_UNEQUAL,
    FISQL_FAULT_LESS,
    FISQL_FAULT_MORE,
    FISQL_FAULT_AT_MOST,
    FISQL_FAULT_AT_LEAST
};

/* A condition on an argument. */
struct fisql_fault_when {
    uint8_t test;       /* enum fisql_fault_test */
    uint8_t is_text;    /* compare with `bytes` bytes at `text`; else with `number` */
    uint16_t parameter; /* of a call of the C library: its index, from 0 */
    uint32_t bytes;
    int64_t number;
    uint64_t text;
};

struct fisql_fault_rule {
    uint8_t kind;      /* enum fisql_fault_kind */
    uint8_t action;    /* enum fisql_fault_action */
    uint8_t per;       /* enum fisql_fault_per */
    uint8_t in_vector; /* the result is a float, returned in a vector register */
    uint8_t inside;    /* one of the functions in places must be open */
    uint8_t whens_count;
    uint8_t is_void; /* there is no result, or it stays as it is */
    uint8_t after;   /* the call fails when its body has run */
    int32_t error;   /* errno to set; 0 = leave it */
    /* not 0: the stack must be the sites in [sites_count], at `sites` */
    uint32_t sites_count;
    uint64_t targets;
    uint64_t nth, every; /* 0 = not asked for */
    uint64_t likely;     /* fires if a random number is below it; 0 = not asked for */
    uint64_t seed;
    uint64_t value;  /* the result */
    uint64_t amount; /* nanoseconds, signal, exit status */
    uint64_t text, sites;
    uint64_t class; /* THROW of a class of the program's: a struct fisql_fault_class; 0 = none */
    struct fisql_fault_when when[FISQL_FAULT_WHENS_MAX];
    uint64_t counted; /* atomic: with PER_RUN, the calls that met the conditions */
};

/* How an object of a class is made. */
enum fisql_fault_make {
    FISQL_FAULT_MAKE_PLAIN, /* without a constructor: `number` in front, and zeros */
    FISQL_FAULT_MAKE_BASE, /* the same, but what it inherits of the standard library is made of the text */
    FISQL_FAULT_MAKE_DEFAULT,
    FISQL_FAULT_MAKE_WORD, /* of `number`: an integer */
    FISQL_FAULT_MAKE_DOUBLE,
    FISQL_FAULT_MAKE_FLOAT,
    FISQL_FAULT_MAKE_TEXT,   /* of a const char * */
    FISQL_FAULT_MAKE_STRING, /* of libstdc++'s std::string, by reference or value */
    FISQL_FAULT_MAKE_VIEW    /* of a std::string_view */
};

/* A class to throw. Addresses are the module's file's, 0 = none. */
struct fisql_fault_class {
    uint64_t module; /* its index */
    uint64_t type;   /* std::type_info */
    uint64_t table;  /* virtual table */
    uint64_t make, destroy;
    uint64_t number; /* an integer, or the bits of a double or a float */
    uint32_t how;    /* enum fisql_fault_make */
    uint32_t reserved;
};

/* A return address in the module whose path ends in /NAME, a text of module_bytes at `module`. */
struct fisql_fault_site {
    uint64_t module, module_bytes;
    uint64_t address; /* of the module's file */
};

struct fisql_fault_module {
    uint64_t path, path_bytes; /* as in the module map: absolute, no NUL */
    uint64_t hooks, hooks_count;
    uint64_t places, places_count;
};

/* The registers that functions preserve, by DWARF number (x86-64: rbx, rbp, r12 to r15). On
 * aarch64 these include vector registers, whose places we do not know: there we make no function
 * return. */
#define FISQL_FAULT_SAVED                                                                          \
    {                                                                                              \
        3, 6, 12, 13, 14, 15                                                                       \
    }
#define FISQL_FAULT_SAVED_COUNT 6
#define FISQL_FAULT_SAME INT32_MIN /* the register has its caller's value */

/* A call of a hook in the code of a function that rules name: of the entry hook, or of the exit hook
 * before a return if a rule has `after`. Addresses are the file's. */
struct fisql_fault_hook {
    uint64_t address; /* the return address of the hook */
    uint64_t function;
    uint64_t rules;     /* a bit for each rule that names the function */
    uint32_t values;    /* index of the first value: one per `when` of each of these rules */
    uint8_t can_return; /* we know the fields below */
    /* the canonical frame address is this register (DWARF number) + cfa_offset */
    uint8_t cfa_register;
    uint8_t exit;
    uint8_t reserved;
    int32_t cfa_offset, return_offset;      /* the return address is at CFA + return_offset */
    int32_t saved[FISQL_FAULT_SAVED_COUNT]; /* and the callers' registers at CFA + these */
};

/* A function that must be open (`in`). */
struct fisql_fault_place {
    uint64_t address, rules;
};

/* The counts of a process. */
struct fisql_fault_counts {
    /* calls that met a rule's conditions, not counting nth and the like */
    uint64_t reached[FISQL_FAULT_RULES_MAX];
    uint64_t struck[FISQL_FAULT_RULES_MAX];
};

#endif
