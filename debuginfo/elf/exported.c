/* Exported functions: see exported.h. */
#include "debuginfo/elf/exported.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/elf/elf_dynamic.h"

struct reading {
    struct exported *exported;
    struct error *error;
};

static int visit(void *context, const struct elf_symbol *symbol)
{
    struct reading *reading = context;
    struct exported *out = reading->exported;
    if (symbol->address == 0 || !symbol->global)
        return 0;
    return array_add(&out->items, &out->count, &out->capacity,
                     ((struct named_code){symbol->name, symbol->address, true, symbol->hidden}),
                     reading->error);
}

int named_code_order(const void *left, const void *right)
{
    const struct named_code *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

size_t named_code_from(const struct named_code *items, size_t count, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t named_code_end(const struct named_code *items, size_t count, uint64_t address)
{
    size_t next = sorted_after(items, count, address, address);
    return next < count ? items[next].address : address + 4096;
}

uint64_t named_code_find(const struct named_code *items, size_t count, const char *name)
{
    size_t low = named_code_from(items, count, name);
    uint64_t address = 0;
    for (; low < count && strcmp(items[low].name, name) == 0; low++) {
        if (address != 0 && address != items[low].address)
            return 0;
        address = items[low].address;
    }
    return address;
}

/* A program asks for an interpreter; what it exports is no other program's. glibc can be run, too,
 * but has a library's name. */
static bool is_program(const struct elf_file *file)
{
    struct elf_dynamic dynamic;
    elf_dynamic_read(&dynamic, file);
    if (dynamic.values[DT_SONAME] != 0)
        return false;
    for (uint16_t i = 0; i < file->segments_count; i++)
        if (elf_file_segment(file, i).p_type == PT_INTERP)
            return true;
    return false;
}

int exported_read(struct exported *exported, const struct elf_file *file, struct error *error)
{
    struct reading reading = {exported, error};
    int result = is_program(file) ? 0 : elf_file_functions(file, SHT_DYNSYM, visit, &reading);
    array_sort(exported->items, exported->count, named_code_order);
    return result;
}

void exported_release(struct exported *exported)
{
    free(exported->items);
    *exported = (struct exported){.count = 0};
}
