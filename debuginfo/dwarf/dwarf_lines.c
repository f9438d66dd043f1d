/* Line tables through libdwarf: see dwarf_lines.h. */
#include "debuginfo/dwarf/dwarf_lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/dwarf_die.h"
#include "debuginfo/dwarf/dwarf_rows.h"

/* Appends a path's parts to the `length` bytes of `out`, resolving "." and "..". */
static size_t append_parts(char *out, size_t length, const char *path, bool *absolute)
{
    if (path[0] == '/') {
        *absolute = true;
        length = 0;
    }
    while (*path != 0) {
        size_t part = strcspn(path, "/");
        const char *slash = length > 0 ? memrchr(out, '/', length) : NULL;
        size_t last = slash != NULL ? (size_t)(slash + 1 - out) : 0;
        bool climbs = length - last == 2 && memcmp(out + last, "..", 2) == 0;
        if (part == 2 && memcmp(path, "..", 2) == 0 && (length > 0 ? !climbs : *absolute)) {
            length = slash != NULL ? last - 1 : 0;
        } else if (part > 0 && !(part == 1 && path[0] == '.') && length + part + 2 < PATH_MAX) {
            if (length > 0 || *absolute)
                out[length++] = '/';
            memcpy(out + length, path, part);
            length += part;
        }
        path += part;
        path += *path == '/';
    }
    return length;
}

const char *dwarf_join_path(struct text_pool *pool, const char *base, const char *folder,
                            const char *name, struct error *error)
{
    char out[PATH_MAX];
    const char *const parts[] = {base, folder, name};
    size_t length = 0;
    bool absolute = false;
    for (int i = 0; i < 3; i++)
        if (parts[i] != NULL)
            length = append_parts(out, length, parts[i], &absolute);
    return text_pool_add(pool, out, length, error);
}

static void header_release(struct dwarf_header *header)
{
    if (header->context != NULL)
        dwarf_srclines_dealloc_b(header->context);
    *header = (struct dwarf_header){0};
}

void dwarf_headers_release(struct dwarf_headers *headers)
{
    for (unsigned i = 0; i < DWARF_HEADERS_MAX; i++)
        header_release(&headers->items[i]);
}

/* The header of a unit's line table, NULL = none. */
static struct dwarf_header *header_of(struct dwarf_headers *headers, Dwarf_Debug debug,
                                      Dwarf_Die unit_die)
{
    Dwarf_Off unit = 0;
    if (!dwarf_die_offset(debug, unit_die, &unit))
        return NULL;
    for (unsigned i = 0; i < DWARF_HEADERS_MAX; i++)
        if (headers->items[i].debug == debug && headers->items[i].unit == unit)
            return headers->items[i].context != NULL ? &headers->items[i] : NULL;
    struct dwarf_header *header = &headers->items[headers->next++ % DWARF_HEADERS_MAX];
    header_release(header);
    Dwarf_Unsigned version = 0;
    Dwarf_Small tables = 0;
    Dwarf_Line_Context context = NULL;
    if (!libdwarf_ok(debug, dwarf_srclines_b(unit_die, &version, &tables, &context, failure)))
        context = NULL;
    *header = (struct dwarf_header){debug, unit, context, version,
                                    dwarf_die_string(debug, unit_die, DW_AT_comp_dir)};
    return context != NULL ? header : NULL;
}

static int header_path(struct dwarf_header *header, uint64_t number, struct text_pool *pool,
                       const char **path, struct error *error)
{
    const char *name = NULL, *folder = NULL;
    Dwarf_Unsigned folder_number = 0, modified = 0, length = 0;
    Dwarf_Form_Data16 *digest = NULL;
    Dwarf_Signed base = 0, count = 0, end = 0;
    *path = NULL;
    if (!libdwarf_ok(header->debug,
                     dwarf_srclines_files_indexes(header->context, &base, &count, &end, failure)) ||
        number > INT64_MAX || (Dwarf_Signed)number < base || (Dwarf_Signed)number >= end ||
        !libdwarf_ok(header->debug, dwarf_srclines_files_data_b(
                                        header->context, (Dwarf_Signed)number, &name,
                                        &folder_number, &modified, &length, &digest, failure)) ||
        name == NULL)
        return 0;
    /* Folder 0 is the compilation's; libdwarf counts the table's own from 1 up to DWARF 4, from 0
     * since. */
    if (folder_number <= INT32_MAX && (folder_number > 0 || header->version >= 5) &&
        !libdwarf_ok(header->debug,
                     dwarf_srclines_include_dir_data(header->context, (Dwarf_Signed)folder_number,
                                                     &folder, failure)))
        folder = NULL;
    *path = dwarf_join_path(pool, header->folder, folder, name, error);
    return *path != NULL ? 0 : -1;
}

