/* Lines of addresses: see symbol_lines.h. The first question about a unit reads its line table. */
#include "debuginfo/symbols/symbol_lines.h"

#include <errno.h>
#include <stdlib.h>

#include "base/shortage.h"

#include "base/array.h"
#include "base/sorted.h"
#include "base/system_path.h"
#include "debuginfo/dwarf/dwarf_inlines.h"
#include "debuginfo/dwarf/dwarf_lines.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/elf/elf_file.h"

struct unit_lines {
    Dwarf_Off die;
    bool read;
    struct dwarf_lines lines;
    bool inlines_read;
    struct dwarf_inlines inlines;
};

struct symbol_lines {
    struct dwarf_file *file;
    struct elf_file module; /* the file opened again, to see what is code */
    const struct elf_file *code;
    struct unit_lines *units;
    size_t units_count;
    struct dwarf_unit_range *ranges; /* by start */
    size_t ranges_count;
    Dwarf_Debug debug;
    struct text_pool texts;
};

int symbol_lines_open(struct symbol_lines **out, struct dwarf_file *debug, const char *module_path,
                      const struct dwarf_unit *units, size_t units_count,
                      const struct dwarf_unit_range *ranges, size_t ranges_count,
                      struct error *error)
{
    struct symbol_lines *lines = calloc(1, sizeof *lines);
    *out = lines;
    if (lines != NULL) {
        lines->file = debug;
        lines->units = calloc(units_count + 1, sizeof *lines->units);
        lines->ranges = calloc(ranges_count + 1, sizeof *lines->ranges);
    }
    if (lines == NULL || lines->units == NULL || lines->ranges == NULL) {
        if (lines == NULL) {
            dwarf_file_close(debug);
            free(debug);
        }
        return error_set(error, "out of memory for %zu units", units_count);
    }
    lines->code = elf_file_open(&lines->module, module_path) == NULL ? &lines->module : &debug->elf;
    lines->units_count = units_count;
    for (size_t i = 0; i < units_count; i++)
        lines->units[i].die = units[i].die;
    for (size_t i = 0; i < ranges_count; i++)
        if (elf_file_is_code(lines->code, ranges[i].start) && ranges[i].unit < units_count)
            lines->ranges[lines->ranges_count++] = ranges[i];
    array_sort(lines->ranges, lines->ranges_count, dwarf_unit_range_order);
    return 0;
}

void symbol_lines_close(struct symbol_lines *lines)
{
    if (lines == NULL)
        return;
    if (lines->debug != NULL)
        dwarf_api_close(lines->debug);
    for (size_t i = 0; lines->units != NULL && i < lines->units_count; i++)
        dwarf_lines_release(&lines->units[i].lines);
    for (size_t i = 0; lines->units != NULL && i < lines->units_count; i++)
        dwarf_inlines_release(&lines->units[i].inlines);
    text_pool_release(&lines->texts);
    free(lines->units);
    free(lines->ranges);
    elf_file_close(&lines->module);
    dwarf_file_close(lines->file);
    free(lines->file);
    free(lines);
}

uint32_t symbol_lines_unit(const struct symbol_lines *lines, uint64_t address)
{
    size_t next = sorted_after(lines->ranges, lines->ranges_count, start, address);
    /* A unit's range may hold another's: look a few back. */
    for (size_t back = 1; back <= 8 && back <= next; back++)
        if (address < lines->ranges[next - back].end)
            return lines->ranges[next - back].unit;
    return SYMBOL_NONE;
}

const struct dwarf_unit_range *symbol_lines_ranges(const struct symbol_lines *lines, size_t *count)
{
    *count = lines->ranges_count;
    return lines->ranges;
}

uint64_t symbol_lines_unit_offset(const struct symbol_lines *lines, size_t unit)
{
    return unit < lines->units_count ? lines->units[unit].die : 0;
}

size_t symbol_lines_units_count(const struct symbol_lines *lines)
{
    return lines->units_count;
}

void symbol_lines_find(struct symbol_lines *lines, uint32_t unit, uint64_t address,
                       const char **file, uint32_t *line)
{
    *file = NULL;
    *line = 0;
    if (unit >= lines->units_count)
        return;
    struct unit_lines *table = &lines->units[unit];
    if (!table->read) {
        struct dwarf_headers headers = {0};
        if (lines->debug == NULL)
            lines->debug = dwarf_file_debug(lines->file);
        table->read = true;
        if (lines->debug != NULL &&
            dwarf_lines_read(&table->lines, lines->code, &headers, lines->file, lines->debug,
                             table->die, &lines->texts, NULL) != 0)
            shortage_note(ENOMEM);
        dwarf_headers_release(&headers);
    }
    const struct dwarf_line *row = dwarf_lines_find(&table->lines, address);
    if (row != NULL && row->line != 0) {
        *file = row->path;
        *line = row->line;
    }
}

void symbol_lines_find_own(struct symbol_lines *lines, uint32_t unit, uint64_t address,
                           const char **file, uint32_t *line)
{
    if (unit >= lines->units_count)
        return;
    struct unit_lines *table = &lines->units[unit];
    if (!table->inlines_read) {
        struct dwarf_headers headers = {0};
        if (lines->debug == NULL)
            lines->debug = dwarf_file_debug(lines->file);
        table->inlines_read = true;
        if (lines->debug != NULL && dwarf_inlines_read(&table->inlines, &headers, lines->debug,
                                                       table->die, &lines->texts, NULL) != 0)
            shortage_note(ENOMEM);
        dwarf_headers_release(&headers);
    }
    const struct dwarf_inline *piece = dwarf_inlines_find(&table->inlines, address);
    while (piece != NULL && (piece->path == NULL || system_path(piece->path)))
        piece = dwarf_inlines_around(&table->inlines, piece);
    if (piece != NULL) {
        *file = piece->path;
        *line = piece->line;
    }
}
