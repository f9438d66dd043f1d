/* See exported_symbols.h. */
#include "debuginfo/prototypes/exported_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/elf/exported.h"
#include "debuginfo/symbols/symbol_files.h"

static int by_address(const void *left, const void *right)
{
    const struct named_code *a = left, *b = right;
    return a->address != b->address ? (a->address < b->address ? -1 : 1) : strcmp(a->name, b->name);
}

static int add(struct symbols *symbols, const struct named_code *code, struct error *error)
{
    const struct symbol_function function = {
        .address = code->address,
        .name = text_pool_add(&symbols->texts, code->name, strlen(code->name), error),
        .instrumented = true,
        .call_targets = SYMBOL_NONE};
    const struct symbol_range range = {.start = code->address,
                                       .end = code->address + 1,
                                       .function = (uint32_t)symbols->functions_count,
                                       .unit = SYMBOL_NONE};
    bool first = symbols->ranges_count == 0 ||
                 symbols->ranges[symbols->ranges_count - 1].start != code->address;
    if (function.name == NULL || array_add(&symbols->functions, &symbols->functions_count,
                                           &symbols->functions_capacity, function, error) != 0)
        return -1;
    return !first ? 0
                  : array_add(&symbols->ranges, &symbols->ranges_count, &symbols->ranges_capacity,
                              range, error);
}

int exported_symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                          const struct symbols_options *options, struct error *error)
{
    const char *problem;
    struct exported exported = {.count = 0};
    struct symbol_files *files = calloc(1, sizeof *files);
    *symbols = (struct symbols){.source = "symtab"};
    if (files == NULL)
        return error_set(error, "out of memory");
    int result =
        symbol_files_find(files, path, build_id != NULL ? build_id : "", options, &problem, error);
    if (result == 0 && files->module_open)
        result = exported_read(&exported, &files->module, error);
    array_sort(exported.items, exported.count, by_address);
    for (size_t i = 0; i < exported.count && result == 0; i++)
        result = add(symbols, &exported.items[i], error);
    exported_release(&exported);
    symbol_files_close(files);
    free(files);
    return result;
}
