/* Finds the address by which hooks name a function: see recipe_parts.h. Compilers pass the address
 * of the original function, also in clones and inlined copies. So among the copies that DWARF
 * describes the one counts whose symbol's name is no clone's. If none has code in this module's
 * debug information (a C++ inline function whose code another unit has), the symbol table gives the
 * address of the name. */
#include "debuginfo/recipes/recipe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "base/parts.h"

int function_copies_add(struct function_copies *copies, uint64_t origin, uint64_t start,
                        struct error *error)
{
    return array_add(&copies->items, &copies->count, &copies->capacity,
                     ((struct function_copy){.origin = origin, .start = start}), error);
}

struct visiting {
    struct function_copies *copies;
    struct error *error;
};

static int visit_symbol(void *context, const struct elf_symbol *symbol)
{
    struct visiting *visiting = context;
    struct function_copies *copies = visiting->copies;
    if (symbol->address == 0)
        return 0;
    return array_add(
        &copies->names, &copies->names_count, &copies->names_capacity,
        ((struct named_code){symbol->name, symbol->address, symbol->global, symbol->hidden}),
        visiting->error);
}

static int by_address(const void *left, const void *right)
{
    const struct named_code *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static int by_origin(const void *left, const void *right)
{
    const struct function_copy *a = left, *b = right;
    if (a->origin != b->origin)
        return a->origin < b->origin ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Do compilers give such a name to a copy made for some calls, or to a part? */
static bool is_clone_name(const char *name)
{
    static const char *const marks[] = {".constprop.", ".isra.", ".part.", ".cold", ".simdclone."};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strstr(name, marks[i]) != NULL)
            return true;
    return false;
}

/* A destructor that frees: it calls the other one, which is what gets inlined. */
static bool is_deleting_name(const char *name)
{
    return starts_with(name, "_ZN") && has_ending(name + 3, "D0Ev");
}

/* Do all symbols at an address have such names? */
static bool all_are(const struct function_copies *copies, uint64_t address,
                    bool (*is)(const char *name))
{
    size_t at = sorted_from(copies->by_address, copies->names_count, address, address);
    bool any = false;
    for (; at < copies->names_count && copies->by_address[at].address == address; at++) {
        if (!is(copies->by_address[at].name))
            return false;
        any = true;
    }
    return any;
}

int function_copies_symbols(struct function_copies *copies, const struct symbol_files *files,
                            struct error *error)
{
    struct visiting visiting = {copies, error};
    const struct elf_file *tables[] = {&files->module,
                                       files->debug != NULL ? &files->debug->elf : NULL};
    for (unsigned i = 0; i < 2; i++)
        if (tables[i] != NULL &&
            (elf_file_functions(tables[i], SHT_SYMTAB, visit_symbol, &visiting) != 0 ||
             elf_file_functions(tables[i], SHT_DYNSYM, visit_symbol, &visiting) != 0))
            return -1;
    copies->by_address = calloc(copies->names_count + 1, sizeof *copies->by_address);
    if (copies->by_address == NULL)
        return error_set(error, "out of memory for %zu names", copies->names_count);
    if (copies->names_count > 0) {
        memcpy(copies->by_address, copies->names, copies->names_count * sizeof *copies->names);
        qsort(copies->names, copies->names_count, sizeof *copies->names, named_code_order);
        qsort(copies->by_address, copies->names_count, sizeof *copies->by_address, by_address);
    }
    return 0;
}

enum function_symbol function_copies_symbol(const struct function_copies *copies, uint64_t start)
{
    enum function_symbol found = FUNCTION_NAMELESS;
    size_t at = sorted_from(copies->by_address, copies->names_count, address, start);
    if (all_are(copies, start, is_clone_name))
        return FUNCTION_CLONE;
    for (; at < copies->names_count && copies->by_address[at].address == start; at++) {
        const struct named_code *name = &copies->by_address[at];
        enum function_symbol is = name->global   ? FUNCTION_GLOBAL
                                  : name->hidden ? FUNCTION_HIDDEN
                                                 : FUNCTION_LOCAL;
        if (is > found)
            found = is;
    }
    return found;
}

void function_copies_finish(struct function_copies *copies)
{
    array_sort(copies->items, copies->count, by_origin);
    for (size_t i = 0; i < copies->count; i++) {
        copies->items[i].clone = all_are(copies, copies->items[i].start, is_clone_name);
        copies->items[i].deleting = all_are(copies, copies->items[i].start, is_deleting_name);
    }
}

uint64_t function_copies_find(const struct function_copies *copies, const struct recipe_name *name)
{
    uint64_t address = 0, other = 0;
    size_t at = sorted_from(copies->items, copies->count, origin, name->origin);
    for (; at < copies->count && copies->items[at].origin == name->origin; at++) {
        uint64_t start = copies->items[at].start;
        if (copies->items[at].clone)
            continue;
        if (start == name->own)
            return start; /* also of variants, such as a destructor that frees */
        if (copies->items[at].deleting)
            continue;
        if (address != 0 && start != address)
            other = start;
        address = start;
    }
    if (other == 0 && address != 0)
        return address;
    return name->linkage_name != NULL
               ? named_code_find(copies->names, copies->names_count, name->linkage_name)
               : 0;
}

void function_copies_release(struct function_copies *copies)
{
    free(copies->items);
    free(copies->names);
    free(copies->by_address);
    *copies = (struct function_copies){0};
}