int dwarf_source_path(struct dwarf_headers *headers, Dwarf_Debug debug, Dwarf_Die unit_die,
                      uint64_t number, struct text_pool *pool, const char **path,
                      struct error *error)
{
    struct dwarf_header *header = header_of(headers, debug, unit_die);
    *path = NULL;
    return header != NULL ? header_path(header, number, pool, path, error) : 0;
}

struct row_taker {
    struct dwarf_lines *lines;
    const struct elf_file *module;
    struct dwarf_header *header;
    struct text_pool *pool;
    struct error *error;
    bool inside, sound; /* in a sequence; in one whose code the linker kept */
    uint64_t file;      /* number of `path` */
    const char *path;
};

/* Takes a row, unless its sequence describes code that the linker dropped (it starts at 0 or
 * another address without code). */
static int take_row(void *context, const struct dwarf_row *row)
{
    struct row_taker *taker = context;
    struct dwarf_lines *lines = taker->lines;
    if (!taker->inside)
        taker->sound = elf_file_is_code(taker->module, row->address);
    taker->inside = !row->ends;
    if (!taker->sound)
        return 0;
    if (row->file != taker->file &&
        header_path(taker->header, row->file, taker->pool, &taker->path, taker->error) != 0)
        return -1;
    taker->file = row->file;
    return array_add(&lines->items, &lines->count, &lines->capacity,
                     ((struct dwarf_line){row->address, taker->path, row->line, row->ends}),
                     taker->error);
}

/* By address; at one address a sequence's end first. A stable sort keeps the table's order
 * otherwise. */
static int by_address(const void *left, const void *right)
{
    const struct dwarf_line *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (int)b->ends - (int)a->ends;
}

/* Sorts by merging neighbouring sorted pieces (sequences are sorted) until one is left. Stable. */
static int sort_lines(struct dwarf_lines *lines, struct error *error)
{
    size_t count = lines->count;
    struct dwarf_line *other = malloc((count + 1) * sizeof *other);
    if (other == NULL)
        return error_set(error, "out of memory for %zu lines", count);
    for (bool sorted = false; !sorted;) {
        size_t out = 0;
        sorted = true;
        for (size_t start = 0; start < count;) {
            size_t middle = start + 1, end;
            while (middle < count &&
                   by_address(&lines->items[middle - 1], &lines->items[middle]) <= 0)
                middle++;
            end = middle + (middle < count);
            while (end < count && by_address(&lines->items[end - 1], &lines->items[end]) <= 0)
                end++;
            sorted = sorted && middle == count;
            size_t a = start, b = middle;
            while (a < middle || b < end) {
                bool left =
                    b >= end || (a < middle && by_address(&lines->items[a], &lines->items[b]) <= 0);
                other[out++] = lines->items[left ? a++ : b++];
            }
            start = end;
        }
        struct dwarf_line *swap = lines->items;
        lines->items = other;
        other = swap;
    }
    lines->capacity = count + 1;
    free(other);
    return 0;
}

int dwarf_lines_read(struct dwarf_lines *lines, const struct elf_file *module,
                     struct dwarf_headers *headers, const struct dwarf_file *file,
                     Dwarf_Debug debug, Dwarf_Off unit, struct text_pool *pool, struct error *error)
{
    Dwarf_Die die = dwarf_die_at(debug, unit);
    Dwarf_Unsigned offset = 0;
    int result = 0;
    if (die == NULL)
        return 0;
    struct dwarf_header *header = header_of(headers, debug, die);
    const struct dwarf_section *section = dwarf_file_section(file, ".debug_line");
    if (header != NULL && section != NULL &&
        libdwarf_ok(debug, dwarf_srclines_table_offset(header->context, &offset, failure))) {
        struct row_taker taker = {.lines = lines,
                                  .module = module,
                                  .header = header,
                                  .pool = pool,
                                  .error = error,
                                  .file = UINT64_MAX};
        result = dwarf_rows(section->data, section->size_bytes, offset, take_row, &taker);
    }
    dwarf_die_release(die);
    return result == 0 ? sort_lines(lines, error) : -1;
}

void dwarf_lines_release(struct dwarf_lines *lines)
{
    free(lines->items);
    *lines = (struct dwarf_lines){0};
}

const struct dwarf_line *dwarf_lines_find(const struct dwarf_lines *lines, uint64_t address)
{
    size_t next = sorted_after(lines->items, lines->count, address, address);
    const struct dwarf_line *row = next > 0 ? &lines->items[next - 1] : NULL;
    return row != NULL && !row->ends ? row : NULL;
}
