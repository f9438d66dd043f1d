/*
 * Finds functions as the dynamic linker finds them: by name and version, in the order of the loaded
 * modules. The collector's own are passed over: of malloc, the C library's is found.
 */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_LOOKUP_H
#define FISQL_COLLECTOR_PATCH_PATCH_LOOKUP_H

#include "collector/patch/patch_hook.h"

#if defined(FISQL_PATCHES) && defined(__x86_64__) && !defined(FISQL_STATIC)
#define FISQL_LINKS 1
#include "collector/core/facts.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define LINKED_MODULES_MAX 1024u

/* A loaded module. */
struct linked {
    const char *path; /* "" = it is the program */
    uint64_t bias, start, end;
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash, *hash;
    const ElfW(Versym) * versions;
    const unsigned char *definitions; /* of versions */
    bool recorded;                    /* by its hooks */
};

struct linked_modules {
    uint32_t count;
    struct linked modules[LINKED_MODULES_MAX];
};

/* Lists the loaded modules; NULL = there is no memory. Signals are blocked. */
struct linked_modules *patch_lookup_open(void);
void patch_lookup_close(struct linked_modules *all);

/* The address of a function; 0 = there is none, or it is recorded itself. `version`: "" = the usual
 * one. */
uint64_t patch_lookup(const struct linked_modules *all, const char *name, const char *version);
/* The symbol in one module; NULL = none. */
const ElfW(Sym) *
    patch_lookup_in(const struct linked *module, const char *name, const char *version);
/* Is the function at an address of the module recorded itself? */
bool patch_lookup_is_recorded(const struct linked *module, uint64_t address);

/* Says in the log by which names others call a module's functions. Begins as {.module = ...}. */
struct patch_names {
    const struct linked *module;
    bool any;
    struct facts facts;
    unsigned char buffer[8192];
};
/* taken: see FISQL_PATCH_TAKEN. */
void patch_names_put(struct patch_names *names, uint64_t function, const char *name, bool taken);
void patch_names_end(struct patch_names *names);
#endif

#endif
