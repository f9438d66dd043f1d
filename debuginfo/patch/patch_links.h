/*
 * The functions of other modules that a module calls, and the instructions that call them through
 * words which the dynamic linker fills (formats/patch.h: links, references). x86-64 alone.
 * Some are left out (formats/patch_left.h).
 */
#ifndef FISQL_DEBUGINFO_PATCH_PATCH_LINKS_H
#define FISQL_DEBUGINFO_PATCH_PATCH_LINKS_H

#include "debuginfo/patch/patch_parts.h"

/* name and version are borrowed from the module. */
struct patch_link {
    uint64_t slot;
    const char *name, *version;
    uint32_t references; /* how many */
    bool taken;          /* its address is loaded to do more with it than a call */
};

struct patch_reference {
    uint64_t place; /* of the distance to the slot */
    uint32_t link;
    int32_t before;
};

struct patch_links {
    struct patch_link *links; /* by slot */
    size_t count, capacity;
    struct patch_reference *references; /* by place */
    size_t references_count, references_capacity;
};

/* Finds them. 0, or -1 without memory; release it in both cases. */
int patch_links_find(struct patch_links *links, const struct patch_functions *functions,
                     struct error *error);
void patch_links_release(struct patch_links *links);

#endif
