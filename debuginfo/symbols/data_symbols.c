/* Variables and functions out of symbol tables: see data_symbols.h. */
#include "debuginfo/symbols/data_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/names/demangle.h"
#include "debuginfo/names/short_name.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbols.h"

#define SYMBOLS_MAX 4000000u

struct reading {
    struct data_symbols *out;
    struct elf_symbol *items; /* their names are the files' */
    size_t count, capacity;
    struct error *error;
};

static int take(void *context, const struct elf_symbol *symbol)
{
    struct reading *reading = context;
    if (symbol->size_bytes == 0 || symbol->size_bytes > UINT64_MAX - symbol->address ||
        reading->count == SYMBOLS_MAX)
        return 0;
    return array_add(&reading->items, &reading->count, &reading->capacity, *symbol, reading->error);
}

/* By address; at one address global symbols first, then the largest. */
static int by_address(const void *left, const void *right)
{
    const struct elf_symbol *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->global != b->global)
        return a->global ? -1 : 1;
    if (a->size_bytes != b->size_bytes)
        return a->size_bytes > b->size_bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The length without a version (@GLIBC_2.2.5) or the number of a local static (count.0). */
static size_t plain_length(const char *name)
{
    size_t length = strcspn(name, "@");
    size_t digits = length;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    return digits < length && digits > 1 && name[digits - 1] == '.' ? digits - 1 : length;
}

char *data_symbol_name(const struct data_symbol *symbol)
{
    char *full = short_name_applies(symbol->linkage_name) ? demangle(symbol->linkage_name) : NULL;
    char *brief = full != NULL ? short_name(full, false) : NULL;
    free(full);
    return brief != NULL ? brief : strdup(symbol->linkage_name);
}

/* Copies the symbols that do not overlap the one before. */
static int keep(struct reading *reading)
{
    struct data_symbols *out = reading->out;
    uint64_t end = 0;
    array_sort(reading->items, reading->count, by_address);
    for (size_t i = 0; i < reading->count; i++) {
        const struct elf_symbol *symbol = &reading->items[i];
        if (symbol->address < end)
            continue;
        if (array_reserve(&out->items, &out->capacity, out->count + 1, reading->error) != 0)
            return -1;
        const char *name =
            text_pool_add(&out->texts, symbol->name, plain_length(symbol->name), reading->error);
        if (name == NULL)
            return -1;
        out->items[out->count++] =
            (struct data_symbol){symbol->address, symbol->size_bytes, symbol->is_function, name};
        end = symbol->address + symbol->size_bytes;
    }
    return 0;
}

static void read_segments(struct data_symbols *out, const struct elf_file *module)
{
    for (uint16_t i = 0; i < module->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(module, i);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0 ||
            segment.p_memsz > UINT64_MAX - segment.p_vaddr)
            continue;
        uint64_t end = segment.p_vaddr + segment.p_memsz;
        if (out->end == 0 || segment.p_vaddr < out->start)
            out->start = segment.p_vaddr;
        if (end > out->end)
            out->end = end;
    }
}

int data_symbols_open(struct data_symbols *symbols, const char *path, const char *build_id,
                      const struct symbols_options *options, struct error *error)
{
    const char *problem;
    struct symbol_files *files = calloc(1, sizeof *files);
    struct reading reading = {.out = symbols, .error = error};
    *symbols = (struct data_symbols){.count = 0};
    if (files == NULL)
        return error_set(error, "out of memory");
    int result =
        symbol_files_find(files, path, build_id != NULL ? build_id : "", options, &problem, error);
    const struct elf_file *tables[] = {
        files->module_open ? &files->module : NULL,
        files->module_open && files->debug != NULL ? &files->debug->elf : NULL};
    for (unsigned i = 0; i < 2 && result == 0; i++)
        if (tables[i] != NULL && (elf_file_symbols(tables[i], SHT_SYMTAB, take, &reading) != 0 ||
                                  elf_file_symbols(tables[i], SHT_DYNSYM, take, &reading) != 0))
            result = -1;
    if (result == 0 && files->module_open)
        read_segments(symbols, &files->module);
    if (result == 0)
        result = keep(&reading);
    free(reading.items);
    symbol_files_close(files);
    free(files);
    return result;
}

void data_symbols_close(struct data_symbols *symbols)
{
    free(symbols->items);
    text_pool_release(&symbols->texts);
    *symbols = (struct data_symbols){.count = 0};
}

const struct data_symbol *data_symbols_find(const struct data_symbols *symbols, uint64_t address)
{
    size_t next = sorted_after(symbols->items, symbols->count, address, address);
    const struct data_symbol *found = next > 0 ? &symbols->items[next - 1] : NULL;
    return found != NULL && address - found->address < found->size_bytes ? found : NULL;
}
