/* Line tables: the source files that a unit names, and the lines of its code. Not safe for threads:
 * each thread has its own Dwarf_Debug and structs. Texts come from the caller's text_pool and live
 * as long as it. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_LINES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_LINES_H

#include "debuginfo/dwarf/dwarf_file.h"
#include "base/text_pool.h"

#define DWARF_HEADERS_MAX 4

/* The headers of the last line tables used. Zero is empty. */
struct dwarf_headers {
    struct dwarf_header {
        Dwarf_Debug debug;
        Dwarf_Off unit; /* offset of the unit's entry */
        Dwarf_Line_Context context;
        uint64_t version;
        const char *folder; /* of the compilation */
    } items[DWARF_HEADERS_MAX];
    unsigned next;
};

void dwarf_headers_release(struct dwarf_headers *headers);

/* The path of source file `number` in the unit's line table, absolute by the compilation's folder,
 * without "." and "..". *path is NULL if unknown. 0, or -1 without memory. */
int dwarf_source_path(struct dwarf_headers *headers, Dwarf_Debug debug, Dwarf_Die unit_die,
                      uint64_t number, struct text_pool *pool, const char **path,
                      struct error *error);

struct dwarf_line {
    uint64_t address;
    const char *path; /* NULL = unknown, or in a row that ends a sequence */
    uint32_t line;
    bool ends; /* the first address after a sequence of code */
};

struct dwarf_lines {
    struct dwarf_line *items; /* by address */
    size_t count, capacity;
};

/* Reads the whole line table of the unit of `file` whose entry is at the offset. `module` shows
 * what is code. A damaged table gives no lines. 0, or -1 without memory. */
int dwarf_lines_read(struct dwarf_lines *lines, const struct elf_file *module,
                     struct dwarf_headers *headers, const struct dwarf_file *file,
                     Dwarf_Debug debug, Dwarf_Off unit, struct text_pool *pool,
                     struct error *error);
void dwarf_lines_release(struct dwarf_lines *lines);

/* The row that covers an address, or NULL. */
const struct dwarf_line *dwarf_lines_find(const struct dwarf_lines *lines, uint64_t address);

/* The path of `name` in `folder` in `base` (NULL or absolute ones allowed), without "." and
 * "..". */
const char *dwarf_join_path(struct text_pool *pool, const char *base, const char *folder,
                            const char *name, struct error *error);

#endif
