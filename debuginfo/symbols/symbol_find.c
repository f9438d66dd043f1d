/* Look-ups in a module's symbols: an address's code, unit and line; a function's identity. */
#include "debuginfo/symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortage.h"
#include "base/sorted.h"
#include "base/system_path.h"
#include "debuginfo/symbols/symbol_lines.h"

const struct symbol_range *symbols_range(const struct symbols *symbols, uint64_t address)
{
    size_t next = sorted_after(symbols->ranges, symbols->ranges_count, start, address);
    const struct symbol_range *range = next > 0 ? &symbols->ranges[next - 1] : NULL;
    return range != NULL && address < range->end ? range : NULL;
}

void symbols_units(const struct symbols *symbols, uint32_t *units)
{
    bool *several = calloc(symbols->functions_count + 1, sizeof *several);
    for (size_t i = 0; i < symbols->functions_count; i++)
        units[i] = SYMBOL_NONE;
    for (size_t i = 0; several != NULL && i < symbols->ranges_count; i++) {
        const struct symbol_range *range = &symbols->ranges[i];
        if (range->unit == SYMBOL_NONE || several[range->function])
            continue;
        several[range->function] =
            units[range->function] != SYMBOL_NONE && units[range->function] != range->unit;
        units[range->function] = several[range->function] ? SYMBOL_NONE : range->unit;
    }
    if (several == NULL)
        shortage_note(ENOMEM);
    free(several);
}

/* The unit that describes an address; SYMBOL_NONE = none. */
static uint32_t unit_of(const struct symbols *symbols, uint64_t address)
{
    const struct symbol_range *range = symbols_range(symbols, address);
    if (symbols->lines == NULL)
        return SYMBOL_NONE;
    return range != NULL && range->unit != SYMBOL_NONE ? range->unit
                                                       : symbol_lines_unit(symbols->lines, address);
}

void symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line)
{
    *file = NULL;
    *line = 0;
    if (symbols->lines != NULL)
        symbol_lines_find(symbols->lines, unit_of(symbols, address), address, file, line);
}

void symbols_own_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line)
{
    symbols_line(symbols, address, file, line);
    if (symbols->lines != NULL && (*file == NULL || system_path(*file)))
        symbol_lines_find_own(symbols->lines, unit_of(symbols, address), address, file, line);
}

/* The last `parts` parts of a path, which stay the same if the tree is built elsewhere. */
static const char *path_tail(const char *path, int parts)
{
    const char *at = path + strlen(path);
    while (at > path && !(at[-1] == '/' && --parts == 0))
        at--;
    return at;
}

uint64_t symbols_stable_id(const char *module_path, const char *linkage_name, const char *file)
{
    const char *module = path_tail(module_path, 1);
    const char *version = strstr(module, ".so.");
    size_t length = version != NULL ? (size_t)(version - module) + 3 : strlen(module);
    const char *tail = file != NULL ? path_tail(file, 2) : "";
    uint64_t hash = text_hash(TEXT_HASH_START, module, length);
    hash = text_hash(hash, "", 1);
    hash = text_hash(hash, linkage_name, strlen(linkage_name) + 1);
    return text_hash(hash, tail, strlen(tail) + 1);
}
