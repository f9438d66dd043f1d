/*
 * The lines of addresses: see symbol_parts.h. A unit's line table is read when the first of its
 * addresses is asked for, and kept.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "loader/symbols/dwarf_lines.h"
#include "loader/symbols/symbol_parts.h"

struct unit_lines {
    Dwarf_Off die;
    bool wanted, read;
    struct dwarf_lines lines;
};

struct symbol_lines {
    struct dwarf_file *file;
    struct elf_file module; /* the file again: for what is code */
    const struct elf_file *code;
    struct unit_lines *units;
    size_t units_count;
    struct dwarf_unit_range *ranges; /* by start */
    size_t ranges_count;
    Dwarf_Debug debug;
    struct text_pool *pools; /* the first is symbol_lines_find()'s */
    size_t pools_count, pools_capacity;
};

static int by_start(const void *left, const void *right)
{
    const struct dwarf_unit_range *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

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
        lines->pools = calloc(1, sizeof *lines->pools);
        lines->pools_count = lines->pools_capacity = lines->pools != NULL;
    }
    if (lines == NULL || lines->units == NULL || lines->ranges == NULL || lines->pools == NULL) {
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
    qsort(lines->ranges, lines->ranges_count, sizeof *lines->ranges, by_start);
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
    for (size_t i = 0; i < lines->pools_count; i++)
        text_pool_release(&lines->pools[i]);
    free(lines->pools);
    free(lines->units);
    free(lines->ranges);
    elf_file_close(&lines->module);
    dwarf_file_close(lines->file);
    free(lines->file);
    free(lines);
}

uint32_t symbol_lines_unit(const struct symbol_lines *lines, uint64_t address)
{
    size_t low = 0, high = lines->ranges_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* A unit's range may hold another's: look a few back. */
    for (size_t back = 1; back <= 8 && back <= low; back++)
        if (address < lines->ranges[low - back].end)
            return lines->ranges[low - back].unit;
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
        if (lines->debug != NULL)
            dwarf_lines_read(&table->lines, lines->code, &headers, lines->file, lines->debug,
                             table->die, &lines->pools[0], NULL);
        dwarf_headers_release(&headers);
    }
    const struct dwarf_line *row = dwarf_lines_find(&table->lines, address);
    if (row != NULL && row->line != 0) {
        *file = row->path;
        *line = row->line;
    }
}

/* ---- many addresses at once ---- */

struct line_reader {
    struct symbol_lines *lines;
    uint32_t *next_unit; /* shared, atomic */
    struct text_pool *pool;
    struct error error;
    int result;
};

static void *read_wanted(void *argument)
{
    struct line_reader *reader = argument;
    struct symbol_lines *lines = reader->lines;
    struct dwarf_headers headers = {0};
    Dwarf_Debug debug = NULL;
    for (uint32_t i;
         reader->result == 0 &&
         (i = __atomic_fetch_add(reader->next_unit, 1, __ATOMIC_RELAXED)) < lines->units_count;) {
        struct unit_lines *table = &lines->units[i];
        if (!table->wanted || table->read)
            continue;
        if (debug == NULL)
            debug = dwarf_file_debug(lines->file);
        if (debug == NULL)
            break;
        table->read = true;
        reader->result = dwarf_lines_read(&table->lines, lines->code, &headers, lines->file, debug,
                                          table->die, reader->pool, &reader->error);
    }
    dwarf_headers_release(&headers);
    if (debug != NULL)
        dwarf_api_close(debug);
    return NULL;
}

int symbols_prepare_lines(struct symbols *symbols, const uint64_t *addresses, size_t count,
                          unsigned threads, struct error *error)
{
    struct symbol_lines *lines = symbols->lines;
    size_t wanted = 0;
    if (lines == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct symbol_range *range = symbols_range(symbols, addresses[i]);
        uint32_t unit = range != NULL ? range->unit : SYMBOL_NONE;
        if (unit == SYMBOL_NONE)
            unit = symbol_lines_unit(lines, addresses[i]);
        if (unit >= lines->units_count || lines->units[unit].wanted || lines->units[unit].read)
            continue;
        lines->units[unit].wanted = true;
        wanted++;
    }
    long cores = threads > 0 ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
    size_t readers_count = cores < 1 ? 1 : cores > 64 ? 64 : (size_t)cores;
    if (readers_count > wanted)
        readers_count = wanted;
    if (readers_count == 0)
        return 0;
    struct line_reader readers[64];
    pthread_t ids[64];
    size_t started = 0;
    uint32_t next_unit = 0;
    if (array_reserve(&lines->pools, &lines->pools_capacity, lines->pools_count + readers_count,
                      error) != 0)
        return -1;
    for (size_t i = 0; i < readers_count; i++) {
        struct text_pool *pool = &lines->pools[lines->pools_count++];
        *pool = (struct text_pool){0};
        readers[i] = (struct line_reader){.lines = lines, .next_unit = &next_unit, .pool = pool};
    }
    while (started + 1 < readers_count &&
           pthread_create(&ids[started], NULL, read_wanted, &readers[started]) == 0)
        started++;
    read_wanted(&readers[started]);
    int result = readers[started].result;
    for (size_t i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
        if (readers[i].result != 0)
            result = error_set(error, "%s", readers[i].error.text);
    }
    return result;
}
